"""The Play view in a real browser: the dialog, the tools, hints, and connections that end."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.browser import PHONE, Screen, needs_chromium
from support.page_server import PageServer, serving

pytestmark = needs_chromium


def open_game(screen: Screen, server: PageServer, game: str, **query: str) -> None:
    """Opens a game, and waits until a person is asked."""
    asked = "&".join(f"{key}={quote(text)}" for key, text in query.items())
    screen.page.goto(f"{server.url}/#play/{quote(game)}?{asked}")
    screen.wait_until_asked()


def test_a_wrong_player_leaves_the_dialog_open(server: PageServer, running: Any) -> None:
    """The dialog says what is wrong, and keeps what was typed."""
    with Screen(running) as screen:
        screen.page.goto(server.owner_url)
        screen.page.get_by_role("button", name="Options").first.click()
        dialog = screen.page.locator("dialog.setup")
        dialog.locator("summary").click()
        typed = dialog.get_by_label("A player's text")
        for text in "puct:net=runs/first,sims=4", "foo", "puct:sims=-1":
            typed.fill(text)
            dialog.get_by_role("button", name="Start").click()
            dialog.locator("footer .wrong").filter(has_text=re.compile(r"\w")).wait_for()
            assert typed.input_value() == text
        screen.errors.clear()  # the browser logs refused requests
        typed.fill("puct:sims=4")
        dialog.get_by_role("button", name="Start").click()
        dialog.wait_for(state="detached")
        screen.page.wait_for_selector(".play .frame rz-board")


def test_nobody_plays(server: PageServer, running: Any) -> None:
    """Each side has a list of its own."""
    with Screen(running) as screen:
        screen.page.goto(server.url)
        screen.page.get_by_role("button", name="Options").nth(2).click()
        dialog = screen.page.locator("dialog.setup")
        dialog.locator("label.choice", has_text="Nobody").click()
        dialog.get_by_label("White's player", exact=True).select_option("level:beginner")
        dialog.get_by_label("Black's player", exact=True).select_option("another")
        dialog.get_by_label("Black's player as text").fill("random")
        dialog.get_by_role("button", name="Start").click()
        screen.wait_for_ply(2)
        strips = " ".join(screen.page.locator(".strip").all_inner_texts()).lower()
        assert "beginner" in strips
        assert "random" in strips


def test_tab_stops_once_at_each_game(server: PageServer, running: Any) -> None:
    """The keyboard reaches the links and buttons of the games, and no small board."""
    with Screen(running) as screen:
        screen.page.goto(server.url)
        screen.page.get_by_role("link", name="Play Connect Four").wait_for()
        screen.page.wait_for_function(
            "() => [...document.querySelectorAll('.thumb rz-board')].every((b) => b.position)"
        )
        stops = []
        for _ in range(24):
            screen.page.keyboard.press("Tab")
            stops.append(screen.page.evaluate("document.activeElement.tagName"))
        assert "RZ-BOARD" not in stops
        assert set(stops) <= {"A", "BUTTON", "BODY"}


def test_too_many_tabs(server: PageServer, running: Any) -> None:
    """A page that the server refuses says why, and does not connect again by itself."""
    with Screen(running) as screen:
        opened = []

        def refuse(socket: Any) -> None:
            opened.append(socket)
            socket.close(code=4001, reason="Too many tabs are open: close one of them.")

        screen.page.route_web_socket("**/ws/play", refuse)
        screen.page.goto(f"{server.url}/#play/chess")
        lost = screen.page.locator(".lost")
        lost.filter(has_text="Too many tabs are open").wait_for()
        screen.page.wait_for_timeout(1_000)
        assert len(opened) == 1
        assert lost.get_by_role("button").is_visible()


def test_a_turned_board_stays_turned(tmp_path: Path, running: Any) -> None:
    """After a reload, and when the server has forgotten the game."""
    turned = "() => document.querySelector('.frame rz-board')?.flipped === true"
    with Screen(running) as screen:
        with serving(tmp_path / "one", "--workers", "1") as first:
            port = first.url.rpartition(":")[2]
            open_game(screen, first, "chess", players="human|random")
            screen.button("Flip").click()
            screen.page.wait_for_function(turned)
            screen.page.reload()
            screen.wait_until_asked()
            screen.page.wait_for_function(turned)
        screen.page.locator(".lost").filter(has_text="Trying again").wait_for()
        with serving(tmp_path / "two", "--workers", "1", "--port", port):
            screen.page.locator(".lost").wait_for(state="hidden")
            screen.wait_until_asked()
            assert screen.page.evaluate(f"({turned})()")
            screen.page.goto("about:blank")
        screen.errors.clear()  # of the connection that the first server has closed


def test_live_analysis_shows_its_best_move(server: PageServer, running: Any) -> None:
    """An arrow for a hint stays when the analysis begins, which then has one of its own."""
    arrows = "document.querySelector('.frame rz-board').arrows.length"
    with Screen(running) as screen:
        open_game(screen, server, "chess", players="human|random", seed="1")
        screen.button("Hint").click()
        screen.page.wait_for_function(f"() => {arrows} > 0")
        screen.page.locator(".think select").select_option("live")
        assert screen.page.evaluate(arrows) > 0
        screen.page.locator(".think .line").first.wait_for()
        screen.page.wait_for_function(f"() => {arrows} > 0")
        screen.page.locator(".think .line").nth(1).hover()
        screen.page.mouse.move(5, 5)
        screen.page.wait_for_function(f"() => {arrows} === 1")


def test_a_line_is_played_through(server: PageServer, running: Any) -> None:
    """A click on a line of the analysis shows its positions; the game itself stays."""
    with Screen(running) as screen:
        open_game(screen, server, "chess", players="human|random", seed="1")
        text = screen.position()["text"]
        screen.page.get_by_role("button", name="Analyse this position").click()
        screen.page.locator(".think .then").first.wait_for()
        screen.page.locator(".think .line").first.click()
        screen.wait_for_ply(2)
        assert not screen.board("interactive")
        screen.button("Back to the game").click()
        assert screen.position()["text"] == text
        assert screen.board("interactive")
        assert screen.page.locator(".scale").is_visible()


def test_resigning_asks_once(server: PageServer, running: Any) -> None:
    """No takes it back; Yes ends the game. The tools keep their places."""
    with Screen(running) as screen:
        open_game(screen, server, "chess", players="human|random", seed="1")
        places = "[...document.querySelectorAll('.tool')].filter((t) => !t.hidden).length"
        before = screen.page.evaluate(places)
        screen.button("Resign").click()
        assert screen.page.locator(".sure").inner_text().split() == ["Resign?", "Yes", "No"]
        screen.button("No").click()
        assert screen.button("Resign").is_visible()
        assert screen.page.evaluate(places) == before
        screen.button("Resign").click()
        screen.button("Yes").click()
        screen.page.get_by_role("heading", name="You lost").wait_for()


def test_moves_without_squares_are_near(server: PageServer, running: Any) -> None:
    """They are above the tools beside the board, and below the board on a phone."""
    for size, above in (None, ".tools"), (PHONE, ".strip"):
        with Screen(running, *([size] if size else [])) as screen:
            open_game(screen, server, "exchange", players="human|random", seed="1")
            decree = screen.page.get_by_role("button", name="Royal Decree").bounding_box()
            below = screen.page.locator(above).last.bounding_box()
            assert decree["y"] + decree["height"] <= below["y"]
            assert decree["y"] + decree["height"] <= (size or {"height": 800})["height"]


def test_unusual_pieces_have_names_and_moves(server: PageServer, running: Any) -> None:
    """A tap on a piece says what it is; a panel shows how the pieces move."""
    with Screen(running) as screen:
        open_game(screen, server, "random_chess:pieces=custom", players="human|random", seed="3")
        screen.page.locator(".men summary", has_text="Nightrider").click()
        assert screen.page.locator(".men details[open] svg.diagram").count() >= 1
        screen.click("b1")
        screen.page.locator(".tray").filter(has_text="Nightrider: Repeats").wait_for()
        tip = screen.page.locator(".frame [data-square='a1'] title")
        assert tip.evaluate("(title) => title.textContent").startswith("Cannon: ")


def test_turns_of_several_moves_are_told_apart(server: PageServer, running: Any) -> None:
    """A line of an analysis of Monster Chess has White's two moves together."""
    with Screen(running) as screen:
        open_game(screen, server, "monster", players="human|random", seed="1")
        screen.page.locator(".think select").select_option("live")
        line = screen.page.locator(".think .then").first
        line.filter(has_text=" / ").wait_for()
        first, *_ = line.inner_text().split(" / ")
        assert len(first.split()) == 2


@pytest.mark.parametrize("game", ["chess", "connect4"])
def test_nothing_leaves_the_box_of_a_board(server: PageServer, running: Any, game: str) -> None:
    """Boards and pictures cut off what they would paint outside; Connect Four is blue."""
    with Screen(running) as screen:
        open_game(screen, server, game, players="human|human")
        board = "document.querySelector('.frame rz-board')"
        assert screen.page.evaluate(f"getComputedStyle({board}).contain") == "paint"
        svg = f"{board}.shadowRoot.querySelector('svg')"
        assert screen.page.evaluate(f"{svg}.classList.contains('falls')") is (game == "connect4")
        if game == "chess":
            picture = f"getComputedStyle({board}.shadowRoot.querySelector('.man svg')).overflow"
            assert screen.page.evaluate(picture) == "hidden"
