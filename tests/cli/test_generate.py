"""`rulezero generate`: players, start positions, and games that fail."""

from pathlib import Path

import numpy as np
import pytest

import rulezero as rz
from rulezero.data import Store
from rulezero.data.replay import replay_of
from rulezero.learn.targets import TargetSettings, of_play
from rulezero.play.starts import read_starts
from rulezero.training.games.monster import lessons
from support import little_nets
from support.commands import fails, run, succeeds

QUICK = ["--games", "4", "--sims", "8"]


def games_in(store: Path) -> list[rz.Record]:
    return sorted(Store(store), key=lambda record: (record.task, record.index))


def test_a_game_without_a_recipe(tmp_path: Path) -> None:
    """Both sides search with the heuristic; a second call plays only the missing games."""
    output = succeeds("generate", "monster", "--to", tmp_path, *QUICK)
    assert output == f"4 games played; {tmp_path} has 4 of these\n"
    for record in games_in(tmp_path):
        assert record.players[0] == record.players[1]
        assert record.players[0].startswith("puct:sims=8,")
        assert "sims=8" in record.players[0]
        assert (record.purpose, record.source) == ("self-play", "train")
    again = succeeds("generate", "monster", "--to", tmp_path, "--games", "6", "--sims", "8")
    assert again == f"2 games played; {tmp_path} has 6 of these\n"


def test_who_plays_which_side(tmp_path: Path) -> None:
    """The learning side plays with --net and --sims, the other with --opponent-net or heuristic."""
    net = little_nets.net("monster")
    for side, opponent, wanted in [
        ("white", None, ("puct:net=", "ucb1:sims=3")),
        ("black", net, (f"puct:net={net},sims=3", "sims=8")),
        ("both", None, ("puct:net=", "sims=8")),
    ]:
        store = tmp_path / f"{side}"
        options = ["--net", str(net), "--train-side", side]
        options += ["--opponent-sims", "3"] if side != "both" else []
        options += ["--opponent-net", str(opponent)] if opponent else []
        succeeds("generate", "monster", "--to", store, *QUICK, *options)
        for record in games_in(store):
            assert wanted[0] in record.players[0]
            assert wanted[1] in record.players[1]
        if side == "black":
            # The plies of both sides have values to learn from.
            columns = games_in(store)[0].columns()
            assert np.isfinite(columns.value[2:]).all()


def test_lessons_with_a_scripted_black(tmp_path: Path) -> None:
    """Games start from the curriculum; the scripted Black wins at least four of 16."""
    options = ["--curriculum", "--scripted-black", "--games", "16", "--sims", "30"]
    succeeds("generate", "monster", "--to", tmp_path, *options)
    records = games_in(tmp_path)
    texts = {lesson.text for lesson in lessons()}
    assert {record.start for record in records} <= texts
    assert {record.players[1] for record in records} == {"scripted"}
    assert sum(record.outcome == -1 for record in records) >= 4


def test_starts_of_ones_own_and_a_forced_result(tmp_path: Path) -> None:
    """--force-result changes the result that nets learn; the record keeps the real outcome."""
    starts = tmp_path / "starts.txt"
    starts.write_text("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1  # Black takes at once\n")
    assert read_starts(starts, rz.load("monster"))
    store = tmp_path / "store"
    options = ["--starts", str(starts), "--force-result", "1"]
    succeeds("generate", "monster", "--to", store, *QUICK, *options)
    for record in games_in(store):
        assert (record.outcome, record.forced_result) == (-1, 1)
        played = replay_of(record, rz.load("monster"))
        told = of_play(record, record.columns(), played, TargetSettings())
        assert (told.result == 1).all()
    # Games without the forced result are new games, and so are games from a changed starts file.
    assert "4 games played" in succeeds("generate", "monster", "--to", store, *QUICK, *options[:2])
    starts.write_text("4k3/8/8/8/8/8/7r/4K3 b - - 0 1\n")
    assert "4 games played" in succeeds("generate", "monster", "--to", store, *QUICK, *options[:2])


