"""`rulezero import`: puts the games of a file into a store, as import_file reads them."""

from pathlib import Path

import rulezero as rz
from rulezero.data import Store, export, import_file
from support.commands import fails, run, succeeds

_PGN = '[Event "?"]\n[Result "{}"]\n\n{}\n\n'
_MATE = _PGN.format("0-1", "1. f3 e5 2. g4 Qh4# 0-1")


def test_the_command_and_the_function_agree(tmp_path: Path) -> None:
    """The store has import_file's records, from JSON lines and from PGN."""
    played = rz.match("monster", "puct:sims=4", "random", 4).records
    for name in ("games.jsonl", "games.pgn"):
        file, store = tmp_path / name, tmp_path / f"store-{name}"
        export(played, file)
        assert succeeds("import", file, "--to", store) == f"4 games from {file} in {store}\n"
        assert list(Store(store)) == list(import_file(file))
        again = succeeds("import", file, "--to", store)
        assert again == f"0 games from {file} in {store}, 4 were there already\n"
        assert len(Store(store)) == 4


def test_the_game_may_be_told(tmp_path: Path) -> None:
    """--game names the game if the file does not name it."""
    file = tmp_path / "games.pgn"
    file.write_text(_PGN.format("*", "1. e4 e5 1... Nf6 *"))
    succeeds("import", file, "--to", tmp_path / "store", "--game", "monster")
    assert [record.game for record in Store(tmp_path / "store")] == ["monster"]


def test_a_mistake_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    """Games before the error are kept; --skip also reads those after it, and reports the error."""
    file = tmp_path / "games.pgn"
    other = _MATE.replace("2. g4", "2. h3 h6 3. g4")
    file.write_text(_MATE + _PGN.format("*", "1. e9 *") + other)
    message = fails("import", file, "--to", tmp_path / "a")
    assert f"{file}:6: " in message
    assert "kept what is before it, 1 game;" in message
    assert len(Store(tmp_path / "a")) == 1

    result = run("import", file, "--to", tmp_path / "a", "--skip")
    assert result.returncode == 2
    assert result.stderr.startswith(f"skipped: {file}:6: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == f"1 game from {file} in {tmp_path / 'a'}, 1 were there already\n"
    assert len(Store(tmp_path / "a")) == 2


def test_wrong_input_is_one_line(tmp_path: Path) -> None:
    """The error is one line, and no store is made."""
    store = tmp_path / "store"
    empty = tmp_path / "empty.pgn"
    empty.write_text("")
    assert "there is no" in fails("import", tmp_path / "nowhere.pgn", "--to", store)
    assert ".jsonl or .pgn" in fails("import", tmp_path / "games.txt", "--to", store)
    assert "holds no games" in fails("import", empty, "--to", store)
    assert "--to" in fails("import", empty)
    empty.write_text(_MATE)
    assert "no game 'ches'" in fails("import", empty, "--to", store, "--game", "ches")
    assert "a store is a folder" in fails("import", empty, "--to", empty)
    assert empty.read_text() == _MATE
    assert not store.exists()


def test_the_purpose_may_be_set(tmp_path: Path) -> None:
    """--purpose sets the purpose of all games; without it, the file's purposes are kept."""
    played, file = rz.match("connect4", "random", "random", 2).records, tmp_path / "games.jsonl"
    export(played, file)
    for options, purpose in [([], "rating"), (["--purpose", "human"], "human")]:
        store = tmp_path / purpose
        succeeds("import", file, "--to", store, *options)
        assert [record.purpose for record in Store(store)] == [purpose] * 2
        moves = [record.action_numbers().tolist() for record in Store(store)]
        assert moves == [record.action_numbers().tolist() for record in played]
    words = fails("import", file, "--to", tmp_path / "no", "--purpose", "fun")
    assert "there is no purpose 'fun'; known: self-play, bootstrap, gate, rating, human," in words
    assert not (tmp_path / "no").exists()


def test_what_is_no_file_of_games(tmp_path: Path) -> None:
    """For a store, a folder or a device, the error says what the path is and what to do."""
    rz.match("connect4", "random", "random", 1, save=tmp_path / "store")
    (tmp_path / "empty").mkdir()
    for path, words in [
        (tmp_path / "store", "is a store, which needs no import"),
        (tmp_path / "empty", "is a folder: name a .jsonl or a .pgn file"),
        (Path("/dev/null"), "is not a regular file"),
        (tmp_path / "nothing.pgn", "there is no"),
    ]:
        assert words in fails("import", path, "--to", tmp_path / "x")
    assert not (tmp_path / "x").exists()
