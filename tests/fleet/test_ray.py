"""A Ray cluster of two nodes plays the games that worker processes play, whatever dies."""

import contextlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import numpy as np
import pytest

import rulezero as rz
from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.local import LocalFleet
from rulezero.nets.runtime import Floats
from rulezero.play.nets import NetStore
from rulezero.play.task import Task
from support import little_nets
from support.commands import begin
from support.ray_cluster import TOKEN, Cluster, children, cluster, command
from support.rules_in_python import DOTS
from support.tictactoe import TicTacToe

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None,
        reason="NOT TESTED: games on Ray, as it is not installed: pip install '.[ray]'",
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

Ids = list[tuple[int, int, str]]  # of games: the task's number, the index, the record's id

LITTLE = {
    "connect4": ["selfplay.games=40", "iterations=1"],
    "exchange": ["iterations=1", "selfplay.games=4", "gate.games=2", "anchor.games=2"],
}


@pytest.fixture(scope="module")
def shared() -> Iterator[Cluster]:
    """A cluster for the tests that kill nothing but actors."""
    with cluster() as made:
        yield made


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets this process use the clusters of the tests."""
    for name, value in TOKEN.items():
        monkeypatch.setenv(name, value)


def tasks(games: int) -> list[Task]:
    """Two tasks with a net and a judge."""
    net = little_nets.net("connect4")
    player = f"puct:net={net},sims=24,noise=0.25,temperature=1"
    return [
        Task(game="connect4", a=player, b="random", games=games, name="one", judge="heuristic"),
        Task(game="connect4", a=player, b=player, games=games, name="two"),
    ]


def ids(games: Generator[tuple[int, object], None, None]) -> Ids:
    """The sorted identities of games."""
    return sorted((number, game.record.index, game.record.id) for number, game in games)  # type: ignore[attr-defined]


@contextlib.contextmanager
def playing(
    wanted: list[Task], address: str, folder: Path, width: int = 8
) -> Iterator[Generator[tuple[int, object], None, None]]:
    """Games of tasks that a cluster plays."""
    orders = Orders(NetStore(), folder, workers=2, width=width)
    with (
        open_fleet(f"ray:address={address}", orders) as fleet,
        contextlib.closing(fleet.run(wanted)) as games,
    ):
        yield games


@pytest.mark.parametrize("recipe", LITTLE)
def test_a_run_is_that_of_worker_processes(recipe: str, shared: Cluster, tmp_path: Path) -> None:
    """Nets, learners and all records are the same."""
    prints = [
        rz.train(
            recipe,
            "tiny",
            tmp_path / fleet.partition(":")[0],
            changes=LITTLE[recipe],
            workers=2,
            fleet=fleet,
            progress=False,
        ).fingerprint()
        for fleet in ("local", f"ray:address={shared.address}")
    ]
    assert prints[0] == prints[1]


def test_only_wanted_games_are_played_and_notes_come_with_them(
    shared: Cluster, tmp_path: Path
) -> None:
    """One fleet plays several orders; finished games are left out; notes are those of a judge."""
    wanted = tasks(12)
    some: list[set[int]] = [{0, 5, 11}, set(range(12))]
    none: list[set[int]] = [set(), set()]
    orders = Orders(NetStore(), tmp_path, workers=2, width=4)
    with open_fleet(f"ray:address={shared.address}", orders) as fleet:
        for done in some, none, [set(range(12))] * 2:
            ours = {(n, g.record.index): g for n, g in fleet.run(wanted, done)}
            theirs = {(n, g.record.index): g for n, g in LocalFleet(workers=1).run(wanted, done)}
            assert ours == theirs


def test_games_in_python_travel(shared: Cluster, tmp_path: Path) -> None:
    """Nodes play games that only this process knows, and games in files that they do not have."""
    assert rz.load("tictactoe").facts.name == TicTacToe.name
    file = tmp_path / "dots_and_boxes.py"
    file.write_text(DOTS, encoding="utf-8")
    rz.register(Counting)
    wanted = [
        Task(game="counting", a="random", b="random", games=3, name="c"),
        Task(game="tictactoe", a="ucb1:sims=20,eval=rollout", b="random", games=6, name="a"),
        Task(game=str(file), a="ucb1:sims=20,eval=rollout", b="random", games=4, name="b"),
    ]
    with playing(wanted, shared.address, tmp_path / "run") as games:
        assert ids(games) == ids(LocalFleet(workers=1).run(wanted))


def test_games_of_killed_actors_are_played_again(
    shared: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Actors are killed at three random instants: no game is lost or comes twice."""
    wanted, dice = tasks(150), random.Random()
    instants = dice.sample(range(1, 250), 3)
    found: Ids = []
    with playing(wanted, shared.address, tmp_path) as games:
        for number, game in games:
            found.append((number, game.record.index, game.record.id))  # type: ignore[attr-defined]
            if len(found) in instants and (actors := shared.actors()):
                os.kill(dice.choice(actors), signal.SIGKILL)
    assert sorted(found) == ids(LocalFleet(workers=2).run(wanted))
    assert "others play the games again" in caplog.text


