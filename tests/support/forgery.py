"""Damages records at random, as a broken or hostile program might."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

import rulezero as rz
from rulezero.data import Record, Thoughts, pack
from rulezero.data.columns import pack_numbers
from rulezero.data.thoughts import PLY_COLUMNS, Columns

COLUMNS = tuple(name for name in Thoughts.__struct_fields__ if name != "plies")


def changed(record: Record, **fields: Any) -> Record:
    """The record with other fields, or with other columns of thoughts."""
    columns = {name: fields.pop(name) for name in (*COLUMNS, "plies") if name in fields}
    thoughts = fields.pop("thoughts", record.thoughts)
    thoughts = msgspec.structs.replace(thoughts, **columns)
    return msgspec.structs.replace(record, **fields, thoughts=thoughts)


def repack(columns: Columns, **others: Any) -> tuple[bytes, Thoughts]:
    """The columns packed again, some of them replaced by others."""
    given = {name: getattr(columns, name) for name in columns.__struct_fields__} | others
    offsets = given.pop("offsets")
    return pack(given.pop("actions"), counts=np.diff(offsets), **given)


def damaged(record: Record, game: rz.Game, dice: random.Random) -> Record:
    """The record with one to three random changes, which may leave it valid."""
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        try:
            record = dice.choice(_WAYS)(record, game, dice)
        except (ValueError, IndexError):  # it is too damaged for this way
            continue
    return record


def _put(record: Record, name: str, column: bytes) -> Record:
    return changed(record, **{name: column})


def _column(record: Record, dice: random.Random) -> tuple[str, bytes]:
    name = dice.choice([*COLUMNS, "actions"])
    return name, record.actions if name == "actions" else getattr(record.thoughts, name)


def _flip(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """Another byte somewhere in a column."""
    name, column = _column(record, dice)
    place = dice.randrange(len(column)) if column else 0
    return _put(record, name, column[:place] + dice.randbytes(1) + column[place + 1 :])


def _cut(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """A shorter or longer column."""
    name, column = _column(record, dice)
    if dice.random() < 0.5:
        return _put(record, name, column[: dice.randrange(len(column) + 1)])
    return _put(record, name, column + dice.randbytes(dice.randrange(1, 5)))


def _noise(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """A column of random numbers with the right length, or of random bytes."""
    name, column = _column(record, dice)
    length = dice.choice([record.plies, len(column)])
    if dice.random() < 0.5:
        return _put(record, name, dice.randbytes(length))
    most = dice.choice([2, 100, 1 << 16, 1 << 32])
    return _put(record, name, pack_numbers([dice.randrange(most) for _ in range(length)]))


def _swap(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """A column in the place of another one."""
    return _put(record, dice.choice(COLUMNS), _column(record, dice)[1])


def _widen(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """The same numbers, packed wider than needed."""
    name, column = _column(record, dice)
    if not column or column[0] > 3:
        return record
    length = (len(column) - 1) // column[0]
    return _put(record, name, bytes([column[0] + 1]) + column[1:] + bytes(length))


def _plies(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """Another number of plies."""
    return changed(record, plies=dice.choice([0, 1, record.plies - 1, record.plies + 1, 65536]))


def _choose(record: Record, game: rz.Game, dice: random.Random) -> Record:
    """Another choice at a ply."""
    actions = record.action_numbers().copy()
    actions[dice.randrange(len(actions))] = dice.choice(
        [dice.randrange(game.facts.actions), game.facts.actions, 2**31, 2**32 - 1]
    )
    return changed(record, actions=pack_numbers(actions))


def _rethink(record: Record, game: rz.Game, dice: random.Random) -> Record:
    """Another action in a pair."""
    columns = record.columns()
    named = columns.pair_actions.copy()
    named[dice.randrange(len(named))] = dice.randrange(game.facts.actions)
    actions, thoughts = repack(columns, pair_actions=named)
    return changed(record, actions=actions, thoughts=thoughts)


def _reweigh(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """Weights or targets of 0, which `pack` would refuse or leave out."""
    columns = record.columns()
    ply = dice.randrange(record.plies)
    pairs = slice(columns.offsets[ply], columns.offsets[ply + dice.choice([0, 1])])
    weights, less = columns.pair_weights.copy(), columns.pair_weights - columns.pair_targets
    if dice.random() < 0.5:
        weights[pairs] = 0
    less[pairs] = weights[pairs] - (dice.random() < 0.3)
    return changed(record, weights=pack_numbers(weights), target=pack_numbers(less))


def _value(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """A number at a ply that may be a die's."""
    columns = record.columns()
    name = dice.choice([column.name for column in PLY_COLUMNS])
    numbers = getattr(columns, name).copy()
    numbers[dice.randrange(record.plies)] = 1
    actions, thoughts = repack(columns, **{name: numbers})
    return changed(record, actions=actions, thoughts=thoughts)


def _end(record: Record, game: rz.Game, dice: random.Random) -> Record:
    """Another end."""
    reasons = [record.end_reason, "cap", "resigned", "claimed", "interrupted", "mate", ""]
    return changed(
        record,
        outcome=dice.choice([record.outcome, -1.0, 0.0, 1.0, 0.25]),
        end_reason=dice.choice(reasons),
        source=dice.choice(["match", "import:some.pgn"]),
    )


def _start(record: Record, game: rz.Game, dice: random.Random) -> Record:
    """Another start."""
    first = record.start
    return changed(
        record,
        start=dice.choice([game.start(seed=9).text, first + " ", first[1:], "", "x" * 70]),
    )


def _prefix(record: Record, _: rz.Game, dice: random.Random) -> Record:
    """The first plies of the game, without thoughts."""
    actions, thoughts = pack(record.action_numbers()[: dice.randrange(record.plies)])
    return changed(record, actions=actions, thoughts=thoughts)


_WAYS: list[Callable[[Record, rz.Game, random.Random], Record]] = [
    _flip, _cut, _noise, _swap, _widen, _plies, _choose, _rethink, _reweigh, _value, _end, _start,
    _prefix,
]  # fmt: skip
