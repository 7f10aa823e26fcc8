"""Games on the page, as a browser plays them: by messages to a real server."""

import contextlib
import random
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import rulezero as rz
from support import documents
from support.page_server import Page, PageServer, serving
from support.tictactoe import TicTacToe

GAMES = ["monster", "exchange", "razzle", "random_chess", "chess", "connect4"]
QUICK = "ucb1:sims=4"


def replayed(page: Page) -> rz.State:
    """The state after the plies that a page shows, by the rules."""
    game = rz.load(page.table["game"]["text"])
    return game.replay(page.table["start"], [ply["action"] for ply in page.plies])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_is_played_to_its_end(
    server: PageServer, visitor: httpx.Client, name: str, seat: int
) -> None:
    """Every position is that of the rules; moves are listed for the person alone."""
    dice = random.Random(seat)
    players = ["human", QUICK] if seat == 0 else [QUICK, "human"]
    asked = 0
    with Page(server, visitor) as page:
        page.say("new", game=name, players=players, seed=5)
        page.until_event("table")
        while not page.position["over"]:
            page.until_asked()
            if page.position["over"]:
                break
            state = replayed(page)
            assert page.position["text"] == state.text
            assert state.mover == seat
            assert [move["action"] for move in page.position["moves"]] == state.legal
            asked += 1
            if asked > 30:
                page.say("resign")
                page.until(lambda _: page.position["over"])
                assert page.position["outcome"] == (-1.0 if seat == 0 else 1.0)
                assert page.position["reason"] == "resigned"
                return
            page.position["moves"] = []
            page.say("move", action=dice.choice(state.legal))
        state = replayed(page)
        assert (page.position["outcome"], page.position["reason"]) == (
            state.outcome,
            state.end_reason,
        )


def test_choices_after_undo_are_the_same(server: PageServer, visitor: httpx.Client) -> None:
    """A player answers a repeated choice in the same way; dice fall as before."""
    with Page(server, visitor) as page:
        page.say("new", game="exchange", players=["human", QUICK], seed=9)
        page.until_event("table")
        seen = []
        for _ in range(2):
            for number in 0, 3, 1:
                page.until_asked()
                move = page.position["moves"][number]["action"]
                page.position["moves"] = []
                page.say("move", action=move)
            page.until_asked()
            seen.append([ply["action"] for ply in page.plies])
            for _ in range(3):
                page.say("undo", unit="ply")
                page.until_event("position")
            assert page.plies == []
    assert seen[0] == seen[1]


def test_undo_by_ply_and_by_turn(server: PageServer, visitor: httpx.Client) -> None:
    """Monster's second half alone can be taken back, or White's whole turn."""
    with Page(server, visitor) as page:
        page.say("new", game="monster", players=["human", "human"], seed=1)
        page.until_event("table")
        for words in "e2e4", "d2d4", "e7e5":
            (move,) = [m for m in page.position["moves"] if m["text"] == words]
            page.say("move", action=move["action"])
            page.until_event("position")
        for unit, left in ("ply", 2), ("ply", 1), ("ply", 0):
            page.say("undo", unit=unit)
            page.until_event("position")
            assert len(page.plies) == left
        for words in "e2e4", "d2d4":
            (move,) = [m for m in page.position["moves"] if m["text"] == words]
            page.say("move", action=move["action"])
            page.until_event("position")
        page.say("undo", unit="turn")
        page.until_event("position")
        assert page.plies == []
        page.say("undo", unit="turn")
        assert "nothing" not in page.until_event("error")["words"]


def test_touches_are_squares_of_the_board(server: PageServer, visitor: httpx.Client) -> None:
    """Moves name the squares that a person clicks; actions without squares are buttons."""
    with Page(server, visitor) as page:
        page.say("new", game="exchange", players=["human", "human"])
        page.until_event("table")
        kinds = {tuple(map(tuple, m["touches"])) for m in page.position["moves"]}
        assert (("b1",), ("c3",)) in kinds
        assert () in kinds  # Royal Decree
        page.say("new", game="connect4", players=["human", "human"])
        page.until_event("table")
        (step,) = page.position["moves"][3]["touches"]
        assert step == ["d1", "d2", "d3", "d4", "d5", "d6"]


