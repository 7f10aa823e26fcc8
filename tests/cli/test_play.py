"""`rulezero play`: plays the same games as a Dialogue, with lines of text as input."""

import io
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import rulezero as rz
from rulezero import _core
from rulezero.cli.terminal.bar import signed
from rulezero.cli.terminal.table import Table
from rulezero.data import Record, Store, check
from rulezero.games.check import COMMANDS
from rulezero.play.dialogue import Dialogue, opponent
from support import documents, little_nets
from support.commands import begin, fails, read_until, run, stop, succeeds

GAMES = sorted(_core.game_options())
HUMAN = rz.player("human")


def only(path: Path) -> Record:
    """The only record of a store, checked against the rules."""
    (record,) = Store(path)
    check(record, trusted=True)
    return record


def dialogue(text: str, human: int, seed: int, sims: int) -> Dialogue:
    game = rz.load(text)
    machine = opponent(sims=sims)
    made = Dialogue(game, (HUMAN, machine) if human == 0 else (machine, HUMAN), seed=seed)
    made.advance()
    return made


@pytest.mark.parametrize("text", GAMES)
def test_a_game_to_its_end(text: str, tmp_path: Path) -> None:
    """A game of random moves, as move text or SAN, gives the same record as a Dialogue."""
    human = 1 if text == "monster" else 0
    made, rng, lines = dialogue(text, human, seed=4, sims=5), random.Random(7), []
    while not made.is_over:
        state = made.state
        action = rng.choice(state.legal)
        has_san = text in ("chess", "monster", "random_chess")
        lines.append(state.say(action, san=has_san and rng.random() < 0.5))
        made.choose(action)
        made.advance()
    output = succeeds(
        "play", text, "--sims", "5", "--seed", "4", "--save", tmp_path, stdin="\n".join(lines)
    )
    record = only(tmp_path)
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", record.date or "")
    assert msgspec.structs.replace(record, date=None) == made.record()
    assert output.count("your ") == len(lines)
    is_capped = made.end_reason == "cap"
    assert ("stopped after 300 plies" if is_capped else f": {made.end_reason}\n") in output
    assert f"saved: rulezero replay {tmp_path} {made.record().id}\n" in output
    assert "\x1b" not in output


def test_a_game_in_python(tmp_path: Path) -> None:
    """The opponent in a game from a file uses rollouts; the game is recorded like any other."""
    path = tmp_path / "mine.py"
    path.write_text(documents.tic_tac_toe())
    game = f"python:file={path}"
    squares = [file + rank for rank in "123" for file in "abc"]  # taken ones are refused
    output = succeeds(
        "play", game, "--sims", "20", "--save", tmp_path / "store", stdin="\n".join(squares)
    )
    assert "seat 1 is puct:sims=20" in output
    record = only(tmp_path / "store")
    assert record.game == rz.load(game).text
    path.unlink()  # replay finds the rules without the file
    saved = output.splitlines()[-1].removeprefix("saved: rulezero ").split()
    assert f"ply {record.plies}: " in succeeds(*saved)


def test_commands(tmp_path: Path) -> None:
    """Each command prints its answer, and none of them makes a move."""
    lines = ["help", "?", "moves", "hint", "info", "board", "flip", "", "undo", "quit"]
    arguments = ["play", "monster", "--seed", "1", "--sims", "20", "--save", str(tmp_path)]
    output = succeeds(*arguments, stdin="\n".join(lines))
    assert output.startswith("monster: you are Black, White is puct:sims=20\n")
    asked = output.split("Black, your move: ")
    said = dict(zip(lines, asked[1:], strict=True))
    for name in ("moves", "hint", "undo", "info", "flip", "resign", "quit", "help"):
        assert f"\n{name} " in said["help"]
    assert said["?"].partition("\n")[2] == said["help"].partition("\n")[2]
    record = only(tmp_path)
    state = rz.load("monster").replay(record.start, record.columns().actions.tolist())
    for action in state.legal:
        assert f"{state.say(action)} {state.say(action, san=True)}" in said["moves"]
    thought = rz.player("puct:sims=20").think(state)
    assert f"would play {state.say(thought.action, san=True)}\n" in said["hint"]
    assert f"{signed(thought.value or 0)} for White" in said["hint"]
    assert state.text in said["info"]
    assert "   h  g  f  e  d  c  b  a\n" in said["board"]
    assert "   a  b  c  d  e  f  g  h\n" in said["flip"]
    assert said[""] == "\n"
    assert said["undo"] == "undo\nthere is nothing to take back\n"
    assert (record.outcome, record.end_reason, record.plies) == (0.0, "interrupted", 2)
    assert record.columns().has_policy.all()


