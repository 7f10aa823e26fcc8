"""Razzle Dazzle: a net of the small preset with 16 simulations against a search without a net.

It must score at least 70 % against ucb1:sims=200, which uses the hand-written heuristic, and 98 %
against random. More than 90 % of its policy must be on legal moves.
"""

import sys
import time
from typing import Any

import rulezero as rz
from proof import (
    chart,
    effort,
    judged,
    kept,
    listed,
    met,
    minutes,
    rated,
    ratings,
    table,
    trained,
    write,
)
from rulezero import config
from rulezero.reports.diagnosis import diagnose
from rulezero.steps import fit
from rulezero.training.run import Run

AGENT = "gumbel:net={net},sims=16"
SEARCH = "ucb1:sims=200"
GAMES = 200
OPENING = 4  # random first plies, so that no two games are alike


def meet(run: Run, opponent: str) -> dict[str, Any]:
    """The final net against an opponent."""
    name = f"against_{opponent.partition(':')[0]}"
    seat = AGENT.format(net=run.path)
    return met(run.path, name, "razzle", seat, opponent, GAMES, opening=OPENING)


def milliseconds(run: Run) -> dict[str, float]:
    """The time of a move of both players, one position at a time on one core."""

    def measure() -> dict[str, float]:
        game = rz.load("razzle")
        record = next(iter(run.store()))
        actions = record.action_numbers().tolist()
        states = [game.replay(record.start, actions[:ply]) for ply in range(4, len(actions), 2)]
        found = {}
        for name, text in (("net", AGENT.format(net=run.path)), ("search", SEARCH)):
            seat = rz.player(text)
            seat.think(states[0])
            begin = time.perf_counter()
            for state in states:
                seat.think(state)
            found[name] = 1000 * (time.perf_counter() - begin) / len(states)
        return found

    found: dict[str, float] = kept(run.path, "milliseconds", measure)
    return found


def legal_mass(run: Run, illegal: float) -> float:
    """Probability on legal moves of a net that is fitted to the run's games with this penalty."""

    def learn() -> float:
        print(f"fitting a net with fit.loss.illegal={illegal:g}")
        changes = [
            f"fit.loss.illegal={illegal}",
            "fit.samples_per_ply=3",
            "window.kind=fixed",
            "window.plies=50000",
        ]
        out = run.path / "reports" / f"illegal_{illegal:g}"
        done = fit(config.load("razzle", "small", changes), run.records, out)
        assert done.held_out is not None
        return done.held_out.net.legal_mass

    found: float = kept(run.path, f"legal_mass_{illegal:g}", learn)
    return found


def main() -> int:
    """Trains, plays and writes the section; returns 1 if a claim fails."""
    run = trained("proof_razzle", "razzle")
    against = {opponent: meet(run, opponent) for opponent in (SEARCH, "random")}
    times = milliseconds(run)
    seen = diagnose(run.path)
    assert seen.untrained is not None
    masses = {"with": legal_mass(run, 1.0), "without": legal_mass(run, 0.0)}
    claims = {
        f"at least 70 % against `{SEARCH}`": against[SEARCH]["score"] >= 0.70,
        "at least 98 % against `random`": against["random"]["score"] >= 0.98,
        "legal mass above 90 %": seen.net.legal_mass > 0.9,
    }
    at = minutes(run)
    trials = {round(at[_net_of(entry.a)], 1): 100 * entry.score for entry in ratings(run)}
    write(
        "razzle",
        "make proof-razzle",
        "\n\n".join(
            [
                f"`gumbel:sims=16` with the final net, {GAMES} games each, the first {OPENING}"
                " plies at random, seats swapped in pairs.",
                rated({f"`{name}`": found for name, found in against.items()}),
                f"A move took {times['net']:.1f} ms with the net and {times['search']:.1f} ms with"
                f" `{SEARCH}`, one position at a time on one core.",
                chart(f"score against {SEARCH}", "minutes", "per cent", trials),
                table(
                    ["probability on legal moves", ""],
                    [
                        ["final net", f"{seen.net.legal_mass:.1%}"],
                        ["untrained net", f"{seen.untrained.legal_mass:.1%}"],
                        ["fitted to the last games with the penalty", f"{masses['with']:.1%}"],
                        ["the same without the penalty", f"{masses['without']:.1%}"],
                    ],
                ),
                judged(claims),
                listed(effort(run)),
            ]
        ),
    )
    return 0 if all(claims.values()) else 1


def _net_of(seat: str) -> str:
    """The net's name in a player's text."""
    parts = seat.partition(":")[2].split(",")
    return next(part.partition("=")[2] for part in parts if part.startswith("net="))


if __name__ == "__main__":
    sys.exit(main())
