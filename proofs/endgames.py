"""Monster endgames: solves every table of docs/monster_endgames.md, and writes that page.

Tables that are already in the folder are kept; their time is that of their solving, if known.
"""

import json
import math
import sys
import time
from itertools import combinations_with_replacement, pairwise
from pathlib import Path

import rulezero as rz
from proof import table
from rulezero._core import monster_memory, monster_size
from rulezero.endgame import solving
from rulezero.endgame.monster import Count, Summary, Tables
from rulezero.files import write_whole
from rulezero.machine import cores

FOLDER = Path("endgames")
TIMES = FOLDER / "times.json"
PAGE = Path("docs") / "monster_endgames.md"
SAMPLES = 1_000_000  # entries that are compared with the rules, over all tables

LONE_KING = {
    many: ["KvK" + "".join(men) for men in combinations_with_replacement("QRBN", many)]
    for many in range(4)
}
WITH_PAWNS = ["KPvKQ", "KPvKR", "KPvKQQ", "KPvKQR", "KPvKRR", "KPPvKQ", "KPPvKR"]
TOO_LARGE = ["KPvKQQQ", "KPPvKQQ"]  # need more than 24 GB of memory, or too much of the disk
TITLES = ["The kings alone", "One man", "Two men", "Three men"]


def solve(men: str, times: dict[str, float]) -> None:
    """Solves a table and those that it needs, and keeps the time of each; nan: not known."""
    for each in solving.order(men):
        begin = time.perf_counter()
        if solving.solve(each, FOLDER, workers=cores()):
            times[each] = time.perf_counter() - begin
            print(f"{each}: {times[each]:.1f} s", flush=True)
        times.setdefault(each, math.nan)
        write_whole(TIMES, json.dumps(times).encode())


def shares(count: Count) -> str:
    """Black's wins, draws and White's wins in per cent."""
    total = max(count.total, 1)
    return " / ".join(_share(part / total) for part in (count.black, count.drawn, count.white))


def _share(part: float) -> str:
    return "0" if part == 0 else "100" if part == 1 else f"{100 * part:.2f}"


def row(men: str, found: Summary, seconds: float) -> list[str]:
    """A line of the table."""
    black = found.longest[1]
    return [
        men,
        f"{found.all[0].total:,}",
        shares(found.all[0]),
        shares(found.all[1]),
        shares(found.quiet[0]),
        shares(found.quiet[1]),
        f"{found.longest[0].turns}",
        f"{black.turns}",
        f"{seconds:.1f}",
    ]


HEAD = [
    "men",
    "positions",
    "White to move",
    "Black to move",
    "quiet, White",
    "quiet, Black",
    "White's longest",
    "Black's longest",
    "seconds",
]


def line(tables: Tables, text: str) -> str:
    """A game by the tables from a position to its end."""
    states = tables.line(rz.load("monster").parse(text))
    words = []
    for before, after in pairwise(states):
        action = after.actions[-1]
        words.append(before.say(action, san=True))
    return " ".join(words)


def main() -> int:
    """Solves, checks, writes the page."""
    FOLDER.mkdir(exist_ok=True)
    times: dict[str, float] = json.loads(TIMES.read_text()) if TIMES.is_file() else {}
    groups = {TITLES[many]: LONE_KING[many] for many in range(4)} | {"White has pawns": WITH_PAWNS}
    for men in (men for group in groups.values() for men in group):
        solve(men, times)
    tables = rz.endgame.open(FOLDER)
    for men in tables.men:
        tables.check(men, -(-SAMPLES // len(tables.men)))
    print(f"{SAMPLES:,} entries agree with the rules")
    sections = {
        name: [row(men, tables.summary(men), times[men]) for men in group]
        for name, group in groups.items()
    }
    PAGE.write_text(page(tables, sections, times), encoding="utf-8")
    print(f"written to {PAGE}")
    return 0


def memory(men: list[str]) -> str:
    """The memory that solving the largest of these tables takes."""
    return f"{max(map(monster_memory, men)) / 2**30:.1f} GiB"


def promotions(times: dict[str, float]) -> str:
    """The time, memory and size of tables with pawns, with those of the tables they need."""
    rows = []
    for men in [*WITH_PAWNS, *TOO_LARGE]:
        needed = [each for each in solving.order(men) if not each.startswith("Kv")]
        took = "not done" if men in TOO_LARGE else f"{sum(times[each] for each in needed):.0f}"
        size = sum(map(monster_size, needed)) / 2**30
        rows.append([men, took, memory(needed), f"{size:.1f} GiB"])
    return (
        "All four promotions are allowed, so a table with pawns needs the tables of the men that a"
        " pawn can become. The figures include these tables, but not those of a lone white"
        " king:\n\n" + table(["men", "seconds", "memory", "on disk"], rows)
    )


def page(tables: Tables, sections: dict[str, list[list[str]]], times: dict[str, float]) -> str:
    """The whole page."""
    up_to_two = sum(times[men] for many in range(3) for men in LONE_KING[many])
    three = sum(times[men] for men in LONE_KING[3])
    parts = [
        INTRODUCTION,
        f"On {cores()} cores, the tables of a lone white king against a king and up to two men took"
        f" {up_to_two:.0f} s in all. The twenty with three men took {three / 60:.1f} minutes and at"
        f" most {memory(LONE_KING[3])} of memory.",
        f"{SAMPLES:,} random entries of all tables were compared with the rules of the game, one"
        " ply ahead; all agree.",
    ]
    for name, rows in sections.items():
        parts += [f"## {name}", table(HEAD, rows)]
    parts += [promotions(times), "## Longest wins of Black", LONGEST]
    for men in ("KvKQR", "KvKQQQ", "KvKQQR", "KvKQRR", "KvKRRR", "KPvKQR"):
        longest = tables.summary(men).longest[1]
        if longest.text is not None:
            words = f"**{men}**, {longest.turns} turns from `{longest.text}`: "
            parts.append(words + line(tables, longest.text))
    return "\n\n".join(parts) + "\n"


LONGEST = (
    "Both sides play by the tables. Moves are in order: two in each turn of White, one in each turn"
    " of Black."
)

INTRODUCTION = """# Monster endgames, solved

This page has the results of solved endgames of Monster Chess: with given men, how many positions
each side wins with best play, and how many turns the longest win takes. White has a king, perhaps
pawns, and moves twice a turn; Black has a king and other men and moves once; the side that takes
the enemy king wins. As far as we know, these results have not been published before.

`make proof-endgames` solves all tables and writes this page. `rulezero solve monster KvKQR --out
endgames` makes one table and those it needs, and prints the same figures
([endgames.md](endgames.md)). [can_black_win.md](can_black_win.md) says what the results mean for
the game.

- The column *men* names White's men, v, and Black's men. The positions are all placements of these
  men on different squares.
- The next four columns have the percentages of Black's wins / draws / White's wins; their headings
  name the side to move. A position is *quiet* if no man attacks the white king. With Black to
  move, Black wins all other positions at once.
- The longest wins are counted in turns of the winner, up to and including the capture of the king.
- Endless play is a draw. The draw after 150 turns, castling and en passant are ignored."""

if __name__ == "__main__":
    sys.exit(main())
