"""Monster endgames: every table that is published, solved, and what it says.

Tables that are in the folder stay; a time is what solving took, not what finding took.
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
TOO_LARGE = ["KPvKQQQ", "KPPvKQQ"]  # for 24 GB of memory, or for the disk
TITLES = ["The kings alone", "One man", "Two men", "Three men"]


def solve(men: str, times: dict[str, float]) -> None:
    """Makes a table and those that it needs, and keeps how long each took; nan: who knows."""
    for each in solving.order(men):
        begin = time.perf_counter()
        if solving.solve(each, FOLDER, workers=cores()):
            times[each] = time.perf_counter() - begin
            print(f"{each}: {times[each]:.1f} s", flush=True)
        times.setdefault(each, math.nan)
        write_whole(TIMES, json.dumps(times).encode())


def shares(count: Count) -> str:
    """Black's wins, draws, White's wins of a hundred."""
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
    """What solving the largest of them takes."""
    return f"{max(map(monster_memory, men)) / 2**30:.1f} GiB"


def promotions(times: dict[str, float]) -> str:
    """What tables with pawns took, with those that they need."""
    rows = []
    for men in [*WITH_PAWNS, *TOO_LARGE]:
        needed = [each for each in solving.order(men) if not each.startswith("Kv")]
        took = "not done" if men in TOO_LARGE else f"{sum(times[each] for each in needed):.0f}"
        size = sum(map(monster_size, needed)) / 2**30
        rows.append([men, took, memory(needed), f"{size:.1f} GiB"])
    return (
        "All four promotions are in: a table with pawns needs those of the men that they become."
        " With these, and without those of a lone white king:\n\n"
        + table(["men", "seconds", "memory", "on disk"], rows)
    )


def page(tables: Tables, sections: dict[str, list[list[str]]], times: dict[str, float]) -> str:
    """The whole page."""
    up_to_two = sum(times[men] for many in range(3) for men in LONE_KING[many])
    three = sum(times[men] for men in LONE_KING[3])
    parts = [
        INTRODUCTION,
        f"On {cores()} cores all tables with up to two black men took {up_to_two:.0f} s, the twenty"
        f" with three {three / 60:.1f} minutes and at most {memory(LONE_KING[3])} of memory.",
        f"{SAMPLES:,} random entries of all tables agree with the rules of the game one ply ahead.",
    ]
    for name, rows in sections.items():
        parts += [f"## {name}", table(HEAD, rows)]
    parts += [promotions(times), "## Longest wins of Black"]
    for men in ("KvKQR", "KvKQQQ", "KvKQQR", "KvKQRR", "KvKRRR", "KPvKQR"):
        longest = tables.summary(men).longest[1]
        if longest.text is not None:
            words = f"**{men}**, {longest.turns} turns from `{longest.text}`: "
            parts.append(words + line(tables, longest.text))
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """# Monster endgames, solved

White has a king, perhaps pawns, and moves twice; Black has a king and some men and moves once; who
takes the king wins. These tables say of every position who wins when nobody errs, and in how many
turns of the winner. As far as we know nobody has published them before.

`make proof-endgames` solves all of them and writes this page; `rulezero solve monster KvKQR --out
endgames` makes one table and those it needs, and prints the same figures. See
[can_black_win.md](can_black_win.md) for what follows from them.

- Men are White's v Black's. Positions are all ways to put them on different squares.
- Shares are Black's wins / draws / White's wins in a hundred. *Quiet* are positions whose white
  king nobody attacks: with Black to move all others are won by Black at once.
- A distance counts the winner's turns up to and with the capture of the king.
- Endless play is a draw. The end after 150 turns, castling and en passant are left out."""

if __name__ == "__main__":
    sys.exit(main())
