"""What the server of the page and its commands say to people."""

from pathlib import Path

import httpx
import pytest

from rulezero.web.wording import for_page
from support import commands
from support.page_server import Page, PageServer

SENTENCES = {
    "sims is '999999999'; give a whole number": "sims is '999999999'; give a whole number",
    "depth is '99'; give a number": "depth is '99'; give a number",
    "fit.batch is 0; give a number": "fit.batch is 0; give a number",
    "hooks=/tmp/x.py is no file": "hooks=/tmp/x.py is no file",
    "puct:net=runs/first has no net": "puct:net=runs/first has no net",
    "the net is for razzle": "The net is for razzle",
    "action 1 is not legal here; legal: a2a3 (528)": "This choice is not legal here",
    "entry 1 of entry 1 of vectors is '99'": "The first number of the first vector is '99'",
    "leave it out, or add --set gate=null": "Leave it out, or add the change gate=null",
}


@pytest.mark.parametrize("words", SENTENCES)
def test_sentences(words: str) -> None:
    """Sentences begin with a capital letter; keys, files and players are as they are written."""
    assert for_page(words) == SENTENCES[words]


ADDRESSES = (
    {"players": ["human"]},
    {"players": ["human", "random"], "seed": -1},
    {"players": ["human", "random"], "start": 3},
)


def test_incomplete_addresses(server: PageServer, visitor: httpx.Client) -> None:
    """A share link that is cut says so, without words of a library."""
    with Page(server, visitor) as page:
        for fields in ADDRESSES:
            page.say("new", game="chess", **fields)
            assert page.until_event("error")["words"].startswith("This address is not complete")
        page.say("new", game="chess", players=["human", "net=runs/first"])
        assert "write puct:net=runs/first" in page.until_event("error")["words"]
        page.say("new", game="connect4", players=["human", "human"])
        page.until_event("table")
        page.say("move", action=6000)
        assert page.until_event("error")["words"].startswith("This choice is not legal here")


def test_bodies_are_refused_in_our_words(visitor: httpx.Client) -> None:
    """The field, and what is wrong with it."""
    asked = visitor.post("/api/position", json={"game": "x" * 3000})
    assert asked.json()["error"] == "'game' has more than 2000 characters"
    asked = visitor.post("/api/try", json={"game": "chess", "actions": 3})
    assert asked.json()["error"] == "'actions' must be a list"


def test_nets_are_checked_when_a_game_begins(server: PageServer) -> None:
    """The owner hears at once that a net is missing."""
    with server.visitor(is_owner=True) as owner, Page(server, owner) as page:
        page.say("new", game="chess", players=["human", "puct:net=/nowhere/net"])
        assert "/nowhere/net" in page.until_event("error")["words"]


WRONG = {
    ("serve", "--runs", "README.md"): "is a file",
    ("serve", "--fleet", "x", "--runs", "y"): "a fleet's server does not use it",
    ("serve", "--fleet", "x", "--name", "y"): "a fleet's server does not use it",
    ("serve", "--lease-seconds", "9"): "it needs --fleet RUN",
    ("serve", "--proxy", "here"): "is not an address",
    ("play", "chess", "--web", "--net", "nowhere"): "nowhere",
}


@pytest.mark.parametrize("command", WRONG, ids=" ".join)
def test_commands_that_serve_nothing(command: tuple[str, ...], tmp_path: Path) -> None:
    """One line says what is wrong, before anything is served."""
    file = tmp_path / "README.md"
    file.touch()
    words = [str(file) if word == file.name else word for word in command]
    assert WRONG[command] in commands.fails(*words)
