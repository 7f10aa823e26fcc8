"""Kill -9 of a worker, of the server or of the trainer costs a run nothing but time."""

import random
import subprocess
from pathlib import Path

import pytest

import rulezero as rz
from support import fleet_processes as fleet
from support.fleet_processes import RUN, finish, kill, resume, train, wait

pytestmark = pytest.mark.skipif(not fleet.IS_LINUX, reason="looks into /proc")


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The fingerprint of the run by worker processes of this machine."""
    games, length = RUN[RUN.index("--set") + 1], int(RUN[RUN.index("--iterations") + 1])
    out = tmp_path_factory.mktemp("local") / "run"
    run = rz.train(RUN[0], "tiny", out, changes=[games, {"iterations": length}], workers=2)
    return run.fingerprint()


def wait_for_games(out: Path, number: int, process: "subprocess.Popen[str]") -> None:
    """Waits until the server of a run has confirmed this number of games."""
    wait(lambda: fleet.stored(out) >= number, process)


def test_a_run_goes_on_without_killed_processes(tmp_path: Path, wanted: dict[str, str]) -> None:
    """A worker, the server and both are killed. They are started again, and the run is complete and
    equal to an undisturbed one."""
    out, dice = tmp_path / "run", random.Random()
    with train(out) as process:
        for most, kills in (40, ["worker"]), (80, ["server"]), (120, ["worker", "server"]):
            wait_for_games(out, dice.randrange(most - 40, most), process)
            victims = fleet.workers(process.pid)[:1] if "worker" in kills else []
            victims += fleet.servers(process.pid) if "server" in kills else []
            assert len(victims) == len(kills)
            for pid in victims:
                kill(pid)
        errors = finish(process)
    assert "was killed by signal 9" in errors
    assert rz.open_run(out).fingerprint() == wanted


def test_a_killed_trainer_leaves_no_process_and_can_be_resumed(
    tmp_path: Path, wanted: dict[str, str]
) -> None:
    """Server and workers end with it. The games that its server has are not played again."""
    out, dice = tmp_path / "run", random.Random()
    with train(out) as process:
        wait_for_games(out, dice.randrange(20, 120), process)
        others = fleet.children(process.pid)
        assert len(others) == 3
        kill(process.pid)
    wait(lambda: not any(map(fleet.is_alive, others)))
    before = fleet.stored(out)
    with resume(out) as process:
        finish(process)
    assert rz.open_run(out).fingerprint() == wanted
    games = sum(1 for record in rz.open_run(out).store())
    assert fleet.stored(out) == games
    assert before > 0
