"""Takes pictures of every view of the page: .venv/bin/python scripts/page_pictures.py.

They are docs/images/VIEW_wide.jpg (1280 pixels) and VIEW_narrow.jpg (390 pixels). The recorded
games and the run that they show are made first, which takes two minutes.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rulezero as rz

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.browser import DESKTOP, PHONE, Screen, browser  # noqa: E402
from support.page_server import PageServer, serving  # noqa: E402

FOLDER = ROOT / "docs" / "images"
_PAUSE = 1_500  # milliseconds for boards and curves to be drawn


def prepare(place: Path) -> None:
    """Recorded games, and a run with curves."""
    with rz.Store(place / "friends") as store:
        for game in "exchange", "monster":
            match = rz.match(game, "puct:sims=400", "puct:sims=100", games=4, opening=2, seed=3)
            for record in match.records:
                store.add(record)
    changes = ["iterations=6", "selfplay.games=40"]
    rz.train("razzle", "tiny", place / "first", changes=changes, workers=2, progress=False)


def games(screen: Screen, _: PageServer) -> None:
    """The first page."""
    screen.page.get_by_role("link", name="Play Razzle Dazzle").wait_for()


def play(screen: Screen, server: PageServer) -> None:
    """A game of EXCHANGE with an analysis."""
    start = "r1bqk2r/ppp2ppp/2n2n2/3pp3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w 0/0 0 12"
    text = f"{start} d5=4,e5=3,f6=6,c6=8,e4=5,f3=7"
    players = "human|level:club"
    screen.page.goto(f"{server.url}/#play/exchange?players={players}&start={text}&seed=5")
    screen.wait_until_asked()
    screen.page.locator(".think select").select_option("live")
    screen.page.wait_for_timeout(4_000)
    screen.click("f3")


def watch(screen: Screen, server: PageServer) -> None:
    """A recorded game."""
    screen.page.goto(f"{server.url}/#watch")
    screen.page.locator("a[href^='#watch/']").first.wait_for(state="attached")
    link = screen.page.get_by_role("link", name="friends").first
    if not link.is_visible():  # the list of stores is folded on a phone
        screen.page.locator("summary").first.click()
    link.click()
    screen.page.locator("a[href^='#watch/'][href*='/']").filter(has_text="puct").first.click()
    screen.page.wait_for_selector(".player-bar input[type=range]")
    screen.page.locator(".player-bar input[type=range]").fill("24")


def runs(screen: Screen, server: PageServer) -> None:
    """A run with its curves."""
    screen.page.goto(f"{server.url}/#runs")
    screen.page.get_by_role("link", name="first").first.click()
    screen.page.get_by_role("heading", name="Newest game").wait_for()
    screen.page.wait_for_timeout(_PAUSE)


def rules(screen: Screen, server: PageServer) -> None:
    """The rules of Razzle Dazzle."""
    screen.page.goto(f"{server.url}/#rules/razzle")
    screen.page.wait_for_selector("img")


def pieces(screen: Screen, server: PageServer) -> None:
    """The editor for pieces."""
    screen.page.goto(f"{server.url}/#pieces")
    screen.page.get_by_text("No mistake found").first.wait_for()


def positions(screen: Screen, server: PageServer) -> None:
    """The editor for positions."""
    screen.page.goto(f"{server.url}/#pieces/board")
    screen.page.get_by_text("Legal position").first.wait_for()


VIEWS: list[Callable[[Screen, PageServer], None]] = [
    games, play, watch, runs, rules, pieces, positions,
]  # fmt: skip


def take(running: Any, server: PageServer) -> None:
    """Takes the pictures."""
    for width, size in ("wide", DESKTOP), ("narrow", PHONE):
        for view in VIEWS:
            with Screen(running, size) as screen:
                screen.page.goto(server.owner_url)
                view(screen, server)
                screen.page.wait_for_timeout(_PAUSE)
                path = FOLDER / f"{view.__name__}_{width}.jpg"
                screen.page.screenshot(path=path, type="jpeg", quality=84)
                print(path.relative_to(ROOT), path.stat().st_size // 1000, "kB")


def main() -> None:
    """Makes what the pictures show, and takes them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder) / "page" / "runs")
        with serving(Path(folder) / "page") as server, browser() as running:
            take(running, server)


if __name__ == "__main__":
    main()
