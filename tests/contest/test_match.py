"""Matches: stored games, early ends, reports, interruptions and killed processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

import rulezero as rz
from rulezero.contest.match import MatchInterrupted
from rulezero.contest.report import Report
from rulezero.data import Store, check
from rulezero.data.record import Record
from rulezero.play.starts import read_starts
from rulezero.stats.rating import elo
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import Counts, Tally
from support import samples  # registers tictactoe
from support.commands import begin, read_until, workers_of


def test_a_store_keeps_every_game_before_it_is_told(tmp_path: Path) -> None:
    """When on_game is called, the store holds every counted game; at the end it is sealed."""
    path = tmp_path / "deep" / "store"

    def told(tally: Tally) -> None:
        assert len(Store(path)) == tally.games

    match = rz.match("connect4", "gumbel:sims=4", "random", 12, width=5, save=path, on_game=told)
    assert sorted(Store(path), key=lambda record: record.index) == match.records
    assert [file.suffix for file in path.iterdir()] == [".games"]
    for record in match.records:
        check(record)


def test_a_judges_notes_are_kept(tmp_path: Path) -> None:
    """Each record gets a note, and the records are the same as without a judge."""
    options = {"games": 4, "seed": 3}
    plain = rz.match("razzle", "random", "random", **options)  # type: ignore[arg-type]
    judged = rz.match("razzle", "random", "random", judge="heuristic", save=tmp_path, **options)  # type: ignore[arg-type]
    assert plain.records == judged.records
    notes = {note.record: note for note in Store(tmp_path).notes()}
    assert set(notes) == {record.id for record in judged.records}
    for record in judged.records:
        note = notes[record.id]
        assert note.judge == "heuristic"
        columns = note.thoughts.columns(record.columns().actions)
        assert columns.has_policy.all()


def test_a_game_in_python_can_be_kept(tmp_path: Path) -> None:
    """Games of a registered Python game can be saved in a store."""
    rz.match("tictactoe", "puct:eval=rollout,sims=8", "random", 6, save=tmp_path)
    assert len(Store(tmp_path)) == 6
    assert samples.game("tictactoe").text == next(iter(Store(tmp_path))).game


def test_wrong_players_leave_no_store(tmp_path: Path) -> None:
    """A wrong player or path raises before any file is made or changed."""
    with pytest.raises(rz.PlayerError, match="no player"):
        rz.match("connect4", "nobody", "random", 2, save=tmp_path / "store")
    with pytest.raises(rz.PlayerError, match="a human cannot play here"):
        rz.match("connect4", "human", "random", 2, save=tmp_path / "store")
    assert not (tmp_path / "store").exists()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(rz.RecordError, match="a store is a folder"):
        rz.match("connect4", "random", "random", 2, save=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_test_ends_a_match_at_its_verdict() -> None:
    """The SPRT counts pairs in index order, so `width` does not change its verdict or counts."""
    sprt = Sprt(elo0=0, elo1=80)
    matches = [
        rz.match("connect4", "puct:sims=30", "random", 2000, sprt=sprt, width=width)
        for width in (1, 9, 64)
    ]
    assert {match.sprt.verdict for match in matches if match.sprt} == {"accepted H1"}
    assert len({match.sprt.counts for match in matches if match.sprt}) == 1
    alone = matches[0]
    assert alone.sprt
    assert alone.tally.games == 2 * sum(alone.sprt.counts) < 2000
    assert alone.tally.pairs.counts == alone.sprt.counts


def test_wrong_arguments_are_told() -> None:
    """The errors name the parameters of the Python function, not command-line options."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"sprt": (5, 0)}, "elo0 below elo1"),
        ({"sprt": 5}, "two Elo differences"),
        ({"judge": "heuristic"}, "notes into a store: add save"),
        ({"games": 0}, "games is 0: expected `int` >= 1"),
        ({"a": None}, "a player must be a text"),
        ({"b": 3}, "a player must be a text"),
        ({"starts": [4]}, "starts is "),
        ({"workers": 5000}, "workers must be 0 "),
        ({"save": ""}, "a store needs a name"),
    ]
    for arguments, words in cases:
        given = {"a": "random", "b": "random", "games": 2, **arguments}
        with pytest.raises(rz.RulezeroError, match=words):
            rz.match("connect4", **given)
    with pytest.raises(rz.GameError, match="a game must be a text or a PythonGame, not None"):
        rz.match(cast(Any, None), "random", "random")
    with pytest.raises(TypeError, match="about a State"):
        rz.player("puct").think(cast(Any, "x"))
    with pytest.raises(rz.PlayerError, match="is not an evaluator"):
        rz.player("puct", evaluator=cast(Any, object()))


