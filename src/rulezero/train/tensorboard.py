"""The log's figures for TensorBoard."""

import math
from pathlib import Path

import msgspec
from torch.utils.tensorboard import SummaryWriter

from rulezero.train.listener import Listener
from rulezero.train.log import Entry, FitEntry, GamesEntry


class TensorBoardListener(Listener):
    """Writes what is logged as scalars over iterations."""

    def __init__(self, folder: Path, iteration: int = 0) -> None:
        """Scalars of this iteration and later ones, from before the run was stopped, are erased."""
        self._writer = SummaryWriter(str(folder), purge_step=iteration or None)

    def logged(self, entry: Entry) -> None:
        for name, number in scalars(entry).items():
            self._writer.add_scalar(name, number, entry.iteration)
        self._writer.flush()


def scalars(entry: Entry) -> dict[str, float]:
    """The figures of a line of the log that are worth a curve, by their names."""
    if isinstance(entry, GamesEntry):
        group = entry.purpose
        found = {
            f"{group}/plies": entry.plies / max(entry.games, 1),
            f"{group}/draws": entry.draw_share,
            f"{group}/first_seat": entry.first_seat,
            f"{group}/sims_per_second": entry.sims_per_second,
        }
        if group in ("gate", "rating"):
            found |= {f"{group}/score": entry.score, f"{group}/elo": entry.elo.elo}
        return found
    if isinstance(entry, FitEntry):
        found = {f"train/{name}": loss for name, loss in entry.train.items()}
        found |= {"fit/rate": entry.rate, "fit/waiting": entry.waiting}
        found["fit/samples_per_second"] = entry.samples_per_second
        if held_out := entry.held_out:
            for who, figures in (("net", held_out.net), ("constant", held_out.constant)):
                numbers = msgspec.structs.asdict(figures).items()
                found |= {f"held_out/{name}/{who}": n for name, n in numbers if not math.isnan(n)}
        return found
    return {}
