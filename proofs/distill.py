"""Distilled chess: what a perceptron of the small preset has learned, stage by stage.

After the material stage, its loss on games never trained on must be at most a tenth of the best
constant's. After the search stages, the one-ply player must be stronger than after the material
stage, by a sequential test, and its choices must agree more often with a search of depth 3.
"""

import sys
from typing import Any

import msgspec

import rulezero as rz
from proof import chart, effort, judged, kept, listed, minutes, ratings, table, trained, write
from rulezero import config
from rulezero.contest.agreement import agreement, some_positions
from rulezero.machine import cores
from rulezero.stats.sprt import Sprt
from rulezero.training.log import StageSummary
from rulezero.training.regimes.distill import Distill, Stage, summarise
from rulezero.training.run import Run

POSITIONS = 2000
SEARCH = "alphabeta:depth=3"
TEST = Sprt(elo0=0, elo1=30, alpha=0.01, beta=0.01)
MOST_GAMES = 2000
OPENING = 8  # random first plies, so that no two games are alike


def agreements(run: Run, nets: dict[str, str | None]) -> dict[str, dict[str, Any]]:
    """How well each net agrees with the search, on positions of games that are in no run."""

    def measure() -> dict[str, dict[str, Any]]:
        print(f"comparing {len(nets)} nets with {SEARCH} in {POSITIONS} positions")
        states = some_positions("chess", POSITIONS)
        return {
            name: msgspec.to_builtins(agreement(net, states, SEARCH)) for name, net in nets.items()
        }

    found: dict[str, dict[str, Any]] = kept(run.path, "agreements", measure)
    return found


def meet(run: Run, before: Stage, after: Stage) -> dict[str, Any]:
    """The one-ply player after a stage against that of an earlier one, up to a test's verdict."""

    def play() -> dict[str, Any]:
        print(f"playing the net after {after.name} against that after {before.name}")
        found = rz.match(
            "chess",
            a=f"oneply:net={run.path}@{after.last}",
            b=f"oneply:net={run.path}@{before.last}",
            games=MOST_GAMES,
            opening=OPENING,
            sprt=TEST,
            workers=cores(),
        )
        assert found.sprt is not None
        return {
            "games": found.tally.games,
            "score": found.score,
            "elo": found.elo,
            "interval": list(found.interval),
            "verdict": found.sprt.verdict,
        }

    found: dict[str, Any] = kept(run.path, f"meet_{before.last}_{after.last}", play)
    return found


def main() -> int:
    """Trains, plays and writes the section; returns 1 if a claim fails."""
    run = trained("proof_distill", "distill")
    settings = config.read(run.config()).regime
    assert isinstance(settings, Distill)
    first, *later = settings.stages
    summary = summarise(run.entries(), settings)
    met = {stage.name: meet(run, first, stage) for stage in later}
    nets: dict[str, str | None] = {
        "untrained": str(run.nets / "untrained.nn"),
        **{f"after {stage.name}": f"{run.path}@{stage.last}" for stage in settings.stages},
        "counting men": None,
    }
    known = agreements(run, nets)
    learned = summary.stages[0]
    assert learned.held_out is not None
    assert learned.constant is not None
    taught = known[f"after {first.name}"]
    distilled = [known[f"after {stage.name}"] for stage in later]
    claims = {
        "material: at most a tenth of the best constant's loss, on games never trained on": (
            learned.held_out <= learned.constant / 10
        ),
        "after distillation the one-ply player is stronger, by the test": (
            met[later[-1].name]["verdict"] == "accepted H1"
        ),
        f"its choices agree with `{SEARCH}` more often": all(
            each["choices"] > taught["choices"] for each in distilled
        ),
        "its values are nearer to that search's": all(
            each["spearman"] > taught["spearman"] for each in distilled
        ),
    }
    parts = [
        "A perceptron, 781-256-128-1, that plays the move whose outcome it likes best. Losses are"
        " squared errors of the mover's chance, on games never trained on.",
        table(
            ["stage", "positions trained", "loss", "best constant's", "share"],
            [_say_loss(stage) for stage in summary.stages],
        ),
        f"Against the net after the material stage, the first {OPENING} plies at random, seats"
        f" swapped in pairs, until a sequential test of {TEST.elo1:.0f} Elo against"
        f" {TEST.elo0:.0f} is sure (error rates {TEST.alpha:.0%}):",
        table(
            ["after", "games", "score", "Elo", "95 %", "verdict"],
            [_say_match(name, found) for name, found in met.items()],
        ),
        f"Agreement with `{SEARCH}`, which counts men at its leaves, in {POSITIONS:,} positions of"
        " other games: how often the one-ply choice is among the search's best moves, and how the"
        " net's own values go with the search's.",
        table(
            ["net", "choices", "rank correlation", "correlation"],
            [
                [
                    name,
                    f"{each['choices']:.1%}",
                    f"{each['spearman']:.3f}",
                    f"{each['pearson']:.3f}",
                ]
                for name, each in known.items()
            ],
        ),
        chart("one-ply score against counting men", "minutes", "per cent", _trials(run)),
        judged(claims),
        listed(effort(run)[:1]),
    ]
    write("distill", "make proof-distill", "\n\n".join(parts))
    return 0 if all(claims.values()) else 1


def _say_loss(stage: StageSummary) -> list[str]:
    assert stage.held_out is not None
    assert stage.constant is not None
    share = stage.held_out / stage.constant
    loss, constant = f"{stage.held_out:.5f}", f"{stage.constant:.4f}"
    return [stage.name, f"{stage.positions:,}", loss, constant, f"{share:.1%}"]


def _say_match(name: str, found: dict[str, Any]) -> list[str]:
    low, high = found["interval"]
    return [
        name,
        str(found["games"]),
        f"{found['score']:.1%}",
        f"{found['elo']:+.0f}",
        f"{low:+.0f} to {high:+.0f}",
        found["verdict"],
    ]


def _trials(run: Run) -> dict[float, float]:
    """The scores of nets, by the minutes after which each was done."""
    at = minutes(run)
    return {round(at[entry.a.partition("net=")[2]], 1): 100 * entry.score for entry in ratings(run)}


if __name__ == "__main__":
    sys.exit(main())
