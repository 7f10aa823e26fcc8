"""`rulezero worker` against a real server: games are delivered, and nothing of them is lost."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import rulezero as rz
from rulezero.fleet.canaries import canaries
from rulezero.fleet.client import Client
from rulezero.fleet.http import HttpFleet
from rulezero.fleet.nets import pack_net
from rulezero.fleet.protocol import NetBundle, TaskOrder, encode
from rulezero.play.nets import PATHS
from rulezero.play.task import Task
from support import fleet_processes as processes
from support import little_nets
from support.commands import begin, fails
from support.fleet_processes import wait
from support.fleet_servers import JOB, Caller, ServerProcess, played, serving, token

pytestmark = pytest.mark.skipif(not processes.IS_LINUX, reason="looks into /proc")

TASK = Task(game="connect4", a="puct:sims=8", b="random", games=40, name="t", source="match")
ENDLESS = Task(game="chess", a="puct:sims=5000", b="puct:sims=5000", games=8)


@contextlib.contextmanager
def working(
    server: ServerProcess, cache: Path, *options: str, workers: int = 1
) -> Iterator["subprocess.Popen[str]"]:
    """A running `rulezero worker`; at the end it is stopped."""
    secret = cache.with_name(f"{cache.name}.token")
    if not secret.exists():
        secret.write_text(token(server.run, "worker", name=f"{cache.name}"))
    command = ["worker", "--server", server.url, "--token", f"@{secret}", "--cache", str(cache)]
    with begin(*command, "--workers", str(workers), *options) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=60)


def trainer(server: ServerProcess) -> Client:
    """A client with a trainer's token."""
    return Client(server.url, token(server.run, "trainer"))


def ids(fleet: HttpFleet, task: Task) -> list[str]:
    """The ids of a task's records, in order, played by the workers of a server."""
    games = [finished for _, finished in fleet.run([task])]
    assert len(games) == task.games
    return [game.record.id for game in sorted(games, key=lambda game: game.record.index)]


def leases(server: ServerProcess) -> int:
    """The number of leases that workers of a server have."""
    with Caller(server.url, token(server.run, "trainer")) as caller:
        return int(caller.http.get("/v1/status").json()["leases"])


def test_workers_play_the_games_of_this_machine(tmp_path: Path) -> None:
    """A net, a judge and players without a net: records and notes equal those of local play. The
    second order of the same games finds them at the server; games that are done are left out."""
    net = little_nets.net("connect4")
    with serving(tmp_path / "run") as server, contextlib.closing(trainer(server)) as client:
        fleet = HttpFleet(client, PATHS, JOB)
        judged = Task(
            game="connect4", a=f"puct:net={net},sims=8", b="random", games=12, judge="heuristic"
        )
        with working(server, tmp_path / "cache", workers=2):
            assert ids(fleet, TASK) == [game.record.id for game in played(TASK)]
            assert fleet.found == set()
            notes = {game.record.id: game.note for _, game in fleet.run([judged])}
        assert notes == {game.record.id: game.note for game in played(judged)}
        assert ids(fleet, TASK) == [game.record.id for game in played(TASK)]
        assert fleet.found == {game.record.id for game in played(TASK)}
        rest = [game.record.index for _, game in fleet.run([TASK], [range(3, TASK.games)])]
        assert sorted(rest) == [0, 1, 2]
        assert list(fleet.run([TASK], [range(TASK.games)])) == []


def test_finished_games_survive_the_absence_of_the_server(tmp_path: Path) -> None:
    """Games that end while the server is away are kept in files, also when the worker ends, and
    are delivered by the next one."""
    task = Task(game="connect4", a="puct:sims=200", b="puct:sims=200", games=24, name="t")
    cache = tmp_path / "cache"
    server = ServerProcess(tmp_path / "run")
    with contextlib.closing(trainer(server)) as client:
        order = TaskOrder(job=JOB, task=task, nets={})
        client.put_order(order)
        with working(server, cache, "--width", "8") as process:
            wait(lambda: client.deliveries(order.id, 0, 0).games, process)
            server.kill()
            wait(lambda: list(cache.glob("spool/*/*/*.upload")), process)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "cannot be reached" in errors
        assert "kept for the next start" in errors
        uploads = list(cache.glob("spool/*/*/*.upload"))
        assert uploads
        # Games that were in play are leased until the time of the worker that has ended is over.
        again = ServerProcess(tmp_path / "run", "--lease-seconds", "3", port=server.port)
        before = client.deliveries(order.id, 0, 0).state.finished
        with working(again, cache, "--width", "8") as process:
            wait(lambda: not list(cache.glob("spool/*/*/*.upload")), process)
            assert client.deliveries(order.id, 0, 0).state.finished > before
            fleet = HttpFleet(client, PATHS, JOB)
            assert ids(fleet, task) == [game.record.id for game in played(task)]
        assert again.stop() == 0


