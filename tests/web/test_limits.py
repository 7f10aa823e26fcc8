"""What visitors cannot do to a server of the page: fill it, block it, or log its owner out."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

import rulezero as rz
from rulezero.web.limits import MOST_VISITORS
from rulezero.web.visitors import Visitors
from support.page_server import Page, PageServer, serving

CHESS = "chess:draws=none"
PROXY = ("--proxy", "127.0.0.1")  # so that tests have addresses of their own


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """A server that believes a proxy on this machine, with one search process."""
    with serving(tmp_path_factory.mktemp("proxied"), "--workers", "1", *PROXY) as made:
        yield made


def at(address: str) -> dict[str, str]:
    """The header that a proxy adds for a visitor at an address."""
    return {"X-Forwarded-For": address}


def long_game(plies: int) -> list[int]:
    """Legal choices of a game that does not end."""
    dice = random.Random(1)
    state = rz.load(CHESS).start()
    while len(state.actions) < plies:
        state = state.apply(dice.choice(state.legal))
        assert not state.is_over
    return state.actions


def memory(server: PageServer) -> float:
    """MiB that the server's process has in memory."""
    text = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024


def test_long_games_fill_neither_memory_nor_time(proxied: PageServer) -> None:
    """Games that no page shows keep only their choices; meanwhile others are served."""
    actions = long_game(3_000)
    slowest = 0.0
    with proxied.visitor() as other:
        for number in range(9):
            with proxied.visitor() as visitor, Page(proxied, visitor, **at("9.0.0.1")) as page:
                if number == 1:
                    before = memory(proxied)  # after the first game: caches are full
                page.say("new", game=CHESS, players=["human", "human"], actions=actions)
                for _ in range(5):
                    begun = time.monotonic()
                    other.get("/api/me", headers=at("9.0.0.2"))
                    slowest = max(slowest, time.monotonic() - begun)
                assert len(page.until_event("table")["plies"]) == 3_000
    assert slowest < 0.5
    assert memory(proxied) - before < 8


def test_an_address_has_a_share_of_the_memory(proxied: PageServer) -> None:
    """Games that pages show cannot grow beyond it; others are not concerned."""
    actions = long_game(4_900)
    with proxied.visitor() as visitor, proxied.visitor() as other:
        pages = [Page(proxied, visitor, **at("9.0.1.1")) for _ in range(12)]
        said = ""
        try:
            for page in pages:
                page.__enter__()
                page.say("new", game=CHESS, players=["human", "human"], actions=actions)
                found = page.until(lambda message: message["event"] in ("table", "error"))
                said = found.get("words", "")
                if said:
                    break
            assert "too much memory" in said
            with Page(proxied, other, **at("9.0.1.2")) as theirs:
                theirs.say("new", game=CHESS, players=["human", "human"], actions=actions)
                assert len(theirs.until_event("table")["plies"]) == 4_900
        finally:
            for each in pages[: pages.index(page) + 1]:
                each.__exit__(None, None, None)


def test_a_crowded_address_does_not_block_others(proxied: PageServer) -> None:
    """Its searches take turns with those of other addresses; the owner comes first."""
    slow = "alphabeta:depth=6"
    with (
        proxied.visitor() as greedy,
        proxied.visitor() as other,
        proxied.visitor(is_owner=True) as owner,
    ):
        crowd = [Page(proxied, greedy, **at("9.0.2.1")) for _ in range(8)]
        try:
            for page in crowd:
                page.__enter__()
                page.say("new", game="chess", players=[slow, "human"])
                page.until_event("thinking")
            for address, client in ("9.0.2.2", other), ("9.0.2.3", owner):
                begun = time.monotonic()
                with Page(proxied, client, **at(address)) as mine:
                    mine.say("new", game="chess", players=["ucb1:sims=4", "human"])
                    while not mine.plies:
                        mine.hear()
                assert time.monotonic() - begun < 12  # one search of 5 s, not eight
        finally:
            for page in crowd:
                page.__exit__(None, None, None)


