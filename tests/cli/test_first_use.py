"""Common first steps and mistakes of new users on the command line."""

import json
import shutil
import signal
import time
from pathlib import Path

import pytest

from support.commands import begin, fails, run, succeeds

OLD_RUN = Path(__file__).parents[1] / "old_runs" / "connect4"


def test_a_match_of_players_that_never_vary_says_so() -> None:
    """Forty identical games count as one: in the text, in the interval and in JSON."""
    words = ["match", "connect4", "--a", "puct:sims=20", "--b", "puct:sims=20"]
    words += ["--games", "40", "--opening", "0"]
    printed = run(*words).stdout
    assert "1 different game of 40" in printed
    assert "add temperature=1 to a player, or --opening 4" in printed
    report = json.loads(run(*words, "--json").stdout)
    assert (report["different"], report["effective_games"]) == (1, 1.0)
    assert report["first_seat"]["interval"][0] < 0.25


@pytest.mark.parametrize("words", [("perft", "CHESS", "1"), ("perft", "Razzle", "1")])
def test_a_game_in_capitals_gets_a_suggestion(words: tuple[str, ...]) -> None:
    """Names are lower case; the error suggests the lower-case name."""
    assert f"did you mean '{words[1].lower()}'?" in fails(*words)


def test_a_player_in_capitals_gets_a_suggestion() -> None:
    """The error suggests the lower-case name, as for games."""
    line = fails("match", "connect4", "--a", "PUCT", "--b", "random", "--games", "2")
    assert "did you mean 'puct'?" in line


def test_a_fast_match_shows_its_speed_without_an_exponent() -> None:
    """Prints 1,450 games/s, not 1.45e+03."""
    words = ("--a", "random", "--b", "random", "--games", "400", "--opening", "0")
    (speed,) = [x for x in succeeds("match", "connect4", *words).splitlines() if "games/s" in x]
    assert "e+" not in speed


def test_pieces_from_a_device_are_refused() -> None:
    """/dev/zero is refused, because reading it would never end."""
    assert "this is not a regular file" in fails("perft", "random_chess:pieces=/dev/zero", "1")


def test_a_report_into_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    """The folder is not created; export and data export behave the same way."""
    line = fails("report", OLD_RUN, "--out", tmp_path / "nope" / "x.html")
    assert "there is no folder" in line
    assert not (tmp_path / "nope").exists()


@pytest.mark.parametrize("moment", [0.1, 0.2, 0.3, 0.5])
def test_ctrl_c_while_a_command_starts_prints_nothing(moment: float) -> None:
    """Ctrl-C during the imports prints no traceback. Earlier, while Python starts, it may."""
    process = begin("perft", "chess", "9")
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    printed, wrong = process.communicate(timeout=60)
    assert (process.returncode, printed, wrong) == (130, "", "")


def test_resuming_a_run_without_its_nets_is_an_error(tmp_path: Path) -> None:
    """Also if the run is finished, and if only one file of a net is missing."""
    path = tmp_path / "run"
    keys = ["iterations=1", "selfplay.games=2", "anchor.games=2", "fit.batch=8"]
    sets = [word for key in keys for word in ("--set", key)]
    done = run("train", "connect4", "--preset", "tiny", "--out", path, *sets)
    assert done.returncode == 0, done.stderr
    name = (path / "nets" / "latest").read_text(encoding="utf-8").strip()
    (path / "nets" / f"{name}.onnx").unlink()
    assert f"{name}.onnx" in run("train", "--resume", path).stderr
    shutil.rmtree(path / "nets")
    failed = run("train", "--resume", path)
    assert failed.returncode == 2
    assert "is incomplete: there is no file" in failed.stderr
    assert len(failed.stderr.splitlines()) == 1
    assert "has no best net" in fails("play", "connect4", "--net", path)
