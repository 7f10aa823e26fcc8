"""Estimates of a run's time: each kind of work is measured briefly, whatever the run's size."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from rulezero import config
from rulezero.games.load import load
from rulezero.nets.size import size_of
from rulezero.training import estimate as estimates
from rulezero.training.estimate import Speed, estimate, seconds_of
from rulezero.training.experiment import Experiment
from rulezero.training.measure import Learning, Opened, Sample, begin, learn, measured_net, sample
from rulezero.training.work import typical_sizes, work_of
from support.documents import tic_tac_toe

DRY_RUN = """
import os, resource, sys, time
from rulezero.cli import main
sys.argv = ["rulezero", "train", "random_chess", "--preset", "tier3", "--dry-run"]
begin = time.perf_counter()
try:
    main()
finally:  # the CPU time of all processes, the memory of the largest child process
    here = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = sum(os.times()[:4])
    print("#", min(time.perf_counter() - begin, worked), here.ru_maxrss / 1e6)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory in kilobytes")
def test_a_dry_run_of_the_largest_net_is_quick_and_small() -> None:
    """It takes less than 30 s and 2 GB for a batch of 4,096 and 19 blocks of 256 channels."""
    done = subprocess.run(
        [sys.executable, "-c", DRY_RUN], capture_output=True, text=True, check=False
    )
    assert "# the net has 22,743,372 parameters" in done.stdout, done.stderr
    assert "hours in all, with " in done.stdout
    seconds, gigabytes = map(float, done.stdout.splitlines()[-1].split()[1:])
    assert seconds < 30
    assert gigabytes < 2


@pytest.mark.parametrize("recipe", ["connect4", "exchange", "monster", "random_chess", "razzle"])
def test_what_is_measured_stands_for_the_net(recipe: str) -> None:
    """The measured net has at most four blocks, and is otherwise the same."""
    for preset in ("tiny", "full"):
        experiment = config.load(recipe, preset)
        game, net = load(experiment.game), experiment.net
        shallow = measured_net(net)
        shallow.for_game(game.facts)
        assert shallow.blocks == min(net.blocks, 4)
        assert (shallow.features, shallow.head) == (net.features, net.head)
        whole, part = size_of(game.text, net), size_of(game.text, shallow)
        assert (part == whole) == (net.blocks <= 4)
        assert part.multiply_adds <= whole.multiply_adds


def made_up(experiment: Experiment, workers: int = 2, scale: float = 1.0) -> dict[str, float]:
    """Seconds at a made-up speed: 2 s per game, half of it in the net, and 0.1 s per sample."""
    work = work_of(experiment)
    games = [Sample(seconds=2.0, net_share=0.5, games=[])] * len(work.kinds)
    learning = Learning(sample_seconds=0.1, game_seconds=0.0, fit_seconds=1.0)
    opened = Opened(parameters=1, multiply_adds=1, scale=scale, seconds=5.0, quick_seconds=0.5)
    speed = Speed(games, learning, opened, start=3.0)
    return seconds_of(experiment, work, typical_sizes(experiment, work), speed, workers)


def connect4(*changes: str) -> Experiment:
    """A tiny run: two iterations of self-play, and an anchor every second iteration."""
    return config.load("connect4", "tiny", ["fit.samples=640", *changes])


def test_seconds_are_those_of_the_work() -> None:
    """By hand: 2 x 8 games and 2 x 4 trials of 2 s each on two workers, which start 4 times."""
    assert made_up(connect4()) == pytest.approx(
        {
            "start": 5,
            "self-play": 2 * (8 * 2 / 2 + 3),
            "trials": 2 * (4 * 2 / 2 + 3),
            "fits": 2 * (640 * 0.1 + 1 + 0.5),
        }
    )


def test_one_worker_starts_no_process() -> None:
    """A single worker plays in the learner's process, so no start is counted."""
    found = made_up(connect4(), workers=1)
    assert (found["self-play"], found["trials"]) == (2 * 8 * 2, 2 * 4 * 2)


def test_learning_processes_share_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two cores, two processes halve the time of samples; their helper starts in each fit."""
    monkeypatch.setattr(estimates, "cores", lambda: 2)
    for processes in (2, 5):
        found = made_up(connect4(f"fit.processes={processes}"))
        assert found["fits"] == pytest.approx(2 * (640 * 0.1 / 2 + 1 + 0.5 + 5))


def test_a_deeper_net_slows_its_share() -> None:
    """Only the net's half of the games' time is scaled; of a fit, all but its fixed cost."""
    found = made_up(connect4(), scale=3)
    assert found["self-play"] == pytest.approx(2 * (8 * 2 * 2 / 2 + 3))
    assert found["fits"] == pytest.approx(2 * (3 * 640 * 0.1 + 1 + 0.5))


def test_estimates_are_linear() -> None:
    """Ten times the iterations, or games, take ten times as long (apart from starting workers)."""
    few = made_up(connect4("anchor=null"))
    many = made_up(connect4("anchor=null", "iterations=20"))
    for part in ("self-play", "fits"):
        assert many[part] == pytest.approx(10 * few[part])
    more = made_up(connect4("anchor=null", "selfplay.games=80"))
    assert more["self-play"] - 2 * 3 == pytest.approx(10 * (few["self-play"] - 2 * 3))


PARTS = {
    "connect4": {"self-play", "trials", "fits"},
    "exchange": {"bootstrap", "self-play", "trials", "fits"},
    "monster": {"bootstrap", "self-play", "lessons", "trials", "fits"},
    "distill": {"self-play", "trials", "fits"},
}


@pytest.fixture
def short_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples of half a second, for tests that need no accuracy."""
    monkeypatch.setattr(estimates, "_PLAYING", 1.5)
    monkeypatch.setattr(estimates, "_MOST", 0.5)
    monkeypatch.setattr(estimates, "_LEARNING", 0.2)


