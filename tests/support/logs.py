"""Lines of a run's log, read from JSON as a run reads them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from rulezero.training.log import FitEntry, GamesEntry, VerdictEntry, read_entry

ELO = {"elo": 0.0, "lower": -1, "upper": 1, "superiority": 0.5, "confidence": 0.95, "games": 2}
_NAMES = ("total", "policy", "value", "value_mse", "value_mae", "top1", "winner", "legal_mass")
FIGURES = dict.fromkeys(_NAMES, 0.5)


def measures(
    net: Mapping[str, float | None], constant: Mapping[str, float | None]
) -> dict[str, Any]:
    """Figures on held-out positions."""
    spreads = {"value_spread": 0.1, "policy_spread": 0.1}
    return {"positions": 9, "net": net, "constant": constant, **spreads}


def games(iteration: int, purpose: str = "self-play", **more: Any) -> GamesEntry:
    """Games of a task."""
    known = {"task": f"{iteration:04}/{purpose}", "purpose": purpose, "a": "puct:sims=8"}
    b = "random" if purpose == "rating" else "puct:sims=8"
    counts = {"games": 2, "plies": 80, "sims": 10, "seconds": 1.0}
    results = {"score": 0.5, "elo": ELO, "first_seat": 0.5, "ends": {}}
    found = _read("games", iteration, {**known, "b": b, **counts, **results, **more})
    assert isinstance(found, GamesEntry)
    return found


def fit(iteration: int, **more: Any) -> FitEntry:
    """A fit without held-out positions."""
    known = {"window": 90, "window_games": 9, "steps": 1, "samples": 32, "seconds": 1.0}
    found = _read("fit", iteration, {**known, "waiting": 0.1, "rate": 0.1, "train": {}, **more})
    assert isinstance(found, FitEntry)
    return found


def verdict(iteration: int, **more: Any) -> VerdictEntry:
    """The end of an iteration whose net is promoted."""
    known = {"net": f"iter_{iteration}", "is_promoted": True, "is_tried": True, "cores": 1.5}
    found = _read("verdict", iteration, {**known, **more})
    assert isinstance(found, VerdictEntry)
    return found


def _read(kind: str, iteration: int, fields: dict[str, Any]) -> object:
    entry = {"kind": kind, "iteration": iteration, "seconds_so_far": 1.0, **fields}
    return read_entry(msgspec.json.encode(entry))
