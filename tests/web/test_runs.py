"""Runs in the page: what is shown of them, and starting, stopping and resuming them over HTTP."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import rulezero as rz
from rulezero.fleet.server.database import open_database
from rulezero.training.log import WarningEntry
from rulezero.web.runs.following import LogTail
from rulezero.web.runs.training import MOST_TRAINING, Trainings, check_name, is_locked
from support import little_runs
from support.page_server import PageServer, serving

Json = dict[str, Any]
CHANGES = ["iterations=6", "selfplay.games=60", "window.held_out=0.2"]
_PATIENCE = 180.0  # seconds


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run."""
    path = tmp_path_factory.mktemp("page")
    (path / "runs").mkdir()
    little_runs.copy(path / "runs" / "little")
    return path


def ask(client: httpx.Client, path: str, body: Json | None = None) -> Json:
    """The answer to a request, which must succeed."""
    answer = client.get(path) if body is None else client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def refused(client: httpx.Client, path: str, body: Json | None = None) -> str:
    """Why a request is refused, in one line."""
    answer = client.get(path) if body is None else client.post(path, json=body)
    assert 400 <= answer.status_code < 500, answer.text
    words = str(answer.json()["error"])
    assert words
    assert "\n" not in words
    return words


def id_of(owner: httpx.Client, name: str) -> str:
    """The id of a run."""
    (found,) = [row["id"] for row in ask(owner, "/api/runs")["runs"] if row["name"] == name]
    return str(found)


def events(client: httpx.Client, run: str) -> Iterator[tuple[str, Json]]:
    """The server-sent events of a run."""
    with client.stream("GET", f"/api/runs/{run}/events", timeout=_PATIENCE) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        kind, began = "", time.monotonic()
        for line in answer.iter_lines():  # also signs of life, while nothing happens
            assert time.monotonic() < began + _PATIENCE
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))


def until(client: httpx.Client, run: str, is_enough: Callable[[Json], bool]) -> list[Json]:
    """The moments of a run, up to one that is enough."""
    found = []
    for kind, data in events(client, run):
        if kind == "moment":
            found.append(data)
            if is_enough(data):
                return found
    raise AssertionError("the events ended")


def order(name: str, *changes: str, preset: str = "tiny", recipe: str = "connect4") -> Json:
    """An order for a run."""
    return {"recipe": recipe, "preset": preset, "name": name, "changes": [*changes]}


def test_only_the_owner_sees_runs(server: PageServer, owner: httpx.Client) -> None:
    """A visitor gets one friendly line from every route."""
    run = id_of(owner, "little")
    paths = ["", f"/{run}", f"/{run}/events", f"/{run}/game", f"/{run}/report", f"/{run}/fleet"]
    with server.visitor() as visitor:
        for path in paths:
            assert "Only the owner" in refused(visitor, f"/api/runs{path}")
        assert "Only the owner" in refused(visitor, "/api/runs", order("mine"))
        assert "Only the owner" in refused(visitor, f"/api/runs/{run}/stop", {})
        assert "Only the owner" in refused(visitor, "/api/recipes")


def test_a_run_is_listed_with_its_experiment(server: PageServer, owner: httpx.Client) -> None:
    """The list and the details say what the run's folder says."""
    run = little_runs.run()
    (row,) = [row for row in ask(owner, "/api/runs")["runs"] if row["name"] == "little"]
    assert (row["recipe"], row["preset"], row["game"]) == ("connect4", "tiny", "connect4")
    assert row["title"] == "Connect Four"
    assert (row["isDone"], row["iteration"], row["iterations"]) == (True, 2, 2)
    assert (row["share"], row["activity"], row["fault"]) == (1.0, "", None)
    assert row["warnings"] == len(run.progress().warned)
    found = ask(owner, f"/api/runs/{row['id']}")
    keys = dict(found["keys"])
    assert keys["selfplay.games"] == "30"
    assert keys["regime.kind"] == "gated"
    assert found["manifest"]["rulezero"] == rz.__version__
    human, machine = found["play"]["players"]
    assert (found["play"]["game"], human) == ("connect4", "human")
    assert rz.player(machine).net == str(server.place / "little")


