"""`rulezero replay`: lists records and prints their games."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.cli.terminal.bar import signed
from rulezero.data import Store, export
from rulezero.data.steps import look_up, steps
from rulezero.games.view import draw
from support.commands import fails, run, succeeds


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two games of monster, with a judge's notes, and two of exchange, without."""
    path: Path = tmp_path_factory.mktemp("replay") / "store"
    rz.match("monster", "puct:sims=8", "random", 2, judge="gumbel:sims=4", save=path)
    rz.match("exchange", "heuristic", "random", 2, save=path)
    return path


def test_a_list(store: Path) -> None:
    """The list has a line for each record: number, id, game, purpose, players, result, plies."""
    for arguments in ([], ["--list"], ["1", "--list"]):
        lines = succeeds("replay", store, *arguments).splitlines()[1:]
        for number, (line, record) in enumerate(zip(lines, Store(store), strict=True), 1):
            words = line.split()
            assert words[:4] == [str(number), record.id[:12], record.game, record.purpose]
            assert words[4:6] == list(record.players)
            assert words[6] == {1: "1-0", 0: "1/2", -1: "0-1"}[int(record.outcome)]
            assert record.end_reason in line
            assert words[-1] == str(record.plies)


def test_every_ply_in_a_pipe(store: Path) -> None:
    """Each ply shows the move, the board after it, and the thoughts of the mover and the judge."""
    for number in ("1", "3"):
        output = succeeds("replay", store, number)
        record, notes = look_up(Store(store), number)
        pages = output.split("\n\n")
        assert f"record   {record.id}\n" in pages[0]
        played = list(steps(record, notes))
        plies = output.split("\nply ")[1:]
        assert len(plies) == record.plies
        for step, page in zip(played, plies, strict=True):
            board = draw(step.after, names=("White", "Black")).plain()
            assert f"{board}\n{step.after.text}\n" in page
            is_die = step.state.mover == rz.CHANCE
            said = step.state.say(step.action, san=record.game == "monster")
            assert page.partition("\n")[0].rstrip("?!") == (
                f"{step.ply + 1}: the die shows {said}"
                if is_die
                else f"{step.ply + 1}: {'White' if step.state.mover == 0 else 'Black'} plays {said}"
            )
            assert ("\nthought: " in page) == (step.thought is not None)
            assert ("\ngumbel:sims=4: " in page) == bool(step.notes)
            if step.thought is not None and step.thought.value is not None:
                assert f"{signed(step.thought.value)} for White" in page


def test_one_ply(store: Path) -> None:
    """--ply prints only the position after that ply; 0 is the start."""
    whole = succeeds("replay", store, "1")
    assert succeeds("replay", store, "1", "--ply", "3").count("to move") == 1
    assert "\nply 3: " in succeeds("replay", store, "1", "--ply", "3")
    assert "\nstart\n" in succeeds("replay", store, "1", "--ply", "0")
    assert succeeds("replay", store, "1", "--ply", "3").split("\n\n")[1] in whole


def test_files_of_other_forms(store: Path, tmp_path: Path) -> None:
    """`replay` also lists and shows the games of JSON lines and PGN files."""
    first, second, *_ = Store(store)
    for name in ("games.jsonl", "games.pgn"):
        export([first, second], tmp_path / name)
        assert len(succeeds("replay", tmp_path / name).splitlines()) == 3
        assert f"ply {second.plies}: " in succeeds("replay", tmp_path / name, "2")


def test_wrong_input_is_one_line(store: Path, tmp_path: Path) -> None:
    """The error is one line, and a path that does not exist is not created."""
    assert "there is no" in fails("replay", tmp_path / "nowhere")
    assert "holds no games" in fails("replay", tmp_path)
    assert "no record number 99" in fails("replay", store, "99")
    assert "no record 'zz'" in fails("replay", store, "zz")
    assert "name a record too" in fails("replay", store, "--ply", "1")
    assert "plies, not 99999" in fails("replay", store, "1", "--ply", "99999")
    (tmp_path / "games.txt").write_text("1. e4 e5")
    assert ".jsonl or .pgn" in fails("replay", tmp_path / "games.txt")
    (tmp_path / "broken.pgn").write_text("1. e9 *")
    assert "broken.pgn:1" in fails("replay", tmp_path / "broken.pgn")
    assert not (tmp_path / "nowhere").exists()
    assert run("replay", store, "1", PYTHONIOENCODING="ascii").stdout.isascii()


