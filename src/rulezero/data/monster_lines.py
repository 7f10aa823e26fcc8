"""Reads lines of the original Monster Chess program, and of others with the same format.

{fen, mcts_value, policy, current_player, game_result}

A line is a position and what its mover thought. White's policy is over pairs of moves,
"e2e4,e4e5", so such a line becomes two plies: the share of a first move is the sum over the pairs
that begin with it, and the shares of second moves are those of the pairs that begin with the first
move played. Lines may be missing, and the move played is not given: it is found from the next
position if that is one turn away. Otherwise the likeliest move is assumed, and the game is a
fragment that ends there.
"""

import math
import re
from collections.abc import Iterator
from itertools import chain

import msgspec

from rulezero._core import Game, MoveError, PositionError, RulezeroError, State
from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.place import source_of
from rulezero.data.record import Record, record_from
from rulezero.data.replay import game_of
from rulezero.data.thoughts import pack

GAME = "monster"  # the game if neither a line nor the caller names one
_SEATS = {"white": 0, "w": 0, "black": 1, "b": 1}
_BETWEEN_MOVES = re.compile(r"[\s,;+|/&()\[\]'\"]+")
_NO_MOVE = {"", "0000", "none", "null", "-", "--"}

Turn = tuple[int, ...]  # the one or two actions of a mover before the other's turn


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A position and what its mover thought."""

    fen: str
    mcts_value: float | None = None  # for the mover
    policy: dict[str, float] = {}  # shares by move text
    current_player: str | None = None  # white or black
    game_result: float | None = None  # seat 0's
    move: str | None = None  # the move played, if it is given
    game: str | None = None


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A line after parsing."""

    state: State  # without a history
    value: float  # seat 0's, NaN if unknown
    shares: dict[Turn, float]  # sum to 1; {} if unknown
    result: float | None  # seat 0's; None: not given
    move: Turn | None


class Ply(msgspec.Struct, frozen=True, kw_only=True):
    """One choice of a fragment."""

    action: int
    value: float
    shares: dict[int, float]


class Joiner:
    """Joins lines into games: add() one after the other, then finish()."""

    def __init__(self, game: str | None, file: str, trusted: bool) -> None:
        self._fallback = game or GAME
        self._file = file
        self._trusted = trusted
        self._number = 0  # of records yielded so far
        self._first: State | None = None
        self._plies: list[Ply] = []
        self._state: State | None = None  # after these plies
        self._pending: Position | None = None  # the last line, whose move is not known yet

    def add(self, line: Line) -> Iterator[Record]:
        """Adds the next line; yields the game before it if the line begins another."""
        try:
            position = _understand(
                line, game_of(line.game or self._fallback, trusted=self._trusted)
            )
        except RulezeroError:
            yield from self.finish()
            raise
        turn = self._turn_to(position)
        if turn:
            self._play(turn)
        else:
            yield from self.finish()
            self._first = self._state = position.state
        self._pending = position

    def finish(self) -> Iterator[Record]:
        """Yields the game so far, if there is one; its last turn is the likeliest."""
        if self._pending is None or self._state is None:
            return
        result = self._pending.result
        self._play(_last_turn(self._state, self._pending))
        first, plies, last = self._first, self._plies, self._state
        self._first, self._plies, self._state, self._pending = None, [], None, None
        assert first is not None
        record = self._record(first, plies, last, result)
        self._number += 1
        check(record, game=first.game)
        yield record

    def _turn_to(self, position: Position) -> Turn | None:
        """The turn between the pending line and this one; None if no single turn fits."""
        pending = self._pending
        if pending is None or self._state is None:
            return None
        game = position.state.game
        if game.text != self._state.game.text or pending.result != position.result:
            return None
        for candidates in (iter(_likely(pending)), _turns(self._state)):
            found = _reaching(self._state, candidates, position.state)
            if found:
                return found
        return None

    def _play(self, turn: Turn) -> None:
        assert self._pending is not None
        assert self._state is not None
        for number, action in enumerate(turn):
            ply = Ply(
                action=action,
                value=self._pending.value if number == 0 else math.nan,
                shares=conditional(self._pending.shares, turn[:number]),
            )
            self._plies.append(ply)
            self._state = self._state.apply(action)

    def _record(self, first: State, plies: list[Ply], last: State, result: float | None) -> Record:
        packed = pack(
            [ply.action for ply in plies],
            value=[ply.value for ply in plies],
            counts=[len(ply.shares) for ply in plies],
            pair_actions=[action for ply in plies for action in ply.shares],
            pair_weights=[share for ply in plies for share in ply.shares.values()],
        )
        return record_from(
            first,
            packed,
            outcome=(result or 0.0) if last.outcome is None else last.outcome,
            end_reason=last.end_reason or ("interrupted" if result is None else "claimed"),
            players=("imported", "imported"),
            index=self._number,
            source=source_of(self._file),
        )