def test_a_player_has_one_text() -> None:
    """A player's text is the same, however its numbers are written."""
    assert rz.player("puct", sims=5.0).text == rz.player("puct:sims=005").text == "puct:sims=5"
    assert rz.player("puct:c_puct=1.50,sims=1e2").text == "puct:c_puct=1.5,sims=100"
    assert rz.player("puct:net=007").text == "puct:net=007"


def test_openings_are_as_long_as_can_be() -> None:
    """An opening longer than the game is shortened so that the game is not over at its end."""
    match = rz.match("connect4", "random", "random", 10, opening=42)
    for record in match.records:
        assert 10 < record.opening < record.plies <= 42
    assert len({record.actions for record in match.records}) > 4


def test_a_test_without_swapped_seats_counts_games() -> None:
    """With swap=False there are no pairs, so the SPRT counts single games."""
    sprt = Sprt(elo0=0, elo1=80)
    match = rz.match("connect4", "puct:sims=30", "random", 500, sprt=sprt, swap=False, width=1)
    assert match.sprt
    assert match.sprt.verdict == "accepted H1"
    assert len(match.sprt.counts) == 3
    assert sum(match.sprt.counts) == match.tally.games


def test_the_tally_that_is_told_is_the_tally_of_the_games() -> None:
    """on_game gets the tally after each game, and ends the match if it returns True."""
    told: list[Tally] = []
    match = rz.match("connect4", "puct:sims=8", "puct:sims=8", 30, on_game=told.append)
    assert [tally.games for tally in told] == list(range(1, 31))
    assert told[-1] == match.tally
    assert match.tally.pairs.total == 15
    stopped = rz.match("connect4", "random", "random", 30, on_game=lambda tally: tally.games == 7)
    assert stopped.tally.games == len(stopped.records) == 7


def test_ctrl_c_holds_the_match_so_far(tmp_path: Path) -> None:
    """MatchInterrupted is a KeyboardInterrupt with the match so far; the store has its games."""

    def interrupt(tally: Tally) -> None:
        if tally.games == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        rz.match("connect4", "random", "random", 1000, save=tmp_path, on_game=interrupt)
    assert isinstance(caught.value, MatchInterrupted)
    match = caught.value.match
    assert 5 <= match.tally.games < 1000
    assert len(match.records) == match.tally.games
    assert {record.id for record in Store(tmp_path)} == {record.id for record in match.records}


_PROGRAM = """
import sys
import rulezero as rz

if __name__ == "__main__":
    rz.match("razzle", "gumbel:sims=8", "random", 100_000, save=sys.argv[1],
             workers=int(sys.argv[2]), judge="heuristic",
             on_game=lambda tally: print(tally.games, flush=True))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_kill_9_loses_no_game_that_was_told(tmp_path: Path, workers: int) -> None:
    """After kill -9, the store holds every game passed to on_game, and a new match adds to it."""
    program, path = tmp_path / "program.py", tmp_path / "store"
    program.write_text(_PROGRAM, encoding="utf-8")
    with begin(path, str(workers), program=str(program)) as process:
        read_until(process.stdout, "\n150\n")
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate(timeout=60)
    told = int(rest.rpartition("\n")[0].rpartition("\n")[2] or 150)
    store = Store(path)
    kept = {record.index: record for record in store}
    assert len(kept) >= told >= 150
    for record in kept.values():
        check(record)
    notes = {note.record for note in store.notes()}
    assert len(notes & {record.id for record in kept.values()}) >= told

    match = rz.match("razzle", "gumbel:sims=8", "random", 4, judge="heuristic", save=path)
    assert len(Store(path)) == len(kept.keys() | {0, 1, 2, 3})
    assert all(record == kept[record.index] for record in match.records if record.index in kept)
    assert not [file for file in path.iterdir() if file.suffix == ".part"]


def test_a_report_adds_up() -> None:
    """The report's figures agree with figures computed from the records."""
    match = rz.match("chess", "gumbel:sims=4", "random", 30, seed=5)
    report = Report.of(match)
    records = match.records
    assert report.total.games == 30 == sum(line.games for line in report.by_seat)
    assert report.total.wins == sum(_for_a(record) > 0 for record in records)
    assert report.total.score == match.score
    assert report.elo == elo(match.tally)
    assert (report.elo.lower, report.elo.upper) == match.interval
    assert sum(report.pairs) == 15
    assert {cause: line.games for cause, line in report.ends.items()} == {
        cause: sum(record.end_reason == cause for record in records)
        for cause in {record.end_reason for record in records}
    }
    assert list(report.ends.values()) == sorted(report.ends.values(), key=lambda line: -line.games)
    plies = [record.plies for record in records]
    assert report.plies.shortest == min(plies)
    assert report.plies.longest == max(plies)
    assert report.plies.mean == pytest.approx(sum(plies) / 30)
    whites = Counts(
        wins=sum(record.outcome > 0 for record in records),
        draws=sum(record.outcome == 0 for record in records),
        losses=sum(record.outcome < 0 for record in records),
    )
    assert report.first_seat.score == whites.score
    assert report.first_seat_elo == elo(whites)
    assert report.simulations == sum(int(record.columns().sims.sum()) for record in records)
    assert report.games_per_second == pytest.approx(30 / match.seconds)


