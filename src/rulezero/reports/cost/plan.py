"""The cost of an experiment on rented GPUs: counted evaluations, their time, and prices.

hours = (evaluations + learning x samples) x (wait + multiply-adds / (share x the GPU's speed))
"""

import msgspec

from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.reports.cost.offers import Level, Offer, Prices, Range
from rulezero.training.estimate import Estimate
from rulezero.training.experiment import Experiment
from rulezero.training.work import Count, count, typical_sizes, work_of

_HOUR = 3600  # seconds


class GpuWork(msgspec.Struct, frozen=True, kw_only=True):
    """The work of an experiment on GPU and CPU."""

    preset: str
    parameters: int  # of the net
    multiply_adds: int  # of an evaluation
    counts: tuple[Count, ...]  # part by part

    @property
    def evaluations(self) -> float:
        """The evaluations in all games."""
        return sum(each.evaluations for each in self.counts)

    @property
    def samples(self) -> float:
        """The samples in all fits."""
        return sum(each.samples for each in self.counts)


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """An offer, with the hours and the price of the work."""

    gpu: str
    provider: str
    price: Range  # dollars per hour, after the spot discount
    hours: float
    dollars: Range


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A preset's work and every offer for it, the cheapest first."""

    work: GpuWork
    level: Level | None  # the expected strength; none: not known for this game
    quotes: tuple[Quote, ...]  # empty if there is no work for a GPU
    here: Estimate | None = None  # the same work on this machine


def plan(
    experiment: Experiment,
    prices: Prices,
    *,
    is_spot: bool = False,
    is_fp16: bool = False,
    speed: float | None = None,
    here: Estimate | None = None,
) -> Plan:
    """The cost of an experiment with every offer. `speed` is evaluations per second on any GPU.

    With an estimate for this machine, games have the sizes that were measured for it. Raises
    RunError without an estimate if there is no work for a GPU.
    """
    work = gpu_work(experiment, here)
    if not work.evaluations and here is None:
        raise RunError(
            f"no player in the preset '{experiment.preset}' of {experiment.recipe} has a net for a"
            " GPU, so there is nothing to rent: add --measure for the hours on this machine"
        )
    spot = prices.spot if is_spot else (0.0, 0.0)
    quotes = [
        _quote(offer, hours_on(offer.gpu, work, prices, is_fp16=is_fp16, speed=speed), spot)
        for offer in prices.offers
        if work.evaluations
    ]
    levels = prices.levels
    is_known = load(experiment.game).facts.name in levels.games and bool(quotes)
    return Plan(
        work=work,
        level=levels.reached(hours_on(levels.gpu, work, prices)) if is_known else None,
        quotes=tuple(sorted(quotes, key=lambda quote: sum(quote.dollars))),
        here=here,
    )


def hours_on(
    gpu: str, work: GpuWork, prices: Prices, *, is_fp16: bool = False, speed: float | None = None
) -> float:
    """The hours that some work takes on a GPU."""
    kind, known = prices.gpus[gpu], prices.speed
    flops = kind.tflops * 1e12 * known.share * (kind.fp16 if is_fp16 else 1)
    seconds = known.wait * 1e-6 + 2 * work.multiply_adds / flops if speed is None else 1 / speed
    return (work.evaluations + known.learning * work.samples) * seconds / _HOUR


def gpu_work(experiment: Experiment, here: Estimate | None = None) -> GpuWork:
    """The work of an experiment, with games of the length measured here, or of typical length."""
    try:
        size = experiment.regime.size(experiment)
    except ImportError as error:
        raise RunError(
            "counting the work of a net needs torch: pip install -c constraints.txt '.[train]'"
            f" ({error})"
        ) from error
    if here is None:
        work = work_of(experiment)
        counts = count(experiment, work, typical_sizes(experiment, work))
    else:
        counts = here.counts
    return GpuWork(
        preset=experiment.preset,
        parameters=size.parameters,
        multiply_adds=size.multiply_adds,
        counts=counts,
    )


def _quote(offer: Offer, hours: float, spot: Range) -> Quote:
    (low, high), (least, most) = offer.price, spot
    price = low * (1 - most), high * (1 - least)
    return Quote(
        gpu=offer.gpu,
        provider=offer.provider,
        price=price,
        hours=hours,
        dollars=(price[0] * hours, price[1] * hours),
    )
