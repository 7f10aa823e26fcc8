"""Regimes: who plays whom, what is learned from the games, and whole runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero import config, runs, steps
from rulezero.data import Store
from rulezero.data.record import Record
from rulezero.data.replay import replay_of
from rulezero.fleet.local import run
from rulezero.learn.targets import Targets
from rulezero.play.task import Task
from rulezero.reports.diagnosis import diagnose
from rulezero.training.experiment import Experiment
from rulezero.training.games import monster as curriculum
from rulezero.training.games import training_of
from rulezero.training.games.figures import TierResults
from rulezero.training.listener import Listener
from rulezero.training.log import FitEntry, GamesEntry
from support import record_samples, samples

NETS = {"best": "iter_3", "latest": "iter_4", "previous": "iter_2", "candidate": "iter_4"}


def tasks(experiment: Experiment, iteration: int) -> dict[str, Task]:
    """The tasks played before a fit, by the part of their names after the iteration."""
    found = experiment.games(iteration, NETS)
    assert all(task.name.startswith(f"{iteration:04}/") for task in found)
    return {task.name.partition("/")[2]: task for task in found}


def targets(experiment: Experiment, record: Record) -> Targets:
    """The learning targets of a game."""
    played = replay_of(record, samples.game(record.game))
    return experiment.targets_of(record, record.columns(), played, None)


def load(recipe: str, *changes: str) -> Experiment:
    """The recipe's experiment with the preset `tiny` and these changes."""
    return config.load(recipe, "tiny", changes)


# --- teacher and student -------------------------------------------------------------------------


def test_a_teacher_plays_a_student_and_they_swap_colours() -> None:
    """The teacher searches with the best net; the student looks one ply ahead with the latest."""
    experiment = load("exchange")
    played = tasks(experiment, 2)
    assert list(played) == ["self-play"]
    task = played["self-play"]
    assert (rz.player(task.a).spec.name, rz.player(task.a).net) == ("puct", "iter_3")
    assert (rz.player(task.b).spec.name, rz.player(task.b).net) == ("oneply", "iter_4")
    assert task.swap
    assert list(tasks(experiment, 0)) == ["bootstrap_0"]


def test_both_sides_of_a_lesson_are_learned_from(tmp_path: Path) -> None:
    """The plies of both sides have a policy, and the shaped result is the same for both."""
    changes = ["iterations=1", "selfplay.games=2", "anchor.games=2", "gate.games=2"]
    run = runs.train("exchange", "tiny", tmp_path / "run", changes=changes, workers=1)
    experiment, taught = config.read(run.config()), 0.0
    for record in run.store().select(purpose="self-play"):
        columns, movers = record.columns(), replay_of(record, rz.load("exchange")).movers
        found = targets(experiment, record)
        taught += float((found.result * found.weight * (1 - 2 * movers)).sum())
        for seat in (0, 1):
            learned = (movers == seat) & (found.weight > 0)
            assert learned.any()
            assert columns.has_policy[learned].all()
            assert (found.has_policy[learned]).all()
        assert len(set(found.result.tolist())) == 1
    usage = [e.figures.usage for e in run.entries() if isinstance(e, GamesEntry)]
    assert all(each and 0 <= each.skirmish <= 1 and each.games > 0 for each in usage)
    # A diagnosis compares values with the shaped results, not with the bare ones.
    told = diagnose(run.path)
    assert told.source.endswith("with shaped results as the net learns them")
    outcomes = sum(each.outcome * each.positions for each in told.net.bins)
    assert outcomes == pytest.approx(taught, abs=1e-2)


# --- a frozen opponent ---------------------------------------------------------------------------


@pytest.mark.parametrize(("iteration", "learner"), [(1, 1), (2, 0), (3, 1), (4, 0)])
def test_sides_learn_in_turn(iteration: int, learner: int) -> None:
    """Odd iterations train seat 1, even ones seat 0; the seats are not swapped."""
    experiment = load("monster")
    task = tasks(experiment, iteration)["self-play"]
    seats = [rz.player(task.a), rz.player(task.b)]
    assert not task.swap
    assert seats[learner].number("sims") == 8
    assert seats[1 - learner].number("sims") == 4
    frozen = seats[1 - learner]
    assert (frozen.spec.name, frozen.net) == (
        ("ucb1", None) if iteration == 1 else ("puct", "iter_4")
    )


def test_the_opponent_may_be_the_net_before_the_last_fit(tmp_path: Path) -> None:
    """net=previous: iteration 2 plays iter_1 against iter_0, iteration 3 iter_2 against iter_1."""
    player = "regime.opponent.player=puct:net=previous,sims=4"
    changes = [player, "iterations=3", "selfplay.games=2", "curriculum.games=2", "anchor=null"]
    run = runs.train("monster", "tiny", tmp_path / "run", changes=changes, workers=1)
    played = {
        record.iteration: record.players
        for record in run.store()
        if record.task.endswith("self-play")
    }
    assert [rz.player(text).net for text in played[2]] == ["iter_1", "iter_0"]  # White learns
    assert [rz.player(text).net for text in played[3]] == ["iter_1", "iter_2"]  # Black learns


