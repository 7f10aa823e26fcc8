"""Runs in a real browser: curves that grow, games that play by themselves, and two runs at once."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import rulezero as rz
from support import little_runs
from support.browser import DESKTOP, PHONE, Screen, needs_chromium
from support.page_server import PageServer

pytestmark = [needs_chromium, pytest.mark.slow]

_LONG = 120_000  # milliseconds, for a run that trains
_POINTS = """() => [...document.querySelectorAll('.plot')]
    .flatMap((plot) => plot.data ?? []).reduce((sum, { x }) => sum + x.length, 0)"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs."""
    path = tmp_path_factory.mktemp("page")
    (path / "runs").mkdir()
    for name in "little", "other":
        little_runs.copy(path / "runs" / name)
    changes = ["iterations=1", "selfplay.games=4"]
    rz.train("razzle", "tiny", path / "runs" / "unlike", changes=changes, progress=False)
    return path


def open_runs(server: PageServer, screen: Screen) -> Any:
    """The list of runs, as the owner sees it."""
    screen.page.goto(server.owner_url)
    screen.page.get_by_role("link", name="Runs").click()
    screen.page.get_by_role("link", name="little").wait_for()
    return screen.page


def test_a_visitor_is_told_whose_runs_they_are(server: PageServer, running: Any) -> None:
    """One friendly page without errors."""
    with Screen(running, PHONE) as screen:
        screen.page.goto(f"{server.url}/#runs")
        screen.page.get_by_text("Runs are for the owner").wait_for()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_run(server: PageServer, running: Any, size: dict[str, int]) -> None:
    """Curves are drawn, the newest game plays, and the experiment can be searched."""
    with Screen(running, size, reduced_motion="no-preference") as screen:
        page = open_runs(server, screen)
        page.get_by_role("link", name="little").click()
        page.get_by_role("heading", name="Policy loss", exact=True).scroll_into_view_if_needed()
        page.wait_for_function(f"{_POINTS.replace('() => ', '() => 2 < ', 1)}")
        page.locator(".replay rz-board").scroll_into_view_if_needed()
        first = screen.position()["ply"]
        page.wait_for_function(
            f"() => document.querySelector('.replay rz-board').position.ply > {first}"
        )
        if size == PHONE:
            page.locator(".experiment summary").click()
        page.get_by_label("Search the experiment").fill("fit.rate.start")
        assert page.locator(".keys dt").all_text_contents() == ["fit.rate.start"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_runs(server: PageServer, running: Any) -> None:
    """The same figures on the same axes, and in two columns."""
    with Screen(running) as screen:
        page = open_runs(server, screen)
        for name in "little", "other":
            page.get_by_label(f"Compare {name}").check()
        page.get_by_role("button", name="Compare the two").click()
        page.wait_for_function("() => document.querySelector('.plot')?.data?.length >= 2")
        page.locator("label", has_text="Two columns").click()
        page.wait_for_function(
            "() => [...document.querySelectorAll('.chart h3')]"
            ".filter((each) => each.textContent === 'Policy loss').length === 2"
        )


def test_runs_of_different_games(server: PageServer, running: Any) -> None:
    """They are not drawn on the same axes."""
    with Screen(running) as screen:
        page = open_runs(server, screen)
        for name in "little", "unlike":
            page.get_by_label(f"Compare {name}").check()
        page.get_by_role("button", name="Compare the two").click()
        page.locator(".warning", has_text="different games").wait_for()
        assert page.locator("input[name=way]").first.is_disabled()


def test_the_folder_of_a_run_is_gone(server: PageServer, running: Any) -> None:
    """The page of a run says so when its folder is deleted."""
    little_runs.copy(server.place / "deleted")
    with Screen(running) as screen:
        page = open_runs(server, screen)
        page.get_by_role("link", name="deleted").click()
        page.get_by_role("heading", name="Experiment").wait_for()
        shutil.rmtree(server.place / "deleted")
        page.get_by_role("heading", name="This folder is gone").wait_for()
        screen.errors.clear()  # of the requests about it


def test_the_numbers_of_a_run_and_its_nets(server: PageServer, running: Any) -> None:
    """They are downloaded as CSV, and its nets are offered as opponents."""
    with Screen(running) as screen:
        page = open_runs(server, screen)
        page.get_by_role("link", name="little").click()
        page.get_by_role("heading", name="Policy loss", exact=True).wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV").click()
        first, *rows = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert first == "figure,curve,x,y"
        assert any(row.startswith("Policy loss,net,") for row in rows)
        page.goto(f"{server.url}/#play")
        page.locator(".card", has_text="Connect Four").get_by_role("button").click()
        page.locator("dialog summary").click()
        nets = page.get_by_label("A net of your runs")
        nets.select_option(label="little, iteration 1")
        page.get_by_role("button", name="Start").click()
        screen.wait_until_asked()
        assert "iter_1" in " ".join(page.locator(".strip").all_inner_texts()).lower()


def test_few_games_give_no_elo(server: PageServer, running: Any) -> None:
    """The tile says so; terms are explained by a tap."""
    with Screen(running, PHONE) as screen:
        page = open_runs(server, screen)
        page.get_by_role("link", name="little").click()
        page.locator(".tiles", has_text="too few games").wait_for()
        page.get_by_role("button", name="Policy loss").first.click()
        page.locator(".tip", has_text="Smaller is better").wait_for()
        page.keyboard.press("Escape")
        assert page.locator(".chartgroup").count() >= 3
        assert page.locator(".chartgroup[open]").count() == 1


def test_curves_grow_while_a_run_trains(server: PageServer, running: Any) -> None:
    """It is started, stopped and resumed by buttons; a wrong change is explained."""
    with Screen(running) as screen:
        page = open_runs(server, screen)
        page.get_by_role("button", name="New run").click()
        page.locator("label.choice", has_text="connect4").click()
        page.get_by_label("Name").fill("grown")
        page.get_by_text("Changes to the recipe").click()
        page.locator("textarea").fill("iterations=many")
        page.get_by_role("button", name="Start training").click()
        page.locator("dialog .wrong", has_text="iterations").wait_for()
        assert len(screen.errors) == 1  # the browser logs the refusal
        screen.errors.clear()
        page.locator("textarea").fill("iterations=8\nselfplay.games=40")
        page.get_by_role("button", name="Start training").click()
        page.get_by_role("heading", name="Length").wait_for(timeout=_LONG)
        page.get_by_role("heading", name="Length").scroll_into_view_if_needed()
        page.wait_for_function(f"{_POINTS.replace('() => ', '() => 0 < ', 1)}", timeout=_LONG)
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Resume", exact=True).click(timeout=_LONG)
        page.wait_for_function(
            "() => [...document.querySelectorAll('.plot')]"
            ".some((plot) => plot.data?.some(({ x }) => x.length >= 3))",
            timeout=_LONG,
        )
        page.get_by_role("button", name="Train longer").wait_for(timeout=_LONG)
