"""The thoughts of a game's movers, as packed columns over its plies.

To keep another number of every ply, add a row to PLY_COLUMNS and a field of the same name to
Thought, to Columns and, after all others, to Thoughts. All other code uses the list.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from rulezero._core import MOST_ACTIONS, MOST_PAIRS, MOST_PLIES
from rulezero.data.columns import (
    Floats,
    Numbers,
    PlyColumn,
    RecordError,
    length_of,
    pack_numbers,
    unpack_numbers,
    whole_numbers,
)

FULL_SHARE = 65535  # the weight of a share of 1

Column = Annotated[bytes, Meta(max_length=1 + 4 * MOST_PLIES)]
PairColumn = Annotated[bytes, Meta(max_length=1 + 4 * MOST_PAIRS)]

PLY_COLUMNS = (
    PlyColumn(name="sims"),  # simulations, or nodes
    PlyColumn(name="value", scale=32767, low=-1, high=1),  # the search's, seat 0's
    PlyColumn(name="raw_value", scale=32767, low=-1, high=1),  # the evaluator's own, seat 0's
    PlyColumn(name="draw", scale=32767, high=1),  # probability
    PlyColumn(name="surprise", scale=2048),  # nats; at most 16
)
_SHOWN = 3  # shares in a repr
_FIRST_FIELDS = 11  # fields of Thoughts that every record has had


class Thought(msgspec.Struct, frozen=True, kw_only=True):
    """What a player computed for a choice. Values are seat 0's; None: unknown."""

    action: int  # the action chosen
    value: float | None = None  # the search's, in [-1, 1]
    raw_value: float | None = None  # the net's own, before any search
    draw: float | None = None  # probability of a draw
    surprise: float | None = None  # how far the search moved from the prior, in nats
    sims: int = 0  # simulations, or nodes; 0: no search
    shares: dict[int, float] = {}  # of each action, sum to 1; {}: no policy
    target: dict[int, float] = {}  # policy target: the shares, perhaps pruned

    def __repr__(self) -> str:
        words = [f"action {self.action}"]
        words += [] if self.value is None else [f"value {self.value:+.3f}"]
        words += [f"{self.sims} sims"] if self.sims else []
        best = sorted(self.shares.items(), key=lambda each: -each[1])[:_SHOWN]
        if best:
            words.append("best " + ", ".join(f"{a} ({100 * share:.0f} %)" for a, share in best))
        return f"<thought: {', '.join(words)}>"