def test_a_folder_that_is_no_run_is_a_row_with_its_fault(
    server: PageServer, owner: httpx.Client
) -> None:
    """A damaged run does not hide the others."""
    path = server.place / "below" / "damaged"
    (path / "state").mkdir(parents=True)
    (path / "config.yaml").write_text("game: [")
    time.sleep(1.1)
    rows = {row["name"]: row for row in ask(owner, "/api/runs")["runs"]}
    assert "manifest.json" in rows["below/damaged"]["fault"]
    assert rows["little"]["fault"] is None


def test_events_of_a_finished_run(owner: httpx.Client) -> None:
    """The first events have the whole of it: facts, warnings and figures with numbers."""
    seen: dict[str, Json] = {}
    for kind, data in events(owner, id_of(owner, "little")):
        seen[kind] = data
        if len(seen) == 2:
            break
    entries = list(little_runs.run().entries())
    facts = {fact["name"]: fact["words"] for fact in seen["moment"]["facts"]}
    assert facts["Best net"] == little_runs.run().progress().best
    assert "Elo" in facts
    warned = [entry for entry in entries if isinstance(entry, WarningEntry)]
    assert len(seen["moment"]["warnings"]) == len(warned)
    figures = {figure["id"]: figure for figure in seen["figures"]["figures"]}
    assert {"policy", "value", "elo", "draws", "length", "first", "sims"} <= figures.keys()
    assert figures["elo"]["data"][0]["x"] == [0, 1, 2]
    ids = [name for group in seen["figures"]["groups"] for name in group["figures"]]
    assert sorted(ids) == sorted(figures)


def test_the_newest_games_one_after_another(owner: httpx.Client) -> None:
    """Games of self-play, the newest first; each plays from its start to its result."""
    run = id_of(owner, "little")
    seen: list[str] = []
    for _ in range(3):
        after = f"?after={seen[-1]}" if seen else ""
        game = ask(owner, f"/api/runs/{run}/game{after}")["game"]
        seen.append(game["id"])
        assert game["about"].startswith("self-play, iteration 2")
        assert len(game["says"]) == len(game["positions"])
        assert game["positions"][0]["ply"] == 0
        assert game["positions"][-1]["caption"] == game["result"]
        assert game["game"]["text"] == "connect4"
    assert len(set(seen)) == 3
    assert ask(owner, f"/api/runs/{run}/game?after=nonsense")["game"]["id"] == seen[0]


def test_the_report(owner: httpx.Client, server: PageServer) -> None:
    """The report is made when it is asked for, and may reach nothing but itself."""
    answer = owner.get(f"/api/runs/{id_of(owner, 'little')}/report")
    assert answer.status_code == 200
    assert "<!doctype html>" in answer.text[:100].lower()
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert (server.place / "little" / "reports" / "report.html").is_file()


def test_what_cannot_be_started(owner: httpx.Client) -> None:
    """Wrong orders are refused in one line, before anything starts."""
    before = {row["name"] for row in ask(owner, "/api/runs")["runs"]}
    for name in "../out", "a/b", "", "-x", "a b", "x" * 61, "näh", ".hidden", "a\n":
        assert "is not a name for a run" in refused(owner, "/api/runs", order(name))
    assert "already" in refused(owner, "/api/runs", order("little"))
    assert "no recipe" in refused(owner, "/api/runs", order("x", recipe="nonsense.yaml"))
    assert "tiny and small" in refused(owner, "/api/runs", order("x", preset="full"))
    assert "did you mean batch" in refused(owner, "/api/runs", order("x", "fit.bach=3"))
    assert "iterations" in refused(owner, "/api/runs", order("x", "iterations=many"))
    assert refused(owner, "/api/runs", order("x", "--out=/tmp/x"))
    wrong = {"recipe": "connect4", "preset": "tiny", "changes": ["fit.bach=3"]}
    assert "did you mean batch" in refused(owner, "/api/runs/estimate", wrong)
    assert {row["name"] for row in ask(owner, "/api/runs")["runs"]} == before
    for run in "0" * 12, "little", "%2e%2e%2flittle":
        assert refused(owner, f"/api/runs/{run}")
    run = id_of(owner, "little")
    assert "does not train" in refused(owner, f"/api/runs/{run}/stop", {})
    assert "larger number" in refused(owner, f"/api/runs/{run}/resume", {})
    words = refused(owner, f"/api/runs/{run}/resume", {"changes": ["fit.bach=1"]})
    assert "did you mean batch" in words


