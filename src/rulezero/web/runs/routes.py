"""Runs in the page, for the owner: what they learn; starting, stopping and resuming them."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, Response, StreamingResponse
from msgspec import json
from pydantic import BaseModel, ConfigDict, Field

import rulezero as rz
from rulezero.web.gate import Owner
from rulezero.web.runs import workers
from rulezero.web.runs.following import Feed
from rulezero.web.runs.newest import Newest
from rulezero.web.runs.overview import Experiments, Row, folders, game_title, row, run_id
from rulezero.web.runs.training import MOST_TRAINING, Trainings, check_name

_LIST_SECONDS = 1.0  # the list of folders is kept this long
_MOST_FEEDS = 32
_PRESETS = ("tiny", "small")  # larger ones take longer than people leave a page open
_MOST_NETS = 200  # in a list
_SIMS = 200  # of the opponent with a run's net
_REPORT_POLICY = (  # a report is one file with its own scripts; it may reach nothing
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " sandbox allow-scripts allow-downloads"
)


class Runs:
    """The runs below the owner's folder. Its methods may be called in any thread."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.trainings = Trainings()
        self.experiments = Experiments()
        self.newest = Newest()
        self._feeds: dict[Path, Feed] = {}
        self._listed = -_LIST_SECONDS
        self._paths: dict[str, Path] = {}

    def paths(self) -> dict[str, Path]:
        """The folders of all runs by their ids, and of those that begin now."""
        if time.monotonic() >= self._listed + _LIST_SECONDS:
            found = [*folders(self.place), *self.trainings.paths]
            self._paths = {run_id(path): path for path in found}
            self._listed = time.monotonic()
        return self._paths

    def run(self, wanted: str) -> rz.Run:
        """The run with this id; 404 if there is none."""
        path = self.paths().get(wanted)
        if path is None:
            self._listed = -_LIST_SECONDS
            path = self.paths().get(wanted)
        if path is None:
            raise HTTPException(404, "this run is gone: go back to the list")
        return rz.Run(path)

    def row(self, path: Path) -> Row:
        """The row of a run in the list."""
        return row(path, self.place, self.experiments, self.trainings)

    def feed(self, run: rz.Run) -> Feed:
        """The run as browsers follow it: all of them share one."""
        if run.path not in self._feeds:
            idle = [path for path, feed in self._feeds.items() if not feed.is_watched]
            for path in idle[: max(0, len(self._feeds) - _MOST_FEEDS)]:
                del self._feeds[path]
            self._feeds[run.path] = Feed(
                run, lambda: self.row(run.path), self.experiments, self.trainings
            )
        return self._feeds[run.path]

    def begin(self, path: Path, words: list[str]) -> None:
        """Starts a process that trains a run."""
        self.trainings.start(path, words)
        self._listed = -_LIST_SECONDS


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Ends the runs that train when the server ends. Each can be resumed."""
    app.state.runs = Runs(app.state.host.place)
    try:
        yield
    finally:
        app.state.runs.trainings.close()


def _runs_of(request: Request) -> Runs:
    runs: Runs = request.app.state.runs
    return runs


def _run_of(run: str, runs: Annotated[Runs, Depends(_runs_of)]) -> rz.Run:
    return runs.run(run)


router = APIRouter(lifespan=_lifespan)
All = Annotated[Runs, Depends(_runs_of)]
One = Annotated[rz.Run, Depends(_run_of)]

Change = Annotated[str, Field(max_length=1000)]
Changes = Annotated[list[Change], Field(max_length=50)]


class RecipeChosen(BaseModel):
    """A recipe with its preset and changes."""

    model_config = ConfigDict(extra="forbid")
    recipe: Annotated[str, Field(max_length=100)]
    preset: Annotated[str, Field(max_length=100)]
    changes: Changes = []

    def experiment(self) -> rz.Experiment:
        """The experiment, which was checked. RunError."""
        if self.recipe not in rz.config.recipes():
            raise rz.RunError(f"there is no recipe {self.recipe[:60]!r}")
        if self.preset not in _PRESETS:
            raise rz.RunError(
                f"the page starts runs of the presets {' and '.join(_PRESETS)}: use"
                " `rulezero train` for others"
            )
        experiment = rz.experiment(self.recipe, self.preset, self.changes)
        rz.runs.check(experiment)
        return experiment

    def words(self) -> list[str]:
        """The words of `rulezero train` for it."""
        return [self.recipe, "--preset", self.preset, *_sets(self.changes)]


class NewRun(RecipeChosen):
    """An order for a run."""

    name: Annotated[str, Field(max_length=200)]


class Resumption(BaseModel):
    """How a run goes on."""

    model_config = ConfigDict(extra="forbid")
    iterations: Annotated[int | None, Field(ge=0, le=1_000_000)] = None
    changes: Changes = []


def _sets(changes: list[str]) -> list[str]:
    return [f"--set={change}" for change in changes]


def _answer(value: object) -> Response:
    return Response(json.encode(value), media_type="application/json")


@router.get("/api/recipes")
def recipes(_: Owner) -> Response:
    """The recipes that the page can start."""
    found = [
        {
            "name": name,
            "game": game,
            "title": game_title(game),
            "about": rz.config.about(name),
            "presets": [preset for preset in presets if preset in _PRESETS],
        }
        for name, game, presets in rz.config.catalogue()
    ]
    return _answer({"recipes": found})


@router.get("/api/runs")
def list_runs(_: Owner, runs: All) -> Response:
    """All runs: those that train come first, then those that changed last."""
    rows = [runs.row(path) for path in runs.paths().values()]
    rows.sort(key=lambda each: (each.activity == "", -each.changed, each.name))
    about = {"place": str(runs.place), "training": runs.trainings.training, "most": MOST_TRAINING}
    return _answer({"runs": rows, **about})


@router.post("/api/runs")
def start_run(_: Owner, runs: All, wanted: NewRun) -> Response:
    """Starts a run, in a folder of its own."""
    check_name(wanted.name)
    path = runs.place / wanted.name
    if path.exists():
        raise rz.RunError(f"there is a run {wanted.name!r} already: choose another name")
    wanted.experiment()
    runs.place.mkdir(parents=True, exist_ok=True)
    runs.begin(path, [*wanted.words(), "--out", str(path)])
    return _answer({"id": run_id(path)})


@router.post("/api/runs/estimate")
def estimate(_: Owner, runs: All, wanted: RecipeChosen) -> Response:
    """Estimates the time of a run on this machine, which takes up to 30 seconds."""
    wanted.experiment()
    return _answer({"lines": runs.trainings.estimate(wanted.words())})


@router.get("/api/nets")
def nets(_: Owner, runs: All, game: str) -> Response:
    """Players with the nets of the owner's runs of a game: best nets, then earlier iterations."""
    rows = [(runs.row(path), path) for path in runs.paths().values()]
    mine = [(each, path) for each, path in rows if each.game == game and each.best]
    mine.sort(key=lambda each: -each[0].changed)
    found = [(f"{each.name}, best net", path) for each, path in mine]
    for each, path in mine:
        cards = sorted((path / "nets").glob("iter_*.json"), key=lambda card: -_number(card))
        name = f"{each.name}, iteration"
        found += [(f"{name} {_number(card)}", card.with_suffix("")) for card in cards]
    players = [
        {"name": name, "player": rz.play.opponent(net=str(path), sims=_SIMS).text}
        for name, path in found[:_MOST_NETS]
    ]
    return _answer({"nets": players})