class Columns(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A game's choices and thoughts as arrays over its n plies and m pairs.

    The pairs of ply i are those from offsets[i] to offsets[i + 1], in the order of their actions.
    """

    actions: Numbers  # [n] the actions chosen
    sims: Numbers  # [n]
    value: Floats  # [n] seat 0's; NaN if unknown, as in the next three
    raw_value: Floats  # [n] seat 0's
    draw: Floats  # [n]
    surprise: Floats  # [n]
    offsets: npt.NDArray[np.int64]  # [n + 1]
    pair_actions: Numbers  # [m]
    pair_weights: npt.NDArray[np.uint16]  # [m] visit counts, or shares x 65535
    pair_targets: npt.NDArray[np.uint16]  # [m] policy targets, on a scale of their own

    def __repr__(self) -> str:
        return f"<columns of {len(self.actions)} plies>"

    @property
    def has_policy(self) -> npt.NDArray[np.bool_]:
        """Whether a ply has pairs, [n]."""
        return np.diff(self.offsets) > 0

    @property
    def has_thought(self) -> npt.NDArray[np.bool_]:
        """Whether a ply has a thought, [n]; dice, openings and random movers have none."""
        known = [column.are_known(getattr(self, column.name)) for column in PLY_COLUMNS]
        has_thought: npt.NDArray[np.bool_] = np.logical_or.reduce([*known, self.has_policy])
        return has_thought

    def with_choices(self, plies: npt.NDArray[np.bool_]) -> "Columns":
        """A copy in which these plies, [n], which have no pairs, get the chosen action as pair."""
        places = self.offsets[:-1][plies]
        return msgspec.structs.replace(
            self,
            offsets=np.append(0, np.cumsum(np.diff(self.offsets) + plies)),
            pair_actions=np.insert(self.pair_actions, places, self.actions[plies]),
            pair_weights=np.insert(self.pair_weights, places, FULL_SHARE),
            pair_targets=np.insert(self.pair_targets, places, FULL_SHARE),
        )

    def numbers(self, ply: int) -> dict[str, Any]:
        """The numbers of PLY_COLUMNS at one ply, in Python's own types; None: unknown."""
        return {
            column.name: column.plain(getattr(self, column.name)[ply]) for column in PLY_COLUMNS
        }

    def pairs(self, ply: int) -> tuple[list[int], list[int], list[int]]:
        """Actions, weights and targets of the pairs of one ply."""
        pairs = slice(self.offsets[ply], self.offsets[ply + 1])
        columns = (self.pair_actions, self.pair_weights, self.pair_targets)
        actions, weights, targets = (column[pairs].tolist() for column in columns)
        return actions, weights, targets

    def thought(self, ply: int) -> Thought | None:
        """The thought about one ply, or None."""
        if not 0 <= ply < len(self.actions):
            raise RecordError(f"there is no ply {ply} in a game of {len(self.actions)}")
        if not self.has_thought[ply]:
            return None
        actions, weights, targets = self.pairs(ply)
        return Thought(
            action=int(self.actions[ply]),
            **self.numbers(ply),
            shares=shares_of(actions, weights),
            target=shares_of(actions, targets),
        )


class Thoughts(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The thoughts about every ply of a game, packed. Made by `pack`, read by `columns`.

    Each field is a packed column (see columns.py); it is empty if nothing is known of any ply.
    """

    plies: Annotated[int, Meta(ge=0, le=MOST_PLIES)]
    sims: Column = b""
    value: Column = b""  # fixed point, as the next three
    raw_value: Column = b""
    draw: Column = b""
    surprise: Column = b""
    counts: Column = b""  # pairs of each ply
    action_ids: PairColumn = b""  # all actions in pairs, ascending, as differences from -1 on
    action_steps: PairColumn = b""  # indices into these, ascending per ply, as differences too
    weights: PairColumn = b""  # of the pairs
    target: PairColumn = b""  # weight - target of the pairs, modulo 2**16: empty where equal

    def __repr__(self) -> str:
        return f"<thoughts about {self.plies} plies>"

    def identity(self) -> tuple[Any, ...]:
        """What a record's id depends on: later columns count only if they are not empty."""
        fields = list(msgspec.structs.astuple(self))
        while len(fields) > _FIRST_FIELDS and not fields[-1]:
            fields.pop()
        return tuple(fields)

    def columns(self, actions: Numbers) -> Columns:
        """All columns as arrays, with the actions chosen."""
        plies = self.plies
        if len(actions) != plies:
            raise RecordError(f"thoughts about {plies} plies, but the game has {len(actions)}")
        counts = unpack_numbers(self.counts, plies, "counts").astype(np.int64)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        pairs = int(offsets[-1])
        if pairs != length_of(self.weights) or pairs > MOST_PAIRS:
            raise RecordError(f"the column counts gives {pairs} pairs, unlike the column weights")
        weights = _read_weights(self.weights, pairs, "weights")
        return Columns(
            actions=actions,
            **{each.name: each.unpack(getattr(self, each.name), plies) for each in PLY_COLUMNS},
            offsets=offsets,
            pair_actions=_read_pairs(self.action_ids, self.action_steps, counts),
            pair_weights=weights,
            pair_targets=weights - _read_weights(self.target, pairs, "target"),  # modulo 2**16
        )


def pack(
    actions: npt.ArrayLike,  # [n] the actions chosen
    *,
    counts: npt.ArrayLike | None = None,  # [n] pairs of each ply
    pair_actions: npt.ArrayLike = (),  # [m] in any order within a ply
    pair_weights: npt.ArrayLike = (),  # [m] visit counts, or shares that sum to 1 over a ply
    pair_targets: npt.ArrayLike | None = None,  # [m] policy targets, if they differ
    **columns: npt.ArrayLike | None,  # [n] each, by the names in PLY_COLUMNS
) -> tuple[bytes, Thoughts]:
    """The fields `actions` and `thoughts` of a record, from arrays.

    Whole weights are kept as they are, scaled down if one of the ply exceeds 65535; others are
    shares, kept in units of 1/65535. Pairs whose weight and target are then 0 are left out.
    """
    if unknown := columns.keys() - {column.name for column in PLY_COLUMNS}:
        raise TypeError(f"there is no column {min(unknown)!r} of plies")
    chosen = whole_numbers(actions, "actions", None, MOST_ACTIONS)
    plies = len(chosen)
    if plies > MOST_PLIES:
        raise RecordError(f"a game has {plies} plies; a record holds at most {MOST_PLIES}")
    numbers = whole_numbers(
        np.zeros(plies) if counts is None else counts, "counts", plies, MOST_PAIRS
    )
    pairs = int(numbers.sum())
    if pairs > MOST_PAIRS:
        raise RecordError(f"a game has {pairs} pairs; a record holds at most {MOST_PAIRS}")
    ply_of = np.repeat(np.arange(plies), numbers)  # [m]
    named = whole_numbers(pair_actions, "pair_actions", pairs, MOST_ACTIONS)
    weights = _quantise(pair_weights, ply_of, plies, "pair_weights")
    targets = weights
    if pair_targets is not None:
        targets = _quantise(pair_targets, ply_of, plies, "pair_targets")

    kept = (weights > 0) | (targets > 0)
    order = np.lexsort((named[kept], ply_of[kept]))
    ply_of, named = ply_of[kept][order], named[kept][order]
    weights, targets = weights[kept][order], targets[kept][order]
    ids, places = np.unique(named, return_inverse=True)
    is_first = np.diff(ply_of, prepend=-1) > 0
    steps = np.where(is_first, places + 1, np.diff(places, prepend=-1))
    if (steps < 1).any():
        raise RecordError("the pairs of a ply name an action twice")
    return pack_numbers(chosen), Thoughts(
        plies=plies,
        **{each.name: each.pack(columns.get(each.name), plies) for each in PLY_COLUMNS},
        counts=pack_numbers(np.bincount(ply_of, minlength=plies)),
        action_ids=pack_numbers(np.diff(ids, prepend=-1)),
        action_steps=pack_numbers(steps),
        weights=pack_numbers(weights),
        target=pack_numbers((weights - targets) % (1 << 16)),
    )


def _quantise(
    given: npt.ArrayLike,
    ply_of: npt.NDArray[np.int64],  # [m]
    plies: int,
    name: str,
) -> npt.NDArray[np.int64]:
    """The weights as whole numbers up to 65535, each ply scaled by itself."""
    weights = np.asarray(given, np.float64).reshape(-1)  # [m]
    if len(weights) != len(ply_of):
        raise RecordError(f"{name} has {len(weights)} numbers; counts gives {len(ply_of)}")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise RecordError(f"{name}: a weight at ply {ply_of[wrong][0]} is negative or not finite")
    total = np.bincount(ply_of, weights, plies)  # [n]
    if not (total[ply_of] > 0).all():
        raise RecordError(f"{name} are all 0 at ply {ply_of[total[ply_of] == 0][0]}")
    largest = np.zeros(plies)
    np.maximum.at(largest, ply_of, weights)
    is_share = np.bincount(ply_of, weights != np.rint(weights), plies) > 0
    divisor = np.where(is_share, total, np.maximum(largest, FULL_SHARE))
    divisor[divisor == 0] = 1
    return np.rint(weights * (FULL_SHARE / divisor)[ply_of]).astype(np.int64)


def _read_weights(packed: bytes, pairs: int, name: str) -> npt.NDArray[np.uint16]:
    weights = unpack_numbers(packed, pairs, name)
    if weights.max(initial=0) > FULL_SHARE:
        raise RecordError(f"the column {name} has numbers beyond 16 bits")
    return weights.astype(np.uint16)


def _read_pairs(ids: bytes, packed_steps: bytes, counts: npt.NDArray[np.int64]) -> Numbers:
    """The actions of all pairs, ply by ply."""
    actions = np.cumsum(unpack_numbers(ids, length_of(ids), "action_ids").astype(np.int64)) - 1
    steps = unpack_numbers(packed_steps, int(counts.sum()), "action_steps").astype(np.int64)
    if not (steps > 0).all() or (np.diff(actions, prepend=-1) < 1).any():
        raise RecordError("the columns action_ids and action_steps name an action twice")
    counts = counts[counts > 0]
    reached = np.cumsum(steps)
    before = np.concatenate([np.zeros(1, np.int64), reached])[np.cumsum(counts) - counts]
    places = reached - np.repeat(before, counts) - 1
    if places.max(initial=-1) >= len(actions) or actions.max(initial=0) >= MOST_ACTIONS:
        raise RecordError("the columns action_ids and action_steps name an action that no game has")
    named: Numbers = actions[places].astype(np.uint32)
    return named


def shares_of(actions: list[int], weights: Sequence[float]) -> dict[int, float]:
    """The share of each action that has a weight; they sum to 1."""
    total = sum(weights) or 1
    return {
        action: weight / total for action, weight in zip(actions, weights, strict=True) if weight
    }
