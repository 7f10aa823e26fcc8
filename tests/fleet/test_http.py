"""`--fleet http` gives the games and nets of `--fleet local`, and refuses what is wrong."""

import signal
import threading
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.client import Client
from rulezero.fleet.http import HttpFleet, job_of
from rulezero.play.nets import PATHS
from rulezero.play.task import Task
from support import fleet_processes as processes
from support.commands import begin
from support.fleet_processes import finish, wait
from support.fleet_servers import JOB, Caller, played, serving, token

# Seconds each: games of every purpose, with and without nets.
CHANGES = {
    "connect4": ["iterations=2", "anchor.every=1"],
    "exchange": [
        "iterations=1",
        "bootstrap=[{a: random, games: 4}]",
        "selfplay.games=4",
        "gate.games=2",
        "anchor.every=1",
        "anchor.games=2",
    ],
}


@pytest.mark.parametrize("recipe", CHANGES)
def test_http_gives_the_games_and_nets_of_local(tmp_path: Path, recipe: str) -> None:
    """Records, learner and net have the same SHA-256; nothing is left running."""
    found = {
        fleet: rz.train(
            recipe,
            "tiny",
            tmp_path / fleet,
            changes=CHANGES[recipe],
            workers=2,
            fleet=fleet,
            progress=False,
        ).fingerprint()
        for fleet in ("local", "http")
    }
    assert found["http"] == found["local"]


@pytest.mark.skipif(not processes.IS_LINUX, reason="looks into /proc")
def test_a_server_elsewhere(tmp_path: Path) -> None:
    """A trainer uses a server and workers that others have started. Its run is stopped by Ctrl-C
    and resumed with them, and equals a local one; the run's folder has no token."""
    changes = [word for change in CHANGES["connect4"] for word in ("--set", change)]
    local = rz.train(
        "connect4", "tiny", tmp_path / "local", changes=CHANGES["connect4"], progress=False
    )
    with serving(tmp_path / "server") as server:
        secrets = {scope: token(server.run, scope, name=scope) for scope in ("worker", "trainer")}
        (tmp_path / "trainer.txt").write_text(secrets["trainer"])
        (tmp_path / "worker.txt").write_text(secrets["worker"])
        fleet = ["--fleet", f"http:server={server.url},token=@{tmp_path / 'trainer.txt'}"]
        out = tmp_path / "run"
        with begin("train", "connect4", "--preset", "tiny", *changes, *fleet, "--out", out) as one:
            wait(lambda: rz.Run(out).exists and '"event":"task"' in server.log(), one)
            one.send_signal(signal.SIGINT)
            _, errors = one.communicate(timeout=60)
        assert one.returncode == 130
        words = f"stopped; continue with: rulezero train --resume {out} {' '.join(fleet)}"
        assert words in errors.splitlines()
        wait(lambda: '"event":"closed"' in server.log())
        worker = ["worker", "--server", server.url, "--token", f"@{tmp_path / 'worker.txt'}"]
        with begin(*worker, "--workers", "1", "--cache", tmp_path / "cache") as other:
            with begin("train", "--resume", out, *fleet) as again:
                finish(again)
            other.send_signal(signal.SIGTERM)
            other.communicate(timeout=60)
        assert rz.open_run(out).fingerprint() == local.fingerprint()
    for path in (path for path in out.rglob("*") if path.is_file()):
        assert not any(secret.encode() in path.read_bytes() for secret in secrets.values())


def test_a_server_without_workers_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, after a while without games."""
    monkeypatch.setattr("rulezero.fleet.http._LONELY_SECONDS", 0.0)
    monkeypatch.setattr("rulezero.fleet.http._WAIT", 0.1)
    task = Task(game="connect4", a="random", b="random", games=1, name="t")
    lines: list[str] = []
    with serving(tmp_path / "run") as server:
        client = Client(server.url, token(server.run, "trainer"))
        fleet = HttpFleet(client, PATHS, JOB, tell=lines.append)
        games = threading.Thread(target=lambda: list(fleet.run([task])), daemon=True)
        games.start()
        wait(lambda: lines)
        with Caller(server.url, token(server.run, "worker")) as worker:
            worker.deliver(worker.lease(), played(task))
        games.join(60)
        assert not games.is_alive()
        client.close()
    (line,) = lines
    assert line.startswith("no worker has asked for games for ")
    assert f"`rulezero worker --server {server.url}`" in line


def test_a_run_keeps_its_job(tmp_path: Path) -> None:
    """The id of a run at a server is drawn once."""
    assert job_of(tmp_path / "fleet") == job_of(tmp_path / "fleet") != job_of(tmp_path / "other")


@pytest.mark.parametrize(
    ("text", "workers", "words"),
    [
        ("http:server=localhost:8642,token=@t", 0, "is not the address of a server"),
        ("http:server=http://localhost,token=rz_secret", 0, "a token must not stand in a command"),
        ("http:server=http://localhost,token=@nowhere", 0, "the token's file 'nowhere'"),
        ("http:server=http://localhost,token=@", 0, "give token=@FILE in --fleet"),
        ("http://localhost:8642", 0, "did you mean http:server=http://localhost:8642?"),
        ("http:host=nosuchhost.invalid", 0, "cannot listen at nosuchhost.invalid:0: "),
        ("http:server=http://localhost", 2, "workers are started by `rulezero worker`"),
        ("http:server=http://localhost,port=1", 0, "has port= only without server="),
        ("http:token=@t", 0, "needs token= only with server="),
        ("http:port=x", 0, "port=x: give a number"),
        ("http:port=70000", 0, "port=70000: give a number"),
        ("http:srever=x", 0, "has no key 'srever' .*did you mean 'server'"),
    ],
)
def test_wrong_texts_are_one_line(tmp_path: Path, text: str, workers: int, words: str) -> None:
    """The error names the key and says what to do; nothing is started."""
    orders = Orders(PATHS, tmp_path / "run", workers)
    with pytest.raises(rz.RulezeroError, match=words) as caught, open_fleet(text, orders):
        pass
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()