def test_a_lost_lease_loses_nothing(tmp_path: Path) -> None:
    """A worker that is suspended loses its lease, and others play its games. When it wakes up, it
    goes on; every game comes once."""
    task = Task(game="connect4", a="puct:sims=200", b="puct:sims=200", games=80, name="t")
    with (
        serving(tmp_path / "run", "--lease-seconds", "2") as server,
        contextlib.closing(trainer(server)) as client,
    ):
        client.put_order(TaskOrder(job=JOB, task=task, nets={}))
        with working(server, tmp_path / "one", "--width", "8") as process:
            wait(lambda: leases(server) > 0, process)
            [suspended] = processes.workers(process.pid)
            os.kill(suspended, signal.SIGSTOP)
            assert leases(server) > 0
            with working(server, tmp_path / "other", "--width", "8") as other:
                wait(lambda: '"event":"expired"' in server.log(), other)
                os.kill(suspended, signal.SIGCONT)
                found = ids(HttpFleet(client, PATHS, JOB), task)
    assert found == [game.record.id for game in played(task)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_worker(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, SIGTERM and a kill end the processes that play. Unless it was killed, the games that
    are not finished are given back at once."""
    with serving(tmp_path / "run") as server, contextlib.closing(trainer(server)) as client:
        order = TaskOrder(job=JOB, task=ENDLESS, nets={})
        client.put_order(order)
        with working(server, tmp_path / "cache", workers=2) as process:
            wait(lambda: len(processes.workers(process.pid)) == 2, process)
            children = processes.workers(process.pid)
            wait(lambda: leases(server) > 0, process)
            process.send_signal(number)
            process.communicate(timeout=30)
        wait(lambda: not any(map(processes.is_alive, children)))
        assert number == signal.SIGKILL or leases(server) == 0
        ends = {signal.SIGINT: 130, signal.SIGTERM: 0, signal.SIGKILL: -9}
        assert process.returncode == ends[number]


def test_workers_refuse_and_say_why(tmp_path: Path) -> None:
    """A wrong or revoked token, and one of another scope, end the command with one clear line."""
    with (
        serving(tmp_path / "run", "--lease-seconds", "2") as server,
        contextlib.closing(trainer(server)) as client,
    ):
        address = ["--server", server.url, "--cache", str(tmp_path / "cache")]
        wrong = fails("worker", *address, "--token", "rz_wrong_wrong_wrong")
        assert wrong.count("there is no such token, or it was revoked") == 1
        assert "rulezero token new" in wrong
        other = token(server.run, "trainer", name="paul")
        assert "the token 'paul' is not for workers" in fails("worker", *address, "--token", other)
        # A worker that plays reports its progress, and so notices soon that its token is revoked.
        client.put_order(TaskOrder(job=JOB, task=ENDLESS, nets={}))
        with working(server, tmp_path / "revoked", workers=2) as process:
            wait(lambda: leases(server) > 0, process)
            with rz.fleets.tokens(server.run) as tokens:
                tokens.revoke("revoked")
            _, errors = process.communicate(timeout=120)
        assert process.returncode == 2
        assert "rulezero: error: " in errors.splitlines()[-1]
        assert errors.count("there is no such token, or it was revoked") == 1


def test_games_of_another_run_are_refused_by_the_trainer(tmp_path: Path) -> None:
    """The trainer takes only what fits its task, whatever the server sends."""
    order = TaskOrder(job=JOB, task=TASK, nets={})

    class Lying(Client):
        """A client whose server delivers games of another task under this order."""

        def deliveries(self, _: str, after: int, wait: float):  # type: ignore[no-untyped-def]
            return super().deliveries(order.id, after, wait)

    with serving(tmp_path / "run") as server:
        client = Lying(server.url, token(server.run, "trainer"))
        with contextlib.closing(client), working(server, tmp_path / "cache"):
            client.put_order(order)
            other = Task(game="connect4", a="puct:sims=8", b="random", games=40, name="other")
            fleet = HttpFleet(client, PATHS, JOB)
            with pytest.raises(rz.FleetError, match="delivered a game of 't' for the task 'other'"):
                list(fleet.run([other]))


def test_nets_are_sent_once(tmp_path: Path) -> None:
    """A net that the server has is not sent again; its bundle is the one that workers get."""
    bundle = NetBundle(net=pack_net(str(little_nets.net("connect4")), {".onnx"}, PATHS))
    with serving(tmp_path / "run") as server, contextlib.closing(trainer(server)) as client:
        client.put_net(bundle)
        files = {path: path.stat().st_mtime_ns for path in (server.run / "fleet/nets").iterdir()}
        client.put_net(bundle)
        assert client.net(bundle.digest) == encode(bundle)
        assert files == {path: path.stat().st_mtime_ns for path in files}


def test_a_machine_with_other_outputs_does_not_play(tmp_path: Path) -> None:
    """A worker on which a net's outputs are not those of its canaries ends with one clear line,
    and the server knows why."""
    net = str(little_nets.net("connect4"))
    right = canaries(net, {}, PATHS)
    wrong = [replace(canary, value=canary.value + 0.5) for canary in right]
    bundle = NetBundle(net=pack_net(net, {".onnx"}, PATHS), canaries=wrong)
    task = Task(game="connect4", a=f"puct:net={net},sims=4", b="random", games=8)
    with serving(tmp_path / "run") as server, contextlib.closing(trainer(server)) as client:
        client.put_net(bundle)
        client.put_order(TaskOrder(job=JOB, task=task, nets={net: bundle.digest}))
        with working(server, tmp_path / "cache") as process:
            _, errors = process.communicate(timeout=120)
        assert process.returncode == 2
        assert errors.splitlines()[-1].startswith(f"rulezero: error: the net '{net}' gives other")
        assert '"event":"released"' in server.log()
        assert "gives other outputs on this machine" in server.log()
