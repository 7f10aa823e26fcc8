"""Price files: offers of GPUs, and their assumed speed."""

import datetime
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WrapValidator, model_validator

from rulezero._core import RulezeroError
from rulezero.settings import Settings, mistake, number, sentence, suggestion
from rulezero.yaml_files import Document, read_file

Range = tuple[float, float]  # lowest and highest

_MOST = 200  # offers or levels in a file
_OLD = 365  # days after which prices are out of date


class PricesError(RulezeroError):
    """A price file that cannot be used: "FILE:LINE: what is wrong; what to do"."""


def _date(text: str) -> str:
    try:
        datetime.date.fromisoformat((text + "-01")[:10])
    except ValueError:
        text = ""
    if not re.fullmatch(r"\d{4}-\d\d(-\d\d)?", text):
        raise mistake("", "give a month or a day, such as 2025-12 or 2025-12-24")
    return text


def _range(given: Any, read: Callable[[Any], Range]) -> Range:
    """The lowest and the highest value, from a list of both or from one number."""
    ends = given if isinstance(given, list | tuple) else (given, given)
    if len(ends) != 2 or (found := read(ends))[0] > found[1]:
        raise mistake("is not a range", "give one number, or [lowest, highest]")
    return found


Dollars = Annotated[float, number(0, 1e6)]
Share = Annotated[float, number(0, 1)]


class Gpu(Settings):
    """A kind of GPU."""

    tflops: Annotated[float, number(0.001, 1e9)]  # 10 ** 12 operations/s; a multiply-add is two
    fp16: Annotated[float, number(1, 100)] = 1.0  # factor of that in half precision


class Offer(Settings):
    """A GPU that a provider rents out."""

    gpu: str
    provider: Annotated[str, sentence(40)]
    price: Annotated[tuple[Dollars, Dollars], WrapValidator(_range)]  # per hour


class Speed(Settings):
    """The assumed speed of evaluations and fits."""

    wait: Annotated[float, number(0, 1e9)]  # microseconds per evaluation, whatever the net's size
    share: Annotated[float, number(0.001, 1)]  # share of a GPU's tflops that a net reaches
    learning: Annotated[float, number(0, 1000)]  # cost of a training sample in evaluations


class Level(Settings):
    """A level of strength."""

    name: Annotated[str, sentence(40)]
    hours: Annotated[float, number(0, 1e12)]  # from which on a net has this level
    result: Annotated[str, sentence(80)]


class Levels(Settings):
    """The expected strength of a net, by hours."""

    games: tuple[str, ...]  # to which it applies
    gpu: str  # the GPU whose hours these are
    steps: tuple[Level, ...] = Field(min_length=1, max_length=_MOST)  # fewest hours first

    @model_validator(mode="after")
    def _rises(self) -> "Levels":
        for at, (before, step) in enumerate(itertools.pairwise(self.steps), 1):
            if step.hours <= before.hours:
                raise mistake("", "give more hours than in the level before", "steps", at, "hours")
        return self

    def reached(self, hours: float) -> Level:
        """The highest level that is reached in these hours; with too few, the first level."""
        return [step for step in self.steps if step.hours <= hours or step is self.steps[0]][-1]


class Prices(Settings):
    """A price file."""

    date: Annotated[str, AfterValidator(_date)]  # 2025-12, or 2025-12-24
    gpus: dict[str, Gpu]
    offers: tuple[Offer, ...] = Field(min_length=1, max_length=_MOST)
    spot: Annotated[tuple[Share, Share], WrapValidator(_range)]  # discount, as a share of the price
    speed: Speed
    levels: Levels

    @model_validator(mode="after")
    def _knows_its_gpus(self) -> "Prices":
        for at, offer in enumerate(self.offers):
            if offer.gpu not in self.gpus:
                raise mistake("", suggestion(offer.gpu, self.gpus), "offers", at, "gpu")
        if self.levels.gpu not in self.gpus:
            raise mistake("", suggestion(self.levels.gpu, self.gpus), "levels", "gpu")
        return self

    @property
    def day(self) -> datetime.date:
        """The first day of the date."""
        return datetime.date.fromisoformat((self.date + "-01")[:10])

    def is_old(self, today: datetime.date) -> bool:
        """Whether the prices are more than a year old."""
        return (today - self.day).days > _OLD


def newest() -> Prices:
    """The newest prices that come with rulezero."""
    return _shipped().read(Prices)


def read(path: str | Path) -> Prices:
    """The prices of a file. All keys but date and offers default to the newest prices."""
    rest = {key: keys for key, keys in _shipped().data.items() if key not in ("date", "offers")}
    return _file(Path(path)).read(Prices, rest)


def _shipped() -> Document:
    return _file(max(Path(__file__).parent.glob("*.yaml")))


def _file(path: Path) -> Document:
    return read_file(path, "name a YAML file of prices, see docs/cost.md", PricesError)
