"""Engines that speak UCI: in games, and when they misbehave."""

import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

import rulezero as rz
from rulezero.data import check
from rulezero.play.dialogue import Dialogue
from rulezero.play.engines import engines as idle_engines
from rulezero.play.session import Session
from rulezero.play.task import Task, check_task

FAKE = Path(__file__).parents[1] / "support" / "fake_engine.py"
STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
needs_stockfish = pytest.mark.skipif(
    STOCKFISH is None, reason="NOT TESTED: games with Stockfish, because it is not installed"
)


def fake(mode: str, *, keys: str = "patience=5,movetime=10", file: Path | None = None) -> str:
    """The text of a fake engine as a player."""
    words = f"{FAKE} {mode}{'' if file is None else f' {file}'}"
    return f"uci:path={sys.executable},args={words},{keys}"


FAILURES = {
    "hang": "gave no move within 0.51 s",
    "crash": "crashed (signal 11)",
    "exit": "ended with exit code 3",
    "cheat": "played 'e1e8', which is not legal, in ",
    "resign": "gave no move in ",
    "silent": "gave no move in ",
    "garbage": "played '",
    "flood": "wrote more than 16 MB without a move",
    "endless": "wrote a line of more than 1 MB",
}


@pytest.mark.parametrize("mode", FAILURES)
def test_an_engine_that_fails_loses(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    """Its game is lost by forfeit, and one line names the engine and what it did."""
    patience = "20" if mode == "flood" else "0.5"
    text = fake(mode, keys=f"patience={patience},movetime=10")
    with caplog.at_level(logging.WARNING, "rulezero"):
        played = rz.match("chess", text, "random", 2, seed=1)
    assert [record.end_reason for record in played.records] == ["forfeit", "forfeit"]
    assert played.score == 0
    assert rz.contest.Report.of(played).ends["forfeit"].losses == 2
    for record in played.records:
        check(record)
    assert len(caplog.messages) == 2
    for message in caplog.messages:
        assert message.startswith(f"the engine '{sys.executable}' {FAILURES[mode]}")
        assert ": it loses game " in message
        assert message.isprintable()


def test_many_failures_are_not_all_reported(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "rulezero"):
        rz.match("chess", fake("cheat"), "random", 12, seed=1)
    assert len(caplog.messages) == 5
    assert caplog.messages[-1].endswith("more such games are not reported")


def test_a_program_that_is_no_engine_is_an_error() -> None:
    """Nothing is played if an engine does not answer at the start."""
    with pytest.raises(rz.PlayerError, match=r"did not answer 'uci' within 10 s: is it a UCI engi"):
        rz.match("chess", fake("mute"), "random", 2)
    with pytest.raises(rz.PlayerError, match="ended with exit code 0"):
        rz.match("chess", "uci:path=/bin/true", "random", 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("uci", "uci needs the engine's program"),
        ("uci:path=no_such_engine", "path=no_such_engine does not exist"),
        ("uci:path=/etc/passwd", "path=/etc/passwd is not a program"),
        ("uci:path=x,movetime=0", "movetime is '0'; give a whole number from 1"),
        ("uci:path=x,nodes=1e3", "nodes is '1e3'; give a whole number"),
        ("uci:path=x,patience=no", "patience is 'no'; give a number of seconds"),
        ("uci:path=x,sims=3", "uci has no key 'sims'"),
    ],
)
def test_wrong_keys_are_one_line(text: str, words: str) -> None:
    with pytest.raises(rz.PlayerError) as caught:
        check_task(Task(game="chess", a=text, b="random", games=2))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_options_are_named() -> None:
    text = fake("random", keys="option.Skil Level=3")
    with pytest.raises(rz.PlayerError, match=r"has no option 'Skil Level'.*Skill Level"):
        rz.player(text).think(rz.load("chess").start())


@pytest.mark.parametrize("game", ["monster", "connect4", "random_chess:pieces=custom"])
def test_other_games_are_refused(game: str) -> None:
    with pytest.raises(rz.PlayerError, match=f"a UCI engine cannot play {game}"):
        check_task(Task(game=game, a=fake("random"), b="random", games=2))


