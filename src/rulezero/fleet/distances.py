"""How far the thoughts of a game are from those of the same choices, made a second time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero.data.columns import Floats
from rulezero.data.thoughts import Columns

Plies = npt.NDArray[np.bool_]  # [n] which plies
Pairs = tuple[list[int], list[int], list[int]]  # actions, weights, targets


class Distances(msgspec.Struct, frozen=True, kw_only=True):
    """The distances of a game's thoughts: means over its plies, without the most distant one.

    On an honest machine of another kind, a close choice inside a search can go the other way. This
    is rare, and then changes a thought much.
    """

    thoughts: int  # number of plies with one
    policy: float = 0.0  # share of the visits, or of the policy target, on other actions
    value: float = 0.0  # difference of the search's values
    net: float = 0.0  # difference of the evaluator's own values
    choices: float = 0.0  # share of the choices that the player would not make again


class Limits(NamedTuple):
    """The largest distances of a game that honest machines have."""

    policy: float
    value: float
    net: float
    choices: float


LEAST = 8  # thoughts: means over fewer say little
# benchmarks/again.py measures the distances of honest games and of cheats. FLOAT is for games whose
# players compute in fp32 on a CPU, ROUGH for int8, half precision and GPUs; those are measured by
# weights that differ by 1/1000, or that have the 8 bits of bfloat16.
FLOAT = Limits(policy=0.03, value=0.02, net=0.001, choices=0.08)
ROUGH = Limits(policy=0.2, value=0.1, net=0.01, choices=0.25)


def distances_of(one: Columns, other: Columns, measured: Plies, is_other: Plies) -> Distances:
    """The distances of two games' thoughts over some plies; `is_other`: other choices."""
    plies = np.flatnonzero(measured)
    has_policy = one.has_policy[plies] | other.has_policy[: len(measured)][plies]
    policies = [_apart(one.pairs(ply), other.pairs(ply)) for ply in plies[has_policy].tolist()]
    return Distances(
        thoughts=len(plies),
        policy=_mean(policies),
        value=_mean(_differences(one.value[plies], other.value[plies])),
        net=_mean(_differences(one.raw_value[plies], other.raw_value[plies])),
        choices=_mean(is_other[plies]),
    )


def _mean(numbers: Sequence[float] | npt.NDArray[Any]) -> float:
    """The mean of all numbers but the largest."""
    others = np.sort(np.asarray(numbers, np.float64))[:-1]
    return float(others.mean()) if len(others) else 0.0


def _differences(one: Floats, other: Floats) -> Floats:
    """The differences of values; 1 where only one is known, and none where neither is."""
    known = np.isfinite(one) & np.isfinite(other)
    either = np.isfinite(one) | np.isfinite(other)
    found: Floats = np.where(known, np.abs(one - other), 1.0)[either].astype(np.float32)
    return found


def _apart(one: Pairs, other: Pairs) -> float:
    """The share of all weight, or of all targets if that is more, that lies on other actions.

    With equal sums it is the total variation distance. Visits are not scaled to equal sums: fewer
    simulations are a difference, too.
    """
    found = 0.0
    for column in (1, 2):
        here = dict(zip(one[0], one[column], strict=True))
        there = dict(zip(other[0], other[column], strict=True))
        total = sum(here.values()) + sum(there.values())
        apart = sum(abs(here.get(each, 0) - there.get(each, 0)) for each in here.keys() | there)
        found = max(found, apart / total)
    return found


def beyond(distances: Distances, limits: Limits) -> str | None:
    """Which distance is too large for an honest machine, in words; None: none, or too few plies."""
    if distances.thoughts < LEAST:
        return None
    words = {
        "policy": "its policies differ by",
        "value": "its values differ by",
        "net": "its net's values differ by",
        "choices": "the share of choices that the players would not make again is",
    }
    for name, limit in limits._asdict().items():
        distance = getattr(distances, name)
        if distance > limit:
            return f"{words[name]} {distance:.3g}, which is more than {limit:g}"
    return None
