"""Recorded games on the page: lists, single games and downloads, from real stores."""

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

import rulezero as rz
from rulezero.data import export
from rulezero.web.library import Library, Wanted
from support import little_runs, record_samples
from support.page_server import PageServer
from support.piece_files import WIZARD

GAMES = ["exchange", "chess", "connect4", "razzle"]
JUDGE = "puct:sims=10"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, a store with judged games, and a store with damage."""
    path = tmp_path_factory.mktemp("page")
    place = path / "runs"
    little_runs.copy(place / "first")
    for name in GAMES:
        rz.match(
            name, a="puct:sims=8", b="random", games=2, save=place / "more" / "games", judge=JUDGE
        )
    with rz.Store(place / "damaged") as store:
        for record in record_samples.several(games=5):
            store.add(record)
    damage(place / "damaged")
    return path


def damage(store: Path) -> None:
    """Changes a byte in the middle of a store's only shard."""
    (shard,) = store.glob("*.games")
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 0xFF
    shard.write_bytes(data)


def fetched(client: httpx.Client, path: str, **query: Any) -> Any:
    """The JSON at a path of the stores."""
    answer = client.get(f"/api/stores{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def store_path(client: httpx.Client, name: str) -> str:
    """The path of a store by its name."""
    (found,) = [each for each in fetched(client, "")["stores"] if each["name"] == name]
    return f"/{found['id']}"


def listed(client: httpx.Client, name: str, **query: Any) -> Any:
    """The list of a store's games, when all are read."""
    while True:
        found = fetched(client, f"{store_path(client, name)}/games", **query)
        if found["store"]["read"] == 1:
            return found


def game_path(client: httpx.Client, game: str) -> str:
    """The path of a game of this kind."""
    row = listed(client, "more/games", game=game)["rows"][0]["row"]
    return f"{store_path(client, 'more/games')}/games/{row['id']}"


def test_stores_and_runs_are_listed(owner: httpx.Client, server: PageServer) -> None:
    """Each with its kind and the number of its games; ids do not contain paths."""
    for name in ("first", "more/games", "damaged"):
        listed(owner, name)
    stores = {each["name"]: each for each in fetched(owner, "")["stores"]}
    kinds = {name: stores[name]["kind"] for name in ("first", "more/games", "damaged")}
    assert kinds == {"first": "run", "more/games": "store", "damaged": "store"}
    run = rz.open_run(server.place / "first")
    assert stores["first"]["games"] == len(run.store())
    assert stores["more/games"]["games"] == 2 * len(GAMES)


def test_games_are_for_the_owner(server: PageServer, owner: httpx.Client) -> None:
    """Visitors get an error in one line, at every address."""
    store = store_path(owner, "more/games")
    with server.visitor() as visitor:
        for path in ("", f"{store}/games", f"{store}/games.jsonl", f"{game_path(owner, 'chess')}"):
            answer = visitor.get(f"/api/stores{path}")
            assert answer.status_code == 403
            assert "Only the owner" in answer.json()["error"]


def test_games_are_newest_first(owner: httpx.Client, server: PageServer) -> None:
    """The list has the store's records in the reverse order."""
    found = listed(owner, "more/games")
    store = rz.Store(server.place / "more/games")
    assert [row["row"]["id"] for row in found["rows"]] == [record.id for record in store][::-1]
    assert {facet["name"] for facet in found["facets"]["games"]} == set(GAMES)


@pytest.mark.parametrize(
    "query",
    [
        {"game": "chess"},
        {"result": "0"},
        {"result": "drawn"},
        {"result": "1"},
        {"cause": "king"},
        {"purpose": "rating"},
        {"purpose": "self-play"},
        {"shortest": 30},
        {"longest": 30},
        {"player": "RANDOM"},
        {"iteration": 0},
        {"game": "exchange", "shortest": 10, "player": "puct"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["first", "more/games"])
def test_filters_select_games(
    owner: httpx.Client, server: PageServer, name: str, query: dict[str, Any]
) -> None:
    """Each filter gives the records that meet it."""
    records = rz.records(server.place / name)
    results = {"0": 1, "drawn": 0, "1": -1}

    def fits(record: rz.Record) -> bool:
        facts = {
            "game": record.game == query.get("game"),
            "result": record.outcome == results.get(str(query.get("result"))),
            "cause": record.end_reason == query.get("cause"),
            "purpose": record.purpose == query.get("purpose"),
            "shortest": record.plies >= query.get("shortest", 0),
            "longest": record.plies <= query.get("longest", 0),
            "player": any(str(query.get("player")).lower() in each for each in record.players),
            "iteration": record.iteration == query.get("iteration"),
        }
        return all(facts[key] for key in query)

    wanted = {record.id for record in records if fits(record)}
    found = listed(owner, name, **query)
    assert found["found"] == len(wanted)
    ids = {row["row"]["id"] for row in found["rows"]}  # of the first page
    assert ids <= wanted
    assert len(ids) == min(len(wanted), 50)


def test_a_wrong_filter_is_an_error_in_one_line(owner: httpx.Client) -> None:
    """It names the filter."""
    store = store_path(owner, "more/games")
    for query in ("result=5", "shortest=x", "nonsense=1", "iteration=-1"):
        answer = owner.get(f"/api/stores{store}/games?{query}")
        assert answer.status_code == 400
        assert query.partition("=")[0] in answer.json()["error"]
        assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_shown_as_it_was_played(
    owner: httpx.Client, server: PageServer, name: str
) -> None:
    """Positions, choices and thoughts are those of the record and its notes."""
    path = game_path(owner, name)
    shown = fetched(owner, path)
    store = rz.Store(server.place / "more/games")
    record = store[shown["id"]]
    state = rz.load(name).parse(record.start)
    positions = shown["slice"]["positions"]
    while len(positions) < shown["total"]:
        positions += fetched(owner, f"{path}/positions", first=len(positions))["positions"]
    for ply, action in enumerate(record.action_numbers().tolist()):
        assert positions[ply]["text"] == state.text
        assert shown["plies"][ply]["text"] == state.say(action)
        assert shown["plies"][ply]["opening"] == (ply < record.opening)
        thought = record.thought(ply)
        said = shown["minds"][0]["plies"][ply]
        assert (said is None) == (thought is None)
        if thought is not None and thought.shares:
            assert said["sims"] == thought.sims
            assert sum(move["chosen"] for move in said["moves"]) == 1
            assert said["moves"][0]["share"] == pytest.approx(max(thought.shares.values()), 1e-3)
        state = state.apply(action)
    assert positions[-1]["text"] == state.text
    assert positions[-1]["over"]
    assert [mind["name"] for mind in shown["minds"]] == ["", JUDGE]
    assert any(shown["minds"][1]["plies"])
    assert shown["record"]["players"] == list(record.players)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_can_be_downloaded(
    owner: httpx.Client, server: PageServer, name: str, tmp_path: Path
) -> None:
    """JSONL and PGN restore the game; the board is an image."""
    path = f"/api/stores{game_path(owner, name)}"
    answer = owner.get(f"{path}/game.jsonl")
    assert "attachment" in answer.headers["content-disposition"]
    file = tmp_path / "game.jsonl"
    file.write_bytes(answer.content)
    (record,) = rz.records(file)
    assert record in list(rz.records(server.place / "more/games"))
    answer = owner.get(f"{path}/game.pgn")
    if rz.load(name).facts.pgn_variants:
        export([record], tmp_path / "game.pgn")
        assert answer.text.strip() == (tmp_path / "game.pgn").read_text().strip()
    else:
        assert "has no PGN" in answer.json()["error"]
    answer = owner.get(f"{path}/board.svg", params={"ply": 3, "flipped": True})
    state = rz.load(name).replay(record.start, record.action_numbers()[:3])
    assert answer.text == rz.svg(state, is_flipped=True, size=600)


def test_a_selection_can_be_downloaded(owner: httpx.Client, tmp_path: Path) -> None:
    """The file has the games that the filters select."""
    store = store_path(owner, "more/games")
    answer = owner.get(f"/api/stores{store}/games.jsonl", params={"game": "razzle"})
    (tmp_path / "some.jsonl").write_bytes(answer.content)
    assert [record.game for record in rz.records(tmp_path / "some.jsonl")] == ["razzle"] * 2
    assert all(json.loads(line) for line in answer.text.splitlines())


def test_the_planes_are_those_of_the_net(owner: httpx.Client, server: PageServer) -> None:
    """Channels, rows and columns as in State.planes; none where no net is asked."""
    path = game_path(owner, "connect4")
    shown = fetched(owner, path)
    found = fetched(owner, f"{path}/planes", ply=5)
    state = rz.load("connect4").replay(shown["record"]["start"], shown["actions"][:5])
    assert found["shape"] == list(state.planes().shape)
    flat = state.planes().reshape(len(found["planes"]), -1)
    assert found["planes"] == flat.round(3).tolist()
    answer = owner.get(f"/api/stores{path}/planes", params={"ply": shown["total"] - 1})
    assert answer.status_code == 422
    assert "the game is over" in answer.json()["error"]


def test_damaged_records_are_counted(owner: httpx.Client) -> None:
    """The others are listed, and errors do not name folders of the server."""
    found = listed(owner, "damaged")
    assert (found["found"], found["damaged"]) == (4, 1)
    assert "damaged record" in found["problems"][0]
    assert "/" not in found["problems"][0]


def test_unknown_names_are_errors(owner: httpx.Client) -> None:
    """Stores and games are looked up; a path is not one."""
    store = store_path(owner, "damaged")
    for path in ("/nothing/games", f"{store}/games/nothing", f"{store}/games/..%2F..%2Fx/planes"):
        answer = owner.get(f"/api/stores{path}")
        assert answer.status_code in (404, 422)
        assert answer.json()["error"]
    answer = owner.get(f"/api/stores{game_path(owner, 'chess')}/board.svg", params={"ply": 9999})
    assert "plies, not 9999" in answer.json()["error"]


def test_an_index_grows_with_its_store(tmp_path: Path) -> None:
    """New games appear, whether their shard is sealed or not; each game once."""
    records = record_samples.several(games=6)
    with rz.Store(tmp_path / "games") as store:
        store.add(records[0])
        (shelf,) = Library(tmp_path).shelves()
        assert [row.id for row in shelf.contents(patience=10).rows] == [records[0].id]
        for number, record in enumerate(records[1:4], 2):
            store.add(record)
            rows = shelf.contents(patience=10).rows
            assert [row.id for row in rows] == [each.id for each in records[:number]][::-1]
        store.add(records[3])
    assert len(shelf.contents(patience=10).rows) == 4
    with rz.Store(tmp_path / "games") as store:
        store.add(records[4])
    rows = shelf.contents(patience=10).rows
    assert [row.id for row in rows] == [each.id for each in records[:5]][::-1]
    assert [shelf.record(row) for row in rows] == list(records[:5])[::-1]
    assert shelf.contents().problems == ()


def test_damage_in_what_was_appended_is_seen(tmp_path: Path) -> None:
    """The games behind it are found when the shard is sealed."""
    records = record_samples.several(games=6)
    with rz.Store(tmp_path / "games") as store:
        store.add(records[0])
        (shelf,) = Library(tmp_path).shelves()
        assert len(shelf.contents(patience=10).rows) == 1
        for record in records[1:]:
            store.add(record)
    damage(tmp_path / "games")
    found = shelf.contents(patience=10)
    assert len(found.rows) == 5
    assert len(found.problems) == 1


def test_a_game_with_a_file_is_not_opened(
    owner: httpx.Client, server: PageServer, tmp_path: Path
) -> None:
    """A record cannot make the server read files; it is listed all the same."""
    (tmp_path / "own.yaml").write_text(WIZARD)
    text = f"random_chess:pieces=standard+{tmp_path / 'own.yaml'}"
    rz.match(text, a="random", b="random", games=1, save=server.place / "own")
    while not any(each["name"] == "own" for each in fetched(owner, "")["stores"]):
        time.sleep(0.2)
    (row,) = listed(owner, "own")["rows"]
    answer = owner.get(f"/api/stores{store_path(owner, 'own')}/games/{row['row']['id']}")
    assert answer.status_code == 422
    assert "would read a file; `rulezero replay --trusted`" in answer.json()["error"]


def test_no_filter_selects_all(tmp_path: Path) -> None:
    """The first iteration, 0, is a filter too."""
    with rz.Store(tmp_path / "games") as store:
        for number, iteration in enumerate((0, 1, None, None)):
            store.add(record_samples.made("connect4", number, number, iteration=iteration))
    (shelf,) = Library(tmp_path).shelves()
    rows = shelf.contents(patience=10).rows
    assert len(list(Wanted().select(rows))) == 4
    assert [row.iteration for row in Wanted(iteration=0).select(rows)] == [0]
