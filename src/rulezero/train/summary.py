"""The results of a distillation, stage by stage, from the log of its run."""

from collections.abc import Iterable, Sequence

from rulezero.train.distillation import DistillSettings
from rulezero.train.log import Entry, FitEntry, GamesEntry, StageSummary, Summary


def summarise(entries: Iterable[Entry], settings: DistillSettings) -> Summary:
    """The summary of a log."""
    known = list(entries)
    fits = {entry.iteration: entry for entry in known if isinstance(entry, FitEntry)}
    ended = [
        entry.figures.last_material
        for entry in known
        if isinstance(entry, GamesEntry) and entry.purpose == "self-play"
    ]
    found = []
    for stage in settings.stages:
        done = [fit for at, fit in fits.items() if stage.first <= at <= stage.last]
        taught = [fit for fit in done if fit.train]
        measured = [fit.held_out for fit in done if fit.held_out is not None]
        found.append(
            StageSummary(
                name=stage.name,
                mode=stage.mode,
                positions=sum(fit.samples for fit in taught),
                loss=_mean(taught, "value"),
                idle_loss=_mean(taught, "constant"),
                held_out=measured[-1].net.value if measured else None,
                constant=measured[-1].constant.value if measured else None,
            )
        )
    return Summary(stages=tuple(found), last_material=ended[-1] if ended else None)


def _mean(fits: Sequence[FitEntry], name: str) -> float | None:
    """The mean loss of a name over all positions of the fits."""
    positions = sum(fit.samples for fit in fits)
    return sum(fit.train[name] * fit.samples for fit in fits) / positions if fits else None