def _number(card: Path) -> int:
    """The iteration of a net's card, iter_N.json."""
    number = card.stem.removeprefix("iter_")
    return int(number) if number.isdigit() else 0


@router.get("/api/runs/{run}")
def details(_: Owner, runs: All, run: One) -> Response:
    """A run: its row, its experiment, and the opponent with its best net."""
    found: dict[str, Any] = {"row": runs.row(run.path), "keys": [], "manifest": {}, "play": None}
    if run.exists:
        whole = runs.experiments.of(run).model_dump(mode="json")
        found |= {
            "keys": list(_keys(whole)),
            "manifest": run.manifest(),
            "play": _opponent(runs, run),
        }
    return _answer(found)


def _keys(values: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """All keys by their paths, such as fit.batch, with their values as texts."""
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from _keys(value, f"{path}{key}.")
        else:
            text = value if isinstance(value, str) else json.encode(value).decode()
            yield f"{path}{key}", text


def _opponent(runs: Runs, run: rz.Run) -> dict[str, Any] | None:
    """A game of the owner against a run's best net; None before there is a net."""
    if not run.progress().best:
        return None
    try:
        game = run.game(runs.experiments.of(run).game)
        player = rz.play.opponent(net=str(run.path), sims=_SIMS).text
    except rz.RulezeroError:
        return None
    players = [player, player]
    players[game.facts.human_seat] = "human"
    return {"game": game.text, "players": players}


@router.get("/api/runs/{run}/events")
async def events(_: Owner, runs: All, run: One) -> StreamingResponse:
    """The run while it trains, as server-sent events."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    feed = runs.feed(run)
    return StreamingResponse(feed.events(), media_type="text/event-stream", headers=headers)


@router.post("/api/runs/{run}/stop")
def stop(_: Owner, runs: All, run: One) -> Response:
    """Sends Ctrl-C to a run, which can then be resumed."""
    runs.trainings.stop(run.path)
    return _answer({"stopping": True})


@router.post("/api/runs/{run}/resume")
def resume(_: Owner, runs: All, run: One, wanted: Resumption) -> Response:
    """Resumes a run, perhaps with changes for its future iterations."""
    before = runs.experiments.of(run)
    after = rz.config.with_changes(before, wanted.changes)
    words = ["--resume", str(run.path), *_sets(wanted.changes)]
    if wanted.iterations is not None:
        after = rz.config.with_changes(after, {"iterations": wanted.iterations})
        words += ["--iterations", str(wanted.iterations)]
    if run.progress().is_done and after.iterations <= before.iterations:
        raise rz.RunError(
            f"this run is finished, after {before.iterations} iterations: give a larger number"
        )
    runs.begin(run.path, words)
    return _answer({"id": run_id(run.path)})


@router.post("/api/runs/{run}/forget")
def forget(_: Owner, runs: All, run: One) -> Response:
    """Removes a run that could not begin from the list."""
    runs.trainings.forget(run.path)
    return _answer({"forgotten": True})


@router.get("/api/runs/{run}/game")
def game(_: Owner, runs: All, run: One, after: str = "") -> Response:
    """The newest self-play game, or the one that is shown after another."""
    if not run.exists:
        return _answer({"game": None})
    played = run.game(runs.experiments.of(run).game)
    return _answer({"game": runs.newest.next(run, played, after[:64])})


@router.get("/api/runs/{run}/report")
def report(_: Owner, run: One) -> Response:
    """The report on a run as one HTML file, which is written again if the run has changed."""
    path = run.path / "reports" / "report.html"
    if not path.is_file() or _time_of(run.log) >= _time_of(path):
        rz.report(run)
    headers = {"Content-Security-Policy": _REPORT_POLICY, "Cache-Control": "no-store"}
    return FileResponse(path, headers=headers, media_type="text/html")


def _time_of(path: Path) -> float:
    return path.stat().st_mtime if path.is_file() else 0.0


@router.get("/api/runs/{run}/fleet")
def fleet(_: Owner, run: One) -> Response:
    """The workers of a run's fleet."""
    return _answer({"fleet": workers.fleet_of(run.path)})
