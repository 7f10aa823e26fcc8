"""Checks a record by replaying it in the core."""

import hashlib

import numpy as np

from rulezero._core import CHANCE, Game, RulezeroError, State, remake
from rulezero.data.columns import RecordError
from rulezero.data.place import IMPORTED
from rulezero.data.record import STOPPED, Record
from rulezero.data.replay import Replay, follow, game_of
from rulezero.data.thoughts import Columns, repack

_PLAYTHROUGHS = 8
_PLIES = 32  # at most, of a playthrough


def check(record: Record, *, trusted: bool = False, game: Game | None = None) -> Replay:
    """The replay of a record; RecordError says what is wrong in an invalid one, and at which ply.

    In a valid record every choice is legal, the outcome and the end are those of the rules, and
    every thought is about legal actions. What the rules cannot know is accepted: that a player
    resigned, or the outcome of an imported fragment. Unless `trusted`, games that would run or read
    a file are refused.
    """
    game = game or game_of(record.game, trusted=trusted)
    if record.game != game.text:
        raise RecordError(f"the game is written as '{record.game}', but its text is '{game.text}'")
    if record.version != game.facts.version:
        raise RecordError(
            f"{game.text} was played by version {record.version} of its rules;"
            f" these are version {game.facts.version}"
        )
    columns = record.columns()
    if repack(columns) != (record.actions, record.thoughts):
        raise RecordError("its columns are not in the packed form that rulezero writes")
    replay = follow(game, record.start, columns.actions)
    first = game.parse(record.start).text
    if first != record.start:
        raise RecordError(f"the start is written as '{record.start}', but its text is '{first}'")
    _check_end(record, replay.last)
    _check_thoughts(record, game, columns, replay)
    return replay


def _check_end(record: Record, last: State) -> None:
    claim = f"the record says {record.outcome:g} ({record.end_reason})"
    where = f"at ply {record.plies}, the end: {claim}"
    if last.is_over:
        if (record.outcome, record.end_reason) != (last.outcome, last.end_reason):
            raise RecordError(f"{where}, the rules say {last.outcome:g} ({last.end_reason})")
        return
    if record.end_reason not in STOPPED:
        raise RecordError(f"{where}, but by the rules the game is not over in {last.text}")
    if record.end_reason == "resigned":
        if abs(record.outcome) != 1:
            raise RecordError(f"{where}, but the player who resigns loses")
    elif record.end_reason == "claimed":
        if not record.source.startswith(IMPORTED):
            raise RecordError(f"{where}, but only an imported game can have this end")
    elif record.outcome != 0:
        raise RecordError(f"{where}, but a game that was stopped has no winner")


def _check_thoughts(record: Record, game: Game, columns: Columns, replay: Replay) -> None:
    of_dice = np.flatnonzero(columns.has_thought & (replay.movers == CHANCE))
    if len(of_dice):
        raise RecordError(f"at ply {of_dice[0]}: a die cannot have thoughts")
    plies = np.flatnonzero(columns.has_policy)
    try:
        remake(
            game,
            [(record.start, columns.actions)],
            plies.astype(np.uint32),
            offsets=np.append(columns.offsets[plies], columns.offsets[-1]),
            pairs=columns.pair_actions,
            slots=np.empty(len(columns.pair_actions), np.int32),
        )
    except RulezeroError as error:
        raise RecordError(f"{game.text}: a thought {error}") from error


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
