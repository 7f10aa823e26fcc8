"""Checks records by replaying them in the core."""

import hashlib
from collections.abc import Sequence

from rulezero._core import Game, find_faults
from rulezero.data.columns import RecordError
from rulezero.data.place import IMPORTED
from rulezero.data.record import Record
from rulezero.data.replay import Replay, follow, game_of
from rulezero.data.thoughts import PLY_COLUMNS

_PLAYTHROUGHS = 8
_PLIES = 32  # at most, of a playthrough
_COLUMNS = [(each.name, each.scale or 0, each.low, each.high) for each in PLY_COLUMNS]


def check(record: Record, *, trusted: bool = False, game: Game | None = None) -> Replay:
    """The replay of a record; RecordError says what is wrong in an invalid one, and at which ply.

    In a valid record every choice is legal, the outcome and the end are those of the rules, and
    every thought is about legal actions. What the rules cannot know is accepted: that a player
    resigned, or the outcome of an imported fragment. Unless `trusted`, games that would run or read
    a file are refused.
    """
    game = game or game_of(record.game, trusted=trusted)
    (fault,) = check_many([record], game=game)
    if fault is not None:
        raise RecordError(fault)
    return follow(game, record.start, record.action_numbers())


def check_many(records: Sequence[Record], *, game: Game) -> list[str | None]:
    """What is wrong with each of these records of a game, as `check` says it; None: it is valid.

    Other threads run meanwhile, unless the game's rules are written in Python. A judge's note is
    checked as the thoughts of its record.
    """
    faults = [_foreign(record, game) for record in records]
    ours = [number for number, fault in enumerate(faults) if fault is None]
    found = find_faults(game, [_claims(records[number]) for number in ours], _COLUMNS)
    for number, fault in zip(ours, found, strict=True):
        faults[number] = fault
    return faults


def _foreign(record: Record, game: Game) -> str | None:
    """What is wrong with a record that is of another game, or of other rules."""
    if record.game != game.text:
        return f"the game is written as '{record.game}', but its text is '{game.text}'"
    if record.version != game.facts.version:
        return (
            f"{game.text} was played by version {record.version} of its rules;"
            f" these are version {game.facts.version}"
        )
    return None


def _claims(
    record: Record,
) -> tuple[str, int, bytes, list[bytes], list[bytes], float, str, bool]:
    """A record as the core reads it."""
    thoughts = record.thoughts
    return (
        record.start,
        thoughts.plies,
        record.actions,
        [getattr(thoughts, name) for name, *_ in _COLUMNS],
        [
            thoughts.counts,
            thoughts.action_ids,
            thoughts.action_steps,
            thoughts.weights,
            thoughts.target,
        ],
        record.outcome,
        record.end_reason,
        record.source.startswith(IMPORTED),
    )


def rules_hash(game: Game) -> str:
    """A hash of a game's rules, 32 hexadecimal digits, which does not depend on paths in its text.

    It covers the facts, and the positions, choices and ends of a few short games: if a piece file
    changes, the hash changes; if it is only moved, the hash stays the same.
    """
    facts = game.facts
    sizes = (facts.actions, facts.slots, facts.planes, facts.board, facts.max_plies)
    digest = hashlib.sha256(repr((facts.name, facts.version, *sizes, facts.has_chance)).encode())
    for seed in range(_PLAYTHROUGHS):
        state = game.start(seed=seed)
        for ply in range(_PLIES):
            seen = (state.text, state.legal, state.outcome, state.end_reason)
            digest.update(repr(seen).encode())
            if state.is_over:
                break
            draw = hashlib.sha256(f"{seed} {ply}".encode()).digest()
            chosen = int.from_bytes(draw[:8], "little") % len(state.legal)
            state = state.apply(state.legal[chosen])
    return digest.hexdigest()[:32]
