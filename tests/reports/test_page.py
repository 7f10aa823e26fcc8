"""The report: one self-contained HTML file with correct content."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

import rulezero as rz
from rulezero.data.steps import steps
from rulezero.errors import RunError
from rulezero.games.view import caption
from rulezero.reports.figures import groups
from rulezero.reports.page import render, write_report
from rulezero.reports.sample import newest_record, sample_of
from rulezero.reports.standings import rate
from rulezero.training.log import Entry, FitEntry, GamesEntry, WarningEntry
from support import little_runs, logs

SECTIONS = ["warnings", "learning", "strength", "games", "speed", "ratings", "game", "config"]
_VOID = {"meta", "input", "br", "link", "img"}


class Parsed(HTMLParser):
    """Sections, scripts and words of a page; asserts that elements are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sections: list[str] = []
        self.ids: list[str] = []
        self.scripts: dict[str, str] = {}
        self.words = ""
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert not {"src", "srcset", "onclick"} & given.keys()
        assert not (given.get("href") or "#").startswith("http")
        self.tags.add(tag)
        self.last = given.get("id") or ""
        if self.last:
            self.ids.append(self.last)
        if tag == "section":
            self.sections.append(self.last)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.scripts[self.last] = self.scripts.get(self.last, "") + data
        else:
            self.words += data

    def json(self, name: str) -> Any:
        """The parsed JSON of a script element."""
        return json.loads(self.scripts[name])


def test_every_section_is_there(tmp_path: Path) -> None:
    """Every section is there, every figure has an element, and ids are unique."""
    run = little_runs.copy(tmp_path / "run")
    rate(run, games=2, nets=1, workers=1)
    path = write_report(run)
    assert path == run.path / "reports" / "report.html"
    assert path.stat().st_size < 8e6
    page = Parsed(path.read_text(encoding="utf-8"))
    assert page.sections == SECTIONS
    assert len(set(page.ids)) == len(page.ids)
    drawn = [figure["id"] for figure in page.json("figures")]
    assert {"policy", "value", "top1", "winner", "legal_mass", "elo", "length"} <= set(drawn)
    assert {"first", "sims", "samples", "waiting"} <= set(drawn)
    assert [name for name in page.ids if name.startswith("plot-")] == [f"plot-{n}" for n in drawn]
    for words in ("heuristic", "Elo above random", "samples_per_ply", "rules_hash", "iter_2"):
        assert words in page.words
    assert "Gate: every net is promoted." in page.words
    (tmp_path / "there").mkdir()
    other = write_report(run, tmp_path / "there" / "page.html")
    assert other.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def test_the_sample_game_is_the_record() -> None:
    """The sample game has the start and the position after each ply, with the mover's thought."""
    run = little_runs.run()
    record = newest_record(run)
    assert record is not None
    assert (record.purpose, record.task) == ("self-play", "0002/self-play")
    game = rz.load(record.game)
    told = Parsed(render(run)).json("sample")
    assert told == json.loads(msgspec.json.encode(sample_of(record, game)))
    assert told["id"] == record.id
    assert len(told["pages"]) == record.plies + 1
    names = game.facts.seat_names
    for page, step in zip(told["pages"], steps(record), strict=False):
        cells = [[[c.man, c.seat, c.note] for c in row] for row in step.state.cells()]
        assert [[square[:3] for square in row] for row in page["board"]] == cells
        assert page["position"] == step.state.text
        assert page["caption"].startswith(caption(step.state, names))
        if step.thought is None:
            assert page["mind"] is None
            continue
        assert page["mind"]["value"] == step.thought.value
        chosen = [words for words, _, is_chosen in page["mind"]["moves"] if is_chosen]
        assert chosen == [step.state.say(step.action)]
        shares = {step.state.say(action): n for action, n in step.thought.shares.items()}
        assert all(shares.get(words, 0) == n for words, n, _ in page["mind"]["moves"])
    last = told["pages"][-1]
    assert last["caption"] == caption(step.after, names)
    changed = sum(square[3] for row in last["board"] for square in row)
    assert changed == 1  # one ply of connect4 changes one square


def test_texts_of_strangers_stay_texts(tmp_path: Path) -> None:
    """Player names in records and warnings in logs are escaped in the page."""
    evil = "</script><b onclick=alert(1)>&amp;"
    run = little_runs.copy(tmp_path / "run")
    record = newest_record(run)
    assert record is not None
    with run.store() as store:
        store.add(
            msgspec.structs.replace(record, task=f"0009/{evil}", iteration=9, players=(evil, evil))
        )
    run.append(WarningEntry(iteration=1, about=evil, words=evil, seconds_so_far=1.0))
    page = Parsed(render(run))
    assert "b" not in page.tags
    assert page.words.count(evil) >= 3
    assert page.json("sample")["players"] == [evil, evil]


