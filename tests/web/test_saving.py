"""Games that the owner of the page saves: what their records hold, and how they are shown again."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import rulezero as rz
from rulezero.web.games import Games, keep_pieces
from support import little_nets
from support.browser import Screen, needs_chromium
from support.page_server import Page, PageServer
from support.piece_files import WIZARD

ARMY = "random_chess:pool=wizard"


def play_and_save(server: PageServer, owner: httpx.Client, **order: Any) -> rz.Record:
    """The record of a game in which the person makes one choice, and resigns when asked again."""
    with Page(server, owner) as page:
        page.say("new", **order)
        page.until_event("table")
        page.until_asked()
        move = page.position["moves"][0]["action"]
        page.position["moves"] = []
        page.say("move", action=move)
        page.until_asked()
        page.say("resign")
        page.until(lambda _: bool(page.position["over"]))
        page.say("save")
        saved = page.until_event("saved")["record"]
    with rz.Store(server.place / "human_games") as store:
        return store[saved]


def test_a_record_names_the_net(server: PageServer, owner: httpx.Client) -> None:
    """The net of a player has the same identity as in records of matches; people have none."""
    net = little_nets.net("connect4")
    text = f"puct:net={net},sims=4"
    record = play_and_save(server, owner, game="connect4", players=["human", text], seed=1)
    (match,) = rz.match("connect4", text, "random", games=1).records
    assert match.nets[0]
    assert record.nets == (None, match.nets[0])
    assert record.players == ("human", text)
    plain = play_and_save(server, owner, game="connect4", players=["human", "puct:sims=4"], seed=1)
    assert plain.nets == (None, None)


def test_pasted_pieces_are_kept(server: PageServer, owner: httpx.Client) -> None:
    """A record of a game with pasted pieces names a file that stays when the server ends."""
    record = play_and_save(
        server, owner, game=ARMY, pieces=WIZARD, players=["human", "random"], seed=3
    )
    (file,) = (server.place / "human_games" / "pieces").iterdir()
    assert file.read_text(encoding="utf-8") == WIZARD
    assert str(file.resolve()) in record.game
    with pytest.raises(rz.RecordError, match="trust it"):
        rz.data.game_of(record.game)
    game = rz.data.game_of(record.game, trusted=True)
    rz.data.check(record, game=game)
    assert "W" in record.start
    again = play_and_save(
        server, owner, game=ARMY, pieces=WIZARD, players=["human", "random"], seed=3
    )
    assert again.game == record.game


@pytest.mark.parametrize("name", ["with,comma", "with+plus"])
def test_a_path_that_no_text_can_name(tmp_path: Path, name: str) -> None:
    """One line says why a game with pasted pieces cannot be kept in such a folder."""
    with contextlib.closing(Games()) as games:
        game = games.open(ARMY, WIZARD)
        assert (
            keep_pieces(game, WIZARD, tmp_path / "plain").start(seed=1).text
            == game.start(seed=1).text
        )
        with pytest.raises(rz.GameError, match=r"a comma or a plus: serve another folder"):
            keep_pieces(game, WIZARD, tmp_path / name)


@pytest.fixture
def screen(running: Any) -> Iterator[Screen]:
    """A page of the browser."""
    with Screen(running) as made:
        yield made


@needs_chromium
def test_a_saved_game_with_own_pieces_is_shown(
    server: PageServer, owner: httpx.Client, screen: Screen
) -> None:
    """Watch shows it with its pieces, and it goes on with them."""
    record = play_and_save(
        server, owner, game=ARMY, pieces=WIZARD, players=["human", "random"], seed=5
    )
    screen.page.goto(server.owner_url)
    screen.page.get_by_role("link", name="Watch").click()
    screen.page.get_by_role("link", name="human_games").first.click()
    screen.page.locator(f"a[href*='{record.id}']").first.click()
    screen.page.locator(".player-bar input[type=range]").wait_for()
    assert screen.position()["text"] == record.start
    screen.page.keyboard.press("ArrowRight")
    screen.page.wait_for_function("() => document.querySelector('rz-board').position.ply === 1")
    text = screen.position()["text"]
    screen.page.get_by_label("Your opponent").select_option("level:beginner")
    screen.page.get_by_role("button", name="Continue from here").click()
    screen.page.wait_for_selector(".play .frame rz-board")
    position = screen.wait_until_asked()
    order = screen.page.evaluate("JSON.parse(localStorage.getItem('rz.table.random_chess:pool=W'))")
    assert order["pieces"] == WIZARD
    game = rz.data.game_of(record.game, trusted=True)
    assert game.replay(record.start, order["actions"][:1]).text == text
    assert game.parse(position["text"]).legal == [each["action"] for each in position["moves"]]
