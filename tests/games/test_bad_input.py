"""User mistakes with games: each is an error of one line that says what is wrong."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rulezero as rz
from rulezero.games import grammar
from support import documents, samples

pytestmark = pytest.mark.sanitize

WRONG_TEXTS = {
    "": "has no name",
    ":a=1": "has no name",
    "connect4:": "ends after the colon",
    "connect4:rows": "has no '='",
    "connect4:=3": "is not a key",
    "connect4:rows=": "has no value",
    "connect4:rows=3": "connect4 has no option 'rows'; it takes none",
    "connect4:a=1,a=2": "a is given twice",
    "connect4:a=1,": "has no '='",
    "connect4:a=1,,b=2": "has no '='",
    "conect4": "did you mean 'connect4'",
    "go": "there is no game 'go'; known: ",
    "Connect4": "there is no game 'Connect4'",
    " connect4": "is not a name",
    "connect 4": "is not a name",
    "4connect": "is not a name",
    "connect4\n": "has unprintable characters",
    "connect4\x00": "has unprintable characters",
    "\ud800": "has unprintable characters",
    "python": "python needs a file",
    "python:file=nowhere.py": "there is no file 'nowhere.py'",
    "python:path=x.py": "python has no option 'path'",
}


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_a_wrong_game_text_says_what_is_wrong(text: str) -> None:
    """A wrong game text raises a GameError of one printable line."""
    with pytest.raises(rz.GameError) as caught:
        rz.load(text)
    assert WRONG_TEXTS[text] in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", rz.game_names())
def test_an_unknown_option_names_those_that_are_known(name: str) -> None:
    """An unknown option is refused by every game, in its text and as a keyword."""
    with pytest.raises(rz.GameError, match="has no option 'nonsense'"):
        rz.load(f"{name}:nonsense=1")
    with pytest.raises(rz.GameError, match="has no option 'nonsense'"):
        rz.load(name, nonsense="1")
    with pytest.raises(rz.GameError, match="nonsense"):
        rz.load(name).start(nonsense="1")


@pytest.mark.parametrize("game", [None, 7, b"connect4", object, rz.PythonGame, ["connect4"]])
def test_only_texts_and_python_games_are_games(game: Any) -> None:
    """Anything else raises GameError, also an abstract class."""
    with pytest.raises(rz.GameError):
        rz.load(game)


def test_a_keyword_is_the_same_as_text() -> None:
    """A keyword adds an option to the text, with lists joined by '+'; giving it twice raises."""
    spec = grammar.read("a:x=1").extended({"y": ["p", "q"], "z": 3, "t": True})
    assert spec.text == "a:x=1,y=p+q,z=3,t=true"
    assert grammar.read(spec.text) == spec
    with pytest.raises(rz.GameError, match="x is given twice"):
        grammar.read("a:x=1").extended({"x": "1"})
    wrong: list[Any] = ["", [], ["a", ""], ["a+b"], "a,b", "a\nb", None, {}, [1]]
    for value in wrong:
        with pytest.raises(rz.GameError):
            grammar.read("a").extended({"x": value})


def test_values_may_contain_colons_and_equals() -> None:
    """The text is split at its first colon, an option at its first '='."""
    spec = grammar.read("exchange:dice=fixed:3,file=a=b:c")
    assert spec == grammar.Spec("exchange", {"dice": "fixed:3", "file": "a=b:c"})


@pytest.mark.parametrize("items", [["a"], ["a", "b"], ["Q", "+"], ["+", "Q"], ["+"], ["+", "+"]])
def test_lists_can_be_joined_and_split(items: list[str]) -> None:
    """An item may be '+' itself; the text is unambiguous because no item is empty."""
    assert grammar.split_items("x", grammar.join_items("x", items)) == items


@pytest.mark.parametrize("text", ["", "a+", "+a+"])
def test_a_list_with_a_missing_item_is_refused(text: str) -> None:
    """An empty text, or a separator without an item after it, raises GameError."""
    with pytest.raises(rz.GameError, match="missing"):
        grammar.split_items("x", text)


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_seed_is_a_64_bit_number(text: str) -> None:
    """Other integers raise GameError, other types TypeError."""
    game = rz.load(text)
    assert game.start(seed=2**64 - 1).legal
    for seed in (-1, 2**64, 10**30):
        with pytest.raises(rz.GameError, match="seed"):
            game.start(seed=seed)
    for wrong in (None, 1.5, "1"):
        with pytest.raises(TypeError):
            game.start(seed=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_record_with_a_wrong_action_is_refused(text: str) -> None:
    """`replay` checks the start position and every action."""
    state = samples.played(text)[-1]
    start = samples.played(text)[0].text
    with pytest.raises(rz.MoveError):
        state.game.replay(start, [*state.actions[:3], state.game.facts.actions])
    with pytest.raises(rz.PositionError):
        state.game.replay("nonsense", [])
    with pytest.raises(TypeError):
        state.game.replay(start, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("depth", [-1, 1001, 10**6, 2**31, 2**64, -(2**64)])
def test_perft_has_bounds(depth: int) -> None:
    """A depth below 0 or above 1000 raises GameError."""
    with pytest.raises(rz.GameError, match="0 to 1000"):
        rz.perft(rz.load("connect4").start(), depth)


class Coin(rz.PythonGame[int]):
    """The smallest game with chance: one toss, and seat 0 wins with heads."""

    name = "coin"
    actions = slots = 2
    planes = (1, 1, 1)
    board = (1, 1)
    max_plies = 1
    has_chance = True
    event_names = ("heads",)

    def start(self, seed: int) -> int:
        return 0

    def parse(self, text: str) -> int:
        return ["toss", "heads", "tails"].index(text)

    def text(self, position: int) -> str:
        return ["toss", "heads", "tails"][position]

    def mover(self, position: int) -> int:
        return rz.CHANCE

    def ending(self, position: int) -> tuple[float, str] | None:
        return None if position == 0 else (1 if position == 1 else -1, "tossed")

    def legal(self, position: int) -> list[int]:
        return [0, 1]

    def apply(self, position: int, action: int) -> int:
        return action + 1

    def encode(self, position: int) -> Any:
        return np.zeros((1, 1, 1), dtype=np.float32)

    def chances(self, position: int) -> list[float]:
        return [0.25, 0.75]

    def events(self, position: int, action: int) -> list[float]:
        return [float(action == 0)]


def test_a_python_game_may_have_uneven_dice_and_events() -> None:
    """A state has the chances and events that the class returns."""
    state = rz.load(Coin).start()
    assert state.mover == rz.CHANCE
    assert state.chances == [0.25, 0.75]
    heads = state.apply(0)
    assert (heads.outcome, heads.end_reason, heads.events) == (1, "tossed", {"heads": 1})
    assert rz.load(Coin()).parse("tails").outcome == -1
    with pytest.raises(rz.PositionError):
        rz.load(Coin).parse("edge")


MISTAKES: dict[str, tuple[str, Callable[[rz.State], object]]] = {
    "legal": ("is empty|twice|actions is 2|must be a list", lambda state: state.legal),
    "chances": ("sum 1", lambda state: state.chances),
    "mover": ("0, 1 or CHANCE", lambda state: state.mover),
    "ending": ("outside", lambda state: state.is_over),
    "events": ("one number per event name", lambda state: state.apply(0).events),
    "encode": (r"float32 array|outside \[0, 1\]", lambda state: state.apply(0).planes()),
    "cells": ("must give|seat|control", lambda state: state.cells()),
    "text": ("must be text", lambda state: state.text),
}
WRONG_ANSWERS: dict[str, list[Any]] = {
    "legal": [[], [1, 1], [2], [-1], None],
    "chances": [[0.5, 0.6], [1.0], [-1.0, 2.0], [float("nan"), 1.0]],
    "mover": [2, -2, "0", None],
    "ending": [(2, "too much"), (float("nan"), "no number")],
    "events": [[], [1.0, 2.0]],
    "encode": [
        None,
        np.zeros((1, 1)),
        np.zeros((2, 1, 1), np.float32),
        np.full((1, 1, 1), np.nan, np.float32),
        np.full((1, 1, 1), 5, np.float32),
    ],
    "cells": [[], [("a", 0), ("b", 1)], [("a", 7)], [("\033[31m", 0)]],
    "text": [None, 7, b"toss", "\ud800"],
}


@pytest.mark.parametrize(
    ("method", "answer"),
    [(method, answer) for method, answers in WRONG_ANSWERS.items() for answer in answers],
)
def test_a_python_game_that_answers_wrongly_is_told_so(method: str, answer: Any) -> None:
    """A wrong return value raises a GameError that names the method and what it must return."""
    game = Coin()
    words, ask = MISTAKES[method]
    setattr(game, method, lambda *_: answer)
    with pytest.raises(rz.GameError, match=f"{method}.*{words}"):
        ask(rz.load(game).start())


@pytest.mark.parametrize("method", ["start", "mover", "ending", "legal", "apply", "text", "say"])
def test_a_mistake_inside_a_python_game_is_told_with_its_place(method: str) -> None:
    """An exception becomes the cause of a GameError that names method, exception and line."""

    def stumble(*_: object) -> None:
        raise RuntimeError("boom")

    game = Coin()
    setattr(game, method, stumble)
    words = rf"coin.{method}\(\) raised RuntimeError: boom .*line \d"
    with pytest.raises(rz.GameError, match=words) as caught:
        ask_everything(rz.load(game).start())
    assert isinstance(caught.value.__cause__, RuntimeError)


def ask_everything(state: rz.State) -> None:
    """Calls the methods of the rules through a state."""
    assert state.mover == rz.CHANCE
    assert state.say(0)
    assert state.apply(0).text


def test_one_state_serves_many_threads() -> None:
    """Threads that share a state get the same answers, although rules in Python release the GIL."""

    class Slow(Coin):
        name = "slow"

        def legal(self, position: int) -> list[int]:
            time.sleep(0.0005)
            return [0, 1]

        def say(self, position: int, action: int) -> str:
            time.sleep(0.0005)
            return ["heads", "tails"][action]

    game = rz.load(Slow)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(20):
            state = game.start()
            found = threads.map(lambda state: (state.legal, state.read("tails")), [state] * 8)
            assert list(found) == [([0, 1], 1)] * 8


def test_a_die_needs_has_chance() -> None:
    """CHANCE may be the mover only if has_chance is True."""
    game = Coin()
    game.has_chance = False
    with pytest.raises(rz.GameError, match="has_chance is False"):
        _ = rz.load(game).start().mover


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("planes", (-1, 1, 1)),
        ("planes", (100_000, 100_000, 100_000)),
        ("board", (0, 0)),
        ("board", (65_536, 65_536)),
        ("version", 0),
        ("event_names", ("a", "a")),
    ],
)
def test_impossible_facts_are_refused_at_once(attribute: str, value: object) -> None:
    """Impossible facts raise GameError when the game is loaded."""
    game = Coin()
    setattr(game, attribute, value)
    with pytest.raises(rz.GameError):
        rz.load(game)


def test_a_start_option_is_text() -> None:
    """None or a list raises GameError; a wrong text raises a PositionError that quotes it."""
    game = rz.load("random_chess")
    wrong: list[object] = [None, [], 7]
    for value in wrong:
        with pytest.raises(rz.GameError, match="back_rank must be a text"):
            game.start(back_rank=value)  # type: ignore[arg-type]
    with pytest.raises(rz.PositionError, match="'RNBQKBNR/'"):
        game.start(back_rank="RNBQKBNR/")


def test_replay_tells_which_action_was_wrong() -> None:
    """The error names the ply, the position and the action."""
    game = rz.load("connect4")
    with pytest.raises(rz.MoveError, match="at ply 3, in 7/7/7/7/7/XOX4 o: action 9"):
        game.replay(game.start().text, [0, 1, 2, 9])


def test_a_python_game_must_name_its_facts() -> None:
    """A wrong attribute raises a GameError that says what it must be."""
    for attribute in ("actions", "planes", "board", "max_plies", "name"):
        game = Coin()
        setattr(game, attribute, "nonsense" if attribute != "name" else 7)
        with pytest.raises(rz.GameError, match=f"Coin.{attribute} must be"):
            rz.load(game)
    with pytest.raises(rz.GameError, match="takes no rule options"):
        rz.load(Coin, sides="3")


@pytest.mark.parametrize("name", ["connect4", "python", "Coin", "a b", "coin:sides=3", ""])
def test_a_name_that_is_taken_or_no_name_cannot_be_registered(name: str) -> None:
    """Names must be lower case, and the names of built-in games are reserved."""
    game = Coin()
    game.name = name
    with pytest.raises(rz.GameError):
        rz.register(game)


def test_a_file_may_hold_games(tmp_path: Path) -> None:
    """python:file= finds the only class; several classes need class=; mistakes raise GameError."""
    path = tmp_path / "games.py"
    text = f"python:file={path}"

    def load(source: str, more: str = "") -> rz.Game:
        path.write_text(source, encoding="utf-8")
        return rz.load(text + more)

    one = documents.tic_tac_toe()
    assert load(one).text.startswith("python:file=games.py,sha=")
    assert rz.load(load(one).text).start().legal == list(range(9))
    two = one + "\n\nclass Second(TicTacToe):\n    max_plies = 8\n"
    assert load(two, ",class=Second").facts.max_plies == 8
    for source, more, words in (
        (two, "", "several games; add class=NAME, one of: TicTacToe, Second"),
        (two, ",class=Secnod", "did you mean 'Second'"),
        ("x = 1", "", "defines no game"),
        ("import rulezero as rz\nfrom rulezero import PythonGame", "", "defines no game"),
        ("1 / 0", "", "ZeroDivisionError"),
        ("def", "", "SyntaxError"),
        ("import sys\nsys.exit(0)", "", "SystemExit"),
    ):
        with pytest.raises(rz.GameError, match=words):
            load(source, more)
    with pytest.raises(rz.GameError, match="is a folder"):
        rz.load(f"python:file={tmp_path}")


ABSTRACT = """import rulezero as rz


