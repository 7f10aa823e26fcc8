"""Games in Python files are identified by the files' content, not by their paths."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.games.library import library as library_folder
from rulezero.games.load import files_of
from support import documents
from support.tictactoe import TicTacToe

RULES = documents.tic_tac_toe()


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of known rules."""
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "known"))
    return tmp_path / "known"


def written(folder: Path, content: str = RULES, name: str = "mine.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def loaded(path: Path) -> rz.Game:
    return rz.load(f"python:file={path}")


def test_one_content_one_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game's text does not depend on the folder, the form of the path or the line endings."""
    here, there = written(tmp_path / "here"), written(tmp_path / "there")
    dos = tmp_path / "dos" / "mine.py"
    dos.parent.mkdir()
    dos.write_bytes(RULES.replace("\n", "\r\n").encode())
    texts = {loaded(path).text for path in (here, there, dos)}
    monkeypatch.chdir(tmp_path / "here")
    texts |= {rz.load("python:file=mine.py").text, rz.load("python:file=./mine.py").text}
    (text,) = texts
    assert text.startswith("python:file=mine.py,sha=")
    assert rz.view.title(text) == "python:file=mine.py"
    assert loaded(written(tmp_path / "other", RULES + "\n# another\n")).text != text


def test_a_text_outlives_its_file(tmp_path: Path) -> None:
    """Rules are copied when first run, so a text keeps its rules if the file changes or is gone."""
    path = written(tmp_path / "here")
    game = loaded(path)
    path.write_text(RULES.replace("max_plies = 9", "max_plies = 8"))
    assert rz.load(game.text).facts.max_plies == 9
    assert loaded(path).facts.max_plies == 8
    shutil.rmtree(path.parent)
    again = rz.load(game.text)
    assert (again.text, rz.perft(again, 4)) == (game.text, rz.perft(game, 4))
    assert list(files_of(again)) == ["mine.py"]


def test_only_known_rules_are_run(tmp_path: Path, library: Path) -> None:
    """A text with a hash never runs an unknown file, nor a known one that was changed since."""
    ran = tmp_path / "ran"
    game = loaded(written(tmp_path / "here", f"open({str(ran)!r}, 'w').close()\n" + RULES))
    ran.unlink()
    for text in (
        "python:file=mine.py,sha=0123456789abcdef",
        "python:file=mine.py,sha=../here",
        "python:file=mine.py,sha=.",
        game.text.replace("mine.py", "../../here/mine.py"),
    ):
        with pytest.raises(rz.GameError, match="have not been run on this machine"):
            rz.load(text)
    kept = library / game.text[-16:] / "mine.py"
    kept.write_text(kept.read_text() + "\n# changed by somebody\n")
    with pytest.raises(rz.GameError, match="have not been run on this machine"):
        rz.load(game.text)
    assert not ran.exists()
    assert loaded(tmp_path / "here" / "mine.py").text == game.text  # restores the copy
    assert rz.load(game.text).text == game.text


def test_files_that_fail_are_not_kept(tmp_path: Path, library: Path) -> None:
    """A file without a loadable game is not copied to the known rules."""
    for content in (
        "import nothing_of_this_name",
        "x = 1",
        RULES.replace("slots = 9", "slots = 0"),
    ):
        with pytest.raises(rz.GameError):
            loaded(written(tmp_path / "here", content))
    assert not library.exists() or not any(library.iterdir())


def test_neighbours_can_be_imported(tmp_path: Path) -> None:
    """Imported modules next to the file are part of the rules, and stay out of sys.modules."""
    own = RULES.replace("LINES = ", "from lines import LINES\n_OWN = ")
    path = written(tmp_path / "here", own)
    written(tmp_path / "here", "from deep.inner import LINES", "lines.py")
    written(tmp_path / "here" / "deep", "", "__init__.py")
    line = next(line for line in RULES.splitlines() if line.startswith("LINES"))
    written(tmp_path / "here" / "deep", line, "inner.py")
    written(tmp_path / "here", "raise RuntimeError('is not imported')", "idle.py")
    before = set(sys.modules)
    game = loaded(path)
    assert {name for name in set(sys.modules) - before if "rulezero_file" not in name} == set()
    assert sorted(files_of(game)) == ["deep/__init__.py", "deep/inner.py", "lines.py", "mine.py"]
    shutil.rmtree(tmp_path / "here")
    assert rz.perft(rz.load(game.text), 5) == 15120


def test_neighbours_of_one_name(tmp_path: Path) -> None:
    """Two games may import different modules of the same name."""
    games = []
    for plies in (7, 8):
        folder = tmp_path / str(plies)
        own = RULES.replace("max_plies = 9", "max_plies = PLIES")
        path = written(folder, "from sizes import PLIES\n" + own)
        written(folder, f"PLIES = {plies}", "sizes.py")
        games.append(loaded(path))
    assert [game.facts.max_plies for game in games] == [7, 8]
    assert [rz.load(game.text).facts.max_plies for game in games] == [7, 8]


def test_a_module_of_the_user_stays_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that the user's script has imported itself is not replaced."""
    path = written(tmp_path / "here", "import sizes_of_mine\n" + RULES)
    written(tmp_path / "here", "KNOWN = []", "sizes_of_mine.py")
    monkeypatch.syspath_prepend(str(path.parent))
    own = __import__("sizes_of_mine")
    monkeypatch.setitem(sys.modules, "sizes_of_mine", own)
    loaded(path)
    assert sys.modules["sizes_of_mine"] is own


def test_errors_name_the_file_and_not_its_copy(tmp_path: Path) -> None:
    """Rules that fail in a worker or in a copy are named as their author knows them."""
    broken = RULES.replace("        return position[:action]", "        return 1 // 0")
    game = loaded(written(tmp_path / "here", broken))
    for known in game, rz.load(game.text):
        with pytest.raises(rz.RulezeroError, match=r"ZeroDivisionError.* \(mine\.py, line \d+\)$"):
            rz.match(known, "random", "random", 2, workers=2)


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If rules cannot be copied, a warning says so; this process and its workers know them."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "file" / "inside"))
    with pytest.warns(UserWarning, match=r"inside' cannot be written.*RULEZERO_RULES"):
        game = loaded(written(tmp_path / "here"))
    (tmp_path / "here" / "mine.py").unlink()
    result = rz.match(game, "random", "random", 4, workers=2)
    assert result.tally.games == 4
    shutil.rmtree(library_folder())


NOTEBOOK = f"""
import rulezero as rz
from rulezero.fleet.workers import fresh_processes

{RULES}
if __name__ == "__main__":  # as a notebook's cell, this is no module that others could import
    result = rz.match(TicTacToe, "puct:sims=5", "random", games=8, workers=2)
    alone = rz.match(TicTacToe, "puct:sims=5", "random", games=8, workers=1)
    print(result.tally.games, result.score == alone.score)
    keys = ["game=tictactoe", "net.blocks=1", "net.channels=8", "iterations=1", "bootstrap=[]"]
    keys += ["selfplay.games=4", "selfplay.a=puct:net=best,sims=8", "anchor=null"]
    keys += ["gate.kind=always"]
    experiment = rz.config.load("connect4", "tiny", keys)
    run = rz.train(experiment, out="run", workers=2, progress=False)
    with fresh_processes(1, ["tictactoe"]) as pool:  # as estimates do
        print(run.progress().is_done, pool.submit(rz.perft, "tictactoe", 3).result())
"""


def test_a_game_of_a_notebook_has_workers(tmp_path: Path) -> None:
    """Worker processes can play a game whose class exists only in the main process."""
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("8 True\nTrue 504\n", "")


def test_a_game_that_cannot_be_sent(tmp_path: Path) -> None:
    """A game that cannot be pickled raises before a run is made; with workers=1 it is played."""

    class Held(TicTacToe):
        name = "held"

        def __init__(self) -> None:
            self.lock = threading.Lock()

    held = Held()
    with pytest.raises(rz.GameError, match=r"'held' cannot be sent .* workers=1, or"):
        rz.match(held, "random", "random", 4, workers=2)
    changes = ["game=held", "net.blocks=1"]
    with pytest.raises(rz.GameError, match="cannot be sent"):
        rz.train("connect4", "tiny", tmp_path / "run", changes=changes, workers=2)
    assert not (tmp_path / "run").exists()
    assert rz.match(held, "random", "random", 4, workers=1).tally.games == 4


def test_a_path_is_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`mine.py` is short for python:file=mine.py; a path with a comma is refused."""
    path = written(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert rz.load("mine.py").text == rz.load(str(path)).text == loaded(path).text
    with pytest.raises(rz.GameError, match=r"there is no file 'nowhere.py' in "):
        rz.load("nowhere.py")
    with pytest.raises(rz.GameError, match="rename the file"):
        rz.load(str(written(tmp_path, name="a,b.py")))
