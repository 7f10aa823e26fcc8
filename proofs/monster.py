"""Monster Chess: whether Black can win, by tables, by a script and by search.

It needs the tables of `make proof-endgames` in the folder endgames. Results are kept in
runs/monster, so that a stopped proof can be continued. docs/can_black_win.md has the conclusions.
"""

import random
import sys
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import rulezero as rz
from proof import RUNS, judged, kept, table, write
from rulezero.endgame.monster import Probe, Tables
from rulezero.endgame.positions import draw
from rulezero.machine import cores

ENDGAMES = Path("endgames")
RUN = RUNS / "monster"

MOSTLY = 0.5  # a material is mostly won if Black to move wins more of its quiet positions
POSITIONS = 200  # of mostly won materials
WITH_PAWNS = ["KPvKQQ", "KPvKQR", "KPvKRR"]
PAWN_POSITIONS = 50
DISTANCES = range(2, 21)  # not 1: there, the king can be taken at once
PROBES = 10_000

DEFENDER = f"heuristic:tables={ENDGAMES}"  # defends as long as possible, and holds draws
SEARCHER = "ucb1:sims=800"
SCRIPT = {"with tables": f"scripted:tables={ENDGAMES}", "without": "scripted"}

BUDGETS = [200, 800, 3200]
PLAYER = "puct:sims={sims},temperature=1,temperature_turns=8"
GAMES = 100  # of each pair of budgets
COLUMNS: dict[int | str, int] = {**dict.fromkeys(BUDGETS, GAMES), "script": 50}
GLANCES = [200, 800, 3200, 12_800, 51_200]

PROBERS = ["puct:sims=50", "gumbel:sims=16", "ucb1:sims=50", "alphabeta:depth=2", "oneply:"]


def won(tables: Tables, men: str, many: int) -> dict[str, int]:
    """Won positions with Black to move, and the number of turns of each win."""
    dice = random.Random(f"won/{men}")
    game = rz.load("monster")
    found: dict[str, int] = {}
    while len(found) < many:
        text = draw(men, dice)
        known = tables.probe(game.parse(text))
        assert known is not None
        if known.value == -1 and known.distance in DISTANCES:
            found[text] = known.distance
    return found


def hunt(white: str, black: str, starts: dict[str, int]) -> list[dict[str, Any]]:
    """The results of games from won positions, in the order of the starts."""
    result = rz.match(
        "monster",
        a=white,
        b=black,
        games=len(starts),
        opening=0,
        starts=list(starts),
        swap=False,
        workers=cores(),
    )
    return [
        {
            "outcome": record.outcome,
            "reason": record.end_reason,
            "turns": (record.plies + 2) // 3,  # Black's: it begins, and White's have two plies
            "best": starts[record.start],
        }
        for record in result.records
    ]


def mostly_won(tables: Tables) -> dict[str, float]:
    """Black's materials that win from most quiet positions against a lone king, with the share."""
    found = {}
    for men in tables.men:
        if men.startswith("Kv"):
            quiet = tables.summary(men).quiet[1]
            if quiet.black > MOSTLY * quiet.total:
                found[men] = quiet.black / quiet.total
    return found


def hunts(tables: Tables, men: list[str], many: int, white: str) -> dict[str, Any]:
    """The games, by script and then by material."""
    found: dict[str, Any] = {}
    for name, black in SCRIPT.items():
        found[name] = {}
        for number, each in enumerate(men):
            share = (many + number) // len(men)  # the shares add up to `many`
            found[name][each] = hunt(white, black, won(tables, each, share))
            print(f"{name}: {each} {score(found[name][each])}", flush=True)
    return found


def score(games: list[dict[str, Any]]) -> str:
    """The number and share of king captures, in words."""
    captures = sum(game["outcome"] == -1 for game in games)
    return f"{captures} of {len(games)} ({captures / len(games):.0%})"


def hunted(found: dict[str, Any]) -> str:
    """The table of hunts."""
    rows = []
    for men in found["without"]:
        for name, by_men in found.items():
            games = by_men[men]
            taken = [game for game in games if game["outcome"] == -1]
            rows.append(
                [
                    men,
                    name,
                    score(games),
                    _mean(game["turns"] for game in taken),
                    _mean(game["best"] for game in taken),
                    f"{sum(game['outcome'] == 1 for game in games)}",
                ]
            )
    head = ["men", "script", "kings taken", "turns it took", "by the tables", "own king lost"]
    return table(head, rows)


def _mean(numbers: Iterator[int]) -> str:
    values = list(numbers)
    return f"{sum(values) / len(values):.1f}" if values else "-"


def share_of(found: dict[str, list[dict[str, Any]]]) -> float:
    """The share of king captures in the games of all materials."""
    outcomes: list[float] = [game["outcome"] for each in found.values() for game in each]
    return outcomes.count(-1) / len(outcomes)