def test_a_run_survives_a_node_and_is_resumed_after_the_head(
    shared: Cluster, tmp_path: Path
) -> None:
    """A node dies, and the head's actor plays on; the head dies, and one line says how to resume.

    The resumed run on another cluster equals an undisturbed one.
    """
    run = tmp_path / "run"
    changes = ["selfplay.games=300", "iterations=1", "anchor=null"]
    changes += ["selfplay.a=puct:net=best,sims=24,noise=0.25,temperature=1"]  # takes some seconds
    options = [word for change in changes for word in ("--set", change)]
    with cluster() as mortal:
        words = ["train", "connect4", "--preset", "tiny", *options, "--workers", "2"]
        fleet = f"ray:address={mortal.address}"
        with begin(*words, "--fleet", fleet, "--out", run) as process:
            wait_until(lambda: stored(run) > 20 or process.poll() is not None)
            mortal.kill_node()
            before = stored(run)
            wait_until(lambda: stored(run) > before + 100 or process.poll() is not None)
            mortal.kill_head()
            _, errors = process.communicate(timeout=300)
    assert process.returncode == 2, errors
    died, (line,) = (
        [line for line in errors.splitlines() if words in line]
        for words in (" its node", "rulezero: error: ")
    )
    assert died, errors
    assert not any("RpcError" in each or len(each) > 100 for each in died)
    assert f"the Ray cluster at {mortal.address} is lost" in line
    assert f"rulezero train --resume {run} --fleet {fleet}" in line
    assert before + 100 < stored(run) < 600
    resumed = rz.resume(run, workers=2, fleet=f"ray:address={shared.address}", progress=False)
    again = rz.train(
        "connect4", "tiny", tmp_path / "again", changes=changes, workers=2, progress=False
    )
    assert resumed.fingerprint() == again.fingerprint()


def test_ctrl_c_ends_a_cluster_of_its_own(tmp_path: Path) -> None:
    """Without an address, Ray runs on this machine as long as the command; no actor is left."""
    run = tmp_path / "run"
    words = ["train", "connect4", "--preset", "tiny", "--set", "selfplay.games=5000"]
    with begin(*words, "--workers", "2", "--fleet", "ray", "--out", run) as process:
        wait_until(lambda: stored(run) > 0 or process.poll() is not None)
        below = descendants(process.pid)
        assert any("raylet" in words for words in below.values())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
    assert process.returncode == 130
    agents = ("DashboardAgent", "RuntimeEnvAgent")  # which take a minute to notice it
    others = [pid for pid in below if not any(agent in command(pid) for agent in agents)]
    wait_until(lambda: not any(map(command, others)))


class Counting(rz.PythonGame[int]):
    """A game of two plies without a choice; `apply` is where the tests go wrong."""

    name = "counting"
    actions = slots = 1
    planes = (1, 1, 1)
    board = (1, 1)
    max_plies = 2

    def start(self, seed: int) -> int:
        return 0

    def parse(self, text: str) -> int:
        return int(text)

    def text(self, position: int) -> str:
        return str(position)

    def mover(self, position: int) -> int:
        return position

    def ending(self, position: int) -> tuple[float, str] | None:
        return (1, "counted") if position == 2 else None

    def legal(self, position: int) -> list[int]:
        return [0]

    def apply(self, position: int, action: int) -> int:
        return position + 1

    def encode(self, position: int) -> Floats:
        return np.zeros((1, 1, 1), np.float32)


class Broken(Counting):
    """A game with a mistake."""

    name = "broken"

    def apply(self, position: int, action: int) -> int:
        raise ValueError("this move is broken")


class Deadly(Counting):
    """A game that ends its process."""

    name = "deadly"

    def apply(self, position: int, action: int) -> int:
        os._exit(7)