def test_sims_leave_a_second_player_alone(tmp_path: Path) -> None:
    """--sims does not replace a second player: the two players take turns on either side."""
    options = ["--set", "selfplay.b=heuristic"]
    succeeds("generate", "monster", "--to", tmp_path, *QUICK, *options)
    seats = [record.players for record in games_in(tmp_path)]
    assert {seat.partition(":")[0] for pair in seats for seat in pair} == {"puct", "heuristic"}
    assert len(set(seats)) == 2


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("monster", ["--curriculum", "--starts", "x"], "not from both"),
        ("monster", ["--starts", "nowhere.txt"], "nowhere.txt"),
        ("monster", ["--force-result", "2"], "--force-result"),
        ("monster", ["--opponent-net", "x"], "add --train-side white"),
        ("monster", ["--opponent-sims", "5"], "add --train-side white"),
        ("monster", ["--scripted-black", "--opponent-sims", "5"], "Black is scripted"),
        ("monster", ["--scripted-black", "--set", "selfplay.b=random"], "has a second player"),
        ("monster", ["--train-side", "black", "--scripted-black"], "does not learn"),
        ("monster", ["--train-side", "red"], "--train-side"),
        ("monster", ["--game-timeout", "0"], "--game-timeout"),
        ("monster", ["--net", "nowhere"], "there is no net 'nowhere'"),
        ("razzle", ["--curriculum"], "no curriculum for razzle"),
        ("monster", ["--set", "selfplay.starts=curriculum:1+9"], "there is no tier '9'"),
        ("chess", ["--scripted-black"], "has no scripted Black"),
        ("exchange", ["--scripted-black"], "has no scripted Black"),
        ("monstre", [], "did you mean"),
    ],
)
def test_what_does_not_go_together(
    tmp_path: Path, game: str, options: list[str], words: str
) -> None:
    """Options that contradict each other are an error of one line, and no store is made."""
    assert words in fails("generate", game, "--to", tmp_path / "store", *QUICK, *options)
    assert not (tmp_path / "store").exists()


GAME = """
import multiprocessing
import time

import numpy as np
import rulezero as rz


class Odd(rz.PythonGame[str]):
    name = "odd"
    actions = slots = 2
    planes = (1, 1, 4)
    board = (1, 4)
    max_plies = 40

    def start(self, seed):
        return ""

    def parse(self, text):
        return text.strip("-")

    def text(self, position):
        return position or "-"

    def mover(self, position):
        return len(position) % 2

    def legal(self, position):
        return [0, 1]

    def ending(self, position):
        is_worker = multiprocessing.parent_process()
        if is_worker and position.startswith("11") and len(position) > 2:
            WRONG
        return (1, "full") if len(position) == 40 else None

    def apply(self, position, action):
        return position + str(action)

    def encode(self, position):
        return np.zeros((1, 1, 4), np.float32)
"""


@pytest.mark.parametrize("opening", [0, 4])  # 4: games fail within the random opening
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("raise ValueError('oh')", "oh"),
        ("time.sleep(0.05)", "it took more than 0.5 s"),
        ("time.sleep(3600)", "it never returned"),
    ],
)
def test_games_that_fail_are_left_out(tmp_path: Path, wrong: str, words: str, opening: int) -> None:
    """Each failed game is reported with its cause; all others are played and kept."""
    (tmp_path / "odd.py").write_text(GAME.replace("WRONG", wrong))
    (tmp_path / "starts.txt").write_text("00\n" * 5 + "11\n")  # two games from each
    options = ["--games", "12", "--set", "selfplay.a=random", "--game-timeout", "0.5"]
    options += ["--set", f"selfplay.opening={opening}"]
    options += ["--starts", str(tmp_path / "starts.txt")]
    name = f"python:file={tmp_path / 'odd.py'}"
    result = run("generate", name, "--to", tmp_path / "store", "--workers", "2", *options)
    assert result.returncode == 0
    assert "10 games played, 2 left out" in result.stdout
    assert {record.start for record in games_in(tmp_path / "store")} == {"00"}
    assert result.stderr.count(words) == 2
