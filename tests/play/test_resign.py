"""Resigning: who resigns, when, and how often it was wrong."""

import msgspec
import pytest

import rulezero as rz
from rulezero.data.check import check
from rulezero.fleet.local import run
from rulezero.play.resign import Audit, Resign, audit, first_to_give_up
from rulezero.play.task import Task

WISE = "puct:sims=60"


def task(resign: Resign | None, games: int = 40, game: str = "razzle") -> Task:
    """Games of a search against a one-ply player."""
    return Task(game=game, a=WISE, b="oneply", games=games, opening=4, resign=resign)


@pytest.mark.parametrize("game", ["razzle", "connect4", "monster", "exchange"])
def test_who_gives_up_has_lost(game: str) -> None:
    """A player resigns in place of its next move, and the other seat wins."""
    resign = Resign(value=0.5, choices=2, audit=0.0)
    played = {each.record.index: each.record for each in run(task(None, game=game))}
    seen = 0
    for finished in run(task(resign, game=game)):
        record = finished.record
        check(record)
        whole = played[record.index]
        seat = first_to_give_up(whole, resign)
        if seat is None:
            assert record == whole
            continue
        seen += 1
        assert record.end_reason == "resigned"
        assert record.outcome == (-1 if seat == 0 else 1)
        actions = record.action_numbers().tolist()
        assert actions == whole.action_numbers().tolist()[: len(actions)]
        assert len(actions) < whole.plies
        assert first_to_give_up(record, resign) is None
    assert seen > 0


def test_some_games_are_played_out() -> None:
    """About the share `audit` of the games is played to the end, in whole pairs."""
    resign = Resign(value=0.0, choices=1, audit=0.3)
    records = [each.record for each in run(task(resign, games=200, game="connect4"))]
    audited = {record.index for record in records if record.end_reason != "resigned"}
    given_up = {record.index // 2 for record in records if record.end_reason == "resigned"}
    assert 0.15 < len(audited) / 200 < 0.5
    assert len(given_up & {index // 2 for index in audited}) < 15  # no reason to resign
    found = audit((record for record in records if record.index in audited), resign)
    assert found.games > 10
    assert 0 < found.share < 1  # with value=0, resigning is often wrong


def test_an_audit_counts_those_who_were_wrong() -> None:
    """The audit counts only the first seat to resign, in games that were played to the end."""
    resign = Resign(value=0.5, choices=1)
    records = rz.match("connect4", WISE, WISE, 20).records
    (first, seat), *_ = [
        (record, seat)
        for record in records
        if (seat := first_to_give_up(record, resign)) is not None
    ]
    for outcome, mistakes in [(2.0 * seat - 1, 0), (0.0, 1), (1.0 - 2 * seat, 1)]:
        record = msgspec.structs.replace(first, outcome=outcome)
        assert audit([record], resign) == Audit(1, mistakes)
        resigned = msgspec.structs.replace(record, end_reason="resigned")
        assert audit([resigned], resign) == Audit(0, 0)
    assert audit([first], Resign(value=1.0, choices=1)) == Audit(0, 0)