def test_a_command_with_more_words_is_explained() -> None:
    """It is not read as a move."""
    output = succeeds("play", "connect4", "--sims", "5", stdin="undo 5\nquit")
    assert "undo takes no number: type undo alone" in output


def test_resigning_on_a_terminal_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong word does not end a game."""
    made = dialogue("connect4", 0, seed=1, sims=5)
    screen = io.StringIO()
    table = Table(made, Console(file=screen), adviser=opponent(sims=5), human=0)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for line in ("resign", "info", "resign"):
        table.obey(line)
        assert not made.is_over
    assert "resign? Type resign again" in screen.getvalue()
    table.obey("resign")
    assert made.end_reason == "resigned"


def test_the_machine_shows_its_move_and_its_judgement() -> None:
    """Prints both moves of the turn, marks them in brackets, and draws a bar of White's value."""
    output = succeeds("play", "monster", "--seed", "1", "--sims", "20", stdin="quit")
    made = dialogue("monster", 1, seed=1, sims=20)
    moves = " ".join(ply.state.say(ply.action, san=True) for ply in made.plies)
    assert f"\nWhite plays {moves}\n" in output
    assert len(re.findall(r"\[.\]", output)) >= 3
    thought = made.plies[-1].thought
    assert thought is not None
    value = re.escape(signed(thought.value or 0))
    assert re.search(rf"\nWhite █+░+ Black  {value} for White\n", output)


def test_undo_takes_back_to_the_last_choice(tmp_path: Path) -> None:
    """In Monster, undo takes back one half of a turn; the record does not show it."""
    lines = ["e2e4", "undo", "d2d4", "d4d5", "undo", "undo", "e2e4", "e4e5", "quit"]
    output = succeeds(
        "play", "monster", "--seat", "white", "--sims", "5", "--seed", "2", "--save", tmp_path,
        stdin="\n".join(lines),
    )  # fmt: skip
    prompts = re.findall(r"White, your (.*)move: (\S+)", output)
    halves = ["", "second ", "", "second ", "", "second ", "", "second ", ""]
    assert prompts == list(zip(halves, lines, strict=True))
    assert "taken back: e4\n" in output
    state = rz.load("monster").start()
    said = []
    for action in only(tmp_path).columns().actions.tolist():
        said.append(state.say(action))
        state = state.apply(action)
    assert said[:2] == ["e2e4", "e4e5"]
    assert len(said) == 3


def test_dice_are_rolled_and_shown(tmp_path: Path) -> None:
    """A die and its damage are printed after the move; undo takes back the die as well."""
    position = "4k3/8/8/3p4/4P3/8/8/4K3 w 0/0 0 0 -"
    output = succeeds(
        "play", "exchange", "--position", position, "--opponent", "random", "--seed", "5",
        "--save", tmp_path, stdin="e4xd5\nundo\ne4xd5\nquit\n",
    )  # fmt: skip
    rolled = re.findall(r"White plays e4xd5 \(die (\d), (\d) damage\)", output)
    assert len(rolled) == 2
    assert rolled[0] == rolled[1]
    assert int(rolled[0][1]) == int(rolled[0][0]) + 1
    assert "taken back: e4xd5 (die" in output
    assert only(tmp_path).start == position


