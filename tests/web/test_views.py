"""Watch, Runs, Rules and Pieces in a real browser."""

from pathlib import Path
from typing import Any

import pytest

import rulezero as rz
from support.browser import Screen, needs_chromium
from support.page_server import PageServer, serving

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of games."""
    path = tmp_path_factory.mktemp("page")
    with rz.Store(path / "runs" / "friends") as store:
        for record in rz.match("exchange", "puct:sims=30", "random", games=2, seed=1).records:
            store.add(record)
    return path


def open_game(screen: Screen, server: PageServer) -> None:
    """Opens the first recorded game of the owner."""
    screen.page.goto(server.owner_url)
    screen.page.get_by_role("link", name="Watch").click()
    screen.page.get_by_role("link", name="friends").first.click()
    screen.page.locator("a[href^='#watch/'][href*='/']").filter(has_text="puct").first.click()
    screen.page.wait_for_selector(".player-bar input[type=range]")


def test_a_recorded_game_is_watched_to_its_end(server: PageServer, running: Any) -> None:
    """The slider shows every position up to the last, whose text is that of the rules."""
    with rz.Store(server.place / "friends") as store:
        lasts = {
            rz.load(record.game)
            .replay(record.start, record.action_numbers().tolist())
            .text: record.plies
            for record in store
        }
    with Screen(running) as screen:
        open_game(screen, server)
        slider = screen.page.locator(".player-bar input[type=range]")
        last = int(slider.get_attribute("max") or 0)
        assert last in lasts.values()
        for at in range(0, last + 1, 7):
            slider.fill(str(at))
            assert screen.board("position.ply") == at
        slider.focus()
        screen.page.keyboard.press("End")
        screen.page.wait_for_function(
            f"() => document.querySelector('rz-board').position.ply === {last}"
        )
        assert lasts[screen.position()["text"]] == last
        assert screen.position()["over"]


def test_a_recorded_game_is_continued_from_a_ply(server: PageServer, running: Any) -> None:
    """Continue from here opens the game with the plies up to this one."""
    with Screen(running) as screen:
        open_game(screen, server)
        screen.page.locator(".player-bar input[type=range]").fill("10")
        text = screen.position()["text"]
        screen.page.get_by_role("button", name="Continue from here").first.click()
        start = screen.page.get_by_role("button", name="Play", exact=True)
        if start.count():
            start.first.click()
        screen.page.wait_for_selector(".play .frame rz-board")
        screen.page.wait_for_function(
            "() => document.querySelector('.play .frame rz-board').position?.ply >= 10"
        )
        plies = screen.page.evaluate("document.querySelector('.frame rz-board').position.ply")
        assert plies > 10 or screen.position()["text"] == text


def test_back_from_a_continued_game(server: PageServer, running: Any) -> None:
    """Back shows the position from which the game was continued."""
    with Screen(running) as screen:
        open_game(screen, server)
        screen.page.locator(".player-bar input[type=range]").fill("10")
        screen.page.evaluate(
            "[...document.querySelectorAll('button')]"
            ".find((each) => each.textContent === 'Continue from here').click()"
        )
        screen.page.wait_for_selector(".play .frame rz-board")
        screen.wait_until_asked()
        screen.page.go_back()
        screen.page.locator(".player-bar output").filter(has_text="10 of").wait_for()


def test_earlier_plies_of_a_continued_game_are_shown(server: PageServer, running: Any) -> None:
    """Every position before the one where a game goes on can be looked at, also after a reload."""
    with Screen(running) as screen:
        open_game(screen, server)
        screen.page.locator(".player-bar input[type=range]").fill("12")
        screen.page.get_by_role("button", name="Continue from here").first.click()
        screen.page.wait_for_selector(".play .frame rz-board")
        order = "JSON.parse(localStorage.getItem('rz.table.exchange'))"
        for _ in range(2):
            asked = screen.wait_until_asked()
            actions = screen.page.evaluate(f"{order}.actions")
            start = screen.page.evaluate(f"{order}.start")
            state: rz.State | None = rz.load("exchange").replay(start, actions)
            assert state is not None
            assert asked["text"] == state.text
            for _ in range(len(actions)):
                state = state.before if state is not None else None
                assert state is not None
                if state.mover == rz.CHANCE:
                    continue  # the arrow goes on to the choice
                screen.page.keyboard.press("ArrowLeft")
                screen.page.wait_for_function(
                    f"() => document.querySelector('rz-board').position.text === {state.text!r}"
                )
            assert screen.page.locator(".past").inner_text().startswith("The start")
            for ply in screen.page.locator(".moves .ply").all()[:6]:
                ply.click()
                number = ply.get_attribute("data-ply")
                screen.page.wait_for_selector(f".moves .at[data-ply='{number}']")
            screen.button("Back to the game").click()
            assert screen.position()["text"] == asked["text"]
            screen.page.reload()


def test_any_player_can_play_on(server: PageServer, running: Any) -> None:
    """The owner types players; what is wrong with one is said in a line, and no game begins."""
    with Screen(running) as screen:
        open_game(screen, server)
        screen.page.locator(".player-bar input[type=range]").fill("6")
        screen.page.get_by_text("Player against player").click()
        first, second = screen.page.locator(".on .player").all()
        for player in first, second:
            player.locator("select").select_option("another")
        wrong, go = screen.page.locator(".on .wrong"), screen.button("Let them play on")
        for text, words in {
            "puct:simms=4": "did you mean 'sims'",
            "puct:net=nowhere": "nowhere",
            "magic": "magic",
        }.items():
            first.locator("input").fill(text)
            second.locator("input").fill("random")
            go.click()
            wrong.filter(has_text=words).wait_for()
            assert "\n" not in wrong.inner_text().strip()
            assert screen.page.url.find("#watch/") > 0
        screen.errors.clear()  # the browser logs refused requests
        first.locator("input").fill("ucb1:sims=3")
        second.locator("input").fill("alphabeta:depth=1,draw_value=0.1")
        go.click()
        screen.page.wait_for_selector(".play .frame rz-board")
        screen.page.wait_for_function(
            "() => document.querySelector('.play .frame rz-board').position?.ply > 6"
        )
        strips = " ".join(screen.page.locator(".strip").all_inner_texts()).lower()
        assert "ucb1:sims=3" in strips
        assert "alphabeta:depth=1" in strips


def test_planes_have_names(server: PageServer, running: Any) -> None:
    """What the net sees is shown with the name of each plane."""
    with Screen(running) as screen:
        open_game(screen, server)
        screen.page.get_by_text("What the net sees").click()
        captions = screen.page.locator(".planes figcaption")
        captions.first.wait_for()
        names = captions.all_inner_texts()
        assert names[:2] == ["White king", "White queens"]
        assert set(names) <= set(rz.load("exchange").facts.plane_names)


def test_curves_move_while_a_run_trains(server: PageServer, running: Any) -> None:
    """A run that is started on the page shows its progress, and more points on its curves."""
    with Screen(running) as screen:
        screen.page.goto(server.owner_url)
        screen.page.get_by_role("link", name="Runs").click()
        screen.page.get_by_role("button", name="run").first.click()
        form = screen.page.locator("dialog form")
        form.locator("input[name=recipe][value=razzle]").check(force=True)
        form.locator("input[name=preset][value=tiny]").check(force=True)
        form.locator("input[name=name]").fill("mine")
        form.get_by_role("button", name="Start training").click()
        points = (
            "() => Math.max(0, ...[...document.querySelectorAll('.js-plotly-plot')]"
            ".flatMap((plot) => plot.data.map((line) => line.x?.length ?? 0)))"
        )
        screen.page.wait_for_url("**/#runs/*")
        screen.page.wait_for_function(f"() => ({points})() >= 1", timeout=120_000)
        before = screen.page.evaluate(points)
        screen.page.wait_for_function(f"() => ({points})() > {before}", timeout=120_000)
        screen.page.get_by_text("finished").first.wait_for(timeout=120_000)
    run = rz.open_run(server.place / "mine")
    assert run.progress().is_done


def test_pieces_show_a_mistake_and_then_a_diagram(server: PageServer, running: Any) -> None:
    """The line with a mistake is named; the corrected piece is drawn, and can be played."""
    good = (
        "hopper:\n  name: Hopper\n  symbol: H\n  value: 3\n  moves:\n    - type: leap\n"
        "      vectors: [[2, 0], [0, 2], [-2, 0], [0, -2]]\n"
    )
    with Screen(running) as screen:
        screen.page.goto(f"{server.url}/#pieces")
        field = screen.page.locator("textarea.yaml")
        field.fill(good.replace("leap", "lep"))
        screen.page.get_by_text("Line 6").first.wait_for()
        field.fill(good)
        screen.page.get_by_text("No mistake found").first.wait_for()
        screen.page.get_by_role("heading", name="Hopper").first.wait_for()
        screen.page.get_by_role("button", name="Play it").first.click()
        position = screen.wait_until_asked()
        assert position["ply"] == 0
        assert any("H" in str(cell[0]).upper() for row in position["cells"] for cell in row)


def test_rules_are_shown_and_tried(server: PageServer, running: Any) -> None:
    """Each game has its page, and men of its start position can be moved there."""
    with Screen(running) as screen:
        screen.page.goto(f"{server.url}/#rules/razzle")
        screen.page.get_by_role("heading", name="Razzle Dazzle").first.wait_for()
        screen.page.wait_for_function(
            "() => document.querySelector('rz-board')?.position?.moves.length > 0"
        )
        assert screen.page.locator("img").count() >= 1
        for square in "b1", "c3":
            screen.page.locator(f"[data-square='{square}']").first.click(force=True)
        screen.page.wait_for_function(
            "() => document.querySelector('rz-board').position.mover === 1"
        )


@pytest.mark.parametrize("view", ["watch", "runs"])
def test_visitors_see_a_friendly_line(server: PageServer, running: Any, view: str) -> None:
    """What only the owner may see says so, without an error."""
    with Screen(running) as screen:
        screen.page.goto(f"{server.url}/#{view}")
        screen.page.get_by_text("owner").first.wait_for()


def test_the_owner_of_a_game_in_python(tmp_path: Path, running: Any) -> None:
    """A game of the owner is offered, and played by clicks."""
    from support import documents

    path = tmp_path / "mine.py"
    path.write_text(documents.tic_tac_toe(), encoding="utf-8")
    with serving(tmp_path / "page", str(path), "--workers", "1") as own, Screen(running) as screen:
        screen.page.goto(own.url)
        screen.page.get_by_role("link", name="Play tictactoe").click()
        screen.wait_until_asked()
        screen.click("b2")
        screen.wait_for_ply(2)
