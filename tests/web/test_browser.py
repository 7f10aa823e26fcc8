"""The page in a real browser: games by clicks, by keys, after a reload, on a phone."""

import random
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import rulezero as rz
from support.browser import PHONE, Screen, good_move, needs_chromium
from support.page_server import PageServer, serving

pytestmark = needs_chromium

GAMES = ["monster", "exchange", "razzle", "random_chess", "connect4", "chess"]


def address(server: PageServer, game: str, **query: str) -> str:
    """The address of a game on the page."""
    asked = "&".join(f"{key}={quote(text)}" for key, text in query.items())
    return f"{server.url}/#play/{game}" + (f"?{asked}" if asked else "")


@pytest.mark.parametrize("game", GAMES)
def test_a_complete_game_by_clicks(server: PageServer, running: Any, game: str) -> None:
    """A person beats a random player; the page shows what the rules say, to the end."""
    dice = random.Random(1)
    with Screen(running) as screen:
        screen.page.goto(address(server, game, players="human|random", seed="3"))
        position = screen.wait_until_asked()
        plies = 0
        while not position["over"]:
            move = good_move(screen, dice)
            screen.make(move)
            screen.wait_for_ply(position["ply"] + 1)
            position = screen.wait_until_asked()
            plies += 1
            assert plies < 400
        assert position["outcome"] is not None
        assert screen.page.locator(".end").is_visible()
        assert (
            position["caption"].partition(": ")[2]
            in screen.page.locator(".end, .status").all_inner_texts()[0]
        )


def test_a_newcomer_plays_at_once(server: PageServer, running: Any) -> None:
    """One click on the first page begins a game."""
    with Screen(running) as screen:
        screen.page.goto(server.url)
        screen.page.get_by_role("link", name="Play Razzle Dazzle").click()
        assert screen.wait_until_asked()["ply"] == 0


def test_promotion(server: PageServer, running: Any) -> None:
    """A pawn on the last rank becomes what the person picks."""
    with Screen(running) as screen:
        start = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
        screen.page.goto(address(server, "chess", players="human|random", start=start))
        position = screen.wait_until_asked()
        (move,) = [move for move in position["moves"] if move["text"] == "a7a8n"]
        screen.make(move)
        screen.wait_for_ply(1)
        assert screen.position()["text"].startswith("N")


def test_a_chain_of_passes_and_the_end_of_a_turn(server: PageServer, running: Any) -> None:
    """Razzle's passes go on at once; End turn is a button and a key."""
    with Screen(running) as screen:
        for by_key in False, True:
            screen.page.goto("about:blank")
            screen.page.goto(address(server, "razzle", players="human|human", seed="1"))
            for words in "d1-e1", "e1-f1":
                (move,) = [m for m in screen.wait_until_asked()["moves"] if m["text"] == words]
                ply = screen.position()["ply"]
                screen.make(move)
                screen.wait_for_ply(ply + 1)
            assert screen.position()["mover"] == 0
            if by_key:
                screen.page.keyboard.press("e")
            else:
                screen.page.get_by_role("button", name="End turn").first.click()
            screen.wait_for_ply(3)
            assert screen.position()["mover"] == 1


def test_abilities_of_exchange(server: PageServer, running: Any) -> None:
    """Royal Decree is a button; a combo is a jump and a strike; dice fall."""
    start = "4k3/8/8/4p3/8/2N5/8/4K3 w 0/0 0 0 -"
    with Screen(running) as screen:
        screen.page.goto(address(server, "exchange", players="human|human", start=start))
        position = screen.wait_until_asked()
        (combo,) = [m for m in position["moves"] if m["text"] == "c3e4xe5"]
        screen.make(combo)
        screen.wait_for_ply(2)  # the combo and the die
        state = rz.load("exchange").parse(screen.position()["text"])
        assert state.mover == 1
        assert "e5=" in state.text or "4p3" not in state.text
        screen.page.goto("about:blank")
        screen.page.goto(address(server, "exchange", players="human|human", start=start))
        (decree,) = [m for m in screen.wait_until_asked()["moves"] if m["text"] == "decree"]
        screen.page.get_by_role("button", name=decree["say"]).or_(
            screen.page.get_by_role("button", name="Royal Decree")
        ).first.click()
        screen.wait_for_ply(1)