def test_games_without_a_person_are_few(proxied: PageServer) -> None:
    """An address has two of them at a time; a third is paused, and says so."""
    players = ["alphabeta:depth=6", "alphabeta:depth=6"]
    address = at("9.0.3.1")
    with (
        proxied.visitor() as one,
        proxied.visitor() as two,
        Page(proxied, one, **address) as first,
        Page(proxied, two, **address) as second,
    ):
        for page in first, second:
            page.say("new", game="chess", players=players)
            page.until_event("thinking")
        with Page(proxied, two, **at("9.0.3.1")) as third:
            third.say("new", game="chess", players=players)
            assert "without a person" in third.until_event("error")["words"]
            assert third.until_event("position")["paused"]
            first.say("pause", on=True)
            first.until(lambda message: bool(message.get("paused")))
            first.say("go")
            first.until(lambda message: message["event"] == "thinking" and message["seat"] is None)
            third.say("pause", on=False)
            third.until_event("thinking")


def test_strangers_cannot_log_the_owner_out(proxied: PageServer) -> None:
    """Visitors are made by the first request of the page's script; the owner is never forgotten."""
    assert "set-cookie" not in httpx.get(proxied.url).headers
    visitors = Visitors("secret")
    owner, player = visitors.admit_owner(None), visitors.welcome()
    player.tables["a game"] = Mock()
    first = visitors.welcome()
    for _ in range(2 * MOST_VISITORS):
        visitors.welcome()
    assert len(visitors) <= MOST_VISITORS
    assert visitors.find(first.name) is None
    assert visitors.find(player.name) is player  # who has a game
    found = visitors.find(owner.name)
    assert found is owner
    assert found.is_owner


def test_malformed_requests_have_no_tracebacks(proxied: PageServer) -> None:
    """Each is refused, and logged in one line; a flood of them is not logged at all."""
    with proxied.visitor() as visitor:
        assert visitor.get("/", headers={"Host": "[::1"}).status_code == 400
        body = {"secret": "x"}
        bad = visitor.post("/api/owner", json=body, headers={"Origin": "http://["})
        assert bad.status_code == 400
        https = proxied.url.replace("http", "https")
        other = visitor.post("/api/owner", json=body, headers={"Origin": https})
        assert other.status_code == 403
        assert "another site" in other.json()["error"]
        with Page(proxied, visitor) as page:
            page.send(b"\x00\x01")
            with pytest.raises(ConnectionClosed) as closed:
                page.hear()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1003
        log = proxied.log()
        assert "Traceback" not in log
        assert "a binary message" in log
        before = log.count("\n")
        for _ in range(300):
            visitor.post("/api/owner", json=body)
        assert proxied.log().count("\n") - before < 100
        for path in "/openapi.json", "/docs", "/redoc":
            assert visitor.get(path).status_code == 404


def test_too_many_tabs_are_named(proxied: PageServer) -> None:
    """The tab that was used longest ago is closed, with words that the page shows."""
    with proxied.visitor() as visitor:
        tabs = [Page(proxied, visitor).__enter__() for _ in range(17)]
        try:
            with pytest.raises(ConnectionClosed) as closed:
                tabs[0].hear()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4001
            assert "Too many tabs" in closed.value.rcvd.reason
            tabs[-1].say("new", game="connect4", players=["human", "human"])
            tabs[-1].until_event("table")
        finally:
            for tab in tabs:
                tab.__exit__(None, None, None)


def test_the_owners_secret_can_stay(tmp_path: Path) -> None:
    """With --secret, address and log-in stay valid when the server starts again."""
    options = ("--workers", "1", "--secret", str(tmp_path / "secret"))
    with serving(tmp_path / "page", *options) as server, server.visitor(is_owner=True) as owner:
        cookies, secret = dict(owner.cookies), server.secret
    assert (tmp_path / "secret").stat().st_mode & 0o77 == 0
    with serving(tmp_path / "page", *options) as server:
        assert server.secret == secret
        again = httpx.get(f"{server.url}/api/me", cookies=cookies)
        assert again.json()["owner"]
        name, value = cookies.popitem()
        forged = value[:-1] + ("0" if value[-1] != "0" else "1")
        assert not httpx.get(f"{server.url}/api/me", cookies={name: forged}).json()["owner"]


def test_a_server_that_is_ended_twice_is_silent(tmp_path: Path) -> None:
    """A second SIGTERM while it ends leaves no traceback."""
    server = PageServer(tmp_path / "page", "--workers", "1")
    with server.visitor() as visitor, Page(server, visitor):
        server.process.terminate()
        time.sleep(0.3)
        server.process.terminate()
        server.process.wait(timeout=20)
    server.close()
    assert "Traceback" not in server.log()
    assert "CancelledError" not in server.log()
