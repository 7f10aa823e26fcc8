"""Winning chances that moves lose: signs for every mover, and averages over dice."""

from pathlib import Path

import pytest

import rulezero as rz
from rulezero.contest.analysis import MARKS, Analysis, analyse, losses, note_by
from rulezero.data import Store
from rulezero.data.steps import steps


def judged(store: Path, judge: str) -> list[Analysis]:
    """The analysis of every game of a store by a judge, whose notes go into the store."""
    done = rz.judge(store, judge, workers=1)
    kept = Store(store)
    player = rz.player(done.judge)
    return [analyse(record, note_by(kept.notes(record.id), done.judge), player) for record in kept]


def test_losses_are_those_of_the_tables(tmp_path: Path) -> None:
    """In solved positions, a ply loses half the fall of its mover's value.

    White moves twice a turn in Monster, so the sign must follow the mover of each ply.
    """
    rz.endgame.solve("KvKQ", tmp_path / "tables", workers=1)
    tables = rz.endgame.open(tmp_path / "tables")
    starts = ["8/8/8/3k4/8/2q5/8/K7 w - - 0 1", "8/8/8/3k4/8/8/1q6/7K b - - 0 1"]
    rz.match("monster", "random", "random", 8, starts=starts, opening=0, save=tmp_path / "games")
    falls = {0: 0, 1: 0}
    for analysis in judged(tmp_path / "games", f"puct:sims=2,tables={tmp_path / 'tables'}"):
        record = Store(tmp_path / "games")[analysis.record]
        judged_plies = list(zip(steps(record), analysis.plies, strict=True))
        for step, ply in judged_plies[:90]:  # tables ignore the 150-turn limit
            before, after = tables.probe(step.state), tables.probe(step.after)
            assert before is not None
            assert after is not None
            sign = 1 if step.state.mover == 0 else -1
            assert ply.mover == step.state.mover
            assert ply.value == pytest.approx(before.value)
            assert ply.after == pytest.approx(after.value, abs=1e-4)
            assert ply.lost == pytest.approx(sign * (before.value - after.value) / 2, abs=1e-4)
            assert ply.mark == ("??" if before.value != after.value else "")
            if ply.mark:
                assert ply.best != ply.move
                falls[ply.mover] += 1
    assert all(falls.values())


def test_a_die_is_averaged(tmp_path: Path) -> None:
    """A strike is worth the mean over the faces of its die, so that luck is never a mistake."""
    position = "4k3/8/8/3p4/4P3/8/8/4K3 w 0/0 0 0 -"
    rz.match("exchange", "random", "random", 4, starts=[position], opening=0, save=tmp_path / "g")
    judge = "alphabeta:depth=1"
    averaged = 0
    for analysis in judged(tmp_path / "g", judge):
        record = Store(tmp_path / "g")[analysis.record]
        for step, ply in list(zip(steps(record), analysis.plies, strict=True))[:30]:
            state = step.after
            if step.state.mover == rz.CHANCE:
                assert (ply.lost, ply.mark, ply.value) == (None, "", None)
            elif state.mover == rz.CHANCE:
                ends = [state.apply(face) for face in state.legal]
                values = [
                    end.outcome if end.is_over else rz.player(judge).think(end).value
                    for end in ends
                    if end.mover != rz.CHANCE or end.is_over
                ]
                if len(values) == len(ends):
                    assert None not in values
                    mean = sum(value or 0.0 for value in values) / len(values)
                    assert ply.after == pytest.approx(mean, abs=1e-4)
                    averaged += 1
    assert averaged


def test_marks_and_sums(tmp_path: Path) -> None:
    """Marks follow the thresholds in MARKS, and each side's sums agree with its plies."""
    rz.match("connect4", "random", "random", 4, opening=2, save=tmp_path / "g")
    seen = set()
    for analysis in judged(tmp_path / "g", "alphabeta:depth=6"):
        for ply in analysis.plies[:2]:
            assert ply.lost is None  # a random opening ply, which no player chose
        for ply in analysis.plies[2:]:
            assert ply.lost is not None
            reached = [mark for mark, least in MARKS.items() if ply.lost >= least]
            assert ply.mark == (reached[0] if reached else "")
            seen.add(ply.mark)
        for seat, side in enumerate(analysis.sides):
            mine = [ply for ply in analysis.plies if ply.mover == seat and ply.lost is not None]
            assert side.plies == len(mine)
            assert side.average_lost == pytest.approx(sum(p.lost or 0 for p in mine) / len(mine))
            marks = [ply.mark for ply in mine]
            assert (side.inaccuracies, side.mistakes, side.blunders) == tuple(
                marks.count(mark) for mark in ("?!", "?", "??")
            )
        record = Store(tmp_path / "g")[analysis.record]
        notes = list(Store(tmp_path / "g").notes(record.id))
        told = losses(list(steps(record, notes)), analysis.judge)
        assert [ply.lost for ply in told[2:]] == [ply.lost for ply in analysis.plies[2:]]
    assert {"", "??"} <= seen


def test_a_game_that_was_stopped_is_judged_to_its_last_move(tmp_path: Path) -> None:
    """The judge evaluates the last position as well, for which there is no note."""
    state = rz.load("connect4").start()
    dialogue = rz.play.Dialogue(state.game, (rz.player("human"), rz.player("human")))
    for word in "dadada":
        dialogue.choose(dialogue.state.read(word))
    dialogue.interrupt()
    with Store(tmp_path / "g") as store:
        store.add(dialogue.record())
    (analysis,) = judged(tmp_path / "g", "alphabeta:depth=4")
    assert analysis.plies[-1].after == 1.0  # X wins with d next
    assert analysis.plies[-1].mark == "??" or analysis.plies[-2].mark == "??"
