"""Measures the levels of the page: .venv/bin/python scripts/levels.py [GAME...] [--games N].

The levels of a game and random play meet each other, seats swapped, with two random plies at the
start: neighbours N times (default: 200), others N / 5 times; slow ones less often. Their ratings,
with random play at 0, and the intervals of 95 % are written into src/rulezero/web/games.yaml. It
takes about ten minutes of one core.
"""

import argparse
import itertools
import re
import time
from pathlib import Path

import rulezero as rz
from rulezero.stats.ladder import Ladder, Meeting, Rating
from rulezero.web.levels import FILE, Level, offers

SOURCE = Path(__file__).parents[1] / "src" / "rulezero" / "web" / FILE.name
_OPENING = 2  # random plies, so that games differ
_STEP = 10  # Elo; ratings are rounded to it
_PARTS = 5  # of the games of neighbours; others play one of them


def meetings(game: str, a: str, b: str, parts: int, games: int, seconds: float) -> list[Meeting]:
    """The games of two players in parts: at least one, and more while there is time."""
    found: list[Meeting] = []
    begun = time.process_time()
    points = 0.0
    for seed in range(1, parts + 1):
        if found and (time.process_time() - begun) * seed / len(found) > seconds:
            break
        match = rz.match(game, a, b, games, opening=_OPENING, seed=seed, workers=1)
        found.append(Meeting(a, b, match.tally))
        points += match.score
    score = f"{100 * points / len(found):5.1f} %"
    print(f"{game:12} {a:32} {b:32} {games * len(found):4} games {score}", flush=True)
    return found


def ratings(game: str, levels: tuple[Level, ...], games: int, seconds: float) -> dict[str, Rating]:
    """The rating of each level by its name."""
    texts = {level.name: level.text(0) for level in levels}
    players = list(dict.fromkeys(["random", *texts.values()]))
    played: list[Meeting] = []
    for (at, a), (later, b) in itertools.combinations(enumerate(players), 2):
        parts = _PARTS if later == at + 1 else 1
        played += meetings(game, a, b, parts, games // _PARTS, seconds)
    ladder = Ladder.fit(played, anchor="random")
    return {name: ladder[text] for name, text in texts.items()}


def rounded(elo: float) -> int:
    """An Elo as it is written."""
    return _STEP * round(elo / _STEP)


def write(game: str, found: dict[str, Rating]) -> None:
    """Writes the ratings of a game's levels into the file."""
    head, name, rest = SOURCE.read_text(encoding="utf-8").partition(f"\n{game}:\n")
    part, following, later = re.match(r"(.*?)(\n\w|\Z)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    for level, rating in found.items():
        low, high = rounded(rating.lower), rounded(rating.upper)
        measured = f", elo: {rounded(rating.elo)}, interval: [{low}, {high}]}}"
        part = re.sub(rf"(\{{name: {level},.*?)(, elo: .*)?\}}", rf"\1{measured}", part)
    SOURCE.write_text(head + name + part + following + later, encoding="utf-8")


def main() -> None:
    """Measures the games that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", choices=[*offers(), []])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=40, help="of a pair; then it ends early")
    given = parser.parse_args()
    for game in given.game or offers():
        found = ratings(game, offers()[game].levels, given.games, given.seconds)
        write(game, found)
        words = ", ".join(
            f"{name} {each.elo:+.0f} ({each.interval})" for name, each in found.items()
        )
        print(f"{game}: {words}", flush=True)


if __name__ == "__main__":
    main()