@pytest.mark.parametrize("line", ["zz", "e2e5", "Nf6", "udno", "e9", "\x00", "é", "0" * 5000])
def test_a_wrong_move_is_one_line_and_asks_again(line: str) -> None:
    """The error is one line, and the prompt is printed again."""
    output = succeeds("play", "chess", "--sims", "5", "--seed", "1", stdin=f"{line}\nquit\n")
    first, second = output.split("White, your move: ")[1:]
    assert first.count("\n") == 2
    assert "not a legal move" in first
    assert second.startswith("quit\n")
    if line == "udno":
        assert "did you mean 'undo'" in first


@pytest.mark.parametrize(("seat", "outcome"), [("white", -1.0), ("1", 1.0)])
def test_who_resigns_loses(seat: str, outcome: float, tmp_path: Path) -> None:
    """The side that resigns loses, and the game is saved."""
    arguments = ["play", "razzle", "--seat", seat, "--sims", "5", "--save-data", str(tmp_path)]
    lines = "c1d3\nresign\n" if seat == "white" else "resign\n"
    output = succeeds(*arguments, stdin=lines)
    record = only(tmp_path)
    assert (record.outcome, record.end_reason) == (outcome, "resigned")
    assert record.columns().has_policy.any()
    assert f"{'White resigns: Black' if outcome < 0 else 'Black resigns: White'} wins\n" in output


def test_the_end_of_input_keeps_the_game(tmp_path: Path) -> None:
    """The game is saved as interrupted, without a winner; a game without moves is not saved."""
    output = succeeds("play", "chess", "--sims", "5", "--save", tmp_path / "a", stdin="e4\n")
    record = only(tmp_path / "a")
    assert (record.outcome, record.end_reason, record.plies) == (0.0, "interrupted", 2)
    assert "\nleft after 2 plies\n" in output
    output = succeeds("play", "chess", "--save", tmp_path / "b", stdin="")
    assert output.endswith("nothing to save: no move was made\n")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_the_game(number: signal.Signals, tmp_path: Path) -> None:
    """SIGINT, SIGTERM and SIGHUP save the game and end with exit code 130."""
    with begin("play", "chess", "--sims", "5", "--save", tmp_path) as process:
        read_until(process.stdout, "your move: ")
        assert process.stdin
        process.stdin.write("e2e4\n")
        process.stdin.flush()
        read_until(process.stdout, "your move: ")
        output, errors = stop(process, number)
    assert (process.returncode, errors) == (130, "")
    assert "left after 2 plies" in output
    record = only(tmp_path)
    assert (record.outcome, record.end_reason, record.plies) == (0.0, "interrupted", 2)


_FOREVER = str(10**8)  # simulations, which take minutes