def conditional(shares: dict[Turn, float], begun: Turn) -> dict[int, float]:
    """The shares of the next action among turns that begin so; they sum to 1."""
    found: dict[int, float] = {}
    for turn, share in shares.items():
        if turn[: len(begun)] == begun and len(turn) > len(begun) and share > 0:
            action = turn[len(begun)]
            found[action] = found.get(action, 0) + share
    total = sum(found.values())
    return {action: share / total for action, share in found.items()}


def _understand(line: Line, game: Game) -> Position:
    state = _parse(game, line.fen)
    if state.is_over:
        raise RecordError(f"the game is over in {line.fen} ({state.end_reason})")
    if line.current_player is not None:
        seat = _SEATS.get(line.current_player.lower())
        if seat != state.mover:
            to_move = ("white", "black")[state.mover] if state.mover in (0, 1) else "a die"
            raise RecordError(
                f"current_player is {line.current_player[:20]!r}, but in {line.fen} it is {to_move}"
            )
    value = math.nan if line.mcts_value is None else line.mcts_value
    for name, number in (("mcts_value", value), ("game_result", line.game_result or 0.0)):
        if number < -1 or number > 1:
            raise RecordError(f"{name} is {number:g}; it must be in [-1, 1]")
    return Position(
        state=state,
        value=value if state.mover == 0 else -value,
        shares=_read_policy(state, line.policy),
        result=line.game_result,
        move=None if line.move is None else _read_turn(state, line.move, "move"),
    )


def _parse(game: Game, fen: str) -> State:
    try:
        return game.parse(fen)
    except PositionError:
        fields = fen.split()
        if len(fields) < 4 or fields[3] == "-":
            raise
        fields[3] = "-"  # programs differ in when they write an en-passant square
        return game.parse(" ".join(fields))


def _read_policy(state: State, policy: dict[str, float]) -> dict[Turn, float]:
    shares: dict[Turn, float] = {}
    for text, share in policy.items():
        if not (math.isfinite(share) and share >= 0):
            raise RecordError(f"the policy gives {text[:40]!r} {share}; a share is a number >= 0")
        turn = _read_turn(state, text, "policy")
        shares[turn] = shares.get(turn, 0) + share
    total = sum(shares.values())
    if policy and not (total > 0 and math.isfinite(total)):
        raise RecordError(f"the shares of the policy sum to {total:g}; they should sum to 1")
    return {turn: share / total for turn, share in shares.items()}


def _read_turn(state: State, text: str, name: str) -> Turn:
    """The actions of one move, or of two with a separator between them."""
    moves = [move for move in _BETWEEN_MOVES.split(text) if move.lower() not in _NO_MOVE]
    if not 1 <= len(moves) <= 2:
        raise RecordError(f"the {name} has {text[:40]!r}; a turn is one move, or two with a comma")
    mover, turn = state.mover, []
    for move in moves:
        if state.mover != mover:
            raise RecordError(f"the {name} has {text[:40]!r}, but the turn ends before '{move}'")
        try:
            turn.append(state.read(move))
        except MoveError as error:
            raise RecordError(f"the {name} has {text[:40]!r}: {error}") from error
        state = state.apply(turn[-1])
    return tuple(turn)


def _turns(state: State) -> Iterator[Turn]:
    for first in state.legal:
        after = state.apply(first)
        if after.is_over or after.mover != state.mover:
            yield (first,)
        else:
            yield from ((first, second) for second in after.legal)


def _reaching(state: State, turns: Iterator[Turn], goal: State) -> Turn | None:
    """The first turn to the goal; else the first to its board, whatever the castling rights."""
    wanted = goal.text.split()
    near = None
    for turn in turns:
        fields = _after(state, turn).text.split()
        if fields[:4] == wanted[:4]:
            return turn
        if near is None and fields[:2] == wanted[:2]:
            near = turn
    return near


def _last_turn(state: State, position: Position) -> Turn:
    """The likeliest turn that does not contradict the result; failing that, the likeliest."""
    if position.move:
        return position.move
    turns = _likely(position)
    for turn in chain(turns, _turns(state)):
        after = _after(state, turn)
        if not after.is_over or position.result in (None, after.outcome):
            return turn
    return turns[0] if turns else next(_turns(state))


def _likely(position: Position) -> list[Turn]:
    """The turns that may have been played, likeliest first."""
    if position.move:
        return [position.move]
    return sorted(position.shares, key=lambda turn: -position.shares[turn])


def _after(state: State, turn: Turn) -> State:
    for action in turn:
        state = state.apply(action)
    return state
