"""What the movers of a game thought: columns over its plies, packed."""

import math
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from rulezero.data.columns import (
    Floats,
    Numbers,
    RecordError,
    length_of,
    pack_fixed,
    pack_numbers,
    unpack_fixed,
    unpack_numbers,
)

MOST_PLIES = 1 << 16
MOST_PAIRS = 1 << 20
MOST_ACTIONS = 1 << 31
VALUE_SCALE = 32767  # values and draw probabilities are kept to 1/65534
SURPRISE_SCALE = 2048  # surprise is kept to 1/4096 nat, up to 16
FULL_SHARE = 65535  # the weight of a share of 1
_SLACK = 1e-4  # so far may a value overshoot its range before it is an error

Column = Annotated[bytes, Meta(max_length=1 + 4 * MOST_PLIES)]
PairColumn = Annotated[bytes, Meta(max_length=1 + 4 * MOST_PAIRS)]


class Thought(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat knew when it chose. Values are seat 0's; None is what it did not know."""

    action: int  # what was chosen
    value: float | None = None  # the search's, in [-1, 1]
    raw_value: float | None = None  # the net's own, before any search
    draw: float | None = None  # probability of a draw
    surprise: float | None = None  # how far the search moved from the prior, in nats
    sims: int = 0  # simulations, or nodes; 0 where nothing was searched
    shares: dict[int, float] = {}  # of each action, sum to 1; {} where there is no policy
    target: dict[int, float] = {}  # what a net should learn: the shares, or these pruned


class Columns(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A game's choices and thoughts as arrays over its n plies and m pairs.

    The pairs of ply i are those from offsets[i] to offsets[i + 1], in the order of their actions.
    """

    actions: Numbers  # [n] what was chosen
    sims: Numbers  # [n]
    value: Floats  # [n] seat 0's, NaN where missing, as in the next three
    raw_value: Floats  # [n] seat 0's
    draw: Floats  # [n]
    surprise: Floats  # [n]
    offsets: npt.NDArray[np.int64]  # [n + 1]
    pair_actions: Numbers  # [m]
    pair_weights: npt.NDArray[np.uint16]  # [m] visit counts, or shares x 65535
    pair_targets: npt.NDArray[np.uint16]  # [m] what a net should learn, on a scale of its own

    @property
    def has_policy(self) -> npt.NDArray[np.bool_]:
        """Whether a ply has pairs, [n]."""
        return np.diff(self.offsets) > 0

    @property
    def has_thought(self) -> npt.NDArray[np.bool_]:
        """Whether anything is known of a ply, [n]: not of dice, openings, random movers."""
        known = (self.value, self.raw_value, self.draw, self.surprise)
        has_value = np.logical_or.reduce([np.isfinite(column) for column in known])
        has_thought: npt.NDArray[np.bool_] = has_value | (self.sims > 0) | self.has_policy
        return has_thought

    def thought(self, ply: int) -> Thought | None:
        """The thought about one ply, or None."""
        if not 0 <= ply < len(self.actions):
            raise RecordError(f"there is no ply {ply} in a game of {len(self.actions)}")
        if not self.has_thought[ply]:
            return None
        pairs = slice(int(self.offsets[ply]), int(self.offsets[ply + 1]))
        actions = self.pair_actions[pairs].tolist()
        return Thought(
            action=int(self.actions[ply]),
            value=_known(self.value[ply]),
            raw_value=_known(self.raw_value[ply]),
            draw=_known(self.draw[ply]),
            surprise=_known(self.surprise[ply]),
            sims=int(self.sims[ply]),
            shares=_shares(actions, self.pair_weights[pairs].tolist()),
            target=_shares(actions, self.pair_targets[pairs].tolist()),
        )


class Thoughts(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The thoughts about every ply of a game, packed. Made by `pack`, read by `columns`.

    Each field is a packed column (see columns.py); an empty one says nothing about any ply.
    """

    plies: Annotated[int, Meta(ge=0, le=MOST_PLIES)]
    sims: Column = b""
    value: Column = b""  # fixed point, as the next three
    raw_value: Column = b""
    draw: Column = b""
    surprise: Column = b""
    counts: Column = b""  # pairs of each ply
    menu: PairColumn = b""  # every action that occurs in a pair, ascending, as steps from -1
    picks: PairColumn = b""  # places in the menu, ascending within a ply, as steps from -1
    weights: PairColumn = b""  # of the pairs
    target: PairColumn = b""  # weight - target of the pairs, modulo 2**16: empty where equal

    def columns(self, actions: Numbers) -> Columns:
        """Everything as arrays, beside the actions that were chosen."""
        plies = self.plies
        if len(actions) != plies:
            raise RecordError(f"thoughts about {plies} plies of a game of {len(actions)}")
        counts = unpack_numbers(self.counts, plies, "counts").astype(np.int64)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        pairs = int(offsets[-1])
        if pairs != length_of(self.weights) or pairs > MOST_PAIRS:
            raise RecordError(f"the column counts tells of {pairs} pairs, weights of others")
        weights = _read_weights(self.weights, pairs, "weights")
        return Columns(
            actions=actions,
            sims=unpack_numbers(self.sims, plies, "sims"),
            value=unpack_fixed(self.value, VALUE_SCALE, plies, "value"),
            raw_value=unpack_fixed(self.raw_value, VALUE_SCALE, plies, "raw_value"),
            draw=unpack_fixed(self.draw, VALUE_SCALE, plies, "draw"),
            surprise=unpack_fixed(self.surprise, SURPRISE_SCALE, plies, "surprise"),
            offsets=offsets,
            pair_actions=_read_pairs(self.menu, self.picks, counts),
            pair_weights=weights,
            pair_targets=weights - _read_weights(self.target, pairs, "target"),  # modulo 2**16
        )


def pack(
    actions: npt.ArrayLike,  # [n] what was chosen
    *,
    sims: npt.ArrayLike | None = None,  # [n]
    value: npt.ArrayLike | None = None,  # [n] seat 0's, NaN where missing, as in the next three
    raw_value: npt.ArrayLike | None = None,  # [n] seat 0's
    draw: npt.ArrayLike | None = None,  # [n] probability
    surprise: npt.ArrayLike | None = None,  # [n] nats
    counts: npt.ArrayLike | None = None,  # [n] pairs of each ply
    pair_actions: npt.ArrayLike = (),  # [m] in any order within a ply
    pair_weights: npt.ArrayLike = (),  # [m] visit counts, or shares that sum to 1 over a ply
    pair_targets: npt.ArrayLike | None = None,  # [m] where a net should learn something else
) -> tuple[bytes, Thoughts]:
    """The fields `actions` and `thoughts` of a record, from arrays.

    Whole weights are kept as they are, scaled down where one of the ply exceeds 65535; others are
    shares, kept in units of 1/65535. A pair that counts for nothing then is left out.
    """
    chosen = _whole(actions, "actions", None, MOST_ACTIONS)
    plies = len(chosen)
    if plies > MOST_PLIES:
        raise RecordError(f"a game of {plies} plies; a record holds {MOST_PLIES} at most")
    numbers = _whole(np.zeros(plies) if counts is None else counts, "counts", plies, MOST_PAIRS)
    pairs = int(numbers.sum())
    if pairs > MOST_PAIRS:
        raise RecordError(f"{pairs} pairs; a record holds {MOST_PAIRS} at most")
    ply_of = np.repeat(np.arange(plies), numbers)  # [m]
    named = _whole(pair_actions, "pair_actions", pairs, MOST_ACTIONS)
    weights = _quantise(pair_weights, ply_of, plies, "pair_weights")
    targets = weights
    if pair_targets is not None:
        targets = _quantise(pair_targets, ply_of, plies, "pair_targets")

    kept = (weights > 0) | (targets > 0)
    order = np.lexsort((named[kept], ply_of[kept]))
    ply_of, named = ply_of[kept][order], named[kept][order]
    weights, targets = weights[kept][order], targets[kept][order]
    menu, places = np.unique(named, return_inverse=True)
    is_first = np.diff(ply_of, prepend=-1) > 0
    picks = np.where(is_first, places + 1, np.diff(places, prepend=-1))
    if (picks < 1).any():
        raise RecordError("the pairs of a ply name an action twice")
    return pack_numbers(chosen), Thoughts(
        plies=plies,
        sims=b"" if sims is None else pack_numbers(_whole(sims, "sims", plies, 1 << 32)),
        value=_fix(value, plies, "value", -1, 1, VALUE_SCALE),
        raw_value=_fix(raw_value, plies, "raw_value", -1, 1, VALUE_SCALE),
        draw=_fix(draw, plies, "draw", 0, 1, VALUE_SCALE),
        surprise=_fix(surprise, plies, "surprise", 0, math.inf, SURPRISE_SCALE),
        counts=pack_numbers(np.bincount(ply_of, minlength=plies)),
        menu=pack_numbers(np.diff(menu, prepend=-1)),
        picks=pack_numbers(picks),
        weights=pack_numbers(weights),
        target=pack_numbers((weights - targets) % (1 << 16)),
    )


def repack(columns: Columns) -> tuple[bytes, Thoughts]:
    """The same columns packed again: equal to what they came from, unless that was forged."""
    return pack(
        columns.actions,
        sims=columns.sims,
        value=columns.value,
        raw_value=columns.raw_value,
        draw=columns.draw,
        surprise=columns.surprise,
        counts=np.diff(columns.offsets),
        pair_actions=columns.pair_actions,
        pair_weights=columns.pair_weights,
        pair_targets=columns.pair_targets,
    )


def _whole(
    given: npt.ArrayLike, name: str, length: int | None, limit: int
) -> npt.NDArray[np.int64]:
    """The numbers, if they are so many whole ones from 0 to below the limit."""
    array = np.asarray(given)
    if array.size == 0:
        array = array.reshape(-1).astype(np.int64)
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "one dimension" if length is None else f"the shape ({length},)"
        raise RecordError(f"{name} has the shape {array.shape}; it needs {wanted}")
    if array.dtype.kind not in "iu" and not (array == np.rint(array)).all():
        raise RecordError(f"{name} holds whole numbers only")
    if array.size and not (array.min() >= 0 and array.max() < limit):
        raise RecordError(f"{name} holds numbers from 0 to {limit - 1} only")
    return array.astype(np.int64)


def _quantise(
    given: npt.ArrayLike,
    ply_of: npt.NDArray[np.int64],  # [m]
    plies: int,
    name: str,
) -> npt.NDArray[np.int64]:
    """The weights as whole numbers up to 65535, each ply by itself."""
    weights = np.asarray(given, np.float64).reshape(-1)  # [m]
    if len(weights) != len(ply_of):
        raise RecordError(f"{name} has {len(weights)} numbers; counts tells of {len(ply_of)}")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise RecordError(f"{name} has a weight at ply {ply_of[wrong][0]} that is no number >= 0")
    total = np.bincount(ply_of, weights, plies)  # [n]
    if not (total[ply_of] > 0).all():
        raise RecordError(f"{name} are all 0 at ply {ply_of[total[ply_of] == 0][0]}")
    largest = np.zeros(plies)
    np.maximum.at(largest, ply_of, weights)
    is_share = np.bincount(ply_of, weights != np.rint(weights), plies) > 0
    divisor = np.where(is_share, total, np.maximum(largest, FULL_SHARE))
    divisor[divisor == 0] = 1
    return np.rint(weights * (FULL_SHARE / divisor)[ply_of]).astype(np.int64)


def _fix(
    given: npt.ArrayLike | None, plies: int, name: str, low: float, high: float, scale: float
) -> bytes:
    """The fixed-point column of values that must lie in a range where they are known."""
    if given is None:
        return b""
    values = np.asarray(given, np.float64).reshape(-1)
    if len(values) != plies:
        raise RecordError(f"{name} has {len(values)} numbers for {plies} plies")
    wrong = np.isinf(values) | (values < low - _SLACK) | (values > high + _SLACK)
    if wrong.any():
        ply = int(np.flatnonzero(wrong)[0])
        raise RecordError(f"{name} at ply {ply} is {values[ply]:g}; it lies in [{low:g}, {high:g}]")
    return pack_fixed(np.clip(values, low, high), scale)


def _read_weights(packed: bytes, pairs: int, name: str) -> npt.NDArray[np.uint16]:
    weights = unpack_numbers(packed, pairs, name)
    if weights.max(initial=0) > FULL_SHARE:
        raise RecordError(f"the column {name} has numbers beyond 16 bits")
    return weights.astype(np.uint16)


def _read_pairs(menu: bytes, picks: bytes, counts: npt.NDArray[np.int64]) -> Numbers:
    """The actions of all pairs, ply after ply."""
    actions = np.cumsum(unpack_numbers(menu, length_of(menu), "menu").astype(np.int64)) - 1
    steps = unpack_numbers(picks, int(counts.sum()), "picks").astype(np.int64)
    if not (steps > 0).all() or (np.diff(actions, prepend=-1) < 1).any():
        raise RecordError("the columns menu and picks name an action twice")
    counts = counts[counts > 0]
    reached = np.cumsum(steps)
    before = np.concatenate([np.zeros(1, np.int64), reached])[np.cumsum(counts) - counts]
    places = reached - np.repeat(before, counts) - 1
    if places.max(initial=-1) >= len(actions) or actions.max(initial=0) >= MOST_ACTIONS:
        raise RecordError("the columns menu and picks name an action that no game has")
    named: Numbers = actions[places].astype(np.uint32)
    return named


def _known(value: np.float32) -> float | None:
    return None if np.isnan(value) else float(value)


def _shares(actions: list[int], weights: list[int]) -> dict[int, float]:
    total = sum(weights) or 1
    return {
        action: weight / total for action, weight in zip(actions, weights, strict=True) if weight
    }