def test_figures_are_plotlys() -> None:
    """Figures have only keys that plotly knows, and only data from the log."""
    objects = pytest.importorskip("plotly.graph_objects")
    entries = list(little_runs.run().entries())
    figures = {f.id: f for group in groups(entries) for f in group.figures}
    for figure in figures.values():
        text = json.dumps({"data": figure.data, "layout": figure.layout})
        for name in ("net", "plain", "faint", "good", "bad", *(f"cause-{n}" for n in range(6))):
            text = text.replace(f'"--{name}"', '"#000000"')
        objects.Figure(json.loads(text))
    fits = [e.held_out for e in entries if isinstance(e, FitEntry) and e.held_out]
    net, constant, _ = figures["policy"].data
    assert net["y"] == [held_out.net.policy for held_out in fits]
    assert constant["y"] == [held_out.constant.policy for held_out in fits]


def games_entry(iteration: int, purpose: str, **more: Any) -> GamesEntry:
    """A log entry about eight games."""
    ends = {"four": {"wins": 3, "losses": 1}, "full": {"draws": 4}}
    elo = {**logs.ELO, "lower": None, "upper": 50.0}
    return logs.games(iteration, purpose, games=8, elo=elo, ends=ends, **{"score": 0.6, **more})


def test_gates_draws_and_bounds_by_hand() -> None:
    """Promoted nets are green, shares are of all games, and a missing bound is explained."""
    entries: list[Entry] = [
        games_entry(1, "self-play"),
        games_entry(1, "gate"),
        logs.verdict(1),
        games_entry(2, "gate", score=0.4),
        logs.verdict(2, is_promoted=False),
        games_entry(2, "rating", task="0002/anchor"),
    ]
    figures = {f.id: f for group in groups(entries) for f in group.figures}
    (gate,) = figures["gate"].data
    assert gate["y"] == [0.6, 0.4]
    assert gate["marker"]["color"] == ["--good", "--bad"]
    (full,) = figures["draws"].data
    assert (full["name"], full["y"]) == ("full", [0.5])
    (four,) = figures["ends"].data
    assert (four["name"], four["y"]) == ("four", [0.5])
    (elo,) = figures["elo"].data
    assert elo["text"] == ["at most +50"]
    assert elo["error_y"]["array"] == [50.0]


def test_an_iteration_is_drawn_once() -> None:
    """A bootstrap with several kinds of games is drawn once, so shares sum to 1."""
    entries = [
        games_entry(0, "bootstrap"),
        games_entry(0, "bootstrap"),
        games_entry(1, "self-play"),
    ]
    figures = {f.id: f for group in groups(entries) for f in group.figures}
    (four,) = figures["ends"].data
    assert four["y"] == [0.5, 0.5]
    (first,) = figures["first"].data
    assert len(first["y"]) == len(first["error_y"]["array"]) == len(first["text"]) == 2
    assert all(0 < length <= 0.5 for length in first["error_y"]["arrayminus"])


def test_a_run_that_has_just_begun(tmp_path: Path) -> None:
    """A new run has a report without figures; an incomplete line of the log is ignored."""
    run = little_runs.copy(tmp_path / "run")
    for path in run.records.iterdir():
        path.unlink()
    run.log.write_bytes(b'{"kind": "fi')
    page = Parsed(render(run))
    assert page.sections == SECTIONS
    assert page.json("figures") == []
    assert page.json("sample") is None
    assert "No game has been played yet." in page.words
    run.log.write_bytes(b"{\n")
    with pytest.raises(RunError, match=r"log.jsonl:1: "):
        render(run)
    with pytest.raises(RunError, match="is a folder"):
        write_report(run, tmp_path)


def test_a_report_replaces_no_other_file(tmp_path: Path) -> None:
    """Only an existing report page may be overwritten."""
    other = tmp_path / "keep.py"
    other.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(RunError, match=r"already exists and is not an .html file"):
        write_report(little_runs.run(), other)
    assert other.read_text(encoding="utf-8") == "x = 1\n"
    page = tmp_path / "page.html"
    assert write_report(little_runs.run(), page) == write_report(little_runs.run(), page) == page
