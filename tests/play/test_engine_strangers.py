"""An engine is a program: texts that come from others never start one."""

import sys
from pathlib import Path

import msgspec
import pytest

import rulezero as rz
from rulezero.fleet.protocol import FleetError, Lease
from rulezero.fleet.server.inspection import refuse_files
from rulezero.fleet.worker.trust import check_lease
from rulezero.play.task import Task
from rulezero.web.play.budget import admitted
from support import commands


@pytest.fixture
def traced(tmp_path: Path) -> tuple[str, Path]:
    """An engine that writes a file when it is started."""
    file = tmp_path / "started"
    script = tmp_path / "bomb.py"
    script.write_text(f"open({str(file)!r}, 'w').close()\n", encoding="utf-8")
    return f"uci:path={sys.executable},args={script}", file


@pytest.mark.parametrize("seat", ["a", "b", "judge"])
def test_fleets_refuse_engines(seat: str, traced: tuple[str, Path]) -> None:
    """Neither does a server hand out such a task, nor a volunteer play it."""
    text, file = traced
    players = {"a": "random", "b": "random"} | {seat: text}
    task = Task(game="chess", games=2, a=players["a"], b=players["b"], judge=players.get("judge"))
    with pytest.raises(FleetError, match="would start a program: a fleet plays no engines"):
        refuse_files(task)
    lease = Lease(id="a" * 8, task_id="b" * 8, task=task, nets={}, games=[(0, 2)], seconds=60)
    with pytest.raises(FleetError, match="would start a program on this machine"):
        check_lease(lease)
    assert not file.exists()


@pytest.mark.parametrize("is_owner", [False, True])
def test_the_page_refuses_engines(is_owner: bool, traced: tuple[str, Path]) -> None:
    """Even for the owner, as the address of a game names its players."""
    text, file = traced
    with pytest.raises(rz.PlayerError, match="which the page never does"):
        admitted(text, rz.load("chess"), 0, is_owner=is_owner)
    assert not file.exists()


@pytest.mark.parametrize("key", ["selfplay.a", "selfplay.judge", "gate.player", "anchor.opponent"])
def test_recipes_refuse_engines(key: str, traced: tuple[str, Path]) -> None:
    text, file = traced
    with pytest.raises(rz.RunError) as caught:
        rz.config.load("chess", "tiny", [f"{key}={text}"])
    assert "an engine is another program" in str(caught.value)
    assert not file.exists()


def test_a_record_does_not_start_its_engine(traced: tuple[str, Path], tmp_path: Path) -> None:
    """A recorded game goes on only against an opponent that the user names."""
    text, file = traced
    game = rz.load("chess")
    dialogue = rz.play.Dialogue(game, (rz.player("human"), rz.player("random")))
    dialogue.advance()
    dialogue.choose(game.start().read("e2e4"))
    dialogue.interrupt()
    record = msgspec.structs.replace(dialogue.record(), players=("human", text))
    with rz.data.open_store(tmp_path / "games") as store:
        store.add(record)
    error = commands.fails("play", "--continue", tmp_path / "games", "last")
    assert "would start a program: add --opponent" in error
    commands.run("replay", tmp_path / "games", "1", stdin="p\nq\n")
    assert not file.exists()


def test_the_command_line_names_a_missing_engine() -> None:
    """Before anything is played."""
    error = commands.fails("match", "chess", "--a", "uci:path=no_such", "--b", "random")
    assert "uci: path=no_such does not exist: give the path of a UCI engine" in error
    error = commands.fails("play", "chess", "--opponent", "uci:path=no_such")
    assert "does not exist" in error
    error = commands.fails("play", "chess", "--web", "--opponent", "uci:path=no_such")
    assert "the page starts no engines" in error
