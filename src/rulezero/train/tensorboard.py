"""The log's figures for TensorBoard."""

import math
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from rulezero.train.listener import Listener


class TensorBoardListener(Listener):
    """Writes what is logged as scalars over iterations."""

    def __init__(self, folder: Path, iteration: int = 0) -> None:
        """From this iteration on, what a run that was stopped had drawn is drawn again."""
        self._writer = SummaryWriter(str(folder), purge_step=iteration or None)

    def logged(self, entry: dict[str, Any]) -> None:
        for name, number in scalars(entry).items():
            self._writer.add_scalar(name, number, entry["iteration"])
        self._writer.flush()


def scalars(entry: dict[str, Any]) -> dict[str, float]:
    """The figures of a line of the log that are worth a curve, by their names."""
    if entry["kind"] == "games":
        group = entry["purpose"]
        draws = sum(end["draws"] for end in entry["ends"].values())
        games = max(entry["games"], 1)
        found = {
            f"{group}/plies": entry["plies"] / games,
            f"{group}/draws": draws / games,
            f"{group}/first_seat": entry["first_seat"],
            f"{group}/sims_per_second": entry["sims"] / max(entry["seconds"], 1e-9),
        }
        if group in ("gate", "rating"):
            found |= {f"{group}/score": entry["score"], f"{group}/elo": entry["elo"]["elo"]}
        return found
    if entry["kind"] == "fit":
        found = {f"train/{name}": loss for name, loss in entry["train"].items()}
        found |= {"fit/rate": entry["rate"], "fit/waiting": entry["waiting"]}
        found["fit/samples_per_second"] = entry["samples"] / max(entry["seconds"], 1e-9)
        for who in ("net", "constant") if entry["held_out"] else ():
            figures = entry["held_out"][who].items()
            found |= {f"held_out/{name}/{who}": n for name, n in figures if not math.isnan(n)}
        return found
    return {}
