"""Solved endgames of Monster Chess: who takes the king, and how soon.

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
_SAMPLES = 100_000  # entries that are compared at a time, in a fraction of a second


class Probe(NamedTuple):
    """What is proven of a position."""

    value: int  # seat 0's: 1, 0 or -1
    distance: int  # turns of the winner's up to and with the capture of the king; 0 for draws


class Choice(NamedTuple):
    """A legal action, and what is proven of the position after it."""

    action: int
    probe: Probe | None  # None where no table tells


class Count(NamedTuple):
    """How many positions end how: men on different squares, every board counted."""

    white: int  # won by White
    drawn: int
    black: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


class Longest(NamedTuple):
    """The longest win of a side."""

    turns: int  # 0 where the side wins nowhere
    text: str | None  # a position that takes so long


class Summary(NamedTuple):
    """What a table says as a whole."""

    all: tuple[Count, Count]  # with White and with Black to move
    quiet: tuple[Count, Count]  # of these, where the white king is not attacked
    longest: tuple[Longest, Longest]  # of White and of Black


class Tables:
    """The tables of a folder."""

    def __init__(self, mapped: Iterable[Mapped] = ()) -> None:
        self.core = MonsterTables()
        self.men: list[str] = []
        """Whose tables these are: KvKQR, ..."""
        for table in mapped:
            self.core.add(table.header.men, table.verdicts, table.sums)
            self.men.append(table.header.men)

    def probe(self, state: State) -> Probe | None:
        """What is proven of a position of monster; None where no table tells.

        Tables know nothing of castling, en passant and the end after 150 turns. A finished game is
        what it is, at distance 0.
        """
        if state.is_over:
            assert state.outcome is not None
            return Probe(int(state.outcome), 0)
        verdict = self.core.verdict(state)
        if verdict is None:
            return None
        return Probe((verdict > 0) - (verdict < 0), abs(verdict))

    def choices(self, state: State) -> list[Choice]:
        """Every legal action with what it leads to, the mover's best first.

        Wins come first, the soonest at the top, then draws, what no table knows, and losses, the
        latest of them at the top.
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
        """The states of a game that both sides play as the tables say, from this one to its end.

        A drawn game has no end: only its first state is there.
        """
        states = [state]
        while not state.is_over and (known := self.probe(state)) is not None and known.value:
            state = state.apply(self.best(state))
            states.append(state)
        return states

    def best(self, state: State) -> int:
        """A legal action that keeps the value, and wins soonest or loses latest.

        TableError if no table tells.
        """
        if state.is_over:
            raise TableError("the game is over: there is nothing to choose")
        sign = 1 if state.mover == 0 else -1

        def worth(action: int) -> float:
            known = self.probe(state.apply(action))
            if known is None:
                raise TableError(f"no table covers the moves of {state.text}")
            # 2 for a king taken now, less the later it is taken.
            return sign * known.value * (1 + 1 / (1 + known.distance))

        return max(state.legal, key=worth)

    def summary(self, men: str) -> Summary:
        """What the table of some men says as a whole."""
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
        """Compares the table with the rules, one ply ahead, at this many random entries.

        TableError names a position that does not agree. `tell` gets how many of how many are done.
        """
        for done in range(0, samples, _SAMPLES):  # between two parts Ctrl-C is heard
            part = min(_SAMPLES, samples - done)
            wrong = self.core.find_error(men, part, seed + done // _SAMPLES)
            if wrong is not None:
                raise TableError(f"the table of {men} is wrong about {wrong}: {REMEDY}")
            if tell is not None:
                tell(done + part, samples)


def path_of(folder: Path, men: str, ending: str = TABLE) -> Path:
    """Where the table of some men lies."""
    return folder / f"{monster_men(men)}{ending}"


def map_table(folder: Path, men: str, ending: str = TABLE) -> Mapped:
    """The table of some men; TableError where it is missing, damaged or of other rules."""
    path = path_of(folder, men, ending)
    found = read(path)
    version = load(GAME).facts.version
    if found.header.game != GAME or found.header.rules != version:
        raise TableError(f"{path} was solved by other rules: {REMEDY}")
    if found.header.men != monster_men(men):
        raise TableError(f"{path} is the table of {found.header.men}: give it its name back")
    return found


def names_in(folder: Path) -> list[str]:
    """The men whose tables a folder has; TableError names a file that is named after none."""
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
    """The tables in a folder; TableError if there are none, or one of them is no table."""
    place = Path(folder)
    names = names_in(place)
    if not names:
        raise TableError(
            f"there are no endgame tables in {place}: rulezero solve monster KvKQR --out {place}"
            " makes some"
        )
    return Tables(map_table(place, men) for men in names)
