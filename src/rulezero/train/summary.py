"""What a distillation came to, stage by stage, from the log of its run."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rulezero.train.regimes.distill import Distill


_GOOD, _ACCEPTABLE = 0.05, 0.10  # average losses below them are called so
_IDLE = 0.9  # of the best constant's loss: who is above it has learned next to nothing


class StageSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage came to. Losses are squared errors of the mover's chance."""

    name: str
    mode: int
    positions: int  # trained, each as often as it was
    loss: float | None  # average over them, as they were met; none where nothing is learned
    idle_loss: float | None  # that of the best constant over them
    held_out: float | None  # loss on games never trained on, at the end of the stage
    constant: float | None  # that of the best constant there

    @property
    def verdict(self) -> str:
        """What the average loss is called."""
        if self.loss is None:
            return "nothing learned"
        word = "good" if self.loss < _GOOD else "acceptable" if self.loss < _ACCEPTABLE else "high"
        if self.held_out is None or self.constant is None:
            return word
        if self.held_out <= _IDLE * self.constant:
            return word
        return f"{word}, but on other games hardly better than the best constant"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to."""

    stages: tuple[StageSummary, ...]
    last_material: int | None  # centipawns, White's lead where the last game ended


def summarise(entries: Iterable[dict[str, Any]], settings: "Distill") -> Summary:
    """The summary of a log."""
    known = list(entries)
    fits = {entry["iteration"]: entry for entry in known if entry["kind"] == "fit"}
    ended = [
        entry["figures"].get("last_material")
        for entry in known
        if entry["kind"] == "games" and entry["purpose"] == "self-play"
    ]
    found = []
    for stage in settings.stages:
        done = [fit for at, fit in fits.items() if stage.first <= at <= stage.last]
        taught = [fit for fit in done if fit["train"]]
        positions = sum(fit["samples"] for fit in taught)
        measured = [fit["held_out"] for fit in done if fit["held_out"]]
        found.append(
            StageSummary(
                name=stage.name,
                mode=stage.mode,
                positions=positions,
                loss=_mean(taught, "value"),
                idle_loss=_mean(taught, "constant"),
                held_out=measured[-1]["net"]["value"] if measured else None,
                constant=measured[-1]["constant"]["value"] if measured else None,
            )
        )
    return Summary(stages=tuple(found), last_material=ended[-1] if ended else None)


def _mean(fits: Sequence[dict[str, Any]], name: str) -> float | None:
    """The mean loss of a name over all positions that fits have met."""
    positions = sum(fit["samples"] for fit in fits)
    return sum(fit["train"][name] * fit["samples"] for fit in fits) / positions if fits else None
