"""EXCHANGE: a net of the small preset with fifty simulations against the hand-written heuristic.

It must score at least 60 % against the heuristic player and 97 % against random; less than 10 % of
the last self-play games may be drawn.
"""

import sys
from typing import Any

from proof import (
    causes,
    chart,
    effort,
    judged,
    listed,
    logged,
    met,
    minutes,
    rated,
    ratings,
    table,
    trained,
    write,
)
from rulezero.training.games.exchange import TARGETS
from rulezero.training.log import GamesEntry, VerdictEntry
from rulezero.training.run import Run

AGENT = "puct:net={net},sims=50,c_puct=1,draw_value=-0.5"
GAMES = 200


def meet(run: Run, opponent: str, name: str = "") -> dict[str, Any]:
    """The final net against an opponent."""
    seat = AGENT.format(net=f"{run.path}@latest")
    return met(run.path, f"against_{name or opponent}", "exchange", seat, opponent, GAMES)


def lessons(run: Run) -> list[GamesEntry]:
    """The games between teacher and student, iteration by iteration."""
    return [entry for entry in logged(run, GamesEntry) if entry.purpose == "self-play"]


def habits(entries: list[GamesEntry]) -> str:
    """How abilities were used in the first, the middle and the last iteration."""
    shown = [entries[0], entries[len(entries) // 2], entries[-1]]
    usages = [entry.figures.usage for entry in shown if entry.figures.usage is not None]
    rows = [
        [
            name.replace("_", " "),
            *(_amount(getattr(usage, name)) for usage in usages),
            _amount(least) if most == 1 else f"{_amount(least)} to {_amount(most)}",
        ]
        for name, (least, most) in TARGETS.items()
    ]
    added = [f"{usage.rewards_added:.2f}" for usage in usages]
    rows.append(["rewards add to the result, mean size", *added, ""])
    head = [f"iteration {entry.iteration}" for entry in shown]
    return table(["", *head, "wanted, at least"], rows)


def _amount(number: float) -> str:
    return f"{number:.0%}" if number <= 1 else f"{number:.0f}"


def main() -> int:
    """Trains, plays and writes the section; returns 1 if a claim fails."""
    run = trained("proof_exchange", "exchange")
    against = {opponent: meet(run, opponent) for opponent in ("heuristic", "random")}
    first = meet(run, AGENT.format(net=f"{run.path}@0"), "bootstrap")
    played, at = lessons(run), minutes(run)
    last = played[-1]
    students = {float(entry.iteration): 100 * (1 - entry.score) for entry in played}
    anchors = {round(at[f"iter_{entry.iteration}"], 1): 100 * entry.score for entry in ratings(run)}
    promoted = [entry.net for entry in logged(run, VerdictEntry) if entry.is_promoted]
    claims = {
        "at least 60 % against `heuristic`": against["heuristic"]["score"] >= 0.60,
        "at least 97 % against `random`": against["random"]["score"] >= 0.97,
        "draws between teacher and student below 10 % at the end": last.draw_share < 0.10,
    }
    write(
        "exchange",
        "make proof-exchange",
        "\n\n".join(
            [
                f"`{AGENT.format(net='NET')}` with the final net, {GAMES} games each, the first 4"
                " plies at random, seats swapped in pairs.",
                rated(
                    {f"`{name}`": found for name, found in against.items()}
                    | {"the same with the bootstrap's net": first}
                ),
                f"Promoted by the gate: {', '.join(promoted)}. The figures are of the newest net,"
                " `RUN@latest`; `RUN` alone names the last one promoted.",
                chart("score against heuristic", "minutes", "per cent", anchors),
                "What the student, which looks one ply ahead, scores against the teacher, which"
                " searches 50 simulations with the best net:",
                chart("the student's score", "iteration", "per cent", students),
                "Draws between them:",
                table(
                    ["iteration", "draws", "by cause"],
                    [
                        [str(entry.iteration), f"{entry.draw_share:.0%}", causes(entry.draws)]
                        for entry in played
                    ],
                ),
                "Abilities, as shares of the sides that used them at all, beside what is wanted.",
                habits(played),
                judged(claims),
                listed(effort(run)),
            ]
        ),
    )
    return 0 if all(claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
