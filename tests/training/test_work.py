"""The work of a run, compared with counts by hand."""

import pytest

import rulezero as rz
from rulezero import config
from rulezero.training.experiment import Experiment
from rulezero.training.work import Count, GameSize, count, samples_of, typical_sizes, work_of

SIZE = GameSize(plies=30.0, choices=28.0, positions=28.0, weight=28.0)


def counted(experiment: Experiment) -> dict[str, Count]:
    """The work of each part, for games of typical length."""
    work = work_of(experiment)
    found = count(experiment, work, typical_sizes(experiment, work))
    return {each.part: each for each in found}


@pytest.mark.parametrize(
    ("recipe", "preset", "games"),
    [
        # trials: an anchor in iterations 0, 2, 4, ..., and always in the last one
        ("connect4", "tiny", {"self-play": 2 * 8, "trials": 2 * 4}),
        ("connect4", "small", {"self-play": 80 * 384, "trials": 41 * 20}),
        ("razzle", "small", {"bootstrap": 3000, "self-play": 28 * 512, "trials": 15 * 40}),
        # a gate in each of two iterations, an anchor in iterations 0 and 2
        ("exchange", "tiny", {"bootstrap": 8, "self-play": 2 * 8, "trials": 2 * 4 + 2 * 4}),
        ("exchange", "small", {"bootstrap": 1700, "self-play": 800, "trials": 4 * 30 + 5 * 20}),
        ("monster", "tiny", {"bootstrap": 6, "self-play": 12, "lessons": 3 * 4, "trials": 2 * 4}),
        (
            "monster",
            "small",
            {"bootstrap": 600, "self-play": 8 * 240, "lessons": 9 * 120, "trials": 5 * 40},
        ),
        ("random_chess", "small", {"bootstrap": 800, "self-play": 6 * 240, "trials": 3 * 20}),
        # gates in 5 and 10, anchors in 0, 2, ..., 10
        ("random_chess", "tier1", {"self-play": 10_000, "trials": 2 * 40 + 6 * 40}),
        # an anchor before the first iteration and after each one
        ("distill", "tiny", {"self-play": 2 * 8, "trials": 3 * 4}),
        ("distill", "small", {"self-play": 11 * 500, "trials": 12 * 100}),
        # each of two agents plays its own games
        ("distill", "full", {"self-play": 40 * 2 * 100, "trials": 41 * 100}),
    ],
)
def test_every_task_of_a_recipe_is_counted(recipe: str, preset: str, games: dict[str, int]) -> None:
    """The numbers of games of all parts are exact, and fits have samples."""
    found = counted(config.load(recipe, preset))
    assert {part: each.games for part, each in found.items() if part != "fits"} == games
    assert found["fits"].samples > 0


def test_tasks_of_a_kind_are_measured_once() -> None:
    """Equal tasks of all iterations are one kind; learning sides and stages are separate kinds."""
    known = {
        (recipe, preset): [kind.part for kind in work_of(config.load(recipe, preset)).kinds]
        for recipe, preset in [("connect4", "full"), ("monster", "small"), ("distill", "small")]
    }
    assert known["connect4", "full"] == ["trials", "self-play"]
    assert sorted(known["monster", "small"]) == sorted(
        ["bootstrap"] * 2 + ["lessons"] * 2 + ["self-play"] * 3 + ["trials"]
    )
    assert known["distill", "small"] == ["trials", "self-play", "self-play", "self-play"]


def test_where_parts_are_computed() -> None:
    """Towers are computed on the GPU; perceptrons and players without a net on the CPU."""
    found = counted(config.load("monster", "small"))
    assert {part: each.device for part, each in found.items()} == {
        "bootstrap": "CPU",
        "self-play": "GPU and CPU",  # the first opponent has no net
        "lessons": "GPU and CPU",
        "trials": "GPU and CPU",
        "fits": "GPU",
    }
    assert counted(config.load("connect4", "small"))["self-play"].device == "GPU"
    assert counted(config.load("distill", "small"))["self-play"].device == "CPU"


def test_evaluations_are_those_of_both_players_and_the_judge() -> None:
    """A player without a net needs no evaluations, a student 6 each."""
    changes = ["selfplay.a=puct:net=best,sims=50", "selfplay.games=10", "iterations=3"]
    choices = rz.load("connect4").facts.typical_plies
    alone = counted(config.load("connect4", "tiny", changes))["self-play"]
    assert alone.evaluations == 3 * 10 * choices * 50
    taught = config.load("connect4", "tiny", [*changes, "regime=teacher_student"])
    assert counted(taught)["self-play"].evaluations == 3 * 10 * choices * (50 + 6) / 2
    judged = config.load("connect4", "tiny", [*changes, "selfplay.judge=puct:net=best,sims=7"])
    assert counted(judged)["self-play"].evaluations == 3 * 10 * choices * (50 + 7)
    first = counted(config.load("connect4", "tiny", [*changes, "bootstrap=[{a: random}]"]))
    assert (first["bootstrap"].games, first["bootstrap"].evaluations) == (100, 0)


def test_a_sequential_gate_is_expected_to_end_early() -> None:
    """Its count is the average length of the test, not the maximum of 10,000 games."""
    changes = ["gate.kind=sprt", "gate.games=10000", "gate.elo1=100", "anchor=null", "iterations=1"]
    games = counted(config.load("connect4", "tiny", changes))["trials"].games
    assert 20 < games < 1000


@pytest.mark.parametrize(
    ("changes", "samples"),
    [
        (["fit.samples=1000"], [1000] * 5),
        (["fit.samples=10"], [32] * 5),  # at least one step
        (["fit.samples_per_ply=2"], [560] * 5),
        (["window.held_out=0.25", "fit.samples_per_ply=2"], [420] * 5),
        (["fit.epochs=3", "window.mix=0.5"], [840] + [1680] * 4),
        (["fit.epochs=3", "window.kind=generations"], [840] + [1680] * 4),
        (["fit.epochs=3", "window.kind=fixed", "window.plies=450"], [840] + [1260] * 4),
        (["window.kind=fixed", "window.plies=300", "window.always={train: 2}"], [560, 1120, 1680]),
        (["fit.epochs=9", "fit.patience=4", "window.kind=generations", "window.generations=1",
          "window.validation=0.5"], [980] * 5),
        (["window.kind=growing", "window.plies=300", "window.growth=0.5"], [280, 396.0, 485.0]),
    ],
)  # fmt: skip
def test_samples_are_those_of_the_fits(changes: list[str], samples: list[float]) -> None:
    """Each iteration has ten games of 30 plies, with 28 positions to learn from."""
    if not any("samples" in change for change in changes):
        changes = [*changes, "fit.samples_per_ply=null"]
    given = ["iterations=5", "selfplay.games=10", "anchor=null", "window.held_out=0", *changes]
    experiment = config.load("connect4", "tiny", given)
    found = list(samples_of(experiment, work_of(experiment), [SIZE]).values())
    assert len(found) == 5
    assert found[: len(samples)] == pytest.approx(samples, rel=1e-3)


def test_a_stage_learns_from_its_own_games() -> None:
    """Each stage has another teacher, so its window begins empty."""
    changes = ["fit.samples_per_ply=null", "window.held_out=0", "regime.search_iterations=3"]
    experiment = config.load("distill", "tiny", changes)
    work = work_of(experiment)
    fresh = 8 * SIZE.weight
    found = samples_of(experiment, work, [SIZE] * len(work.kinds))
    assert found == {1: fresh, 2: fresh, 3: 2 * fresh, 4: 3 * fresh}
