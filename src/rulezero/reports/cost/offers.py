"""Price files: offers of GPUs, and how fast those are taken to be."""

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

Range = tuple[float, float]  # the least and the most

_MOST = 200  # offers or levels of a file
_OLD = 365  # days after which prices are no longer believed


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
    """The least and the most: a list of both, or one number."""
    ends = given if isinstance(given, list | tuple) else (given, given)
    if len(ends) != 2 or (found := read(ends))[0] > found[1]:
        raise mistake("is no range", "give one number, or [least, most]")
    return found


Dollars = Annotated[float, number(0, 1e6)]
Share = Annotated[float, number(0, 1)]


class Gpu(Settings):
    """A kind of GPU."""

    tflops: Annotated[float, number(0.001, 1e9)]  # 10 ** 12 operations a second; a multiply-add: 2
    fp16: Annotated[float, number(1, 100)] = 1.0  # how many times as many in half precision


class Offer(Settings):
    """A GPU that somebody rents out."""

    gpu: str
    provider: Annotated[str, sentence(40)]
    price: Annotated[tuple[Dollars, Dollars], WrapValidator(_range)]  # an hour


class Speed(Settings):
    """What an evaluation takes besides, and instead of, the GPU's own figure."""

    wait: Annotated[float, number(0, 1e9)]  # microseconds that do not depend on the net's size
    share: Annotated[float, number(0.001, 1)]  # of a GPU's tflops that a net reaches
    learning: Annotated[float, number(0, 1000)]  # evaluations that a sample costs as much as


class Level(Settings):
    """How strong a net becomes, in words."""

    name: Annotated[str, sentence(40)]
    hours: Annotated[float, number(0, 1e12)]  # from here on
    result: Annotated[str, sentence(80)]


class Levels(Settings):
    """What is expected of a net, by hours."""

    games: tuple[str, ...]  # for which it is
    gpu: str  # whose hours count
    steps: tuple[Level, ...] = Field(min_length=1, max_length=_MOST)  # fewest hours first

    @model_validator(mode="after")
    def _rises(self) -> "Levels":
        for at, (before, step) in enumerate(itertools.pairwise(self.steps), 1):
            if step.hours <= before.hours:
                raise mistake("", "give more than the level before", "steps", at, "hours")
        return self

    def reached(self, hours: float) -> Level:
        """The highest level of so many hours; below the first, still the first."""
        return [step for step in self.steps if step.hours <= hours or step is self.steps[0]][-1]


class Prices(Settings):
    """A price file."""

    date: Annotated[str, AfterValidator(_date)]  # 2025-12, or 2025-12-24
    gpus: dict[str, Gpu]
    offers: tuple[Offer, ...] = Field(min_length=1, max_length=_MOST)
    spot: Annotated[tuple[Share, Share], WrapValidator(_range)]  # of the price that is saved
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
    """The prices of a file. Its date and offers are its own, the rest as in the newest."""
    rest = {key: keys for key, keys in _shipped().data.items() if key not in ("date", "offers")}
    return _file(Path(path)).read(Prices, rest)


def _shipped() -> Document:
    return _file(max(Path(__file__).parent.glob("*.yaml")))


def _file(path: Path) -> Document:
    return read_file(path, "name a YAML file of prices, see docs/cost.md", PricesError)