def test_take_back_and_reload_in_the_middle_of_a_game(server: PageServer, running: Any) -> None:
    """Undo by ply and by turn; a reload shows the same position; so does a restarted server."""
    with Screen(running) as screen:
        screen.page.goto(address(server, "monster", players="human|random", seed="4"))
        for words in "e2e4", "d2d4":
            (move,) = [m for m in screen.wait_until_asked()["moves"] if m["text"] == words]
            ply = screen.position()["ply"]
            screen.make(move)
            screen.wait_for_ply(ply + 1)
        position = screen.wait_until_asked()
        assert position["ply"] == 3
        screen.page.reload()
        assert screen.wait_until_asked()["text"] == position["text"]
        screen.page.get_by_role("button", name="Undo", exact=True).click()
        screen.page.wait_for_function("() => document.querySelector('rz-board').position.ply === 1")
        screen.wait_until_asked()
        (move,) = [m for m in screen.position()["moves"] if m["text"] == "d2d4"]
        screen.make(move)
        screen.wait_for_ply(3)
        assert screen.position()["text"] == position["text"]
        screen.page.get_by_role("button", name="Undo turn").click()
        screen.page.wait_for_function("() => document.querySelector('rz-board').position.ply === 0")


def test_a_game_goes_on_when_the_server_has_forgotten_it(tmp_path: Path, running: Any) -> None:
    """After a restart of the server the page begins the same game again, with its plies."""
    with Screen(running) as screen:
        with serving(tmp_path / "one", "--workers", "1") as first:
            port = first.url.rpartition(":")[2]
            screen.page.goto(address(first, "connect4", players="human|random", seed="2"))
            screen.wait_until_asked()
            screen.click("d1")
            screen.wait_for_ply(2)
            text = screen.wait_until_asked()["text"]
        with serving(tmp_path / "two", "--workers", "1", "--port", port) as second:
            screen.page.goto("about:blank")
            screen.errors.clear()  # of the connection that the first server has closed
            screen.page.goto(f"{second.url}/#play/connect4")
            screen.page.wait_for_function(
                "() => document.querySelector('rz-board')?.position?.ply === 2"
            )
            assert screen.wait_until_asked()["text"] == text
            screen.page.goto("about:blank")


def test_by_keyboard_alone(server: PageServer, running: Any) -> None:
    """A move by arrow keys and Enter; squares have names for screen readers."""
    with Screen(running) as screen:
        screen.page.goto(address(server, "chess", players="human|random", seed="1"))
        screen.wait_until_asked()
        screen.page.evaluate("document.querySelector('.frame rz-board').focus()")
        focused = "document.querySelector('.frame rz-board').shadowRoot.activeElement"
        if screen.page.evaluate(f"{focused} === null"):
            screen.page.locator(".frame [data-square][tabindex='0']").focus()

        def square() -> str:
            found: str = screen.page.evaluate(f"{focused}.dataset.square")
            return found

        def walk(to: str) -> None:
            for _ in range(20):
                at = square()
                if at == to:
                    return
                across, up = ord(to[0]) - ord(at[0]), int(to[1]) - int(at[1])
                key = ("ArrowRight" if across > 0 else "ArrowLeft") if across else (
                    "ArrowUp" if up > 0 else "ArrowDown"
                )  # fmt: skip
                screen.page.keyboard.press(key)
            raise AssertionError(f"it does not get to {to}")

        walk("e2")
        assert "pawn" in screen.page.evaluate(f"{focused}.getAttribute('aria-label')")
        screen.page.keyboard.press("Enter")
        walk("e4")
        screen.page.keyboard.press("Enter")
        screen.wait_for_ply(2)
        assert screen.page.locator(".frame [role=grid]").count() == 1
        assert screen.page.locator(".frame [role=gridcell]").count() == 64


@pytest.mark.parametrize("view", ["", "play/monster", "watch", "runs", "rules", "pieces"])
def test_every_view_fits_a_phone(server: PageServer, running: Any, view: str) -> None:
    """No view is wider than the screen, for the owner and for visitors."""
    for start in server.url + "/", server.owner_url:
        with Screen(running, PHONE) as screen:
            screen.page.goto(start)
            screen.page.goto(f"{server.url}/#{view}")
            screen.page.wait_for_load_state("networkidle")
            wide = screen.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"]


def test_touch_on_a_phone(server: PageServer, running: Any) -> None:
    """A tap on a column drops a man."""
    with Screen(running, PHONE, has_touch=True, is_mobile=True) as screen:
        screen.page.goto(address(server, "connect4", players="human|random", seed="2"))
        screen.wait_until_asked()
        screen.page.locator(".frame [data-square='d3']").tap(force=True)
        screen.wait_for_ply(2)


def test_what_it_thinks(server: PageServer, running: Any) -> None:
    """Live analysis shows moves with shares, and follows the game."""
    with Screen(running) as screen:
        screen.page.goto(address(server, "chess", players="human|human"))
        screen.wait_until_asked()
        screen.page.locator(".think select").select_option("live")
        screen.page.wait_for_function(
            "() => /%/.test(document.querySelector('.think .lines')?.textContent ?? '')"
        )