def test_a_game_is_resumed_and_continued(server: PageServer, visitor: httpx.Client) -> None:
    """A reload shows the same game; a game can begin with the plies of another."""
    with Page(server, visitor) as page:
        page.say("new", game="razzle", players=["human", QUICK], seed=3)
        page.until_event("table")
        page.say("move", action=page.position["moves"][0]["action"])
        page.until_event("position")
        page.position["moves"] = []
        page.until_asked()
        shown, plies = page.table, page.plies
    with Page(server, visitor) as page:
        page.say("resume", table=shown["table"])
        page.until_event("table")
        assert page.plies == plies
        page.say(
            "new",
            game="razzle",
            players=["human", "human"],
            start=shown["start"],
            actions=[ply["action"] for ply in plies[:1]],
        )
        page.until_event("table")
        assert page.table["table"] != shown["table"]
        assert [ply["opening"] for ply in page.plies] == [True]


def test_games_are_closed_to_others(server: PageServer, visitor: httpx.Client) -> None:
    """Another visitor cannot open a game, even with its id; this is logged."""
    with Page(server, visitor) as page, server.visitor() as other:
        page.say("new", game="connect4", players=["human", "human"])
        table = page.until_event("table")["table"]
        with Page(server, other) as theirs:
            theirs.say("resume", table=table)
            assert theirs.until_event("error")["code"] == "gone"
            theirs.say("move", action=3)
            assert "No game is open" in theirs.until_event("error")["words"]
        page.say("ping")
        assert page.until_event("pong")
        assert page.plies == []
    assert "the game of another visitor" in server.log()


def test_analysis_follows_the_game(server: PageServer, visitor: httpx.Client) -> None:
    """Live analysis comes in stages, about the position that is shown; it can be turned off."""
    with Page(server, visitor) as page:
        page.say("new", game="monster", players=["human", "human"])
        page.until_event("table")
        page.say("analyse", mode="live", sims=1600)
        found = page.until_event("analysis")
        last = page.until(lambda message: bool(message.get("final")))
        assert found["sims"] <= last["sims"]
        assert abs(sum(last["wdl"]) - 1) < 1e-6
        legal = {move["action"] for move in page.position["moves"]}
        assert {move["action"] for move in last["moves"]} <= legal
        best = last["moves"][0]
        assert best["line"][0] == best["say"]
        assert best["share"] >= last["moves"][-1]["share"]
        page.say("move", action=best["action"])
        assert page.until_event("analysis")["ply"] == 1
        page.say("analyse", mode="off")


def test_values_are_seat_0s(server: PageServer, visitor: httpx.Client) -> None:
    """Whoever moves, a won position of seat 0 has a value near 1."""
    for side in "w", "b":
        start = f"4k3/8/8/8/8/8/QQQQ4/4K3 {side} - - 0 1"
        with Page(server, visitor) as page:
            page.say("new", game="chess", players=["human", "human"], start=start)
            page.until_event("table")
            page.say("analyse", mode="once", sims=1600)
            assert page.until(lambda message: bool(message.get("final")))["value"] > 0.5


def test_a_game_is_reviewed(server: PageServer, visitor: httpx.Client) -> None:
    """A move that gives a piece away loses winning chance."""
    with Page(server, visitor) as page:
        page.say(
            "new", game="chess", players=["human", "human"],
            start="4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1",
        )  # fmt: skip
        page.until_event("table")
        for words in "d2d5", "e8e7", "d5e5", "e7d7":
            (move,) = [m for m in page.position["moves"] if m["text"] == words]
            page.say("move", action=move["action"])
            page.until_event("position")
        page.say("resign")
        page.say("review")
        review = page.until(lambda m: m["event"] == "review" and m["sides"] is not None)
        assert [ply["move"] for ply in review["plies"]] == [ply["say"] for ply in page.plies]
        assert review["done"] == review["total"] == 5
        assert review["plies"][0]["value"] > 0.3