@pytest.mark.usefixtures("short_samples")
@pytest.mark.parametrize("recipe", PARTS)
def test_every_part_is_measured(recipe: str) -> None:
    """Exactly the parts that the recipe has are estimated, and each takes some time."""
    found = estimate(config.load(recipe, "tiny"), workers=2)
    assert found.seconds.keys() == {"start", *PARTS[recipe]}
    assert {each.part for each in found.counts} == PARTS[recipe]
    assert min(found.seconds.values()) > 0
    assert found.hours == pytest.approx(sum(found.seconds.values()) / 3600)
    assert found.hours < 0.1


@pytest.mark.usefixtures("short_samples")
def test_games_before_and_beside_self_play_are_counted() -> None:
    """20,000 games of a bootstrap or of an anchor make the estimate clearly longer."""
    few = estimate(config.load("connect4", "tiny"), workers=2)
    games = "bootstrap=[{a: 'ucb1:sims=200', games: 20000}]"
    bootstrap = estimate(config.load("connect4", "tiny", [games]), workers=2)
    assert bootstrap.hours > 3 * few.hours
    trials = estimate(config.load("connect4", "tiny", ["anchor.games=20000"]), workers=2)
    assert trials.hours > 1.5 * few.hours


@pytest.mark.usefixtures("short_samples")
def test_games_of_trained_nets_have_the_typical_length() -> None:
    """A run that hardly trains its net is estimated with an untrained net's shorter games."""
    typical = load("connect4").facts.typical_plies
    for games, is_typical in (4, False), (300, True):
        found = estimate(config.load("connect4", "tiny", [f"selfplay.games={games}"]), workers=2)
        (played,) = [each for each in found.counts if each.part == "self-play"]
        length = played.choices / played.games  # choices exclude the plies of random openings
        assert (length == pytest.approx(typical, rel=0.2)) == is_typical, length


@pytest.mark.parametrize("sims", [200, 100_000])
def test_slow_games_are_measured_by_their_plies(tmp_path: Path, sims: int) -> None:
    """Games too slow to end within the time are still sampled; more simulations take longer."""
    (kind, *_) = work_of(config.load("connect4", "tiny", ["bootstrap=[{a: ucb1}]"])).kinds
    player = f"ucb1:sims={sims},early_stop=false"
    task = msgspec.structs.replace(kind.task, a=player, b=player, games=1000)
    found = sample(task, tmp_path, 1, 0.3)
    assert 0 < len(found.games) < 1000
    assert found.net_share == 0
    assert (found.seconds > 0.1) == (sims == 100_000)


SPIN = """
    def {method}(self, position, *more):
        until = time.thread_time() + {seconds}
        while time.thread_time() < until:
            pass
        return super().{method}(position, *more)
"""


def slow_rules(folder: Path, **seconds: float) -> Experiment:
    """A tiny experiment in tic-tac-toe; the named methods take this many seconds longer."""
    source = (
        tic_tac_toe()
        .replace("@rz.register\n", "")
        .replace("import numpy", "import time\n\nimport numpy", 1)
    )
    spins = "".join(SPIN.format(method=name, seconds=each) for name, each in seconds.items())
    source += f'\n\nclass Slow(TicTacToe):\n    name = "slow"\n{spins}'
    path = folder / f"slow_{'_'.join(seconds) or 'not'}.py"
    path.write_text(source, encoding="utf-8")
    changes = [f"game=python:file={path},class=Slow", "net={blocks: 1, channels: 8}", "anchor=null"]
    changes += ["selfplay={games: 40, a: 'puct:net=best,sims=8'}", "bootstrap=[]", "iterations=2"]
    changes += ["gate=null", "fit={batch: 16, samples_per_ply: 4}"]
    return config.load("connect4", "tiny", changes)


def measured(experiment: Experiment, folder: Path) -> tuple[float, float]:
    """Seconds per game of self-play and per sample of a fit."""
    folder.mkdir()
    begin(experiment, folder, [])
    games = sample(work_of(experiment).kinds[0].task, folder, 1, 0.5)
    return games.seconds, learn(experiment, folder, games.games, 0.2).sample_seconds


def test_the_time_of_rules_in_python_counts(tmp_path: Path) -> None:
    """Slower apply() and encode() methods raise the measured time of games and of fits."""
    plain = measured(slow_rules(tmp_path), tmp_path / "plain")
    slow = measured(slow_rules(tmp_path, apply=0.0003, encode=0.0003), tmp_path / "slow")
    assert slow[0] > plain[0] + 5 * 8 * 0.0003, "5 plies at least, each with 8 simulations"
    assert slow[1] > plain[1] + 0.0003, "each sample is encoded"
