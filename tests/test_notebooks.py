"""The notebooks of the documentation run; their boards are driven by traits and in a browser."""

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

import rulezero as rz
from rulezero.notebook import PlayGame, ViewGames
from support.browser import Screen, browser, needs_chromium
from support.documents import ROOT
from support.tictactoe import TicTacToe

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
_RUN = """
import sys, nbformat, nbclient
book = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
nbformat.write(book, sys.argv[2])
"""


def shown(path: Path) -> list[str]:
    """The output of each code cell, without numbers that differ from run to run."""
    book = nbformat.read(path, 4)
    texts = []
    for cell in book.cells:
        if cell.cell_type == "code":
            parts = [put.get("text") or put["data"]["text/plain"] for put in cell.outputs]
            texts.append(re.sub(r"\d[\d,.]*( s\b| samples/s| sims/s)", "...", "".join(parts)))
    return texts


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    """All cells run, and at least half of the outputs are the stored ones (nets vary)."""
    code = [sys.executable, "-c", _RUN, str(path), str(tmp_path / "run.ipynb")]
    here = {**os.environ, "PYTHONPATH": str(Path(rz.__file__).parents[1])}
    done = subprocess.run(
        code, cwd=tmp_path, env=here, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    stored, found = shown(path), shown(tmp_path / "run.ipynb")
    assert [bool(text) for text in stored] == [bool(text) for text in found]
    same = [one == other for one, other in zip(stored, found, strict=True)]
    assert sum(same) >= len(same) / 2, found  # outputs without a net are the same everywhere
    for board in boards(tmp_path / "run.ipynb"):
        assert "<svg" in board["text/html"]  # which exported files show


def boards(path: Path) -> list[dict[str, Any]]:
    """The outputs of a notebook that are widgets, by MIME type."""
    outputs = [put for cell in nbformat.read(path, 4).cells for put in cell.get("outputs", [])]
    return [put["data"] for put in outputs if WIDGET in put.get("data", {})]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_fit_for_others(path: Path) -> None:
    """A notebook was run in order without errors, is small, and contains no local paths."""
    text = path.read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert not re.search(r"/(home|root|tmp|work|Users)/|\\u001b|Traceback", text)
    book = nbformat.read(path, 4)
    counts = [cell.execution_count for cell in book.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


def order(shown: PlayGame | ViewGames, do: str, **more: object) -> None:
    """What a click in the browser does, and what follows."""
    shown.widget.order = {"do": do, "number": time.monotonic_ns(), **more}
    if isinstance(shown, PlayGame):
        shown.wait()


def said(game: PlayGame) -> str:
    """The line below the board."""
    words: str = game.widget.shown["message"]["words"]
    return words


@pytest.mark.parametrize("name", [*rz.game_names(), "python"])
def test_a_game_is_played_by_orders_and_kept(name: str, tmp_path: Path) -> None:
    """Every game is played to its end by moves that the board offers, saved, and shown again."""
    rules = rz.load(TicTacToe if name == "python" else name)
    store = tmp_path / "mine"
    game = PlayGame(rules, opponent="puct:sims=10", seed=1, store=store, name="Ada")
    game.wait()
    dice = random.Random(1)
    for _ in range(40):
        if game.is_over:
            break
        assert game.widget.position["mover"] in game.people
        order(game, "move", action=dice.choice(game.widget.position["moves"])["action"])
    if not game.is_over:
        order(game, "resign")
    assert game.widget.position["over"]
    assert game.widget.position["moves"] == []
    assert str(store) in said(game)
    (record,) = rz.Store(store)
    assert (record.source, record.purpose, record.id) == ("human", "human", game.saved[0])
    assert "Ada" in record.names
    assert len(game.widget.shown["plies"]) == record.plies
    view = ViewGames(store, game=rules if name == "python" else None)
    assert view.shown.positions[-1].text == game.state.text
    assert any(view.shown.minds[0].plies)
    assert "<svg" in view.picture(at=record.plies).html


def test_turns_of_two_moves_and_undo() -> None:
    """A turn of Monster Chess may be typed at once, and is taken back by plies or as a whole."""
    game = PlayGame("monster", seat="white", opponent="puct:sims=10", seed=1)
    order(game, "text", text="e2e4 d4")
    assert [ply.mover for ply in (each.state for each in game.dialogue.plies)] == [0, 0, 1]
    assert game.widget.shown["plies"][2]["wdl"] is not None
    assert game.widget.shown["can_undo_turn"]
    order(game, "undo", unit="ply")
    assert game.state.text.endswith("+")  # the second move is next
    order(game, "text", text="d2d4")
    order(game, "undo", unit="turn")
    assert game.state.actions == []
    order(game, "undo", unit="ply")
    assert "not chosen anything" in said(game)
    order(game, "text", text="e2e5")
    assert "e2e5" in said(game)
    assert game.widget.shown["message"]["is_error"]
    order(game, "resign")
    assert game.is_over
    order(game, "undo", unit="ply")
    assert not game.is_over
    order(game, "swap")
    assert game.people == [1]
    assert len(game.state.actions) == 2


def test_a_search_leaves_the_kernel_free() -> None:
    """A long search can be ended by `go`, by taking a move back and by a new game."""
    long, short = "puct:sims=50000000", "puct:sims=2000"
    game = PlayGame("connect4", seat=0, opponent=long, hints=short, seed=1)
    begun = time.monotonic()
    game.choose(3)
    assert game.widget.shown["is_thinking"]
    assert game.widget.position["moves"] == []
    order(game, "go")
    assert len(game.state.actions) == 2
    assert not game.widget.shown["is_thinking"]
    game.choose(3)
    order(game, "undo", unit="ply")
    assert len(game.state.actions) == 2
    game.choose(3)
    order(game, "new")
    assert game.state.actions == []
    assert game.widget.position["moves"]
    order(game, "hint")
    hint = game.widget.shown["hint"]
    assert len(hint["moves"]) == 5
    assert sum(move["share"] for move in hint["moves"]) <= 1.01
    assert time.monotonic() - begun < 60


def test_opponents_have_several_names(tmp_path: Path) -> None:
    """An opponent is a level, a player's text or a path; what is unknown is named."""
    assert PlayGame("connect4", opponent="club", sims=7).dialogue.players[1].number("sims") == 7
    assert PlayGame("connect4", opponent="random").dialogue.players[1].text == "random"
    with pytest.raises(rz.PlayerError, match="there is no opponent 'runs/none'"):
        PlayGame("connect4", opponent="runs/none")
    with pytest.raises(rz.PlayerError, match="has no simulations"):
        PlayGame("connect4", opponent="random", sims=5)
    (tmp_path / "file").write_text("")
    with pytest.raises(rz.RecordError, match="is a file"):
        PlayGame("connect4", store=tmp_path / "file")
    both = PlayGame("connect4", seat="both", start="7/7/7/7/3O3/3X3 x")
    both.move("d")
    assert both.widget.position["moves"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some games, with a judge's notes."""
    path = tmp_path_factory.mktemp("games")
    rz.match("connect4", "puct:sims=20", "random", games=4, seed=1, save=path)
    rz.judge(path, "puct:sims=60", workers=1)
    return path


def test_recorded_games_are_filtered_and_shown(store: Path, tmp_path: Path) -> None:
    """Filters change the list; a game has its thoughts, and a judge's marks."""
    view = ViewGames(store)
    assert view.widget.listed["total"] == 4
    wins = [record for record in rz.Store(store) if record.outcome == 1]
    order(view, "filter", result="0", cause="", purpose="")
    assert view.widget.listed["matching"] == len(wins)
    order(view, "filter", result="drawn", cause="king", purpose="")
    assert view.widget.listed["words"] == "No game meets these conditions."
    order(view, "filter", result="", cause="four", purpose="")
    order(view, "open", id=view.ids[-1])
    assert view.widget.shown["id"] == view.ids[-1]
    players, judge = view.widget.shown["minds"]
    assert judge["name"] == "puct:sims=60"
    assert any(thought["mark"] for thought in judge["plies"])
    ply = next(at for at, thought in enumerate(players["plies"]) if thought)
    assert len(players["plies"][ply]["moves"]) >= 5
    view.widget.at = ply
    assert view.state.text == view.widget.shown["positions"][ply]["text"]
    rz.data.export(rz.Store(store), tmp_path / "games.jsonl")
    assert set(ViewGames(tmp_path / "games.jsonl").ids) == set(ViewGames(store).ids)
    with pytest.raises(rz.RecordError, match="there is no"):
        ViewGames(tmp_path / "nothing")


def test_notebooks_need_no_web_server() -> None:
    """Boards in notebooks work without the packages of the page."""
    code = "import sys, rulezero.notebook; print({'fastapi', 'uvicorn'} & sys.modules.keys())"
    here = {**os.environ, "PYTHONPATH": str(Path(rz.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"


_PAGE = """async ([code, css, traits]) => {
  const listeners = {};
  globalThis.orders = [];
  const model = {
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; if (name === "order") orders.push(value); },
    save_changes: () => {},
    on: (name, listener) => { listeners[name] = listener; },
    off: () => {},
  };
  globalThis.change = (name, value) => { traits[name] = value; listeners[`change:${name}`]?.(); };
  const sheet = document.createElement("style");
  sheet.textContent = css;
  document.head.append(sheet);
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  widget.render({ model, el: document.body });
}"""


def draw(screen: Screen, shown: PlayGame | ViewGames) -> None:
    """Draws a widget in a page as a notebook does."""
    names = ("kind", "game", "position", "shown", "listed", "flipped", "at")
    traits = json.loads(json.dumps({name: getattr(shown.widget, name) for name in names}))
    screen.page.evaluate(_PAGE, [str(shown.widget._esm), str(shown.widget._css), traits])


@needs_chromium
def test_the_board_is_played_in_a_browser() -> None:
    """Clicks, keys and the text box send orders; the board follows its traits."""
    game = PlayGame("monster", seat=0, opponent="puct:sims=10", seed=1)
    with browser() as running, Screen(running) as screen:
        draw(screen, game)
        screen.page.locator("[data-square=e2]").click(force=True)
        screen.page.locator("[data-square=e4]").click(force=True)
        (first,) = screen.page.evaluate("orders")
        assert (first["do"], game.state.say(first["action"])) == ("move", "e2e4")
        order(game, "move", action=first["action"])
        for name in ("position", "shown"):
            screen.page.evaluate(
                "([name, value]) => change(name, value)", [name, getattr(game.widget, name)]
            )
        assert "e4" in screen.page.locator(".rzn-moves").inner_text()
        screen.page.locator("[data-square=d2]").focus()
        for key in ("Home", "h", "f"):
            screen.page.keyboard.press(key)
        screen.page.get_by_label("Move as text").fill("d2d4")
        screen.page.keyboard.press("Enter")
        screen.page.get_by_role("button", name="Resign").click()
        screen.page.get_by_role("button", name="Resign?").click()
        orders = screen.page.evaluate("orders")
        assert [each["do"] for each in orders[1:]] == ["hint", "text", "resign"]


@needs_chromium
def test_a_recorded_game_is_shown_in_a_browser(store: Path) -> None:
    """The slider, keys and moves change the position without Python."""
    view = ViewGames(store, cause="four")
    with browser() as running, Screen(running) as screen:
        draw(screen, view)
        screen.page.get_by_role("button", name="Forward").click()
        screen.page.keyboard.press("ArrowRight")
        assert screen.board("position.ply") == 2
        screen.page.keyboard.press("End")
        assert screen.board("position.over")
        assert screen.page.locator("rz-curve").is_visible()
        screen.page.locator(".rzn-moves [data-ply='5']").click()
        assert screen.board("position.ply") == 5
        assert screen.page.locator(".rzn-line").count() >= 5