def test_full_is_no_self_play() -> None:
    """From the second iteration on, Monster's two sides have different nets."""
    experiment = config.load("monster", "full")
    for iteration in (2, 3):
        task = experiment.games(iteration, NETS)[0]
        assert {rz.player(task.a).net, rz.player(task.b).net} == {"iter_4", "iter_2"}


@pytest.mark.parametrize("iteration", [1, 2])
def test_learning_may_be_from_the_trained_side_alone(iteration: int) -> None:
    """The frozen side's plies have weight 0; both sides of the bootstrap's games still count."""
    experiment = load("monster", "regime.learn_from=trained", "targets.keep=1")
    record = record_samples.made("monster", iteration=iteration)
    is_trained = replay_of(record).movers == iteration % 2
    own = targets(experiment, record).weight
    both = targets(load("monster", "targets.keep=1"), record).weight
    assert own.tolist() == (both * is_trained).tolist()
    assert 0 < own.sum() < both.sum()
    bootstrap = msgspec.structs.replace(record, iteration=0)
    assert targets(experiment, bootstrap).weight.tolist() == both.tolist()


def test_the_standard_mode_is_plain_self_play() -> None:
    """With regime=gated, one player plays both sides; lessons are still played."""
    played = tasks(load("monster", "regime=gated"), 1)
    assert played["self-play"].a == played["self-play"].b
    assert list(played) == ["self-play", "curriculum"]


# --- lessons -------------------------------------------------------------------------------------


def test_lessons_are_played_beside_the_other_games() -> None:
    """Black is scripted; White has the net, except in the bootstrap, whose source differs."""
    experiment = load("monster")
    first, later = tasks(experiment, 0)["curriculum"], tasks(experiment, 3)["curriculum"]
    assert (first.source, later.source) == ("curriculum_bootstrap", "curriculum")
    assert rz.player(first.a).spec.name == "ucb1"
    assert rz.player(later.a).net == "iter_4"
    for task in (first, later):
        assert rz.player(task.b).spec.name == "scripted"
        assert not task.swap
        assert len(task.starts) == len(curriculum.lessons())
    assert list(tasks(load("monster", "curriculum=null"), 1)) == ["self-play"]


def lesson(tier: int, **fields: Any) -> Record:
    """A game of at most twelve plies from the first lesson of a tier."""
    start = next(each.text for each in curriculum.lessons() if each.tier == tier)
    states = [rz.load("monster").parse(start)]
    while not states[-1].is_over and len(states) <= 12:
        states.append(states[-1].apply(states[-1].legal[0]))
    told = {"outcome": 0.0, "end_reason": "150 turns", "source": "curriculum", **fields}
    return record_samples.of(states, **told)


def test_a_lesson_keeps_its_result_unless_the_start_is_to_tell() -> None:
    """With curriculum.label=start, learners get the tier's value instead of the result."""
    record = lesson(tier=3)
    assert set(targets(load("monster"), record).result.tolist()) == {0.0}
    told = targets(load("monster", "curriculum.label=start"), record)
    np.testing.assert_allclose(told.result, -0.7)
    np.testing.assert_allclose(told.drawn, 0.3, rtol=1e-6)


def test_only_real_openings_are_skipped() -> None:
    """The first five plies of a game have weight 0; all plies of a lesson have weight."""
    experiment = load("monster", "targets.keep=1", "targets.skip_checks=false")
    assert targets(experiment, lesson(tier=4)).weight.all()
    played = record_samples.made("monster", opening=0, end_reason="king")
    weight = targets(experiment, played).weight
    assert not weight[:5].any()
    assert weight[5:].all()


def test_results_are_told_by_tier() -> None:
    """Results are counted by tier; games that are not lessons count as tier 0."""
    records = [lesson(1, outcome=-1.0), lesson(1), lesson(4, outcome=1.0)]
    records.append(record_samples.made("monster", outcome=1.0))
    settings = load("monster").targets
    assert training_of(rz.load("monster")).figures(rz.load("monster"), records, settings).tiers == {
        "0": TierResults(white=1),
        "1": TierResults(drawn=1, black=1),
        "4": TierResults(white=1),
    }


# --- whole runs ----------------------------------------------------------------------------------


def test_lessons_made_by_hand_are_lessons(tmp_path: Path) -> None:
    """Their first plies are learned from, too; a forced result replaces the tier's value."""
    experiment = load("monster", "curriculum.label=start")
    options = steps.GenerateOptions(games=2, sims=4, starts="curriculum:1", scripted_black=True)
    steps.generate(experiment, tmp_path, options=options, workers=1)
    forced = msgspec.structs.replace(options, force_result=1)
    steps.generate(experiment, tmp_path, options=forced, workers=1)
    found = {record.source: targets(experiment, record) for record in Store(tmp_path)}
    assert set(found) == {"curriculum", "forced:1"}
    assert set(found["curriculum"].result.tolist()) == {-1}
    assert set(found["forced:1"].result.tolist()) == {1}
    first = lesson(3, source="forced:-1", forced_result=-1.0)
    assert (targets(experiment, first).weight[:5] > 0).any()


