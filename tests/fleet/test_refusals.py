"""What is wrong with a fleet is refused before a run is created or changed."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

import rulezero as rz
from rulezero.fleet import hosted
from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.listening import local_url, public_url
from rulezero.play.nets import PATHS
from support import little_runs
from support.rules_in_python import DOTS

WRONG = [
    ("nosuch", "there is no fleet 'nosuch'"),
    ("local:thread=2", "has no key 'thread'"),
    ("local:threads=x", "threads=x: give a whole number"),
    ("ray:cpus=x", "cpus=x: give a whole number"),
    ("http:port=x", "port=x: give a number"),
    ("http:server=http://127.0.0.1:1,token=@nowhere", "the token's file 'nowhere'"),
    ("http:server=http://127.0.0.1:1,token=abc", "a token must not stand in a command"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_no_run_is_created(text: str, words: str, tmp_path: Path) -> None:
    """The corrected command may name the same folder."""
    with pytest.raises(rz.RulezeroError, match=words):
        rz.train("connect4", "tiny", tmp_path / "runs" / "p", fleet=text, progress=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_no_run_is_changed(text: str, words: str, tmp_path: Path) -> None:
    """The failed resume of a longer run leaves its length as it was."""
    run = little_runs.copy(tmp_path / "run")
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    with pytest.raises(rz.RulezeroError, match=words):
        rz.resume(run.path, iterations=5, changes="selfplay.games=9", fleet=text, progress=False)
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    """By the check before the run begins, or else by the last line of the server's log."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        words = f"cannot listen at 127.0.0.1:{port}: Address already in use; choose another port"
        with pytest.raises(rz.RunError, match=words):
            rz.train("connect4", "tiny", tmp_path / "a", fleet=f"http:port={port}", progress=False)
        assert not list(tmp_path.iterdir())
        opened = hosted.Hosted(
            tmp_path / "fleet", workers=1, width=8, host="127.0.0.1", port=port, tell=print
        )
        with pytest.raises(rz.RunError, match=f"ended with code 2: {words}"), opened:
            pass


def test_a_fleet_that_does_not_start_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if this is found only when its processes start."""

    @contextmanager
    def failing(*_: object) -> Iterator[None]:
        raise rz.RunError("it does not start")
        yield

    monkeypatch.setattr("rulezero.runs.open_fleet", failing)
    with pytest.raises(rz.RunError, match="it does not start"):
        rz.train("connect4", "tiny", tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("fleet", ["local", "http", "ray"])
@pytest.mark.parametrize(
    ("key", "device"),
    [("selfplay.a", "backend=torch,device=cuda"), ("anchor.player", "device=cuda")],
)
def test_devices_of_players_are_checked(
    fleet: str, key: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the games that need none are played."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    net = "best" if key == "selfplay.a" else "candidate"
    with pytest.raises(rz.NetError, match=f"'puct:.*{device}.*': device=cuda, but"):
        rz.train(
            "connect4",
            "tiny",
            tmp_path / "run",
            changes={key: f"puct:net={net},sims=8,{device}"},
            fleet=fleet,
            progress=False,
        )
    assert not (tmp_path / "run").exists()


def test_games_in_python_are_refused_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server plays built-in games only; the error names the game as it was typed."""
    monkeypatch.chdir(tmp_path)
    Path("dots.py").write_text(DOTS, encoding="utf-8")
    words = "the game 'dots.py' is in Python, .* use --fleet local or --fleet ray"
    task = rz.play.Task(game="dots.py", a="random", b="random", games=1)
    orders = Orders(PATHS, tmp_path / "run", tasks=[task])
    with pytest.raises(rz.RunError, match=words):
        open_fleet("http", orders)


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("0.0.0.0", socket.gethostname())],
)
def test_the_address_of_an_own_server(host: str, shown: str) -> None:
    """It is an address that people can give to workers, and one that this machine reaches."""
    assert public_url(host, 8642) == f"http://{shown}:8642"
    assert local_url("0.0.0.0", 1) == "http://127.0.0.1:1"
    assert local_url("::", 1) == "http://[::1]:1"
