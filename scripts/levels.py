"""Measures the levels of the page: .venv/bin/python scripts/levels.py [GAME...] [--games N].

The levels of a game and random play meet each other N times (default: 40), seats swapped, with two
random plies at the start. Their ratings, with random play at 0, are written into
src/rulezero/web/games.yaml.
"""

import argparse
import itertools
import re
from pathlib import Path

import rulezero as rz
from rulezero.stats.ladder import Ladder, Meeting
from rulezero.web.levels import FILE, Level, offers

SOURCE = Path(__file__).parents[1] / "src" / "rulezero" / "web" / FILE.name
_OPENING = 2  # random plies, so that games differ
_STEP = 10  # Elo; ratings are rounded to it


def ratings(game: str, levels: tuple[Level, ...], games: int) -> dict[str, int]:
    """The Elo of each level by its name."""
    texts = {level.name: level.text(0) for level in levels}
    meetings = []
    for a, b in itertools.combinations(dict.fromkeys(["random", *texts.values()]), 2):
        match = rz.match(game, a, b, games, opening=_OPENING, seed=1, workers=0)
        meetings.append(Meeting(a, b, match.tally))
        print(f"{game:12} {a:32} {b:32} {100 * match.score:5.1f} %", flush=True)
    ladder = Ladder.fit(meetings, anchor="random")
    return {name: _STEP * round(ladder[text].elo / _STEP) for name, text in texts.items()}


def write(game: str, elos: dict[str, int]) -> None:
    """Writes the ratings of a game's levels into the file."""
    head, name, rest = SOURCE.read_text(encoding="utf-8").partition(f"\n{game}:\n")
    part, following, later = re.match(r"(.*?)(\n\w|\Z)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    for level, elo in elos.items():
        part = re.sub(rf"(\{{name: {level},.*?)(, elo: -?\d+)?\}}", rf"\1, elo: {elo}}}", part)
    SOURCE.write_text(head + name + part + following + later, encoding="utf-8")


def main() -> None:
    """Measures the games that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", choices=[*offers(), []])
    parser.add_argument("--games", type=int, default=40)
    given = parser.parse_args()
    for game in given.game or offers():
        found = ratings(game, offers()[game].levels, given.games)
        write(game, found)
        print(f"{game}: {found}", flush=True)


if __name__ == "__main__":
    main()