def test_ctrl_c_while_the_machine_thinks_makes_it_move(tmp_path: Path) -> None:
    """The first Ctrl-C ends the search; the second, at the prompt, saves and leaves the game."""
    with begin("play", "chess", "--sims", _FOREVER, "--save", tmp_path) as process:
        read_until(process.stdout, "your move: ")
        assert process.stdin
        process.stdin.write("e2e4\n")
        process.stdin.flush()
        read_until(process.stdout, "e2e4\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        read_until(process.stdout, "your move: ")
        _, errors = stop(process, signal.SIGINT)
    assert (process.returncode, errors) == (130, "")
    record = only(tmp_path)
    assert record.plies == 2
    thought = record.thought(1)
    assert thought is not None
    assert 0 < thought.sims < int(_FOREVER)
    assert sum(thought.shares.values()) == pytest.approx(1)


def test_ctrl_c_ends_both_halves_of_a_turn() -> None:
    """One Ctrl-C ends the searches of both halves of White's turn."""
    with begin("play", "monster", "--sims", _FOREVER) as process:
        read_until(process.stdout, "type a move, or help\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert "White plays" in read_until(process.stdout, "your move: ")
        stop(process, signal.SIGINT)
    assert process.returncode == 130


def test_ctrl_c_while_a_hint_is_computed_gives_it() -> None:
    """The hint found so far is printed, and the game continues."""
    with begin("play", "connect4", "--sims", _FOREVER) as process:
        read_until(process.stdout, "your move: ")
        assert process.stdin
        process.stdin.write("hint\n")
        process.stdin.flush()
        read_until(process.stdout, "hint\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert " would play " in read_until(process.stdout, "your move: ")
        process.stdin.write("quit\n")
        process.stdin.flush()
        process.wait(timeout=60)
    assert process.returncode == 0


def test_two_ctrl_c_leave_the_game(tmp_path: Path) -> None:
    """The human's moves are saved; the machine's unfinished search adds at most one ply."""
    with begin(
        "play", "monster", "--seat", "white", "--sims", _FOREVER, "--save", tmp_path
    ) as game:
        read_until(game.stdout, "your move: ")
        assert game.stdin
        game.stdin.write("e2e4\nd2d4\n")
        game.stdin.flush()
        read_until(game.stdout, "d2d4\n")
        time.sleep(0.5)
        # The process is stopped so that both signals arrive within one slice of the search.
        game.send_signal(signal.SIGSTOP)
        game.send_signal(signal.SIGINT)
        game.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        stop(game, signal.SIGINT)
    assert game.returncode == 130
    assert only(tmp_path).plies in (2, 3)  # 3 if the first Ctrl-C made the machine move


def test_a_saved_game_is_continued(tmp_path: Path) -> None:
    """The record of a continued game equals the record of the same game without a pause."""
    whole = tmp_path / "whole"
    common = ["--sims", "20", "--seed", "5", "--name", "Anna"]
    succeeds("play", "monster", *common, "--save", whole, stdin="e5\na6\nb6\nquit\n")
    expected = only(whole)
    assert expected.names == (None, "Anna")
    assert expected.date is not None
    store = tmp_path / "store"
    succeeds("play", "monster", *common, "--save", store, stdin="e5\nquit\n")
    short = only(store)
    output = succeeds("play", "--continue", store, "last", stdin="quit\n")
    assert "you are Black, White is puct:sims=20" in output
    origin = f"record {short.id[:12]} ({short.plies} plies, * interrupted)"
    assert f"{origin} continues after the end" in output
    assert "Anna" in succeeds("replay", store, "--list")
    assert output.endswith("nothing to save: no move was made\n")
    assert len(Store(store)) == 1
    output = succeeds("play", "--continue", store, "1", stdin="a6\nundo\na6\nb6\nquit\n")
    first, second = Store(store)  # records never change: the longer game is added
    assert (first, second) == (short, expected)
    assert f"saved: rulezero replay {store} {expected.id}\n" in output
    output = succeeds(
        "play", "--continue", store, "2", "--ply", "2", "--opponent", "random", "--save",
        tmp_path / "other", stdin="undo\na6\nquit\n",
    )  # fmt: skip
    other = only(tmp_path / "other")
    assert other.players == ("random", "human")
    assert (other.opening, other.plies) == (2, 5)
    assert "continues after ply 2" in output
    assert "there is nothing to take back" in output


def test_an_imported_game_is_played_on(tmp_path: Path) -> None:
    """The human gets the side to move, and earlier positions count: the third one is a draw."""
    file = tmp_path / "his.pgn"
    file.write_text("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 *\n")
    output = succeeds("play", "--continue", file, "1", "--opponent", "human", stdin="Ng8\n")
    assert output.splitlines()[-1] == "drawn: repetition"
    output = succeeds("play", "--continue", file, "1", stdin="quit\n")
    assert output.startswith("chess: you are Black, White is puct:sims=400\n")


def test_wrong_continuations_are_one_line(tmp_path: Path) -> None:
    """Each error is one line that says what is wrong."""
    rz.match("connect4", "random", "random", 1, save=tmp_path)
    wrong: list[tuple[list[str | Path], str]] = [
        (["--ply", "3"], "needs --continue"),
        ([], "name a game"),
        (["--continue", tmp_path, "1"], "over"),
        (["--continue", tmp_path, "9"], "no record number 9"),
        (["--continue", tmp_path, "1", "--ply", "999"], "a ply from 0 to"),
        (["--continue", tmp_path / "no", "1"], "there is no"),
        (["--continue", tmp_path, "1", "--position", "x"], "not both"),
        (["connect4", "--name", ""], "at least one letter"),
    ]
    for words, told in wrong:
        assert told in fails("play", *words)


def test_a_hint_says_what_tables_prove(tmp_path: Path) -> None:
    """In a solved position, hint names the winner and the number of the winner's turns."""
    rz.endgame.solve("KvKQ", tmp_path, workers=1)
    position = "8/8/8/8/8/8/q7/k1K5 w - - 0 1"
    state = rz.load("monster").parse(position)
    proof = rz.endgame.open(tmp_path).probe(state)
    assert proof is not None
    assert proof.value == 1
    arguments = ["--position", position, "--seat", "white", "--tables", str(tmp_path)]
    output = succeeds("play", "monster", *arguments, stdin="hint\nquit\n")
    turns = "1 turn" if proof.distance == 1 else f"{proof.distance} turns"
    assert f"solved: White wins in {turns}\n" in output


def test_a_reader_that_leaves_loses_no_game(tmp_path: Path) -> None:
    """If stdout is closed during a game, the moves so far are saved."""
    with begin("play", "connect4", "--sims", "5", "--save", tmp_path) as process:
        read_until(process.stdout, "your move: ")
        assert process.stdin
        assert process.stdout
        process.stdin.write("d\n")
        process.stdin.flush()
        read_until(process.stdout, "your move: ")
        process.stdout.close()
        process.stdin.write("c\nhint\nmoves\n")
        process.stdin.close()
        process.wait(timeout=60)
    assert process.returncode in (1, 141)  # 1 if rich notices it, 141 if we do
    assert only(tmp_path).plies >= 2


def test_what_is_no_text_is_no_move(tmp_path: Path) -> None:
    """Input that is not valid UTF-8 is an illegal move, and the prompt is printed again."""
    result = subprocess.run(
        [sys.executable, "-m", "rulezero", "play", "chess", "--sims", "5", "--save", str(tmp_path)],
        input=b"e2e4\n\xff\xfe\nquit\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"is not a legal move" in result.stdout
    assert only(tmp_path).plies == 2


def test_without_input() -> None:
    """If the shell closed stdin, the error says that there is no input."""
    command = f"{sys.executable} -m rulezero play connect4 <&-"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("rulezero: error: there is no input")


def test_rules_that_fail_while_the_machine_thinks(tmp_path: Path) -> None:
    """The human's move is taken back, and the prompt is printed again."""
    broken = documents.tic_tac_toe().replace(
        "def apply(self, position, action):",
        "def apply(self, position, action):\n"
        "        if position.count('-') == 8:\n            raise ValueError('torn')",
    )
    file = tmp_path / "mine.py"
    file.write_text(broken)
    game = f"python:file={file}"
    output = succeeds("play", game, "--sims", "5", "--save", tmp_path / "s", stdin="a1\nb1\nquit\n")
    assert output.count("torn") == 2
    assert re.findall(r"seat (\d), your", output) == ["0", "0", "0"]
    assert output.endswith("nothing to save: no move was made\n")


def test_games_gather_in_one_store(tmp_path: Path) -> None:
    """Games saved in one store have different seeds."""
    for _ in range(2):
        succeeds("play", "connect4", "--sims", "5", "--save", tmp_path, stdin="d\nquit\n")
    first, second = Store(tmp_path)
    assert first.seed != second.seed


def test_two_people_share_a_board() -> None:
    """With --opponent human, both seats are prompted in turn."""
    output = succeeds("play", "connect4", "--opponent", "human", stdin="d\nc\nhint\nquit\n")
    assert output.startswith("connect4: you are X and O\n")
    assert re.findall(r"([XO]), your move: (\w+)", output) == [
        ("X", "d"), ("O", "c"), ("X", "hint"), ("X", "quit")
    ]  # fmt: skip
    assert "puct:sims=400 would play" in output


def test_without_unicode() -> None:
    """If the output encoding is ASCII, all output is ASCII."""
    result = run("play", "chess", "--sims", "5", stdin="e4\nhint\nquit\n", PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert result.stdout.isascii()
    assert "White ####" in result.stdout


def test_wrong_input_is_one_line(tmp_path: Path) -> None:
    """The error is one line; no board is drawn, and no file is made or overwritten."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    store = tmp_path / "store"
    for words, told in [
        (["conect4"], "did you mean 'connect4'"),
        (["connect4", "--position", "nonsense"], "a board and a side"),
        (["connect4", "--fen", "7/7/7/7/OOO4/XXXX3 o"], "over"),
        (["connect4", "--seat", "2"], "is not a seat"),
        (["connect4", "--sims", "0"], "--sims"),
        (["connect4", "--opponent", "nobody"], "there is no player"),
        (["connect4", "--opponent", ""], "has no name"),
        (["connect4", "--opponent", "random", "--sims", "5"], "no key 'sims'"),
        (["connect4", "--opponent", "puct:sims=5", "--sims", "5"], "given twice"),
        (["connect4", "--net", str(tmp_path / "nowhere")], "nowhere"),
        (["connect4", "--use-model", str(mine)], "mine"),
        (["connect4", "--seed", "-1"], "--seed"),
        (["connect4", "--seed", str(1 << 64)], "seed"),
    ]:
        assert told in fails("play", *words, "--save", store)
    assert "a store is a folder" in fails("play", "connect4", "--save", mine)
    assert mine.read_text() == "mine"
    assert not store.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal the output is coloured, and Ctrl-C at the prompt saves the game."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rulezero", "play", "chess", "--sims", "5", "--save", str(tmp_path)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
        start_new_session=True,
    ) as process:
        os.close(slave)
        with os.fdopen(master, "rb+", buffering=0) as terminal:
            shown = ""
            while "your move: " not in shown:
                shown += terminal.read(1000).decode(errors="replace")
            terminal.write(b"e4\n")
            while shown.count("your move: ") < 2:
                shown += terminal.read(1000).decode(errors="replace")
            process.send_signal(signal.SIGINT)
            while not select.select([terminal], [], [], 5)[0]:  # too early: see `stop`
                process.send_signal(signal.SIGINT)
            try:
                while part := terminal.read(1000):
                    shown += part.decode(errors="replace")
            except OSError:  # the process has closed the terminal
                pass
    assert process.returncode == 130
    assert "\x1b[" in shown
    assert "for White" in shown
    assert only(tmp_path).plies == 2


def test_against_a_net(tmp_path: Path) -> None:
    """The opponent uses the net of --net, and the record names the net."""
    net = little_nets.net("connect4")
    arguments: list[str | Path] = [
        "--net",
        net,
        "--sims",
        "5",
        "--seat",
        "1",
        "--save",
        tmp_path / "store",
    ]
    output = succeeds("play", "connect4", *arguments, stdin="a\nhint\nquit\n")
    assert f"X is puct:net={net},sims=5" in output
    record = only(tmp_path / "store")
    assert record.nets[0] is not None
    assert record.nets[1] is None


def test_commands_are_known_to_the_check_of_games() -> None:
    """`check game` warns of moves that are commands: its list is the one that help prints."""
    output = succeeds("play", "connect4", "--sims", "2", stdin="help\nquit\n")
    listed = output.partition("plays a move\n")[2].partition("X, your move")[0]
    assert tuple(line.split()[0] for line in listed.splitlines()) == COMMANDS
