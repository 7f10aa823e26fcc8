"""`rulezero train`, and the loop's steps as commands: `generate`, `fit` and `export`."""

import signal
from pathlib import Path

import msgspec
import pytest
import yaml

import rulezero as rz
from rulezero import config, runs, steps
from rulezero.data import Store
from rulezero.steps import GenerateOptions
from rulezero.training.experiment import Experiment
from support.commands import begin, fails, read_until, run, stop, succeeds

QUICK = ["--set", "selfplay.games=6", "--set", "anchor.games=2", "--set", "iterations=1"]


def test_the_command_and_the_function_agree(tmp_path: Path) -> None:
    """Both give the same nets and games; progress goes to stderr, the run's path to stdout."""
    result = run("train", "connect4", "--preset", "tiny", "--out", tmp_path / "a", *QUICK)
    assert (result.returncode, result.stdout) == (
        0,
        f"the run is in {tmp_path / 'a'}; its best net is iter_1\n",
    )
    for words in ("self-play: 6 games", "fit: ", "against random, Elo", "iter_1 is the best now"):
        assert words in result.stderr
    made = runs.train("connect4", "tiny", tmp_path / "b", changes=QUICK[1::2])
    assert made.fingerprint() == rz.open(tmp_path / "a").fingerprint()
    assert rz.open(tmp_path / "a").best == tmp_path / "a" / "nets" / "iter_1"
    assert (tmp_path / "a" / "tensorboard").is_dir()


def test_ctrl_c_can_be_resumed(tmp_path: Path) -> None:
    """Ctrl-C gives exit code 130 and prints how to resume; --resume continues the run."""
    options = ["--preset", "tiny", "--out", str(tmp_path / "run"), "--set", "iterations=100000"]
    with begin("train", "connect4", *options) as process:
        read_until(process.stderr, "iter_1 is the best now\n")
        _, errors = stop(process, signal.SIGINT)
    assert process.returncode == 130
    assert f"--resume {tmp_path / 'run'}" in errors
    reached = rz.open(tmp_path / "run").progress().iteration
    assert reached >= 1
    refused = fails("train", "--resume", tmp_path / "run", "--set", "seed=3")
    assert "seed cannot be changed once a run has begun" in refused
    with begin("train", "--resume", tmp_path / "run") as process:
        read_until(process.stderr, f"iter_{reached + 1} is the best now\n")
        stop(process, signal.SIGINT)
    assert rz.open(tmp_path / "run").progress().iteration > reached


def test_a_dry_run_tells_everything_and_does_nothing(tmp_path: Path) -> None:
    """Prints the experiment as YAML that a recipe may have, and an estimate of its time."""
    output = succeeds("train", "razzle", "--preset", "full", "--dry-run", "--out", tmp_path / "r")
    told = Experiment.model_validate(yaml.safe_load(output))
    assert told == config.load("razzle", "full")
    assert "# the net has " in output
    assert "hours" in output
    assert not (tmp_path / "r").exists()


def test_an_empty_preset_is_refused(tmp_path: Path) -> None:
    """An unset shell variable must not start a run with the default preset."""
    words = fails("train", "connect4", "--preset", "", "--out", tmp_path / "run")
    assert "has no preset ''" in words
    assert not (tmp_path / "run").exists()


def test_steps_by_hand(tmp_path: Path) -> None:
    """generate, fit and export give the same games, net and file as their functions."""
    tiny = ["--preset", "tiny"]
    games, net = tmp_path / "games", tmp_path / "net"
    assert "20 games played" in succeeds(
        "generate", "connect4", *tiny, "--to", games, "--games", "20", "--workers", "1"
    )
    experiment = config.load("connect4", "tiny")
    steps.generate(experiment, tmp_path / "other", options=GenerateOptions(games=20), workers=1)
    first, second = (
        sorted(Store(folder), key=lambda record: record.index)
        for folder in (games, tmp_path / "other")
    )
    assert first == second
    assert (
        steps.generate(experiment, games, options=GenerateOptions(games=20), workers=1).kept == 20
    )  # all 20 games were in the store already
    assert len(Store(games)) == 20

    output = succeeds("fit", games, "--recipe", "connect4", *tiny, "--to", net)
    assert output.startswith(f"{net}: ")
    below = fails("fit", games, "--recipe", "connect4", "--to", f"{net}.json/x")
    assert f"cannot be written: '{net}.json' is not a folder" in below
    done = steps.fit(experiment, games, tmp_path / "again")
    assert f": {done.steps} steps" in output
    assert (tmp_path / "again.safetensors").read_bytes() == net.with_suffix(
        ".safetensors"
    ).read_bytes()
    steps.generate(
        experiment, tmp_path / "next", net=net, options=GenerateOptions(games=2), workers=1
    )
    assert {record.nets[0] for record in Store(tmp_path / "next")} == {
        rz.net(net).evaluator.identity
    }

    out = tmp_path / "out.onnx"
    assert "policy logits [B, 7]" in succeeds("export", net, "--to", "onnx", "--out", out)
    written = out.read_bytes()
    assert "exists already" in fails("export", net, "--to", "onnx", "--out", out)
    assert out.read_bytes() == written
    assert out.read_bytes() == Path(f"{net}.onnx").read_bytes()
    card = msgspec.json.decode(Path(f"{net}.json").read_bytes())
    assert card["metadata"]["step"] == done.steps


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train"], "give a recipe, or --resume"),
        (["train", "conect4"], "did you mean 'connect4'"),
        (["train", "connect4", "--preset", "huge"], "no preset 'huge'"),
        (["train", "connect4", "--set", "fit.bach=3"], "did you mean batch"),
        (["train", "--resume", "nowhere"], "is not a run"),
        (["generate", "connect4", "--to", ""], "a store needs a name"),
        (["generate", "connect4", "--to", "x", "--net", "nowhere"], "there is no net 'nowhere'"),
        (["fit", "nowhere", "--recipe", "connect4", "--to", "x"], "there is no store"),
        (["export", "nowhere"], "there is no net 'nowhere'"),
    ],
)
def test_wrong_input_is_one_line(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is one line, and no file is made."""
    monkeypatch.chdir(tmp_path)
    assert told in fails(*words)
    assert not list(tmp_path.iterdir())
