"""The winning chance that each move of a recorded game lost, by the values of a judge.

Values are seat 0's, in [-1, 1]. The mover's winning chance is (1 + its own value) / 2, so a draw
counts as 50 %. A ply loses as much as this chance falls. The only legal move loses nothing. The
judge's own choice loses nothing either, unless it leads to a certain win or loss.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from rulezero._core import CHANCE, Game, State
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.steps import Step, steps
from rulezero.data.store import Note
from rulezero.data.thoughts import Thought
from rulezero.games.view import say
from rulezero.play.players import Player
from rulezero.play.session import think_each

# Winning chance lost, the worst first: the limits of lichess.org (0.3, 0.2, 0.1 of a value).
MARKS = {"??": 0.15, "?": 0.10, "?!": 0.05}
_NAMES = {"??": "blunders", "?": "mistakes", "?!": "inaccuracies"}
_ROUNDING = 1e-6  # values are kept in steps of 1 / 32767


class JudgedPly(msgspec.Struct, frozen=True, kw_only=True):
    """One ply, and the judge's verdict on it. Values are seat 0's."""

    ply: int  # from 0
    mover: int  # -1: chance
    move: str
    value: float | None = None  # the judge's, before the ply
    after: float | None = None  # after the ply, averaged over dice; None: not known
    best: str | None = None  # the judge's choice, if it is another move
    lost: float | None = None  # winning chance, in [0, 1]; None: not judged
    mark: str = ""  # ?!, ? or ??


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What one seat lost in a game."""

    name: str
    plies: int = 0  # that were judged
    average_lost: float = 0.0  # winning chance per ply, in [0, 1]
    inaccuracies: int = 0
    mistakes: int = 0
    blunders: int = 0


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded game with a judge's verdict on each ply."""

    record: str  # its id
    game: str
    players: tuple[str, str]
    outcome: float
    end_reason: str
    judge: str
    plies: list[JudgedPly]
    sides: tuple[Side, Side]


def analyse(
    record: Record, note: Note, player: Player | None = None, *, game: Game | None = None
) -> Analysis:
    """What each ply of a record lost, by a judge's note about it.

    `player` is the judge. It evaluates the positions that the note does not cover: the last one of
    a stopped game, and those after each face of a die. Without `player`, such plies are not judged.
    `game` must be given if loading it would run or read a file.
    """
    played = list(steps(record, [note], game=game))
    values = [_value_of(step.notes.get(note.judge)) for step in played]
    leaves = {step.ply: list(faces(step.after)) for step in played if _is_open(step, played)}
    asked = [state for found in leaves.values() for _, state in found if not state.is_over]
    thoughts = iter(think_each(player, asked) if player is not None and asked else [])

    def after(step: Step) -> float | None:
        state = step.after
        if state.outcome is not None:
            return state.outcome
        if step.ply not in leaves:
            return values[step.ply + 1]
        if player is None:
            return None
        total = 0.0
        for chance, leaf in leaves[step.ply]:
            value = leaf.outcome if leaf.is_over else next(thoughts).value
            if value is None:
                return None
            total += chance * value
        return total

    plies = [_judge(step, note.judge, after, record.opening) for step in played]
    names = (game or played[0].state.game).facts.seat_names if played else ("seat 0", "seat 1")
    return Analysis(
        record=record.id,
        game=record.game,
        players=record.players,
        outcome=record.outcome,
        end_reason=record.end_reason,
        judge=note.judge,
        plies=plies,
        sides=(side_of(plies, 0, names[0]), side_of(plies, 1, names[1])),
    )


def note_by(notes: Iterator[Note], judge: str) -> Note:
    """The note of this judge. Raises RecordError if there is none."""
    for note in notes:
        if note.judge == judge:
            return note
    raise RecordError(f"{judge} has not judged this game")


def losses(
    played: list[Step], judge: str, opening: int = 0, *, expected: Mapping[int, float] | None = None
) -> list[JudgedPly]:
    """What each ply lost, as far as a judge's notes cover it; those of the opening are skipped.

    `expected` are seat 0's values after plies that no note covers, by ply: after one that is
    followed by a die, the mean over its faces.
    """
    values = [_value_of(step.notes.get(judge)) for step in played]

    def after(step: Step) -> float | None:
        if step.after.outcome is not None:
            return step.after.outcome
        if _is_open(step, played):
            return None if expected is None else expected.get(step.ply)
        return values[step.ply + 1]

    return [_judge(step, judge, after, opening) for step in played]


def _is_open(step: Step, played: list[Step]) -> bool:
    """Whether no note covers the position after a ply."""
    if step.after.is_over:
        return False
    is_last = step.ply + 1 == len(played)
    return is_last or (step.state.mover != CHANCE and step.after.mover == CHANCE)


def faces(state: State, chance: float = 1.0) -> Iterator[tuple[float, State]]:
    """The states after all results of the dice in a state, each with its probability."""
    if state.mover != CHANCE or state.is_over:
        yield chance, state
        return
    total = sum(state.chances)
    for face, share in zip(state.legal, state.chances, strict=True):
        if share > 0:
            yield from faces(state.apply(face), chance * share / total)


def _judge(
    step: Step, judge: str, after: Callable[[Step], float | None], opening: int
) -> JudgedPly:
    thought = step.notes.get(judge)
    value, came = _value_of(thought), after(step)
    plain = JudgedPly(
        ply=step.ply, mover=step.state.mover, move=say(step.state, step.action), after=came
    )
    if step.state.mover == CHANCE or thought is None or value is None:
        return plain
    plain = msgspec.structs.replace(plain, value=value)
    if step.ply < opening:  # the players did not choose it
        return plain
    best = _best(thought)
    # Shares are visits: the most visited move is a mistake if the search then proved it lost.
    is_own = step.action in best and (came is None or abs(came) < 1)
    if len(step.state.legal) == 1 or is_own:
        return msgspec.structs.replace(plain, lost=0.0)
    by_share = sorted(thought.shares, key=lambda action: -thought.shares[action])
    others = [action for action in by_share if action != step.action]
    words = say(step.state, others[0]) if others else None
    if came is None:
        return msgspec.structs.replace(plain, best=words)
    sign = 1 if step.state.mover == 0 else -1
    lost = max(0.0, sign * (value - came) / 2)
    mark = next((mark for mark, least in MARKS.items() if lost >= least - _ROUNDING), "")
    return msgspec.structs.replace(plain, best=words, lost=lost, mark=mark)


def _value_of(thought: Thought | None) -> float | None:
    return None if thought is None else thought.value


def _best(thought: Thought) -> list[int]:
    """The judge's own choice; several if they are equal."""
    most = max(thought.shares.values(), default=0.0)
    return [action for action, share in thought.shares.items() if share >= most - _ROUNDING]


def side_of(plies: list[JudgedPly], seat: int, name: str) -> Side:
    judged = [ply for ply in plies if ply.mover == seat and ply.lost is not None]
    counts = {word: sum(ply.mark == mark for ply in judged) for mark, word in _NAMES.items()}
    total = sum(ply.lost or 0.0 for ply in judged)
    return Side(name=name, plies=len(judged), average_lost=total / max(1, len(judged)), **counts)