def test_damage_hides_no_other_game(tmp_path: Path) -> None:
    """Undamaged games are still listed and shown; each damaged place is a one-line warning."""
    store, file = tmp_path / "store", tmp_path / "games.jsonl"
    rz.match("connect4", "random", "random", 3, save=store)
    whole, before = list(Store(store)), set(store.iterdir())
    rz.match("razzle", "random", "random", 3, save=store)
    (shard,) = set(store.iterdir()) - before
    shard.write_bytes(b"nothing of ours")
    for arguments in ([], ["2"]):
        result = run("replay", store, *arguments)
        assert result.returncode == 0
        assert whole[1].id[:12] in result.stdout
        for line in result.stderr.splitlines():
            assert line.startswith(f"rulezero: warning: {shard}: ")
    beyond = run("replay", store, "9")
    assert beyond.returncode == 2
    damage, missing = beyond.stderr.splitlines()
    assert damage.startswith(f"rulezero: warning: {shard}: ")
    assert "there is no record number 9" in missing
    file.write_text("nothing\n")
    export(whole, file.with_suffix(".more"), "jsonl")
    file.write_bytes(file.read_bytes() + file.with_suffix(".more").read_bytes())
    result = run("replay", file)
    assert result.returncode == 0
    assert whole[1].id[:12] in result.stdout
    assert result.stderr.startswith(f"rulezero: warning: {file}:1: ")
    export(whole, file)
    result = run("import", file, "--to", store)
    assert result.returncode == 0
    assert "0 games" in result.stdout
    assert result.stderr.startswith(f"rulezero: warning: {shard}: ")


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_pages_on_a_terminal(store: Path) -> None:
    """Enter shows the next ply, back the previous one; a number jumps, flip turns the board."""
    record, _ = look_up(Store(store), "1")
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rulezero", "replay", str(store), "1", "--ply", "2"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100", "LINES": "40"},
    ) as process:
        os.close(slave)
        with os.fdopen(master, "rb+", buffering=0) as terminal:
            words = ["", "back", "back", "5", "flip", "nonsense", "99999", "q"]
            for at, word in zip([2, 3, 2, 1, 5, 5, 5, 5], words, strict=True):
                shown = ""
                while not shown.endswith("quit: "):
                    shown += terminal.read(1000).decode()
                assert shown.splitlines()[-1].startswith(f"{at} of {record.plies};")
                if word in ("nonsense",):
                    assert "   h  g  f  e  d  c  b  a" in shown
                terminal.write(f"{word}\n".encode())
            process.wait(timeout=60)
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_keys_on_a_terminal(store: Path) -> None:
    """Arrows, Home and End act at once; other special keys are ignored, and no codes are shown."""
    record, _ = look_up(Store(store), "1")
    last = record.plies
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rulezero", "replay", str(store), "1"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100", "LINES": "40"},
    ) as process:
        os.close(slave)
        whole = ""
        with os.fdopen(master, "rb+", buffering=0) as terminal:
            typed = [
                ("\x1b[C", 0), ("\x1bOC", 1), ("\x1b[D", 2), ("\x1b[B", 1), ("\x1b[B", 2),
                ("\x1b[A", 3), ("\x1b[F", 2), ("\x1b[C", last), ("\x1b[1~", last),
                ("\x1b[D", 0), ("\x1b[15~\x1b[1;5Cö3\x7f\x7f2\r", 0), ("q\r", 2),
            ]  # fmt: skip
            for keys, at in typed:
                shown = ""
                while not shown.endswith("quit: "):
                    shown += terminal.read(1000).decode()
                assert shown.splitlines()[-1].startswith(f"{at} of {last};"), keys
                terminal.write(keys.encode())
                whole += shown
            process.wait(timeout=60)
    assert process.returncode == 0
    assert "[C" not in whole
    assert "this is the end of the game" in whole
    assert "this is the start of the game" in whole


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_a_game_is_played_on_from_a_page(store: Path) -> None:
    """`p` plays on from the shown ply, with the earlier plies; quit returns to the page."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rulezero", "replay", str(store), "1", "--ply", "3"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100", "LINES": "40"},
    ) as process:
        os.close(slave)
        with os.fdopen(master, "rb+", buffering=0) as terminal:
            for awaited, keys, told in [
                ("quit: ", "p\n", "3 of "),
                ("your move: ", "info\n", "you are White, Black is puct:sims=400"),
                ("your move: ", "undo\n", "position"),
                ("your second move: ", "quit\n", "taken back"),
                ("quit: ", "q\n", "left after 1 ply"),
            ]:
                shown = ""
                while awaited not in shown:
                    shown += terminal.read(1000).decode()
                assert told in shown
                terminal.write(keys.encode())
            process.wait(timeout=60)
    assert process.returncode == 0
    assert len(Store(store)) == 4