def test_keys_are_those_of_the_engine() -> None:
    """Names with spaces, keywords, times; texts are kept as they are."""
    player = rz.player("uci:option.Skill Level=5", path="x", nodes=1000)
    assert player.text == "uci:option.Skill Level=5,path=x,nodes=1000"
    assert rz.player(player.text) == player
    assert player.engine is not None
    assert player.engine.options == (("Skill Level", "5"),)
    assert player.seconds == 0
    assert rz.player("uci:path=x").seconds == 1
    assert player.within(0.25).text.endswith("nodes=1000,movetime=250")
    assert player.within(0.25).seconds == 0.25


@pytest.mark.parametrize("game", ["chess", "random_chess"])
def test_games_agree_with_python_chess(game: str) -> None:
    """An engine with rules of its own plays whole games, and castles, in both games."""
    castled = 0
    played = rz.match(game, fake("castle"), "puct:sims=8", 6, seed=3, opening=0)
    for record in played.records:
        assert record.end_reason != "forfeit"
        check(record)
        state = rz.load(game).parse(record.start)
        board = chess.Board(record.start, chess960=game == "random_chess")
        for action in record.action_numbers().tolist():
            castled += state.say(action, san=True).startswith("O-O")
            board.push_uci(state.say(action))
            state = state.apply(action)
        assert state.text.split()[0] == board.board_fen()
    assert castled > 0


def test_an_engine_thinks() -> None:
    """Its thought has its value for seat 0, its nodes and its line."""
    state = rz.load("chess").start()
    first = rz.player(fake("random")).think(state)
    assert first.action == first.line[0]
    assert first.sims == 1234
    assert first.value == pytest.approx(2 / (1 + 10 ** (-100 / 400)) - 1, abs=1e-4)
    assert first.value is not None
    second = rz.player(fake("random")).think(state.apply(first.action))
    assert second.value == pytest.approx(-first.value, abs=1e-4)
    with pytest.raises(rz.PlayerError, match="crashed"):
        rz.player(fake("crash")).think(state)


def test_games_go_on_while_engines_think() -> None:
    """Several games of a process are played at the same time, each with its own engine."""
    game = rz.load("chess")
    players = [rz.player(fake("slow", keys="nodes=1")), rz.player("random")]
    session = Session(game, players, seed=1, width=4)
    for index in range(4):
        session.add(index, game.start(), (0, 1), most_plies=10)
    begin = time.perf_counter()
    assert len(list(session.run())) == 4
    assert time.perf_counter() - begin < 0.7 * 4 * 5 * 0.3


def test_workers_have_engines_of_their_own() -> None:
    played = rz.match("chess", fake("random"), fake("castle"), 4, seed=1, workers=2)
    assert played.tally.games == 4
    assert "forfeit" not in {record.end_reason for record in played.records}


def test_a_person_plays_against_an_engine() -> None:
    game = rz.load("chess")
    dialogue = Dialogue(game, (rz.player("human"), rz.player(fake("random"))))
    dialogue.advance()
    dialogue.choose(game.start().read("e2e4"))
    (ply,) = dialogue.advance()
    assert ply.thought is not None
    assert ply.thought.sims == 1234
    dialogue.choose(dialogue.state.legal[0])
    lost = Dialogue(game, (rz.player("human"), rz.player(fake("cheat"))))
    lost.advance()
    lost.choose(game.start().read("e2e4"))
    lost.advance()
    assert (lost.outcome, lost.end_reason) == (1.0, "forfeit")
    check(lost.record())


def test_an_engine_can_be_hurried() -> None:
    """Ctrl-C and a `stop` function reach the engine."""
    begin = time.monotonic()
    player = rz.player(fake("patient", keys="movetime=60000"))
    thought = player.think(rz.load("chess").start(), stop=lambda: time.monotonic() > begin + 1)
    assert thought.sims == 1234 or thought.action in rz.load("chess").start().legal
    assert time.monotonic() < begin + 20