@pytest.mark.slow
def test_a_run_is_started_stopped_and_resumed(
    server: PageServer, owner: httpx.Client, tmp_path: Path
) -> None:
    """Its curves grow while it trains; the result is that of an uninterrupted run."""
    run = ask(owner, "/api/runs", order("live", *CHANGES))["id"]
    moments = until(owner, run, lambda moment: moment["row"].get("iteration", 0) >= 1)
    assert moments[0]["row"]["activity"] in ("starting", "here")
    ask(owner, f"/api/runs/{run}/stop", {})
    moments += until(owner, run, lambda moment: moment["row"]["activity"] == "")
    assert not moments[-1]["row"]["isDone"]
    assert moments[-1]["row"]["fault"] is None
    ask(owner, f"/api/runs/{run}/resume", {})
    assert "already" in refused(owner, f"/api/runs/{run}/resume", {})
    points = []
    for kind, data in events(owner, run):
        if kind == "figures":
            found = {figure["id"]: figure for figure in data["figures"]}
            if "length" in found and found["length"]["data"]:
                points.append(len(found["length"]["data"][0]["x"]))
        elif data["row"]["isDone"] and not data["row"]["activity"]:
            moments.append(data)
            break
        else:
            moments.append(data)
    assert points[-1] == 6
    parts = [moment["progress"] for moment in moments if moment["progress"]]
    counted = [(part["done"], part["total"]) for part in parts if part["total"]]
    assert all(0 <= done <= total for done, total in counted)
    assert {total for _, total in counted} <= {60, 4}
    whole = rz.train("connect4", "tiny", tmp_path / "whole", changes=CHANGES, workers=1)
    assert rz.open_run(server.place / "live").fingerprint() == whole.fingerprint()


@pytest.mark.slow
def test_a_run_that_fails_says_why(owner: httpx.Client) -> None:
    """The last line of its output is its fault, and it can be removed from the list."""
    wrong = order("fails", "iterations=1")
    wrong["changes"].append("begin=nowhere")
    words = refused(owner, "/api/runs", wrong)
    assert "nowhere" in words
    run = id_of(owner, "little")
    ask(owner, f"/api/runs/{run}/resume", {"iterations": 3, "changes": ["seed=5"]})
    moments = until(owner, run, lambda moment: bool(moment["row"]["fault"]))
    assert "seed cannot be changed" in moments[-1]["row"]["fault"]
    assert moments[-1]["row"]["activity"] == ""
    ask(owner, f"/api/runs/{run}/forget", {})
    moments = until(owner, run, lambda moment: not moment["row"]["fault"])


@pytest.mark.slow
def test_a_run_that_is_stopped_before_it_began(server: PageServer, owner: httpx.Client) -> None:
    """It stays in the list, says so, and can be removed."""
    run = ask(owner, "/api/runs", order("early"))["id"]
    ask(owner, f"/api/runs/{run}/stop", {})
    moments = until(owner, run, lambda moment: not moment["row"]["activity"])
    if moments[-1]["row"]["recipe"]:
        pytest.skip("the run was quicker than its stop")
    assert "stopped before it began" in moments[-1]["row"]["fault"]
    assert run in {row["id"] for row in ask(owner, "/api/runs")["runs"]}
    ask(owner, f"/api/runs/{run}/forget", {})
    assert not (server.place / "early").exists()
    time.sleep(1.1)  # the list is kept for a second
    assert run not in {row["id"] for row in ask(owner, "/api/runs")["runs"]}


def test_a_folder_that_is_moved_away(server: PageServer, owner: httpx.Client) -> None:
    """A run whose folder goes while it is shown says that the folder is gone."""
    little_runs.copy(server.place / "moving")
    time.sleep(1.1)
    run = id_of(owner, "moving")
    ask(owner, f"/api/runs/{run}")
    (server.place / "moving").rename(server.place.parent / "moved")
    assert "is gone" in ask(owner, f"/api/runs/{run}")["row"]["fault"]


