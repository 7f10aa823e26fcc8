"""Connect Four from random weights: mistakes in solved positions during the run.

The agent is puct:sims=128 with a net of the run. Compared with alphabeta:depth=5,eval=uniform, it
must make at most half as many mistakes in middle positions, fewer in early ones, and no more in
late ones.
"""

import sys

from proof import chart, effort, judged, kept, listed, minutes, table, trained, write
from rulezero.contest.mistakes import mistakes
from rulezero.endgame.connect4 import Part
from rulezero.training.run import Run

AGENT = "puct:net={net},sims=128"
YARDSTICK = "alphabeta:depth=5,eval=uniform,random_ties=true"
KINDS: tuple[Part, ...] = ("early", "middle", "late")
EVERY = 8  # iterations between two points of the curve


def shares(run: Run, name: str, seat: str) -> dict[str, float]:
    """A player's mistakes per hundred positions of each kind."""

    def count() -> dict[str, float]:
        print(f"counting the mistakes of {seat}")
        return {kind: 100 * mistakes(seat, kind).share for kind in KINDS}

    found: dict[str, float] = kept(run.path, f"mistakes_{name}", count)
    return found


def main() -> int:
    """Trains, counts mistakes and writes the section; returns 1 if a claim fails."""
    run = trained("proof_connect4", "connect4")
    last = run.progress().iteration
    names = ["untrained", *(f"iter_{n}" for n in range(EVERY, last, EVERY)), f"iter_{last}"]
    times = minutes(run)
    by_net = {name: shares(run, name, AGENT.format(net=run.nets / name)) for name in names}
    yardstick = shares(run, "yardstick", YARDSTICK)
    final = by_net[f"iter_{last}"]
    claims = {
        "middle: at most half of the yardstick's": final["middle"] <= yardstick["middle"] / 2,
        "early: fewer": final["early"] < yardstick["early"],
        "late: no more": final["late"] <= yardstick["late"],
    }
    rows = [
        [name, f"{times[name]:.0f}", *(f"{found[kind]:.1f}" for kind in KINDS)]
        for name, found in by_net.items()
    ]
    rows.append([f"`{YARDSTICK}`", "", *(f"{yardstick[kind]:.1f}" for kind in KINDS)])
    curve = {round(times[name], 1): found["middle"] for name, found in by_net.items()}
    write(
        "connect4",
        "make proof-connect4",
        "\n\n".join(
            [
                "Mistakes of `puct:sims=128` in a hundred positions whose values are known"
                " (500 of each kind), net by net. A mistake is a move that gives game value away.",
                chart("mistakes in middle positions", "minutes", "per hundred", curve),
                table(["net", "minutes", *KINDS], rows),
                judged(claims),
                listed(effort(run)),
            ]
        ),
    )
    return 0 if all(claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