def test_lessons_of_an_iteration_differ(tmp_path: Path) -> None:
    """Games that begin from the same position differ."""
    task = tasks(load("monster", "curriculum.starts=curriculum:5"), 0)["curriculum"]
    task = msgspec.structs.replace(task, games=24, starts=task.starts[:1])
    records = [finished.record for finished in run(task)]
    assert len({record.moves_id for record in records}) > 20


def human_games(path: Path, games: int) -> Sequence[Record]:
    """Writes a store of random games that are marked as played by people; returns the records."""
    played = rz.match("monster", "random", "random", games=games, seed=9).records
    records = [
        msgspec.structs.replace(record, source="human", purpose="human", task="")
        for record in played
    ]
    with Store(path) as store:
        for record in records:
            store.add(record)
    return records


def test_people_s_games_are_learned_from_for_ever(tmp_path: Path) -> None:
    """They are copied into the run and are in the window of every fit."""
    given = human_games(tmp_path / "human", 3)
    changes = [f"stores=[{tmp_path / 'human'}]", "iterations=1", "anchor=null"]
    run = runs.train("monster", "tiny", tmp_path / "run", changes=changes, workers=1)
    kept = {record.id for record in run.store().select(purpose="human")}
    assert kept == {record.id for record in given}
    plain = runs.train("monster", "tiny", tmp_path / "plain", changes=changes[1:], workers=1)
    sizes = [
        [entry.window_games for entry in each.entries() if isinstance(entry, FitEntry)]
        for each in (run, plain)
    ]
    assert [with_them - without for with_them, without in zip(*sizes, strict=True)] == [3, 3]


def test_rating_games_are_never_learned_from(tmp_path: Path) -> None:
    """Not even in a run that has `stores` and is resumed after a rating."""
    human_games(tmp_path / "human", 3)
    changes = [f"stores=[{tmp_path / 'human'}]", "iterations=1", "anchor=null"]
    whole = runs.train("monster", "tiny", tmp_path / "whole", changes=changes, workers=1)
    experiment = config.load("monster", "tiny", changes)
    with pytest.raises(KeyboardInterrupt):
        runs.train(experiment, out=tmp_path / "run", workers=1, listener=Stopper())
    rated = [
        msgspec.structs.replace(record, purpose="rating", task="rating/x", index=index)
        for index, record in enumerate(record_samples.several("monster", 3))
    ]
    with Store(tmp_path / "run" / "records") as store:
        for record in rated:
            store.add(record)
    run = runs.resume(tmp_path / "run", workers=1)
    sizes = [
        [(e.window, e.window_games) for e in each.entries() if isinstance(e, FitEntry)]
        for each in (whole, run)
    ]
    assert sizes[0] == sizes[1]


class Stopper(Listener):
    """Raises KeyboardInterrupt, like Ctrl-C, when the first fit begins."""

    def begin(self, iteration: int, phase: str) -> None:
        if phase == "fit":
            raise KeyboardInterrupt


def test_another_run_s_games_are_not_taken_for_its_own(tmp_path: Path) -> None:
    """Although their tasks have the same names, this run still plays all games of its own."""
    changes = ["iterations=1", "anchor=null"]
    first = runs.train("monster", "tiny", tmp_path / "first", changes=changes, workers=1)
    plain = runs.train(
        "monster", "tiny", tmp_path / "plain", changes=[*changes, "seed=5"], workers=1
    )
    given = runs.train(
        "monster",
        "tiny",
        tmp_path / "given",
        changes=[*changes, "seed=5", f"stores=[{first.records}]"],
        workers=1,
    )
    bootstrap = {record.id for record in plain.store().select(purpose="bootstrap")}
    found = {record.id: record for record in given.store().select(purpose="bootstrap")}
    assert bootstrap < set(found)
    others = [record for known, record in found.items() if known not in bootstrap]
    assert len(others) == len(bootstrap)
    assert all(record.task.startswith("given/0/0000/") for record in others)
    assert {(record.is_given, record.iteration) for record in others} == {(True, None)}
    assert {(found[known].is_given, found[known].iteration) for known in bootstrap} == {(False, 0)}


def test_a_run_may_begin_with_a_net(tmp_path: Path) -> None:
    """The run's untrained net has the weights of the given net; training then changes them."""
    changes = ["iterations=0", "anchor=null"]
    first = runs.train("monster", "tiny", tmp_path / "first", changes=changes, workers=1)
    begin = f"begin={first.path}"
    second = runs.train(
        "monster", "tiny", tmp_path / "second", changes=[*changes, begin, "seed=5"], workers=1
    )
    given = (first.nets / "iter_0.safetensors").read_bytes()
    assert (second.nets / "untrained.safetensors").read_bytes() == given
    assert (second.nets / "iter_0.safetensors").read_bytes() != given