def test_an_engine_judges(tmp_path: Path) -> None:
    """Notes of recorded games, and what their moves lost."""
    store = tmp_path / "games"
    rz.match("chess", "random", "random", 1, seed=1, swap=False, save=store)
    done = rz.judge(store, fake("random"))
    assert done.judged == 1
    (record,) = rz.Store(store)
    note = rz.contest.note_by(rz.Store(store).notes(record.id), done.judge)
    analysis = rz.contest.analyse(record, note, rz.player(done.judge))
    assert sum(ply.lost is not None for ply in analysis.plies) > 10
    with pytest.raises(rz.PlayerError, match="crashed"):
        rz.judge(store, fake("crash"))


def test_its_errors_are_not_ours(capfd: pytest.CaptureFixture[str]) -> None:
    rz.player(fake("loud")).think(rz.load("chess").start())
    assert capfd.readouterr().err == ""


PARENT = """
import sys, time
import rulezero as rz
rz.player(sys.argv[1]).think(rz.load("chess").start())
print("ready", flush=True)
time.sleep(600)
"""


def is_alive(number: int) -> bool:
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except OSError:
        return False


def ends(is_over: Callable[[], bool], seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while not is_over() and time.monotonic() < until:
        time.sleep(0.02)
    return is_over()


@pytest.mark.parametrize("victim", ["parent", "guard"])
def test_no_engine_outlives_its_parent(victim: str, tmp_path: Path) -> None:
    """Even a stubborn engine ends when the process that started it is killed, or its guard is."""
    file = tmp_path / "number"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, fake("stubborn", file=file)], stdout=subprocess.PIPE
    )
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        engine = int(file.read_text(encoding="ascii"))
        guard = int(Path(f"/proc/{engine}/stat").read_text(encoding="ascii").split()[3])
        assert is_alive(engine)
        os.kill(parent.pid if victim == "parent" else guard, signal.SIGKILL)
        assert ends(lambda: not is_alive(engine))
    finally:
        parent.kill()
        parent.wait()
        with contextlib.suppress(OSError):
            parent.stdout.close() if parent.stdout is not None else None


def test_engines_end_with_their_session(tmp_path: Path) -> None:
    """A failed engine is killed at once; one that plays on is kept for the next session."""
    file = tmp_path / "number"
    rz.match("chess", fake("hang", keys="patience=0.2,movetime=10", file=file), "random", 1)
    assert ends(lambda: not is_alive(int(file.read_text(encoding="ascii"))))
    player = rz.player(fake("random", file=file))
    player.think(rz.load("chess").start())
    number = file.read_text(encoding="ascii")
    player.think(rz.load("chess").start())
    assert file.read_text(encoding="ascii") == number
    assert len(idle_engines._idle) <= idle_engines._MOST_IDLE


@needs_stockfish
@pytest.mark.parametrize("game", ["chess", "random_chess"])
def test_stockfish_plays(game: str) -> None:
    """A weakened Stockfish beats random play and thinks as long as it is told."""
    text = f"uci:path={STOCKFISH},nodes=300,option.UCI_LimitStrength=true,option.UCI_Elo=1400"
    played = rz.match(game, text, "random", 4, seed=5, workers=2)
    assert played.score == 1
    assert {record.end_reason for record in played.records} == {"checkmate"}
    player = rz.player(f"uci:path={STOCKFISH},movetime=100")
    state = rz.load(game).start(seed=1)
    player.think(state)
    begin = time.perf_counter()
    thought = player.think(state)
    assert 0.05 < time.perf_counter() - begin < 2
    assert thought.sims > 100


@needs_stockfish
def test_stockfish_castles_in_chess960() -> None:
    """It writes castling as the king's move onto its rook."""
    state = rz.load("random_chess").parse("3k4/8/8/8/8/8/5PPP/4RK1R w K - 0 1")
    castling = [action for action in state.legal if state.say(action) == "f1h1"]
    player = rz.player(f"uci:path={STOCKFISH},depth=8")
    assert player.think(state).action in state.legal
    assert len(castling) == 1
    after = state.apply(castling[0])
    assert player.think(after).action in after.legal
