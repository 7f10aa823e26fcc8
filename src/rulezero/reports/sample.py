"""A game to step through on a page, with every position drawn."""

import heapq
from collections.abc import Callable

import msgspec

from rulezero._core import Game, State
from rulezero.data.record import STOPPED, Purpose, Record
from rulezero.data.steps import Step, steps
from rulezero.data.thoughts import Thought
from rulezero.games import view
from rulezero.games.drawing import shapes_of
from rulezero.stats.wdl import likely
from rulezero.training.run import Run

_MOST_MOVES = 5  # of a thought


class Square(msgspec.Struct, frozen=True, array_like=True):
    """A square as it is shown."""

    man: str
    seat: int
    note: str
    is_new: bool  # the last choice changed it


class Move(msgspec.Struct, frozen=True, array_like=True):
    """A move that the mover considered."""

    words: str
    share: float
    is_chosen: bool


class Mind(msgspec.Struct, frozen=True, kw_only=True):
    """What the mover of a position thought."""

    value: float | None  # seat 0's
    wdl: tuple[float, float, float] | None  # seat 0's
    sims: int
    moves: tuple[Move, ...]  # the most visited ones, and the chosen one


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A position of the game."""

    came_by: str  # the choice that led here
    caption: str  # who chooses, or how the game ended
    position: str
    board: tuple[tuple[Square, ...], ...]  # rows from the top
    mind: Mind | None


class SampleGame(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded game with all its positions."""

    id: str
    about: str
    names: view.Names
    game: str  # the game's name
    pictures: dict[str, str]  # the shapes of its men, by symbol
    players: tuple[str, str]
    result: str
    files: tuple[str, ...]
    ranks: tuple[str, ...]  # from the top
    pages: tuple[Page, ...]  # one more than plies


def newest_record(run: Run) -> Record | None:
    """One of the newest self-play games, or else of the rating or bootstrap games. If possible,
    it is a game that ended by the rules."""
    found = newest_games(
        run, 1, ("self-play", "rating", "bootstrap"), lambda record: record.end_reason in STOPPED
    )
    return found[0] if found else None


def newest_games(
    run: Run,
    most: int,
    purposes: tuple[Purpose, ...] = ("self-play", "bootstrap"),
    is_last_choice: Callable[[Record], bool] = lambda _: False,
) -> list[Record]:
    """A run's newest games, newest first, of the first of these purposes that has games."""

    def age(record: Record) -> tuple[int, str, bool, int]:
        iteration = record.iteration
        number = 0 if iteration is None else iteration + 1  # those given to the run come last
        return number, record.task, not is_last_choice(record), -record.index

    for purpose in purposes:
        with run.store() as store:
            found = heapq.nlargest(most, store.select(purpose=purpose), key=age)
        if found:
            return found
    return []


def sample_of(record: Record, game: Game) -> SampleGame:
    """The game of a record, with its positions ready to be drawn."""
    names = game.facts.seat_names
    played = list(steps(record, game=game))
    states = [step.state for step in played]
    states.append(played[-1].after if played else game.parse(record.start))
    rows, columns = game.facts.board
    return SampleGame(
        id=record.id,
        about=f"{record.purpose}, {record.task or record.source}, game {record.index}",
        names=names,
        game=game.facts.name,
        pictures=shapes_of(game),
        players=record.players,
        result=view.say_result(record.outcome, record.end_reason, names),
        files=tuple(view.column_names(columns)),
        ranks=tuple(str(rows - at) for at in range(rows)),
        pages=tuple(
            _page(state, came, goes, names, record)
            for state, came, goes in zip(states, [None, *played], [*played, None], strict=True)
        ),
    )


def _page(
    state: State, came: Step | None, goes: Step | None, names: view.Names, record: Record
) -> Page:
    words = view.caption(state, names)
    if goes is None and not state.is_over:  # the game was stopped
        words = view.say_result(record.outcome, record.end_reason, names)
    if goes is not None and goes.ply < record.opening:
        words += "; random opening"
    thought = None if goes is None else goes.thought
    return Page(
        came_by="the start" if came is None else view.say_ply(came.state, came.action, names),
        caption=words,
        position=state.text,
        board=_board(state, None if came is None else came.state),
        mind=None if thought is None else _mind(state, thought),
    )


def _board(state: State, before: State | None) -> tuple[tuple[Square, ...], ...]:
    cells = state.cells()
    past = cells if before is None else before.cells()
    return tuple(
        tuple(
            Square(*view.looks(cell), view.looks(cell) != view.looks(old))
            for cell, old in zip(now, then, strict=True)
        )
        for now, then in zip(cells, past, strict=True)
    )


def _mind(state: State, thought: Thought) -> Mind:
    by_share = sorted(thought.shares.items(), key=lambda item: -item[1])
    shown = by_share[:_MOST_MOVES]
    if thought.action not in dict(shown):
        shown = [*shown[:-1], (thought.action, thought.shares.get(thought.action, 0.0))]
    return Mind(
        value=thought.value,
        wdl=None if thought.value is None else likely(thought.value, thought.draw),
        sims=thought.sims,
        moves=tuple(
            Move(view.say(state, action), share, action == thought.action)
            for action, share in shown
        ),
    )
