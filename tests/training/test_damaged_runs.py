"""Damaged or edited runs: an error of one line, without further damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import rulezero as rz
from rulezero import config, runs, steps
from rulezero.errors import RunError
from rulezero.reports.diagnosis import diagnose
from rulezero.reports.page import write_report
from rulezero.reports.standings import rate
from rulezero.steps import GenerateOptions
from rulezero.training.run import Run

QUICK = ["selfplay.games=6", "anchor.games=2", "iterations=2"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run."""
    return runs.train("connect4", "tiny", tmp_path_factory.mktemp("runs") / "r", changes=QUICK)


@pytest.fixture
def run(whole: Run, tmp_path: Path) -> Run:
    """A copy of the finished run that a test may damage."""
    shutil.copytree(whole.path, tmp_path / "r")
    return Run(tmp_path / "r")


def learner_of(run: Run) -> Path:
    return run.state / run.progress().learner / "learner.safetensors"


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


DAMAGES: dict[str, tuple[Callable[[Run], object], str]] = {
    "learner cut short": (lambda run: cut(learner_of(run), 1000), "learner.safetensors' is damag"),
    "learner empty": (lambda run: cut(learner_of(run), 0), "is damaged: the run cannot be resumed"),
    "learner gone": (lambda run: learner_of(run).unlink(), "cannot be read .* cannot be resumed"),
    "games gone": (
        lambda run: shutil.rmtree(run.records),
        "0 of the 6 games of 0001/self-play",
    ),
    "other net": (
        lambda run: replace(run.path / "config.yaml", "blocks: 1", "blocks: 2"),
        "config.yaml' was changed after the run began",
    ),
    "other end": (
        lambda run: replace(run.path / "config.yaml", "iterations: 2", "iterations: 1"),
        "config.yaml' was changed after the run began",
    ),
    "no text": (
        lambda run: (run.path / "config.yaml").write_bytes(b"\xff\xfe"),
        "config.yaml' was changed after the run began",
    ),
    "config cut short": (
        lambda run: cut(run.path / "config.yaml", 200),
        "config.yaml' was changed after the run began: undo the",
    ),
    "other rules": (
        lambda run: replace(run.path / "manifest.json", run.manifest()["rules_hash"], "0" * 64),
        "the rules of connect4 have changed",
    ),
    "before the beginning": (
        lambda run: replace(run.state / "progress.json", '"iteration":2', '"iteration":-5'),
        "progress.json' cannot be read .*delete it",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_told_before_anything_is_done(run: Run, name: str) -> None:
    """Resuming reports the damage, even if the run is finished."""
    damage, words = DAMAGES[name]
    damage(run)
    before = {path: path.read_bytes() for path in run.nets.iterdir()}
    with pytest.raises(RunError, match=words):
        runs.resume(run.path)
    assert {path: path.read_bytes() for path in run.nets.iterdir()} == before


def test_who_looks_into_a_run_is_told_of_a_changed_experiment(run: Run) -> None:
    """A truncated config.yaml is reported as changed, and a folder without one is no run."""
    cut(run.path / "config.yaml", 200)
    with pytest.raises(RunError, match="was changed after the run began"):
        diagnose(run.path)
    with pytest.raises(RunError, match="was changed after the run began"):
        write_report(run)
    with pytest.raises(RunError, match="was changed after the run began"):
        rate(run, games=2)
    (run.path / "config.yaml").unlink()
    for text in (str(run.path), f"{run.path}@1"):
        with pytest.raises(RunError, match="is not a run: it has no config"):
            diagnose(text)


def test_lost_progress_is_made_again(run: Run, whole: Run) -> None:
    """Without state/, the run is repeated from its stored games and gives the same nets."""
    shutil.rmtree(run.state)
    assert runs.resume(run.path).fingerprint() == whole.fingerprint()


def test_a_torn_log_is_mended(run: Run) -> None:
    """The incomplete last line is removed, and later lines are complete."""
    cut(run.log, run.log.stat().st_size - 20)
    runs.resume(run.path)
    assert run.log.read_bytes().endswith(b"}\n")
    assert len(list(run.entries())) > 3
    with run.log.open("ab") as file:
        file.write(b'{"a":1}\n')
    with pytest.raises(RunError, match="this is not a line of a log; delete it"):
        list(run.entries())


def test_games_of_others_in_the_store_do_no_harm(run: Run, whole: Run) -> None:
    """Games that `generate` added to the run's store do not change the run."""
    experiment = config.load("connect4", "tiny", QUICK)
    steps.generate(experiment, run.records, options=GenerateOptions(games=2), workers=1)
    shutil.rmtree(run.state)
    found, wanted = runs.resume(run.path).fingerprint(), whole.fingerprint()
    assert (found["net"], found["learner"]) == (wanted["net"], wanted["learner"])


def test_a_net_that_diverges_is_never_promoted(tmp_path: Path) -> None:
    """A diverging fit raises an error that says what to try."""
    with pytest.raises(RunError, match=r"the net has diverged; begin again with a lower fit\.rate"):
        runs.train("connect4", "tiny", tmp_path / "r", changes=[*QUICK, "fit.rate.start=1e30"])
    assert rz.open(tmp_path / "r").progress().best == "untrained"


@pytest.mark.parametrize(
    ("changes", "workers", "words"),
    [
        (["selfplay.a=puct:net=nix,sims=8"], 1, "there is no net 'nix'"),
        (["selfplay.a=human"], 1, "a human cannot play here"),
        (["selfplay.games=2000000000"], 1, "games is 2000000000: expected `int` <= 1000000000"),
        (["anchor.opponent=puct:net=nix"], 1, "there is no net 'nix'"),
        (["gate.kind=sprt", "gate.elo0=5", "gate.elo1=5"], 1, "gate: .*give an elo0 below elo1"),
        (["gate.elo0=.nan"], 1, "gate.elo0 is nan; give a finite number"),
        (["fit.rate.start=.inf"], 1, "fit.rate.start is inf; give a finite number"),
        (["fit.samples_per_ply=.inf"], 1, "fit.samples_per_ply is inf; "),
        (["fit.batch=100000000000"], 1, "fit.batch is 100000000000; give 65,536 or less"),
        (["fit..batch=3"], 1, "is not a change"),
        (["net.blokcs=2"], 1, r"key 'blokcs' is unknown in net; did you mean blocks\?"),
        (["net.blocks=none"], 1, "net.blocks is 'none'; give a whole number"),
        (["selfplay=5"], 1, "selfplay is 5; give a map"),
        (["bootstrap=5"], 1, "bootstrap is 5; give a list"),
        ([], 5000, "workers must be 0 "),
    ],
)
def test_what_is_known_at_once_is_said_before_a_folder_is_made(
    tmp_path: Path, changes: list[str], workers: int, words: str
) -> None:
    """No folder is made, so the corrected command can use the same one."""
    with pytest.raises(rz.RulezeroError, match=words):
        runs.train("connect4", "tiny", tmp_path / "r", changes=changes, workers=workers)
    assert not (tmp_path / "r").exists()


def test_a_group_of_keys_in_one_change() -> None:
    """A group may be given as YAML in braces; a player's text is not read as YAML."""
    changes = ["selfplay={games: 4, opening: 1}", "anchor.opponent=alphabeta:depth=2"]
    experiment = config.load("connect4", "tiny", changes)
    assert (experiment.selfplay.games, experiment.selfplay.opening) == (4, 1)
    assert experiment.anchor is not None
    assert experiment.anchor.opponent == "alphabeta:depth=2"


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (b"game: connect4\npresets: {tiny: 5}\n", "presets of .* must be a map: each preset"),
        (b"game: connect4\npresets: {1: {}}\n", "recipe.yaml:2: key is '1'; give text"),
        (b"game: \xff", "recipe.yaml:1: this is not UTF-8 text"),
    ],
)
def test_recipes_that_are_none(tmp_path: Path, recipe: bytes, words: str) -> None:
    """A file that is no recipe is an error of one line."""
    path = tmp_path / "recipe.yaml"
    path.write_bytes(recipe)
    with pytest.raises(RunError, match=words):
        config.load(str(path), "tiny")


def test_other_games_are_not_taken_for_the_same(tmp_path: Path) -> None:
    """With another seed, players or game, new games are played and stored with the first ones."""
    store = tmp_path / "games"
    plain = config.load("connect4", "tiny")
    others = [
        config.load("connect4", "tiny", ["seed=9"]),
        config.load("connect4", "tiny", ["selfplay.a=puct:net=best,sims=9"]),
        config.load("razzle", "tiny"),
    ]
    assert steps.generate(plain, store, options=GenerateOptions(games=3), workers=1).kept == 3
    for experiment in others:
        assert (
            steps.generate(experiment, store, options=GenerateOptions(games=2), workers=1).kept == 2
        )
    assert steps.generate(plain, store, options=GenerateOptions(games=4), workers=1).kept == 4
    assert len(list(rz.records(store))) == 4 + 2 * len(others)