@pytest.mark.slow
def test_runs_end_with_the_server(tmp_path: Path) -> None:
    """They are stopped cleanly and can be resumed."""
    with serving(tmp_path, "--workers", "1") as server, server.visitor(is_owner=True) as owner:
        run = ask(owner, "/api/runs", order("live", "iterations=500"))["id"]
        until(owner, run, lambda moment: moment["row"].get("iteration", 0) >= 1)
        path = server.place / "live"
        assert is_locked(path)
    assert not is_locked(path)
    left = rz.open_run(path).progress()
    assert not left.is_done
    rz.resume(path, iterations=left.iteration, workers=1)


def test_a_run_that_trains_elsewhere(server: PageServer, owner: httpx.Client) -> None:
    """Its lock shows it; the page does not stop what it did not start."""
    run = id_of(owner, "little")
    with rz.open_run(server.place / "little").locked():
        assert ask(owner, f"/api/runs/{run}")["row"]["activity"] == "elsewhere"
        assert "elsewhere" in refused(owner, f"/api/runs/{run}/stop", {})
        assert "already" in refused(owner, f"/api/runs/{run}/resume", {"iterations": 9})
    assert ask(owner, f"/api/runs/{run}")["row"]["activity"] == ""


def test_the_fleet_of_a_run(server: PageServer, owner: httpx.Client) -> None:
    """Names of tokens and flags; none without the folder."""
    run = id_of(owner, "little")
    assert ask(owner, f"/api/runs/{run}/fleet")["fleet"] is None
    open_database(server.place / "little" / "fleet").dispose()  # as its server does at its start
    with rz.fleets.tokens(server.place / "little") as tokens:
        secret = tokens.new("anna", ["worker"]).secret
        tokens.flag("anna", "slow")
    found = ask(owner, f"/api/runs/{run}/fleet")["fleet"]
    assert (found["isRunning"], found["games"], found["workers"]) == (False, 0, [])
    assert [(token["name"], token["flag"]) for token in found["tokens"]] == [("anna", "slow")]
    assert secret not in json.dumps(found)


def test_at_most_two_train(tmp_path: Path) -> None:
    """A third run is refused; the others end with the page."""
    trainings = Trainings()
    words = ["connect4", "--preset", "tiny", "--out"]
    try:
        for number in range(MOST_TRAINING):
            path = tmp_path / f"run_{number}"
            trainings.start(path, [*words, str(path)])
        with pytest.raises(rz.RunError, match="train already"):
            trainings.start(tmp_path / "more", [*words, str(tmp_path / "more")])
        assert trainings.training == MOST_TRAINING
    finally:
        trainings.close()
    assert trainings.training == 0
    with pytest.raises(rz.RunError, match="about to end"):
        trainings.start(tmp_path / "more", words)


def test_names_of_runs() -> None:
    """Letters, digits, - and _."""
    for name in "first", "A-1_b", "_x", "0":
        check_name(name)


def test_a_log_that_is_cut_is_read_again(tmp_path: Path) -> None:
    """The tail reads what is new, waits for whole lines, and notices a cut."""
    whole = little_runs.run().log.read_bytes()
    lines = whole.splitlines(keepends=True)
    run = rz.Run(tmp_path)
    tail = LogTail(run)
    tail.read_on()
    assert tail.entries == []
    run.log.write_bytes(b"".join(lines[:3]) + lines[3][:10])
    tail.read_on()
    assert len(tail.entries) == 3
    run.log.write_bytes(whole)
    tail.read_on()
    assert len(tail.entries) == len(lines)
    version = tail.version
    tail.read_on()
    assert tail.version == version
    run.log.write_bytes(b"".join(lines[:2]))
    tail.read_on()
    assert tail.entries == [*little_runs.run().entries()][:2]
    run.log.write_bytes(b"".join([*lines[:1], *lines[2:]]))  # as long as before, or longer
    tail.read_on()
    assert len(tail.entries) == len(lines) - 1