@pytest.mark.parametrize(
    ("rules", "error", "words"),
    [
        (Broken, rz.RulezeroError, "this move is broken"),
        (Deadly, rz.RunError, "Ray actors in a row died without finishing a game"),
    ],
)
def test_rules_that_cannot_be_played_end_the_run(
    rules: type[Counting],
    error: type[Exception],
    words: str,
    shared: Cluster,
    tmp_path: Path,
) -> None:
    """An error in a game is named, and actors are not created for ever for a game that kills."""
    rz.register(rules)
    wanted = [Task(game=rules.name, a="random", b="random", games=1, name="x")]
    with (
        playing(wanted, shared.address, tmp_path) as games,
        pytest.raises(error, match=words),
    ):
        list(games)


def test_a_cluster_that_cannot_be_used_is_an_error_of_one_line(
    shared: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a cluster at the address, and with a wrong token."""
    for address, name, words in (
        ("127.0.0.1:1", "", "there is no Ray cluster at 127.0.0.1:1"),
        (shared.address, "RAY_AUTH_TOKEN", f"cannot use the Ray cluster at {shared.address}"),
    ):
        if name:
            monkeypatch.setenv(name, "another token, which the cluster does not know")
        with pytest.raises(rz.RunError) as caught, playing(tasks(2), address, tmp_path):
            pass
        assert words in str(caught.value)
        assert not name or "perhaps its token is another one" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ray:cpus=x", "cpus=x: give a whole number, or a share of one such as cpus=0.5"),
        ("ray:cpus=0", "at least 0.01"),
        ("ray:gpus=1.5", "gpus=1.5: give a whole number"),
        ("ray:gpus=-1", "gpus=-1: give a whole number"),
        ("ray:nodes=2", "the fleet 'ray' has no key 'nodes'; known: address, cpus, gpus"),
        ("ray:address=ray://head:10001", "the trainer must run on a node of the cluster"),
        ("ray:address=foo", "address=foo: give the cluster's head as HOST:PORT"),
    ],
)
def test_mistakes_in_the_text_are_named(text: str, words: str, tmp_path: Path) -> None:
    """Each is an error before anything is started."""
    with pytest.raises(rz.RunError) as caught, open_fleet(text, Orders(NetStore(), tmp_path)):
        pass
    assert words in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_gpu_that_is_not_there_ends_the_run_at_once(tmp_path: Path) -> None:
    """Actors that wait for a GPU of a cluster on this machine would wait for ever."""
    with pytest.raises(rz.RunError, match="gpus=1, but this machine has no GPU: leave gpus= out"):
        rz.train("connect4", "tiny", tmp_path / "run", fleet="ray:gpus=1", progress=False)
    assert not (tmp_path / "run").exists()


def test_an_unknown_mode_of_authentication_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray would take it for disabled."""
    monkeypatch.setenv("RAY_AUTH_MODE", "foo")
    with pytest.raises(rz.RunError, match="RAY_AUTH_MODE is 'foo': set it to token or disabled"):
        open_fleet("ray", Orders(NetStore(), tmp_path))


def test_without_ray_one_line_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module `ray` is hidden, as if it were not installed."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(rz.RunError, match=r"needs Ray: pip install -c constraints.txt '.\[ray\]'"),
        open_fleet("ray", Orders(NetStore(), tmp_path)),
    ):
        pass


def test_a_folder_lives_as_long_as_the_processes_that_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last process removes it; a killed one's folder is removed by the next that makes one."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = (
        "import sys; from rulezero.fleet.ray.folder import NodeFolder;"
        "folder = NodeFolder(sys.argv[1]); (folder.path / 'net').write_text('x');"
        "print(folder.path, flush=True); sys.stdin.read(); folder.close()"
    )

    def start(key: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", code, key],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert process.stdout is not None
        assert process.stdout.readline().strip() == str(tmp_path / f"rulezero_ray_{key}")
        return process

    def folders() -> set[str]:
        return {path.name.removeprefix("rulezero_ray_") for path in tmp_path.iterdir()}

    one, same, other = start("one"), start("one"), start("other")
    one.communicate("")
    assert folders() == {"one", "other"}
    same.communicate("")
    assert folders() == {"other"}
    other.kill()
    other.communicate()
    assert folders() == {"other"}
    start("new").communicate("")
    assert folders() == set()


def wait_until(is_true: Callable[[], bool]) -> None:
    """Waits for something that happens soon; it may take long on a busy machine."""
    deadline = time.monotonic() + 120
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def stored(run: Path) -> int:
    """The number of games in a run's store, to which the trainer may be writing."""
    return len(rz.Store(run / "records"))


def descendants(pid: int) -> dict[int, str]:
    """The processes below a process, with their command lines."""
    found: dict[int, str] = {}
    for child in children(pid):
        found |= {child: command(child)} | descendants(child)
    return found
