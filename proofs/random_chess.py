"""Ultimate Random Chess: the final net of the small preset against the bootstrap's net.

The final net must be significantly stronger than the bootstrap's net, which has Elo 0, and score at
least 95 % against random. A tiny run with all ten custom pieces must finish.
"""

import sys
from typing import Any

import msgspec

import rulezero as rz
from proof import (
    causes,
    chart,
    effort,
    judged,
    kept,
    listed,
    met,
    minutes,
    rated,
    table,
    trained,
    write,
)
from rulezero.data.check import check
from rulezero.reports.openings import openings
from rulezero.stats.tally import Counts
from rulezero.training.log import draws_of
from rulezero.training.run import Run

AGENT = "puct:net={net},sims=64"
GAMES = 200
DUEL = 240  # games against the bootstrap's net
OPPONENTS = ("random", *(f"alphabeta:depth={depth},random_ties=true" for depth in (1, 2)))
CUSTOM = "random_chess:pieces=custom"


def meet(run: Run, opponent: str) -> dict[str, Any]:
    """The final net against an opponent, from a new back rank in each pair of games."""
    name = "against_" + opponent.replace(":", "_").replace(",", "_").replace("=", "_")
    seat = AGENT.format(net=f"{run.path}@latest")
    games = GAMES if opponent == "random" else GAMES // 2
    return met(run.path, name, "random_chess", seat, opponent, games, opening=0)


def climb(run: Run) -> dict[int, dict[str, Any]]:
    """Nets against the bootstrap's net, by iteration: that of the middle and the last one."""
    last = run.progress().iteration
    found = {}
    for iteration in (last // 2, last):
        a, b = (AGENT.format(net=f"{run.path}@{number}") for number in (iteration, 0))
        games = DUEL if iteration == last else DUEL // 2
        found[iteration] = met(
            run.path, f"iter_{iteration}_against_0", "random_chess", a, b, games, opening=0
        )
    return found


def diversity(run: Run) -> list[list[str]]:
    """How much the last iteration's games differ."""

    def look() -> list[list[str]]:
        last = f"{run.progress().iteration:04}/self-play"
        records = [record for record in run.store() if record.task == last]
        starts = len({record.start for record in records})
        rows = [["0", str(len(records)), str(starts)]]
        for each in openings(records, rz.load("random_chess")):
            rows.append([str(each.ply), str(each.games), str(each.distinct)])
        return rows

    found: list[list[str]] = kept(run.path, "diversity", look)
    return found


def custom() -> list[str]:
    """Makes a tiny run with every custom piece, checks its games, and describes it."""
    run = trained("proof_random_chess_custom", "random_chess", "tiny", [f"game={CUSTOM}"])
    game = rz.load(CUSTOM)
    records = list(run.store())
    for record in records:
        check(record, game=game)
    ranks = {record.start.split("/")[-1].split()[0] for record in records}
    return [
        f"`{game.text}`: {game.facts.planes[0]} planes, {game.facts.slots} slots",
        f"{run.progress().iteration} iterations, {len(records)} games from {len(ranks)} back ranks,"
        " all of them replayed and checked",
    ]


def main() -> int:
    """Trains, plays and writes the section; returns 1 if a claim fails."""
    run = trained("proof_random_chess", "random_chess")
    against = {opponent: meet(run, opponent) for opponent in OPPONENTS}
    climbed, at = climb(run), minutes(run)
    final = climbed[run.progress().iteration]
    draws = draws_of(msgspec.convert(final["ends"], dict[str, Counts]))
    share = sum(draws.values()) / final["games"]
    claims = {
        "the final net is above the bootstrap's: the whole interval": final["interval"][0] > 0,
        "at least 95 % against `random`": against["random"]["score"] >= 0.95,
    }
    elos = {round(at["iter_0"], 1): 0.0} | {
        round(at[f"iter_{iteration}"], 1): max(0.0, found["elo"])
        for iteration, found in climbed.items()
    }
    write(
        "random_chess",
        "make proof-random_chess",
        "\n\n".join(
            [
                f"`{AGENT.format(net='NET')}` with the final net, from a new back rank in each pair"
                " of games, seats swapped.",
                rated({f"`{name}`": found for name, found in against.items()}),
                "Nets of the run against the bootstrap's, which is Elo 0:",
                rated({f"iteration {n} against 0": found for n, found in climbed.items()}),
                chart("Elo above the bootstrap's net", "minutes", "Elo", elos),
                f"Draws in the last of these matches: {share:.0%} ({causes(draws)}).",
                "Self-play of the last iteration: positions after a number of plies.",
                table(["plies", "games", "different positions"], diversity(run)),
                "With all ten custom pieces, `--preset tiny`:",
                listed(custom()),
                judged(claims),
                listed(effort(run)),
            ]
        ),
    )
    return 0 if all(claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
