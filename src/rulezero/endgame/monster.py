"""Solved endgames of Monster Chess: which side wins, and in how many turns.

import rulezero as rz

tables = rz.endgame.open("endgames")
tables.probe(state)
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from rulezero._core import GameError, MonsterTables, State, monster_men
from rulezero.endgame.files import REMEDY, TABLE, Mapped, TableError, read
from rulezero.games.load import load

GAME = "monster"
_SAMPLES = 100_000  # entries checked at a time, which takes a fraction of a second


class Probe(NamedTuple):
    """The proven value of a position."""

    value: int  # seat 0's: 1, 0 or -1
    distance: int  # the winner's turns, with that of the capture of the king; 0: draw


class Choice(NamedTuple):
    """A legal action, and the proven value of the position after it."""

    action: int
    probe: Probe | None  # None: in no table


class Count(NamedTuple):
    """Numbers of positions by result, over all boards with the men on different squares."""

    white: int  # won by White
    drawn: int
    black: int

    @property
    def total(self) -> int:
        """The number of all positions."""
        return sum(self)


class Longest(NamedTuple):
    """The longest win of a side."""

    turns: int  # 0: the side never wins
    text: str | None  # a position with such a win


class Summary(NamedTuple):
    """A summary of a table."""

    all: tuple[Count, Count]  # with White and with Black to move
    quiet: tuple[Count, Count]  # of these, those without an attack on the white king
    longest: tuple[Longest, Longest]  # of White and of Black


class Tables:
    """The tables of a folder."""

    def __init__(self, mapped: Iterable[Mapped] = ()) -> None:
        self.core = MonsterTables()
        self.men: list[str] = []
        """The men of each table: KvKQR, ..."""
        for table in mapped:
            self.core.add(table.header.men, table.verdicts, table.sums)
            self.men.append(table.header.men)

    def probe(self, state: State) -> Probe | None:
        """The proven value of a monster position; None if no table has it.

        Tables ignore castling, en passant and the end of a game after 150 turns. A finished game
        has its outcome, at distance 0.
        """
        if state.is_over:
            assert state.outcome is not None
            return Probe(int(state.outcome), 0)
        verdict = self.core.verdict(state)
        if verdict is None:
            return None
        return Probe((verdict > 0) - (verdict < 0), abs(verdict))

    def choices(self, state: State) -> list[Choice]:
        """Every legal action with the value of its successor, the mover's best first.

        The order is: wins (shortest first), draws, actions that no table covers, and losses
        (longest first).
        """
        sign = 1 if state.mover == 0 else -1

        def worth(choice: Choice) -> float:
            if choice.probe is None:
                return -0.25
            value, distance = choice.probe
            return sign * value * (1 + 1 / (1 + distance))

        found = [Choice(action, self.probe(state.apply(action))) for action in state.legal]
        return sorted(found, key=worth, reverse=True)

    def line(self, state: State) -> list[State]:
        """The states from this one to the end, if both sides play by the tables.

        For a drawn position, this is the first state only.
        """
        states = [state]
        while not state.is_over and (known := self.probe(state)) is not None and known.value:
            state = state.apply(self.best(state))
            states.append(state)
        return states

    def best(self, state: State) -> int:
        """A legal action that keeps the value, and wins soonest or loses latest.

        TableError if a legal action is not covered by a table.
        """
        if state.is_over:
            raise TableError("the game is over: there is nothing to choose")
        sign = 1 if state.mover == 0 else -1

        def worth(action: int) -> float:
            known = self.probe(state.apply(action))
            if known is None:
                raise TableError(f"no table covers the moves of {state.text}")
            # 2 if the king is captured now, less if it is captured later.
            return sign * known.value * (1 + 1 / (1 + known.distance))

        return max(state.legal, key=worth)

    def summary(self, men: str) -> Summary:
        """A summary of the table of some men."""
        everywhere, quiet, longest = self.core.summary(men)
        return Summary(
            (Count(*everywhere[0]), Count(*everywhere[1])),
            (Count(*quiet[0]), Count(*quiet[1])),
            (Longest(*longest[0]), Longest(*longest[1])),
        )

    def check(
        self,
        men: str,
        samples: int,
        seed: int = 0,
        tell: Callable[[int, int], None] | None = None,
    ) -> None:
        """Compares this many random entries of a table with the rules, one ply ahead.

        TableError names a position with a wrong entry. `tell` is called with the number of entries
        checked so far and the total.
        """
        for done in range(0, samples, _SAMPLES):  # Ctrl-C takes effect between two parts
            part = min(_SAMPLES, samples - done)
            wrong = self.core.find_error(men, part, seed + done // _SAMPLES)
            if wrong is not None:
                raise TableError(f"the table of {men} is wrong about {wrong}: {REMEDY}")
            if tell is not None:
                tell(done + part, samples)


def path_of(folder: Path, men: str, ending: str = TABLE) -> Path:
    """The path of the table of some men."""
    return folder / f"{monster_men(men)}{ending}"


def map_table(folder: Path, men: str, ending: str = TABLE) -> Mapped:
    """The table of some men; TableError if it is missing, damaged or of other rules."""
    path = path_of(folder, men, ending)
    found = read(path)
    version = load(GAME).facts.version
    if found.header.game != GAME or found.header.rules != version:
        raise TableError(f"{path} was solved with other rules: {REMEDY}")
    if found.header.men != monster_men(men):
        raise TableError(f"{path} is the table of {found.header.men}: rename it back")
    return found


def names_in(folder: Path) -> list[str]:
    """The men whose tables a folder has; TableError for a file that is not named after men."""
    names = []
    for path in sorted(folder.glob(f"*{TABLE}")):
        try:
            names.append(monster_men(path.stem))
        except GameError:
            raise TableError(
                f"{path} is not named after its men: rename it, or move it away"
            ) from None
    return names


def open(folder: str | Path) -> Tables:  # noqa: A001
    """The tables in a folder; TableError if there are none, or if one of them is invalid."""
    place = Path(folder)
    names = names_in(place)
    if not names:
        raise TableError(
            f"there are no endgame tables in {place}: make some with"
            f" rulezero solve monster KvKQR --out {place}"
        )
    return Tables(map_table(place, men) for men in names)
