"""Debian's chromium, driven by Playwright, and a page of the browser that plays moves by clicks."""

import contextlib
import random
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import rulezero as rz

CHROMIUM = shutil.which("chromium")
FLAGS = [
    f"--{name}"
    for name in (
        "headless", "no-sandbox", "disable-gpu", "disable-background-networking",
        "disable-component-update", "disable-sync", "no-first-run",
    )
]  # fmt: skip
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
PATIENCE = 20_000  # milliseconds

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None,
    reason="NOT TESTED: the page in a browser, as there is no chromium: apt-get install chromium",
)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A running chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


class Screen:
    """A page in a browser, in which every error of a script fails the test."""

    def __init__(self, running: Any, size: dict[str, int] = DESKTOP, **more: Any) -> None:
        keys = {"viewport": size, "reduced_motion": "reduce", **more}
        self.context = running.new_context(**keys)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.context.close()
        if kind is None:
            assert self.errors == []

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def board(self, name: str) -> Any:
        """A property of the board that is shown: its game, position, ..."""
        return self.page.evaluate(f"document.querySelector('rz-board').{name}")

    def position(self) -> dict[str, Any]:
        """The position that is shown."""
        found: dict[str, Any] = self.board("position")
        return found

    def wait_until_asked(self) -> dict[str, Any]:
        """Waits until a person must choose, or the game is over; the position."""
        self.page.wait_for_function(
            "() => { const p = document.querySelector('.frame rz-board')?.position;"
            " return p && (p.moves.length > 0 || p.over); }"
        )
        return self.position()

    def wait_for_ply(self, ply: int) -> None:
        """Waits until so much has been chosen."""
        self.page.wait_for_function(
            f"() => document.querySelector('rz-board')?.position?.ply >= {ply}"
        )

    def click(self, square: str) -> None:
        """Clicks a square of the board."""
        self.page.locator(f".frame [data-square='{square}']").click(force=True)

    def make(self, move: dict[str, Any]) -> None:
        """Makes a move by clicks: its squares, and a button or the picker where it has to be."""
        before = self.position()["text"]
        if not move["touches"]:
            words = re.compile(rf"\b{move['say']}\b", re.IGNORECASE)
            self.page.locator(".tray button").filter(has_text=words).first.click()
        for step in move["touches"]:
            if self.position()["text"] != before:
                return  # nothing else was possible
            self.click(step[0])
        if self.position()["text"] == before:
            self._finish(move, before)

    def _finish(self, move: dict[str, Any], before: str) -> None:
        """Chooses among moves with the same squares, or ends one that others go on from."""
        menu = self.page.locator(f".frame [role=menuitem][aria-label='{move['say']}']")
        if menu.count():
            menu.first.click()
            return
        with contextlib.suppress(Exception):
            self.page.wait_for_function(
                f"() => document.querySelector('rz-board').position.text !== {before!r}",
                timeout=1_500,
            )
            return
        self.click(move["touches"][-1][0])

    def button(self, words: str) -> Any:
        """The button with these words."""
        return self.page.get_by_role("button", name=words, exact=True).first


def state_of(screen: Screen) -> rz.State:
    """The state of the position that is shown, without its past."""
    return rz.load(screen.board("game.text")).parse(screen.position()["text"])


def good_move(screen: Screen, dice: random.Random) -> dict[str, Any]:
    """A move that a searcher likes, so that games end soon; sometimes any."""
    position = screen.position()
    state = state_of(screen)
    action = rz.player("alphabeta:depth=2").think(state).action
    if dice.random() < 0.1:
        action = dice.choice(state.legal)
    (move,) = [move for move in position["moves"] if move["action"] == action]
    found: dict[str, Any] = move
    return found