def probes(tables: Tables) -> dict[str, int]:
    """Plays a move in won positions of all tables, with each search in turn; counts lost wins."""
    dice = random.Random("probes")
    game = rz.load("monster")
    seats = [
        rz.player(f"{kind.rstrip(':')}{',' if '=' in kind else ':'}tables={ENDGAMES}")
        for kind in PROBERS
    ]
    asked = thrown = 0
    while asked < PROBES:
        text = draw(dice.choice(tables.men), dice, dice.choice("wb"))
        state = game.parse(text)
        known = None if state.is_over else tables.probe(state)
        if known is None or known.value != (1 if state.mover == 0 else -1):
            continue
        after = tables.probe(state.apply(seats[asked % len(seats)].think(state).action))
        thrown += not (isinstance(after, Probe) and after.value == known.value)
        asked += 1
    return {"asked": asked, "thrown": thrown}


def glances() -> dict[str, float]:
    """The search's value of the start position, by simulations."""
    state = rz.load("monster").start()
    return {
        str(sims): float(rz.player(f"puct:sims={sims},early_stop=false").think(state).value or 0)
        for sims in GLANCES
    }


def meet(white: str, black: str, games: int) -> dict[str, int]:
    """The number of games from the start, by result."""
    result = rz.match(
        "monster",
        a=white,
        b=black,
        games=games,
        opening=0,
        swap=False,
        workers=cores(),
    )
    outcomes = [record.outcome for record in result.records]
    found = {name: outcomes.count(value) for name, value in NAMES.items()}
    found["bare"] = sum(not record.outcome and is_bare(record) for record in result.records)
    print(f"White {white}, Black {black}: {found}", flush=True)
    return found


def is_bare(record: rz.Record) -> bool:
    """Whether White has nothing but its king at the end."""
    last = rz.load("monster").replay(record.start, record.action_numbers().tolist())
    return sum(man.isupper() for man in last.text.split()[0]) == 1


NAMES = {"white": 1.0, "drawn": 0.0, "black": -1.0}


def main() -> int:
    """Plays all games that have not been played, and writes the section."""
    if not ENDGAMES.is_dir():
        raise SystemExit(f"there is no folder {ENDGAMES}: make proof-endgames fills it (29 GB)")
    tables = rz.endgame.open(ENDGAMES)
    shares = mostly_won(tables)
    for men, share in shares.items():
        print(f"{men}: Black wins {share:.1%} of the quiet positions", flush=True)
    lone = kept(RUN, "lone", lambda: hunts(tables, list(shares), POSITIONS, DEFENDER))
    pawns = kept(RUN, "pawns", lambda: hunts(tables, WITH_PAWNS, PAWN_POSITIONS, SEARCHER))
    probed = kept(RUN, "probes", lambda: probes(tables))
    seen = kept(RUN, "glances", glances)
    players: dict[int | str, str] = {sims: PLAYER.format(sims=sims) for sims in BUDGETS}
    met = {
        f"{white}_{black}": kept(
            RUN,
            f"start_{white}_{black}",
            partial(meet, players[white], players.get(black, "scripted"), games),
        )
        for white, (black, games) in product(BUDGETS, COLUMNS.items())
    }
    claims = {
        "all kings taken with tables": share_of(lone["with tables"]) == 1,
        "at least 60 % without": share_of(lone["without"]) >= 0.6,
        f"{probed['asked']:,} won positions of all tables, none thrown away": not probed["thrown"],
    }
    parts = [
        f"The scripted Black from {POSITIONS} positions that the tables say are won in"
        f" {DISTANCES[0]} to {DISTANCES[-1]} turns, against a White that defends by the tables,"
        f" with men that Black wins with from most quiet positions; {share_of(lone['without']):.0%}"
        " of the kings are taken without tables.",
        hunted(lone),
        f"The same from {PAWN_POSITIONS} won positions with a white pawn, against `{SEARCHER}`.",
        hunted(pawns),
        "Games from the start in which Black took the king (and drawn ones), by budgets, with the"
        f" hand-written judgement (`{PLAYER.format(sims='N')}`), and by the script.",
        started(met),
        f"Of the {sum(found['drawn'] for found in met.values())} drawn games"
        f" {sum(found['bare'] for found in met.values())} ended with a lone white king.",
        "What search makes of the start position (1: White wins).",
        table(["simulations", "value"], [[sims, f"{value:+.2f}"] for sims, value in seen.items()]),
        judged(claims),
    ]
    write("monster", "make proof-monster", "\n\n".join(parts))
    return 0


def started(met: dict[str, dict[str, int]]) -> str:
    """The table of games from the start, with a row for each budget of White."""
    head = ["White's sims", *(f"Black: {black}, {games} games" for black, games in COLUMNS.items())]
    rows = [
        [str(white), *(_result(met[f"{white}_{black}"]) for black in COLUMNS)] for white in BUDGETS
    ]
    return table(head, rows)


def _result(found: dict[str, int]) -> str:
    return f"{found['black']} ({found['drawn']} drawn)"


if __name__ == "__main__":
    sys.exit(main())
