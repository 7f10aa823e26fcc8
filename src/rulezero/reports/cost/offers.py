"""Price files: offers of GPUs, and how fast those are taken to be."""

import datetime
import math
import re
from importlib import resources
from pathlib import Path

import msgspec

from rulezero._core import RulezeroError
from rulezero.yaml_values import PiecesError, Value, read_file

Range = tuple[float, float]  # the least and the most

_MOST = 200  # GPUs, offers or levels of a file
_OLD = 365  # days after which prices are no longer believed


class PricesError(RulezeroError):
    """A price file that cannot be used: "FILE:LINE: what is wrong; what to do"."""


class Gpu(msgspec.Struct, frozen=True):
    """A kind of GPU."""

    tflops: float  # 10 ** 12 operations a second; a multiply-add is two
    fp16: float  # how many times as many in half precision


class Offer(msgspec.Struct, frozen=True):
    """A GPU that somebody rents out."""

    gpu: str
    provider: str
    price: Range  # dollars an hour


class Speed(msgspec.Struct, frozen=True):
    """What an evaluation takes besides, and instead of, the GPU's own figure."""

    wait: float  # microseconds that have nothing to do with the net's size
    share: float  # of a GPU's tflops that a net reaches
    learning: float  # evaluations that a sample costs as much as


class Level(msgspec.Struct, frozen=True):
    """How strong a net becomes, in words."""

    name: str
    hours: float  # from here on
    result: str


class Levels(msgspec.Struct, frozen=True):
    """What is expected of a net, by hours."""

    games: tuple[str, ...]  # for which it is
    gpu: str  # whose hours count
    steps: tuple[Level, ...]  # fewest hours first

    def reached(self, hours: float) -> Level:
        """The highest level of so many hours; below the first, still the first."""
        return [step for step in self.steps if step.hours <= hours or step is self.steps[0]][-1]


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """A price file."""

    date: str  # 2025-12, or 2025-12-24
    gpus: dict[str, Gpu]
    offers: tuple[Offer, ...]
    spot: Range  # share of the price that is saved
    speed: Speed
    levels: Levels

    @property
    def day(self) -> datetime.date:
        """The first day of the date."""
        return datetime.date.fromisoformat((self.date + "-01")[:10])

    def is_old(self, today: datetime.date) -> bool:
        """Whether the prices are more than a year old."""
        return (today - self.day).days > _OLD


def newest() -> Prices:
    """The newest prices that come with rulezero."""
    files = resources.files("rulezero.reports.cost").iterdir()
    name = max(file.name for file in files if file.name.endswith(".yaml"))
    with resources.as_file(resources.files("rulezero.reports.cost") / name) as path:
        return _told(path, None)


def read(path: str | Path) -> Prices:
    """The prices of a file. What it says nothing of but date and offers is as in the newest."""
    return _told(Path(path), newest())


def _told(path: Path, base: Prices | None) -> Prices:
    try:
        return _read(read_file(path, "name a YAML file of prices, see docs/cost.md"), base)
    except PiecesError as error:
        raise PricesError(str(error)) from None


def _read(file: Value, base: Prices | None) -> Prices:
    known = msgspec.structs.fields(Prices)
    keys = file.fields(
        [key.name for key in known],
        ["date", "offers"] if base else [key.name for key in known],
    )
    gpus = dict(base.gpus) if base else {}
    if "gpus" in keys:
        gpus |= {name: _gpu(gpu) for name, (_, gpu) in keys["gpus"].entries("GPU").items()}
    offers = tuple(_offer(offer, gpus) for offer in keys["offers"].items(_MOST))
    if not offers:
        keys["offers"].fail("is empty", "add one such as {gpu: ..., provider: ..., price: 0.78}")
    return Prices(
        date=_date(keys["date"]),
        gpus=gpus,
        offers=offers,
        spot=_range(keys["spot"], 0, 1) if base is None or "spot" in keys else base.spot,
        speed=_speed(keys["speed"]) if base is None or "speed" in keys else base.speed,
        levels=_levels(keys["levels"], gpus) if base is None or "levels" in keys else base.levels,
    )


def _date(value: Value) -> str:
    text = str(value.node.value)
    try:
        is_date = bool(re.fullmatch(r"\d{4}-\d\d(-\d\d)?", text))
        datetime.date.fromisoformat((text + "-01")[:10])
    except ValueError:
        is_date = False
    if not is_date:
        value.fail(f"is {value.shown}", "give a month or a day, such as 2025-12 or 2025-12-24")
    return text


def _gpu(value: Value) -> Gpu:
    keys = value.fields(("tflops", "fp16"), ("tflops",))
    fp16 = _number(keys["fp16"], 1, 100) if "fp16" in keys else 1.0
    return Gpu(_number(keys["tflops"], 0.001, 1e9), fp16)


def _offer(value: Value, gpus: dict[str, Gpu]) -> Offer:
    keys = value.fields(("gpu", "provider", "price"), ("gpu", "provider", "price"))
    price = _range(keys["price"], 0, 1e6)
    return Offer(keys["gpu"].word(gpus), keys["provider"].sentence(40), price)


def _speed(value: Value) -> Speed:
    keys = value.fields(("wait", "share", "learning"), ("wait", "share", "learning"))
    return Speed(
        wait=_number(keys["wait"], 0, 1e9),
        share=_number(keys["share"], 0.001, 1),
        learning=_number(keys["learning"], 0, 1000),
    )


def _levels(value: Value, gpus: dict[str, Gpu]) -> Levels:
    keys = value.fields(("games", "gpu", "steps"), ("games", "gpu", "steps"))
    steps: list[Level] = []
    for step in keys["steps"].items(_MOST):
        known = step.fields(("name", "hours", "result"), ("name", "hours", "result"))
        hours = _number(known["hours"], 0, 1e12)
        if steps and hours <= steps[-1].hours:
            known["hours"].fail(f"is {known['hours'].shown}", "give more than the level before")
        steps.append(Level(known["name"].sentence(40), hours, known["result"].sentence(80)))
    if not steps:
        keys["steps"].fail("is empty", "add one such as {name: ..., hours: 50, result: ...}")
    games = tuple(game.text() for game in keys["games"].items(_MOST))
    return Levels(games, keys["gpu"].word(gpus), tuple(steps))


def _range(value: Value, low: float, high: float) -> Range:
    """A number, or a list of the least and the most."""
    if not value.is_list:
        number = _number(value, low, high)
        return number, number
    numbers = [_number(item, low, high) for item in value.items(2)]
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        value.fail("is no range", "give one number, or [least, most]")
    return numbers[0], numbers[1]


def _number(value: Value, low: float, high: float) -> float:
    try:
        number = float(value.node.value) if value.is_scalar("int", "float") else math.nan
    except ValueError:  # YAML's own spellings, 0x10 or 1:30
        number = math.nan
    if not low <= number <= high:
        value.fail(f"is {value.shown}", f"give a number from {low:,g} to {high:,g}")
    return number
