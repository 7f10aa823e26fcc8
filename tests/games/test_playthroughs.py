"""Playthroughs: every public answer of a game during one random game is unchanged."""

from itertools import zip_longest
from pathlib import Path

import pytest

import rulezero as rz
from golden import playthrough
from support import samples


@pytest.mark.parametrize("text", samples.GAMES)
def test_every_game_has_a_playthrough(text: str) -> None:
    """Every game has a playthrough file."""
    assert playthrough.path_of(text).exists(), "write it: make golden"


@pytest.mark.parametrize("path", sorted(playthrough.FOLDER.glob("*.txt")), ids=lambda p: p.stem)
def test_a_playthrough_is_still_true(path: Path) -> None:
    """Playing the same actions again gives the same text, line by line."""
    golden = path.read_text(encoding="utf-8")
    game = rz.load(playthrough.read_header(golden, "game"))
    assert path == playthrough.path_of(game.text), "another game's file"
    ply = "header"
    for then, now in zip_longest(golden.split("\n"), playthrough.rewrite(game, golden).split("\n")):
        ply = then if then and then.startswith("ply: ") else ply
        assert now == then, (
            f"{game.text} answers differently at {ply}; if it is meant to, raise its rules version "
            "or its encoding and run make golden"
        )


def test_an_unannounced_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed playthrough is overwritten only if a version was raised, or with --force."""
    monkeypatch.setattr(playthrough, "FOLDER", tmp_path)
    monkeypatch.setattr(samples, "GAMES", ["tictactoe"])
    path = playthrough.path_of("tictactoe")

    assert playthrough.main([]) == 0
    golden = path.read_text(encoding="utf-8")
    changed = golden.replace("mover: 1", "mover: 0")
    path.write_text(changed, encoding="utf-8")
    assert playthrough.main([]) == 1
    assert "REFUSED" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == changed

    assert playthrough.main(["--force"]) == 0
    assert path.read_text(encoding="utf-8") == golden

    path.write_text(changed.replace("rules version: 1", "rules version: 0"), encoding="utf-8")
    assert playthrough.main([]) == 0
    assert path.read_text(encoding="utf-8") == golden
