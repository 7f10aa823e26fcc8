"""Monster Chess: the final net of the small preset against the bootstrap's net, with both colours.

A sequential test must find the final net stronger. Results are given by side and by lesson, with
the share of games that Black wins.
"""

import sys
from typing import Any

from proof import (
    chart,
    effort,
    judged,
    listed,
    logged,
    met,
    table,
    trained,
    write,
)
from rulezero.reports.figures import is_lesson
from rulezero.training.games.figures import TierResults
from rulezero.training.games.monster import TIERS
from rulezero.training.log import GamesEntry
from rulezero.training.run import Run

AGENT = "puct:net={net},sims=100"
GAMES = 400  # at most
YARDSTICK = "ucb1:sims=200"


def duel(run: Run) -> dict[str, Any]:
    """The final net against the bootstrap's, up to the verdict of a test."""
    a, b = (AGENT.format(net=f"{run.path}@{which}") for which in ("latest", "0"))
    return met(run.path, "against_bootstrap", "monster", a, b, GAMES, sprt=(0, 30))


def yardsticks(run: Run) -> list[list[str]]:
    """Scores of the bootstrap's net and the final net, by colour, against a search without net."""
    rows = []
    for which in ("0", "latest"):
        seat = AGENT.format(net=f"{run.path}@{which}")
        found = met(run.path, f"{which}_against_ucb1", "monster", seat, YARDSTICK, 100)
        rows.append([f"net {which}", *(_counts(each) for each in found["by_seat"])])
    return rows


def _counts(counts: dict[str, int]) -> str:
    return f"{counts['wins']} won, {counts['draws']} drawn, {counts['losses']} lost"


def by_tier(run: Run) -> str:
    """The number of lessons that Black won, iteration by iteration."""
    rows = []
    for entry in logged(run, GamesEntry):
        if is_lesson(entry):
            tiers = entry.figures.tiers
            rows.append([str(entry.iteration), *(_black(tiers.get(str(tier))) for tier in TIERS)])
    return table(["iteration", *(f"tier {tier}" for tier in TIERS)], rows)


def _black(results: TierResults | None) -> str:
    return f"{results.black} of {results.games}" if results else ""


def by_side(run: Run) -> tuple[str, dict[float, float]]:
    """The results of games from the start, iteration by iteration, and Black's share of wins."""
    rows, shares = [], {}
    for entry in logged(run, GamesEntry):
        if not entry.is_training or is_lesson(entry):
            continue
        found = entry.figures.tiers["0"]
        learner = ("White", "Black")[entry.iteration % 2]
        if entry.iteration == 0:
            learner = "both, Black by the script" if "scripted" in entry.b else "both"
        results = (found.white, found.drawn, found.black)
        rows.append([str(entry.iteration), learner, *map(str, results)])
        if entry.iteration:
            shares[float(entry.iteration)] = 100 * found.black / found.games
    return table(["iteration", "learns", "White won", "drawn", "Black won"], rows), shares


def main() -> int:
    """Trains, plays and writes the section; returns 1 if a claim fails."""
    run = trained("proof_monster_small", "monster")
    found = duel(run)
    sides, shares = by_side(run)
    claims = {
        "the final net is above the bootstrap's, by the test": found["verdict"] == "accepted H1"
    }
    write(
        "monster small",
        "make proof-monster_small",
        "\n\n".join(
            [
                f"`{AGENT.format(net='NET')}` with the final net against the same with the"
                " bootstrap's, the first 4 plies at random, seats swapped in pairs; a sequential"
                f" test of 30 Elo against 0 said {found['verdict']} after {found['games']} games.",
                table(
                    ["the final net as", "won", "drawn", "lost"],
                    [
                        [side, *(str(counts[name]) for name in ("wins", "draws", "losses"))]
                        for side, counts in zip(("White", "Black"), found["by_seat"], strict=True)
                    ],
                ),
                f"Elo {found['elo']:+.0f} ({found['interval'][0]:+.0f} to"
                f" {found['interval'][1]:+.0f}). Against `{YARDSTICK}`, 100 games each:",
                table(["", "as White", "as Black"], yardsticks(run)),
                "Games from the start, iteration by iteration:",
                sides,
                chart("games that Black won from the start", "iteration", "per cent", shares),
                "Lessons that the scripted Black won against the net's White:",
                by_tier(run),
                judged(claims),
                listed(effort(run)),
            ]
        ),
    )
    return 0 if all(claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