def test_strikes_are_judged_by_expectation(server: PageServer, visitor: httpx.Client) -> None:
    """The value after a strike is the mean over the faces of the die, whichever was rolled."""
    start = "4k3/8/8/3q4/3R4/8/8/4K3 w 0/0 0 40 e1=20:u2,d4=13,d5=9"
    game = rz.load("exchange")
    with Page(server, visitor) as page:
        page.say("new", game="exchange", players=["human", "human"], start=start, seed=4)
        page.until_event("table")
        strike = game.parse(start).read("d4xd5")
        page.say("move", action=strike)
        page.until(lambda _: len(page.plies) == 2)  # and the die
        page.say("resign")
        page.say("review")
        review = page.until(lambda m: m["event"] == "review" and m["sides"] is not None)
    pending = game.parse(start).apply(strike)
    assert pending.mover == rz.CHANCE
    judge = rz.player("puct:sims=400", seed=4)
    values = [
        after.outcome if after.outcome is not None else judge.think(after).value
        for after in (pending.apply(face) for face in pending.legal)
    ]
    assert len(set(values)) > 1
    judged, rolled = review["plies"]
    assert rolled["after"] in values
    assert judged["after"] == pytest.approx(sum(value or 0.0 for value in values) / 6, abs=1e-6)
    assert judged["lost"] is not None
    assert review["sides"][0]["plies"] == 1
    assert rolled["lost"] is None
    assert rolled["mover"] == -1


def test_positions_of_earlier_plies(server: PageServer, visitor: httpx.Client) -> None:
    """The server gives the position after any ply of a game, and says if there is none."""
    game = rz.load("monster")
    states = [game.start()]
    for move in "e2e4", "d2d4", "e7e5", "f2f4":
        states.append(states[-1].apply(states[-1].read(move)))
    with Page(server, visitor) as page:
        actions = states[-1].actions
        page.say("new", game="monster", players=["human", "human"], actions=actions)
        page.until_event("table")
        for ply, state in enumerate(states):
            page.say("look", ply=ply)
            found = page.until_event("past")
            assert (found["ply"], found["position"]["text"]) == (ply, state.text)
        page.say("look", ply=5)
        assert "has 4 plies" in page.until_event("error")["words"]
        page.say("undo")
        page.until_event("position")
        page.say("look", ply=4)
        assert "has 3 plies" in page.until_event("error")["words"]


def test_players_can_change_and_play_each_other(server: PageServer, visitor: httpx.Client) -> None:
    """Two players play to the end; they can be paused."""
    with Page(server, visitor) as page:
        page.say("new", game="connect4", players=["human", "level:club"], seed=1)
        page.until_event("table")
        page.say("players", players=["random", QUICK])
        page.until(lambda _: bool(page.position["over"]))
        assert replayed(page).is_over
        assert [player["kind"] for player in page.table["players"]] == ["human", "level"]


def test_a_player_can_be_hurried(server: PageServer, visitor: httpx.Client) -> None:
    """It moves at once, also if its search still waits behind that of another visitor."""
    slow = "puct:sims=20000,eval=rollout"
    with server.visitor() as other, Page(server, other) as first, Page(server, visitor) as page:
        first.say("new", game="chess", players=[slow, slow])
        first.until_event("thinking")
        page.say("new", game="chess", players=[slow, "human"])
        page.until_event("thinking")
        page.say("go")
        page.until(lambda _: len(page.plies) == 1)
        first.say("pause", on=True)


