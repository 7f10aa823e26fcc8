"""The built-in games as the page offers them, and named players for people, by strength."""

import re
from functools import cache
from pathlib import Path

import msgspec

import rulezero as rz
from rulezero.games import view

FILE = Path(__file__).with_name("games.yaml")
_PREFIX = "level:"


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player of a certain strength."""

    name: str
    player: str | tuple[str, str]  # its text, or one for each seat
    elo: int | None = None  # with random play at 0; none: not measured
    interval: tuple[int, int] | None = None  # of the Elo, 95 %

    def text(self, seat: int) -> str:
        """The player's text in this seat."""
        return self.player if isinstance(self.player, str) else self.player[seat]


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a position's text, after the one with the men. Fields are separated by spaces."""

    name: str
    help: str = ""
    values: dict[str, str] = {}  # the only ones that it can have, in words; {}: any
    optional: bool = False  # whether the text may end before it
    squares: str = ""  # of entries e4=7,...: what the number of a square is called; "-" if none


class Offer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game of the page."""

    title: str
    about: str
    levels: tuple[Level, ...]
    falls: bool = False
    fields: tuple[Field, ...] = ()  # of a position's text; (): it is edited as a whole
    men: tuple[str, ...] = ()  # as written in positions; (): those with a picture, for both seats
    names: dict[str, str] = {}  # of men, where their pictures have other names
    seats: tuple[str, str] | None = None  # what people call them; none: as in the game's facts
    endings: dict[str, str] = {}  # reasons why a game ends, in words; others are understood as such


_OTHERS = (  # for games that were not measured
    Level("beginner", "ucb1:sims=12,temperature=1"),
    Level("easy", "puct:sims=24,temperature=1"),
    Level("casual", "puct:sims=24"),
    Level("club", "puct:sims=200"),
    Level("strongest", "puct:sims=3200"),
)


@cache
def offers() -> dict[str, Offer]:
    """The built-in games by name, in the order of the page."""
    return msgspec.yaml.decode(FILE.read_bytes(), type=dict[str, Offer])


def offer_of(game: rz.Game) -> Offer:
    """How the page offers a game."""
    name = game.facts.name
    return offers().get(name) or Offer(name, "A game in Python.", _OTHERS)


_ENDINGS = {  # reasons that several games have
    "repetition": "the same position for the third time",
    "resigned": "the other side resigned",
    "cap": "the game reached its greatest length",
    "no action": "there is nothing left to choose",
    "interrupted": "the game was interrupted",
}


def seats_of(game: rz.Game) -> tuple[str, str]:
    """What the page calls the seats."""
    return offer_of(game).seats or game.facts.seat_names


def ending(reason: str | None, name: str) -> str:
    """Why a game of this name ended, in words for people."""
    known = {**_ENDINGS, **(offers()[name].endings if name in offers() else {})}
    if (limit := re.fullmatch(r"(\d+) (turns|plies)", reason or "")) is not None:
        return f"{limit[1]} {limit[2]} were played"
    return known.get(reason or "", reason or "")


def say_result(outcome: float, reason: str | None, game: rz.Game) -> str:
    """How a game ended, by seat 0's outcome: "White wins: captured the king"."""
    return view.say_result(outcome, ending(reason, game.facts.name), seats_of(game))


def player_text(given: str, game: rz.Game, seat: int) -> str:
    """The player's text for `level:NAME`; other texts are returned as they are. GameError."""
    if not given.startswith(_PREFIX):
        return given
    levels = offer_of(game).levels
    for level in levels:
        if level.name == given.removeprefix(_PREFIX):
            return level.text(seat)
    known = ", ".join(level.name for level in levels)
    raise rz.GameError(f"there is no {given[:40]!r}; levels of {game.facts.name}: {known}")
