"""`rulezero analyse`: mistakes in recorded games, marked and counted."""

import json
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.data import Store, export
from support.commands import fails, run, succeeds
from support.piece_files import WIZARD
from support.rules_in_python import RACE

FOOLS = '[Event "Casual"]\n[White "Anna"]\n[Black "Bo"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
JUDGE = ("--player", "alphabeta:depth=2", "--workers", "1")


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    """A PGN file with one game, the fool's mate."""
    path = tmp_path / "his.pgn"
    path.write_text(FOOLS)
    return path


def test_a_pgn_file(pgn: Path, tmp_path: Path) -> None:
    """Prints turns with values, a better move for the blunder, and a line for each side."""
    output = succeeds("analyse", pgn, "1", *JUDGE)
    lines = output.splitlines()
    assert lines[0].startswith("game 1  chess, 0-1 checkmate")
    assert "White   Anna" in lines
    turns = {words[0]: words for line in lines if (words := line.split())}
    assert turns["2."][:4] == ["2.", "White", "g4??", "-1.00"]
    assert turns["2."][-1] == "%)"
    assert turns["2..."][:4] == ["2...", "Black", "Qh4#", "-1.00"]
    (white,) = [line.split() for line in lines if line.startswith("White  ")][1:]
    assert white[1] == "2"
    assert white[-1] == "1"
    (record,) = Store(tmp_path / "his.store")
    shown = succeeds("replay", tmp_path / "his.store", record.id[:12])
    assert lines[-2] == f"notes: rulezero replay {tmp_path / 'his.store'} {record.id[:12]}"
    assert "alphabeta:depth=2: " in shown
    assert "ply 3: White plays g4??" in shown
    assert succeeds("analyse", pgn, "1", *JUDGE) == output  # from the stored notes
    assert len(list(Store(tmp_path / "his.store"))) == 1


def test_json(pgn: Path) -> None:
    """--json prints one object per game."""
    (line,) = succeeds("analyse", pgn, *JUDGE, "--json").splitlines()
    found = json.loads(line)
    assert found["players"] == ["Anna", "Bo"]
    assert [ply["move"] for ply in found["plies"]] == ["f3", "e5", "g4", "Qh4#"]
    assert found["plies"][2]["mark"] == "??"
    assert found["sides"][0]["blunders"] == 1


def test_what_is_played_can_be_said(tmp_path: Path) -> None:
    """--game names the game of a file that does not name it."""
    path = tmp_path / "his.pgn"
    path.write_text("1. e4 e5 1... Nf6 2. exf6 fxe7 *\n")
    assert "monster, * interrupted" in succeeds("analyse", path, *JUDGE, "--game", "monster")
    (record,) = Store(tmp_path / "his.store")
    assert record.game == "monster"


def test_stores_and_limits(tmp_path: Path) -> None:
    """Notes go into the store, or into a copy with --to; --limit says that there are more games."""
    rz.match("connect4", "random", "random", 3, save=tmp_path / "games")
    export(Store(tmp_path / "games"), tmp_path / "games.jsonl")
    output = succeeds("analyse", tmp_path / "games", *JUDGE, "--limit", "2")
    assert output.endswith("the first 2 games: --limit N takes more\n")
    assert len({note.record for note in Store(tmp_path / "games").notes()}) == 2
    succeeds("analyse", tmp_path / "games.jsonl", "3", *JUDGE, "--to", tmp_path / "other")
    assert len(list(Store(tmp_path / "other"))) == 1
    assert len(list(Store(tmp_path / "other").notes())) == 1


def test_games_that_are_not_trusted_are_skipped(tmp_path: Path) -> None:
    """A record whose game reads a stranger's file is named and skipped; the others are analysed."""
    store, pieces = tmp_path / "games", tmp_path / "wizard.yaml"
    pieces.write_text(WIZARD)
    rz.match(f"random_chess:pieces=standard+{pieces}", "random", "random", 1, save=store)
    alone = run("analyse", store, *JUDGE)
    assert alone.returncode == 2
    assert "--trusted" in alone.stderr.splitlines()[-1]
    rz.match("connect4", "random", "random", 1, save=store)
    result = run("analyse", store, *JUDGE)
    assert result.returncode == 0
    assert result.stdout.startswith("game 2  connect4")
    assert "game 1 is skipped" in result.stderr
    assert "--trusted" in result.stderr
    assert len({note.record for note in Store(store).notes()}) == 1


def test_a_game_of_dice_alone_is_no_obstacle(tmp_path: Path) -> None:
    """A record in which only a die was rolled is left out; the other games are analysed."""
    source = RACE.replace(".randrange(2))", ".randrange(2), True)")  # it begins with a die
    assert source != RACE
    (tmp_path / "race.py").write_text(source)
    game, store = rz.load(str(tmp_path / "race.py")), tmp_path / "games"
    rz.match(game, "random", "random", 1, save=store)
    left = rz.play.Dialogue(game, (rz.player("human"), rz.player("random")))
    left.advance()
    left.interrupt()
    assert [ply.state.mover for ply in left.plies] == [rz.CHANCE]
    with rz.data.open_store(store) as opened:
        opened.add(left.record())
    result = run("analyse", store, "--player", "puct:sims=5", "--workers", "1")
    assert (result.returncode, result.stdout.count("judge  ")) == (0, 1), result.stderr
    assert rz.judge(store, "puct:sims=6", workers=1).judged == 1
    people = ["--opponent", "human", "--save", str(tmp_path / "none")]
    output = succeeds("play", tmp_path / "race.py", *people, stdin="quit\n")
    assert "the die shows " in output
    assert output.endswith("nothing to save: no move was made\n")


def test_wrong_input_is_one_line(pgn: Path, tmp_path: Path) -> None:
    """The error is one line, and no store is made."""
    for arguments, words in [
        ((tmp_path / "nowhere",), "there is no"),
        ((pgn, "2"), "no record number 2"),
        ((pgn, "--player", "random"), "'random' does not evaluate positions"),
        ((pgn, "--player", "human"), "human"),
        ((pgn, "--player", "pukt"), "did you mean 'puct'"),
        ((pgn, "--tables", tmp_path), "tables"),
        ((pgn, "--net", tmp_path / "nowhere"), "nowhere"),
        ((pgn, "--player", "puct:sims=5", "--sims", "5"), "given twice"),
        ((pgn, "--limit", "0"), "--limit"),
        ((pgn, *JUDGE, "--to", pgn), "is a file; a store is a folder"),
    ]:
        assert words in fails("analyse", *arguments)
    (tmp_path / "empty.pgn").write_text("*\n")
    assert "no move was made" in fails("analyse", tmp_path / "empty.pgn")
    assert not (tmp_path / "his.store").exists()
    (tmp_path / "run" / "records").mkdir(parents=True)
    (tmp_path / "run" / "config.yaml").touch()
    assert "is a run" in fails("analyse", tmp_path / "run")
    assert run("analyse", pgn, *JUDGE, PYTHONIOENCODING="ascii").stdout.isascii()