def test_the_owner_saves_games(server: PageServer, visitor: httpx.Client) -> None:
    """A finished game is a record of people, with the thoughts of the player; others cannot."""
    with server.visitor(is_owner=True) as owner, Page(server, owner) as page:
        page.say("new", game="connect4", players=["human", "puct:sims=30"], seed=1)
        page.until_event("table")
        page.say("save")
        assert "not over" in page.until_event("error")["words"]
        dice = random.Random(2)
        while not page.position["over"]:
            page.until_asked()
            if not page.position["over"]:
                move = dice.choice(page.position["moves"])["action"]
                page.position["moves"] = []
                page.say("move", action=move)
        page.say("save")
        saved = page.until_event("saved")["record"]
        plies = [ply["action"] for ply in page.plies]
    with rz.Store(server.place / "human_games") as store:
        record = store[saved]
    assert record.source == record.purpose == "human"
    assert record.action_numbers().tolist() == plies
    thought = record.thought(1)
    assert thought is not None
    assert thought.sims > 0
    assert abs(sum(thought.shares.values()) - 1) < 1e-3
    assert record.thought(0) is None
    with Page(server, visitor) as page:
        page.say("new", game="connect4", players=["human", "human"])
        page.until_event("table")
        page.say("resign")
        page.until(lambda _: bool(page.position["over"]))
        page.say("save")
        assert "Only the owner" in page.until_event("error")["words"]


def test_games_of_the_owner(tmp_path: Path) -> None:
    """A game in a Python file can be played, with analysis."""
    path = tmp_path / "mine.py"
    path.write_text(documents.tic_tac_toe(), encoding="utf-8")
    with (
        serving(tmp_path / "page", str(path), "--workers", "1") as server,
        server.visitor() as visitor,
        Page(server, visitor) as page,
    ):
        games = visitor.get("/api/games").json()["games"]
        (own,) = [game for game in games if game["name"] == TicTacToe.name]
        page.say("new", game=own["text"], players=["human", "puct:sims=20"])
        page.until_event("table")
        page.say("move", action=4)
        page.until(lambda _: len(page.plies) == 2)