class Unfinished(rz.PythonGame[str]):
    name = "unfinished"

    def start(self, seed):
        return ""
"""
FINISHED = documents.tic_tac_toe()
UNREGISTERED = FINISHED.replace("@rz.register\n", "")


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        (ABSTRACT, 4, "Unfinished does not define these methods: apply, encode, ending, legal"),
        (ABSTRACT.replace("class", "@rz.register\nclass"), 4, "Unfinished does not define these"),
        (FINISHED.replace('"tictactoe"', '"chess"'), 9, "the name 'chess' is taken"),
        (UNREGISTERED.replace('"tictactoe"', '"chess"'), 9, "the name 'chess' is taken"),
        (FINISHED.replace("slots = 9", "slots = 0"), 9, "TicTacToe needs a name, and actions"),
        (UNREGISTERED.replace("slots = 9", 'slots = "x"'), 9, r"TicTacToe.actions must be"),
        (FINISHED + "rz.load('ches')", 63, "there is no game 'ches'"),
    ],
)
def test_a_file_whose_game_cannot_be_loaded_is_named_with_the_line(
    tmp_path: Path, source: str, line: int, words: str
) -> None:
    """The error names the user's file and the line in it, not a line of rulezero."""
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(rz.GameError) as caught:
        rz.load(str(path))
    assert str(caught.value).startswith(f"{path}:{line}: {words}")


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("chess", "♔7/8/8/8/8/8/8/8 w - - 0 1", "'♔' is not a man"),
        ("monster", "4k3/8/8/8/8/8/8/4Ж3 w - - 0 1", "'Ж' is not a man"),
        ("chess", "4k3/8/8/8/8/8/8/4K3 w é - 0 1", "'é' is not a castling right in 'é'"),
        ("connect4", "7/7/7/7/7/7 ö", "not 'ö'"),
        ("chess", "\u202e7/8/8/8/8/8/8/8 w - - 0 1", "'\\?' is not a man"),
        ("chess", "\x1b7/8/8/8/8/8/8/8 w - - 0 1", "'\\?' is not a man"),
        ("chess", "\U0001f600" * 100, "'\U0001f600{60}\\.\\.\\.'"),
    ],
)
def test_errors_show_letters_of_any_script(game: str, text: str, words: str) -> None:
    """Non-ASCII letters are shown whole; only unprintable characters become '?'."""
    with pytest.raises(rz.PositionError, match=words):
        rz.load(game).parse(text)


def test_wrong_moves_are_answered_with_moves() -> None:
    """The error lists legal moves, with action numbers only if an action number was given."""
    state = rz.load("connect4").start()
    with pytest.raises(rz.MoveError, match="'h' is not a legal move here; legal: a, b, c, d, e a"):
        state.read("h")
    with pytest.raises(rz.MoveError, match=r"action 0 is not legal here; legal: \w+ \(\d+\), "):
        rz.load("chess").start().apply(0)
