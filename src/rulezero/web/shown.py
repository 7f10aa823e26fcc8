"""Games and positions in the form that the browser draws. It knows no rules of its own."""

from collections.abc import Sequence

import msgspec

import rulezero as rz
from rulezero.games import view
from rulezero.web.games import pictures
from rulezero.web.levels import Level, offer_of, say_result, seats_of


class LevelShown(msgspec.Struct, frozen=True):
    """A named opponent."""

    name: str
    words: str
    elo: int | None
    interval: str  # of the Elo, 95 %; "": not measured
    text: str


class Meta(msgspec.Struct, frozen=True, rename="camel"):
    """What never changes in a game."""

    text: str
    name: str
    title: str
    about: str
    seats: tuple[str, str]
    rows: int
    columns: int
    files: list[str]
    human: int  # the seat of a person by default
    chance: bool
    random_start: bool
    falls: bool  # whether men fall down the board
    has_pieces: bool  # whether a visitor can bring own pieces
    pictures: dict[str, str]
    levels: list[LevelShown]


class Move(msgspec.Struct, frozen=True):
    """A legal choice of a person."""

    action: int
    say: str
    text: str
    kind: str
    touches: list[list[str]]


class Position(msgspec.Struct, frozen=True):
    """A position, ready to be drawn."""

    text: str
    ply: int
    mover: int
    over: bool
    outcome: float | None
    reason: str | None
    caption: str
    cells: list[list[tuple[str, int, str]]]  # man, seat and note; rows from the top
    changed: list[str]  # squares that the last turn changed
    info: list[tuple[str, str]]
    moves: list[Move]  # [] unless a person may choose


class PlyShown(msgspec.Struct, frozen=True):
    """A choice that was made."""

    mover: int
    action: int
    say: str
    text: str
    number: str | None  # before the first choice of a move of both sides
    opening: bool


def meta(game: rz.Game) -> Meta:
    """What never changes in a game."""
    facts, offer = game.facts, offer_of(game)
    rows, columns = facts.board
    return Meta(
        text=game.text,
        name=facts.name,
        title=offer.title,
        about=offer.about,
        seats=seats_of(game),
        rows=rows,
        columns=columns,
        files=view.column_names(columns),
        human=facts.human_seat,
        chance=facts.has_chance,
        random_start=facts.has_random_start,
        falls=offer.falls,
        has_pieces=_takes_pieces(facts.name),
        pictures=pictures(game),
        levels=[_level(level, 1 - facts.human_seat) for level in offer.levels],
    )


def position(state: rz.State, *, is_asked: bool = False, result: str | None = None) -> Position:
    """A state as it is drawn; with its moves if a person is asked for one.

    `result` is how the game ended if the rules did not end it.
    """
    cells = state.cells()
    past = _before_last_turn(state).cells()
    rows, columns = len(cells), len(cells[0])
    names = view.column_names(columns)
    changed = [
        f"{names[column]}{rows - at}"
        for at in range(rows)
        for column in range(columns)
        if view.looks(cells[at][column]) != view.looks(past[at][column])
    ]
    return Position(
        text=state.text,
        ply=len(state.actions),
        mover=state.mover,
        over=state.is_over or result is not None,
        outcome=state.outcome,
        reason=state.end_reason,
        caption=result or _caption(state),
        cells=[[view.looks(cell) for cell in row] for row in cells],
        changed=changed,
        info=_info(state),
        moves=[move(state, action) for action in state.legal] if is_asked else [],
    )


def _caption(state: rz.State) -> str:
    """The mover, or how the game ended."""
    if state.outcome is not None:
        return say_result(state.outcome, state.end_reason, state.game)
    return view.caption(state, seats_of(state.game))


def move(state: rz.State, action: int) -> Move:
    """A legal choice."""
    return Move(
        action, view.say(state, action), state.say(action), state.kind(action),
        state.touches(action),
    )  # fmt: skip


def ply(state: rz.State, action: int, *, is_opening: bool) -> PlyShown:
    """A choice that was made in a state."""
    number = state.move_number if _begins_turn(state) else None
    dots = "." if state.mover == 0 else "..."
    return PlyShown(
        mover=state.mover,
        action=action,
        say=view.say(state, action),
        text=state.say(action),
        number=None if number is None else f"{number}{dots}",
        opening=is_opening,
    )


def plies(state: rz.State, opening: int = 0, first: int = 0) -> list[PlyShown]:
    """The choices from number `first` on that led to a state.

    The first `opening` choices of the game were not those of its players.
    """
    actions = state.actions
    found = []
    for number in range(len(actions) - 1, first - 1, -1):
        assert state.before is not None
        state = state.before
        found.append(ply(state, actions[number], is_opening=number < opening))
    return found[::-1]


def line(state: rz.State, actions: Sequence[int]) -> tuple[list[str], list[list[list[str]]]]:
    """Expected choices in words, and by the squares that a person would touch."""
    words, touches = [], []
    for action in actions:
        words.append(view.say(state, action))
        touches.append(state.touches(action))
        state = state.apply(action)
    return words, touches


def turn_start(state: rz.State) -> rz.State:
    """The state in which the mover's turn began."""
    mover = state.mover
    while state.before is not None and state.before.mover in (mover, rz.CHANCE):
        earlier = state.before
        if earlier.mover == rz.CHANCE and (earlier.before is None or earlier.before.mover != mover):
            break  # the die of the other side's choice
        state = earlier
    return state


def _begins_turn(state: rz.State) -> bool:
    if state.mover == rz.CHANCE:
        return False
    before = state.before
    while before is not None and before.mover == rz.CHANCE:
        before = before.before
    return before is None or before.mover != state.mover


def _before_last_turn(state: rz.State) -> rz.State:
    """The state before the last turn, or before the choices of the present turn."""
    if state.before is None:
        return state
    last = state.before
    while last.mover == rz.CHANCE and last.before is not None:
        last = last.before
    return turn_start(last)


def _info(state: rz.State) -> list[tuple[str, str]]:
    """What the men on their squares do not show; moves are listed apart."""
    hidden = {"position", "plies", *rz.moves_by_kind(state)}
    return [row for row in rz.info(state) if row[0] not in hidden]


def _takes_pieces(name: str) -> bool:
    return any(option == "pieces" for option, _, _ in rz.game_options().get(name, []))


def _level(level: Level, seat: int) -> LevelShown:
    interval = "" if level.interval is None else "{} to {}".format(*level.interval)
    words = "not measured" if level.elo is None else f"{level.elo} Elo"
    if interval:
        words = f"{words} ({interval})"
    return LevelShown(level.name, words, level.elo, interval, level.text(seat))
