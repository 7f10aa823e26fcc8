"""A run's log: typed entries, also from older versions, and one clear error for a bad line."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rulezero.errors import RunError
from rulezero.stats.rating import elo
from rulezero.stats.tally import Counts
from rulezero.training.log import FitEntry, GamesEntry, read_entry
from rulezero.training.run import Run
from support import logs

WARNING = '{"kind":"warning","iteration":1,"about":"draws","words":"x","seconds_so_far":1.0}\n'


def test_json_has_no_infinity() -> None:
    """null is read as no bound of an interval, or as a figure that is nan, and written again."""
    entry = logs.games(1, elo={**logs.ELO, "lower": None, "upper": None})
    assert (entry.elo.lower, entry.elo.upper) == (-math.inf, math.inf)
    assert entry.elo.interval() == "no bounds"
    won = msgspec.structs.replace(entry, elo=elo(Counts(wins=3)))
    assert read_entry(msgspec.json.encode(won)) == won
    blind = {**logs.FIGURES, "policy": None, "top1": None, "legal_mass": None}
    fit = logs.fit(1, held_out=logs.measures(blind, blind))
    assert fit.held_out is not None
    assert math.isnan(fit.held_out.net.policy)
    assert msgspec.json.encode(fit) == msgspec.json.encode(read_entry(msgspec.json.encode(fit)))
    assert logs.fit(1).held_out is None


def test_lines_of_older_versions_are_read() -> None:
    """`kind` may be at any place, unknown keys are ignored, and `figures` may be missing."""
    known = msgspec.json.decode(msgspec.json.encode(logs.games(2)))
    assert known["figures"] == {}
    del known["figures"]
    kind = known.pop("kind")
    entry = read_entry(msgspec.json.encode({**known, "gone": [1], "kind": kind}))
    assert isinstance(entry, GamesEntry)
    assert entry == logs.games(2)
    assert not isinstance(entry, FitEntry)


def test_the_speed_is_that_of_games_played_now() -> None:
    """Games that a resumed run found were played in other seconds."""
    found: dict[str, Any] = {"sims": 4000, "seconds": 2.0}
    assert logs.games(1, **found).sims_per_second == 2000
    assert logs.games(1, **found, played_sims=100).sims_per_second == 50


def test_draws_are_counted_by_cause() -> None:
    """The most frequent cause comes first; the share of draws is of all games."""
    ends = {"mate": {"wins": 5}, "cap": {"draws": 1}, "full": {"draws": 2, "losses": 2}}
    entry = logs.games(1, games=10, ends=ends, task="0001/curriculum")
    assert list(entry.draws.items()) == [("full", 2), ("cap", 1)]
    assert entry.draw_share == 0.3
    assert entry.is_training


def test_results_of_the_first_seat() -> None:
    """They are computed from the first seat's score and the number of draws."""
    ends = {"mate": {"wins": 5, "losses": 1}, "cap": {"draws": 4}}
    assert logs.games(1, games=10, ends=ends, first_seat=0.7).first == Counts(5, 4, 1)
    assert logs.games(1, games=2, first_seat=0.0).first == Counts(0, 0, 2)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '{"a":1}',
        WARNING.replace("warning", "prophecy").strip(),
        WARNING.replace('"iteration":1,', "").strip(),
        msgspec.json.encode(logs.games(1)).decode().replace('"ends":{}', '"ends":{"x":3}'),
        msgspec.json.encode(logs.games(1))
        .decode()
        .replace('"ends":{}', '"ends":{"x":{"draws":-1}}'),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    """Earlier lines are read; the error gives file and line. An unfinished last line is skipped."""
    run = Run(tmp_path)
    run.log.write_text(f"{WARNING}{line}\n{WARNING}", encoding="utf-8")
    entries = run.entries()
    assert next(entries).iteration == 1
    with pytest.raises(RunError, match=r"log.jsonl:2: this is not a line of a log; delete it \("):
        next(entries)
    run.log.write_text(f"{WARNING}{line}", encoding="utf-8")
    assert len(list(run.entries())) == 1
