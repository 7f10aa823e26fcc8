"""Addresses of the page that are damaged, wrong or of another owner, in a real browser."""

import json
import re
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from support.browser import Screen, needs_chromium
from support.page_server import PageServer, serving

pytestmark = needs_chromium


def title(screen: Screen, words: str) -> None:
    """Waits for a heading."""
    screen.page.get_by_role("heading", name=re.compile(words)).first.wait_for()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        pytest.param("play/%E0%A4%A", "There is no game “%E0%A4%A”", id="malformed"),
        pytest.param("constructor", "There is no view “constructor”", id="constructor"),
        pytest.param("__proto__", "There is no view “__proto__”", id="proto"),
        pytest.param("toString/x", "There is no view “toString”", id="toString"),
        pytest.param("rules/zzz", "There is no game “zzz”", id="rules"),
        pytest.param("pieces/toString", "There is no page “toString”", id="pieces"),
        pytest.param("runs/../x", r"There is no run “\.\.”", id="runs"),
        pytest.param("runs/zzz", "There is no run “zzz”", id="run"),
    ],
)
def test_an_address_without_a_view(
    server: PageServer, running: Any, address: str, words: str
) -> None:
    """What does not exist is said in a heading, and the page goes on."""
    with Screen(running) as screen:
        screen.page.goto(server.owner_url)
        title(screen, "Play a game")
        screen.page.goto(f"{server.url}/#{address}")
        title(screen, words)
        screen.page.get_by_role("link", name="Rules").first.click()
        title(screen, "Monster Chess")


@pytest.mark.parametrize("view", ["play", "watch", "runs", "rules", "pieces"])
def test_a_wrong_secret_is_said_in_every_view(server: PageServer, running: Any, view: str) -> None:
    """The notice is above the view, and can be closed."""
    with Screen(running) as screen:
        screen.page.goto(f"{server.url}/#owner=wrong&go={view}")
        notice = screen.page.locator(".notice")
        notice.filter(has_text="the secret is wrong").or_(
            notice.filter(has_text="The secret is wrong")
        ).wait_for()
        screen.errors.clear()  # the browser logs the refusal
        notice.get_by_role("button", name="Close").click()
        assert notice.count() == 0


def shared(value: object) -> str:
    """A value as the page packs it into a link."""
    data = zlib.compress(json.dumps(value).encode())
    return urlsafe_b64encode(data).decode().rstrip("=")


@pytest.mark.parametrize("value", [None, 5, [], {"pieces": 5}, {"pieces": "a: b", "rank": [1]}])
@pytest.mark.parametrize("tab", ["pieces", "pieces/board"])
def test_a_link_of_another_form_is_damaged(
    server: PageServer, running: Any, tab: str, value: object
) -> None:
    """The editors say so, and offer what they offer without a link."""
    with Screen(running) as screen:
        screen.page.goto(f"{server.url}/#{tab}?share={shared(value)}")
        screen.page.get_by_text("This link is damaged").wait_for()
        screen.page.get_by_text(re.compile("No mistake found|Legal position")).first.wait_for()


def test_a_shared_position_is_shown(server: PageServer, running: Any) -> None:
    """A link of the right form opens its position."""
    text = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
    with Screen(running) as screen:
        link = shared({"game": "chess", "text": text})
        screen.page.goto(f"{server.url}/#pieces/board?share={link}")
        screen.page.get_by_text("Legal position").first.wait_for()
        assert screen.page.locator("textarea.position").input_value() == text


def test_the_owner_of_a_server_that_has_begun_anew(tmp_path: Path, running: Any) -> None:
    """The page shows the visitor's words as soon as the server does not know the owner."""
    with Screen(running) as screen:
        with serving(tmp_path / "one", "--workers", "1") as first:
            port = first.url.rpartition(":")[2]
            screen.page.goto(first.owner_url)
            screen.page.get_by_role("link", name="Runs").click()
            screen.page.get_by_role("button", name="New run").wait_for()
        with serving(tmp_path / "two", "--workers", "1", "--port", port):
            screen.page.get_by_text("Runs are for the owner").wait_for()
            screen.page.goto("about:blank")
        screen.errors.clear()  # of the connection that the first server has closed