def _for_a(record: Record) -> float:
    return record.outcome if record.index % 2 == 0 else -record.outcome


def test_a_report_is_json() -> None:
    """An infinite bound is null in JSON, and a report of no games can be encoded."""
    report = Report.of(rz.match("connect4", "puct:sims=40", "random", 4, sprt=Sprt(elo0=0, elo1=9)))
    told = json.loads(msgspec.json.encode(report))
    assert told["total"]["games"] == 4
    assert told["sprt"]["verdict"] == "undecided"
    assert told["elo"]["upper"] is None
    nothing = Report.of(rz.Match(game="chess", a="a", b="b", tally=Tally(), records=[]))
    assert json.loads(msgspec.json.encode(nothing))["plies"]["mean"] == 0


def test_starts_come_from_a_file(tmp_path: Path) -> None:
    """The file has one position per line; comments and empty lines are ignored."""
    game = rz.load("connect4")
    path = tmp_path / "starts.txt"
    path.write_text("# two\n7/7/7/7/7/3X3 o\n\n  7/7/7/7/3O3/3X3 x  # and why\n")
    starts = read_starts(path, game)
    assert starts == ["7/7/7/7/7/3X3 o", "7/7/7/7/3O3/3X3 x"]
    match = rz.match(game, "random", "random", 8, starts=starts, opening=0)
    assert [record.start for record in match.records] == [*starts[:1] * 2, *starts[1:] * 2] * 2

    for text, words in {
        "7/7/7/7/7/3X3 o\nnonsense\n": "starts.txt:2: ",
        "7/7/7/7/7/7 x\nOOO4/XXXX3/7/7/7/7 o": "starts.txt:2: ",
        "# nothing\n": "has no position",
    }.items():
        path.write_text(text)
        with pytest.raises(rz.PositionError, match=words):
            read_starts(path, game)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(rz.PositionError, match="is not a UTF-8 text file"):
        read_starts(path, game)
    with pytest.raises(rz.PositionError, match="there is no file of positions"):
        read_starts(tmp_path / "nowhere", game)


def test_a_script_needs_no_guard_to_have_workers(tmp_path: Path) -> None:
    """Worker processes do not run the script again, so it needs no `if __name__` guard."""
    script = tmp_path / "script.py"
    script.write_text(
        "import rulezero as rz\n"
        "print('once')\n"
        "print(len(rz.match('connect4', a='random', b='random', games=8, workers=2).records))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "once\n8\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_do_not_outlive_a_killed_match(tmp_path: Path) -> None:
    """Workers end within 30 s: they notice the kill when they finish their next game."""
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    with begin(tmp_path / "store", "2", program=str(program)) as process:
        read_until(process.stdout, "\n20\n")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) >= 2
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    for _ in range(300):
        if not any(_is_running(pid) for pid in children):
            break
        time.sleep(0.1)
    else:
        pytest.fail("workers are still there after half a minute")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    """A new worker plays its games again, and the records equal those of an undisturbed match."""
    program, path = tmp_path / "program.py", tmp_path / "store"
    program.write_text(_PROGRAM.replace("100_000", "1500"), encoding="utf-8")
    with begin(path, "2", program=str(program)) as process:
        for already in (20, 200):
            read_until(process.stdout, f"\n{already}\n")
            os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0
    line = "a worker process was killed by signal 9; another one plays its games again"
    assert errors.splitlines() == [line] * 2
    again = tmp_path / "again"
    with begin(again, "1", program=str(program)) as process:
        process.communicate(timeout=120)
    assert {record.id for record in Store(path)} == {record.id for record in Store(again)}
    assert len(Store(path)) == len(Store(again)) == 1500


_DEADLY = """
        import multiprocessing, os
        if multiprocessing.current_process().name != "MainProcess":
            os._exit(7)
"""


def test_workers_that_only_die_end_the_match(tmp_path: Path) -> None:
    """After four dead workers in a row, the match raises GameError."""
    rules = (Path(__file__).parents[1] / "support" / "tictactoe.py").read_text(encoding="utf-8")
    head, apply, rest = rules.partition("    def apply(self, position, action):\n")
    assert apply
    (tmp_path / "deadly.py").write_text(f"{head}{apply}{_DEADLY}{rest}", encoding="utf-8")
    words = "4 worker processes in a row died without finishing a game: the last one ended with"
    with pytest.raises(rz.GameError, match=words):
        rz.match(f"python:file={tmp_path}/deadly.py", "random", "random", 8, opening=0, workers=2)


def _is_running(pid: str) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())  # empty for a zombie
    except (FileNotFoundError, ProcessLookupError):
        return False