FORGED: dict[str, tuple[dict[str, Any], str]] = {
    "python game": ({"game": "python:file=/etc/passwd.py"}, "no game 'python'"),
    "own file": ({"game": "/tmp/mine.py"}, "not a name"),
    "a file of pieces": ({"game": "random_chess:pieces=/etc/passwd"}, "pieces=/etc/passwd"),
    "path tricks": ({"game": "random_chess:pieces=../../x.yaml"}, "pieces=../../x.yaml"),
    "a net": ({"players": ["human", "puct:net=/etc/passwd"]}, "only its owner"),
    "weights": ({"players": ["human", "heuristic:weights=/etc/passwd"]}, "only its owner"),
    "a billion simulations": ({"players": ["human", "puct:sims=100000000"]}, "at most 20000"),
    "a deep search": ({"players": ["human", "alphabeta:depth=30"]}, "at most depth=6"),
    "memory": ({"players": ["human", "puct:memory=4096"]}, "not open to visitors"),
    "no such level": ({"players": ["human", "level:god"]}, "There is no 'level:god'"),
    "illegal actions": ({"actions": [1, 1, 1, 1, 1, 1, 1, 1]}, "not legal"),
    "a malformed position": ({"start": "9/9 w"}, "board"),
    "pieces that are no YAML": (
        {"game": "random_chess", "pieces": "wizard: [\n"},
        "Line ",
    ),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_games_are_refused(server: PageServer, visitor: httpx.Client, what: str) -> None:
    """One line says what is wrong; it is logged, and the page goes on."""
    changes, words = FORGED[what]
    order: dict[str, Any] = {"game": "connect4", "players": ["human", "random"], **changes}
    with Page(server, visitor) as page:
        page.say("new", **order)
        said = page.until_event("error")["words"]
        assert words in said
        assert "\n" not in said
        page.say("ping")
        page.until_event("pong")
    assert "refused" in server.log()


MALFORMED = [
    "", "{", "[]", "null", '{"do":"jump"}', '{"do":"move"}', '{"do":"move","action":-1}',
    '{"do":"move","action":99999999999}', '{"do":"move","action":"e4"}',
    '{"do":"undo","unit":"all"}',
    '{"do":"new","game":"chess","players":["human"]}', '{"do":"move","action":1,"more":1}',
    '{"do":"analyse","mode":"once","sims":0}', '{"do":"pace","seconds":1e9}', '{"do":"resume"}',
    '{"do":"new","game":"' + "x" * 5000 + '","players":["human","random"]}',
    "[" * 10_000,
]  # fmt: skip


def test_malformed_messages_are_refused(server: PageServer, visitor: httpx.Client) -> None:
    """Each gets one line, and the page goes on."""
    with Page(server, visitor) as page:
        for text in MALFORMED:
            page.send(text)
            words = page.until_event("error")["words"]
            assert words.isprintable()
            assert len(words) < 400


def test_floods_are_cut(server: PageServer, visitor: httpx.Client) -> None:
    """A page that sends too much at once, or too large messages, is closed."""
    with Page(server, visitor) as page:
        page.send("x" * 200_000)
        assert page.is_closed()
    with Page(server, visitor) as page:
        with contextlib.suppress(ConnectionClosed):
            for _ in range(400):
                page.say("ping")
        assert page.is_closed()


def test_requests_of_other_sites_are_refused(server: PageServer, visitor: httpx.Client) -> None:
    """Neither WebSockets nor posts of another site, nor another name of this machine, get in."""
    with pytest.raises(InvalidStatus), Page(server, visitor, Origin="https://evil.example"):
        pass
    with server.visitor() as nobody:
        nobody.cookies.clear()
        with pytest.raises(InvalidStatus), Page(server, nobody):
            pass
    evil = {"Origin": "https://evil.example"}
    body = {"game": "chess"}
    assert visitor.post("/api/position", json=body, headers=evil).status_code == 403
    assert visitor.post("/api/position", json=body).status_code == 200
    assert visitor.get("/api/me", headers={"Host": "evil.example"}).status_code == 403
    plain = visitor.post("/api/position", content="{}", headers={"Content-Type": "text/plain"})
    assert plain.status_code == 403
    huge = visitor.post("/api/position", json={"game": "x" * 300_000})
    assert huge.status_code == 403
    assert visitor.post("/api/owner", json={"secret": "guess"}).status_code == 403
    for path in "/static/../gate.py", "/static/%2e%2e/gate.py", "/static//etc/passwd":
        assert visitor.get(path).status_code == 404
    assert server.log().count("refused") >= 6


def test_headers_forbid_scripts_of_others(server: PageServer, visitor: httpx.Client) -> None:
    """The policy allows only scripts of the server itself; the cookie is hidden from scripts."""
    page = httpx.get(server.url + "/")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "set-cookie" not in page.headers
    assert "HttpOnly" in httpx.get(server.url + "/api/me").headers["set-cookie"]
    assert "<script>" not in page.text
    assert "onclick" not in page.text
    assert visitor.get("/api/me").headers["x-content-type-options"] == "nosniff"


def test_games_end_in_words_for_people(server: PageServer, visitor: httpx.Client) -> None:
    """The reason is told in words, and seats have the colours of their men."""
    moves = {"connect4": (3, 0, 3, 0, 3, 0, 3)}
    with Page(server, visitor) as page:
        page.say("new", game="connect4", players=["human", "human"], actions=moves["connect4"])
        page.until_event("table")
        assert page.table["game"]["seats"] == ["Yellow", "Red"]
        assert page.position["caption"] == "Yellow wins: four in a line"
        start = "4k3/8/8/8/8/8/8/4K2R w - - 99 80"
        page.say("new", game="chess", players=["human", "human"], start=start)
        page.until_event("table")
        quiet = next(move for move in page.position["moves"] if move["text"] == "h1h2")
        page.say("move", action=quiet["action"])
        page.until_event("position")
        assert page.position["caption"] == "drawn: fifty moves without a capture or a pawn's move"


def test_a_finished_position_is_named(server: PageServer, visitor: httpx.Client) -> None:
    """A game cannot begin from a position that is over."""
    over = "4k3/8/8/8/8/8/8/4K3 w - - 0 80"
    asked = visitor.post("/api/position", json={"game": "chess", "start": over})
    assert asked.status_code == 422
    assert "already over" in asked.json()["error"]
    assert "too few men" in asked.json()["error"]
