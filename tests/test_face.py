"""The package at a Python prompt: public names, one-line reprs, and NumPy numbers."""

import builtins
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rulezero as rz
from rulezero.nets.config import NetConfig
from rulezero.nets.tower import create
from support import little_nets
from support.evaluators import UniformEvaluator
from support.tictactoe import TicTacToe


def test_reprs_are_one_short_line(tmp_path: Path) -> None:
    """Objects have a one-line repr, however large they are."""
    result = rz.match("chess", "puct:sims=20", "random", 4, save=tmp_path / "store")
    record = result.records[0]
    thought = rz.player("puct:sims=200").think(rz.load("chess").start())
    shown = {
        "match": result,
        "record": record,
        "thoughts": record.thoughts,
        "columns": record.columns(),
        "recorded thought": record.thought(6),
        "thought": thought,
        "store": rz.Store(tmp_path / "store"),
        "run": rz.Run(tmp_path / "run"),
        "player": rz.player("puct:sims=20"),
        "net": rz.net(little_nets.net("connect4")),
        "evaluator": rz.net(little_nets.net("connect4")).evaluator,
        "tower": create("connect4", NetConfig(blocks=1, channels=8)),
        "experiment": rz.experiment("connect4", "tiny"),
    }
    for what, each in shown.items():
        assert repr(each).isprintable(), what
        assert str(each) == repr(each), what
        assert len(repr(each)) <= 160, (what, repr(each))
    assert repr(result).startswith("<match of chess: puct:sims=20 against random, 4 games, ")
    assert repr(record).endswith(f"({record.end_reason}), {record.plies} plies>")
    assert f"action {thought.action}, value " in repr(thought)


def test_a_run_says_how_far_it_is(tmp_path: Path) -> None:
    """A run's repr shows its progress, before the start and after the end."""
    assert repr(rz.Run(tmp_path / "x")) == f"<run {tmp_path / 'x'}: not begun>"
    run = rz.train("connect4", "tiny", tmp_path / "run", changes=_SHORT, progress=False)
    assert repr(run) == f"<run {run.path}: iteration 1, finished, best net {run.progress().best}>"


_SHORT = {
    "iterations": np.int64(1),
    "anchor": None,
    "selfplay": {"games": np.int32(4)},
    "selfplay.a": "puct:net=best,sims=4",
    "fit.batch": 16,
}


def test_changes_are_a_text_a_map_or_a_list() -> None:
    """All forms of changes are equivalent, in every function that takes changes."""
    wanted = rz.experiment("connect4", "tiny", ["fit.batch=64", "fit.clip=0.5"])
    ways: list[Any] = [
        {"fit.batch": 64, "fit.clip": 0.5},
        {"fit": {"batch": np.int64(64), "clip": np.float64(0.5)}},
        ["fit.batch=64", {"fit.clip": 0.5}],
    ]
    for changes in ways:
        assert rz.experiment("connect4", "tiny", changes) == wanted
        assert rz.config.with_changes(rz.experiment("connect4", "tiny"), changes) == wanted
    assert rz.experiment("connect4", "tiny", "fit.batch=64").fit.batch == 64
    for wrong in (3, {3: 4}, {"fit..batch": 4}, [7]):
        with pytest.raises((rz.RunError, TypeError), match=r"is not a |not iterable"):
            rz.experiment("connect4", "tiny", wrong)  # type: ignore[arg-type]


class Counting(rz.Listener):
    """A listener that counts its calls."""

    def __init__(self) -> None:
        self.phases: list[str] = []

    def begin(self, iteration: int, phase: str) -> None:
        self.phases.append(f"{iteration} {phase}")


def test_training_shows_what_it_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """stderr has a line for each phase, but none with progress=False or with a listener."""
    run = rz.train("connect4", "tiny", tmp_path / "run", changes=_SHORT)
    shown = capsys.readouterr()
    assert shown.out == ""
    for words in ("1/1  self-play: 4 games in ", "1/1  fit: ", "loss total ", "1/1  iter_1: "):
        assert words in shown.err
    listener = Counting()
    longer = rz.resume(run.path, iterations=np.int64(2), listener=listener)  # type: ignore[arg-type]
    assert capsys.readouterr().err == ""
    assert listener.phases == ["2 generate", "2 fit", "2 evaluate"]
    assert longer.progress().iteration == 2
    rz.resume(run.path, progress=False)
    assert capsys.readouterr().err == ""
    rz.resume(run.path, changes={"iterations": 3}, listener=listener, progress=True)
    assert "3/3  fit: " in capsys.readouterr().err
    with pytest.raises(rz.RunError, match="iterations=1 is less"):
        rz.resume(run.path, iterations=1)


def test_star_imports_leave_pythons_own_names_alone() -> None:
    """`from rulezero import *` in a notebook must not replace the builtin open."""
    assert set(rz.__all__) & set(dir(builtins)) == set()
    assert rz.open is rz.open_run


def test_every_exception_of_the_package_is_in_it() -> None:
    """Every exception class of the package is a public name of rz."""
    for module in pkgutil.walk_packages(rz.__path__, "rulezero."):
        if ".cli" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting, found = [rz.RulezeroError], set[type]()
    while waiting:
        found |= {each := waiting.pop()}
        waiting += each.__subclasses__()
    own = {each.__name__ for each in found if each.__module__.startswith("rulezero")}
    assert own | {"MatchInterrupted", "Evaluation"} <= set(rz.__all__)


def test_numbers_of_numpy_are_numbers() -> None:
    """NumPy numbers are accepted in players' keys, matches, seeds, nets and recipes."""
    numbers: list[Any] = [np.int64(1), np.int64(2), np.int64(3), np.uint8(7)]
    one, two, three, seven = numbers
    state = rz.load("connect4").start(seed=one).apply(three)
    player = rz.player("puct", sims=np.int64(5), c_puct=np.float32(1.5), seed=seven)
    assert player == rz.player("puct:sims=5,c_puct=1.5", seed=7)
    assert player.think(state) == rz.player("puct:sims=5,c_puct=1.5", seed=7).think(state)
    assert rz.player("alphabeta", depth=2, random_ties=np.True_).text.endswith("random_ties=true")
    few: Any = {"games": np.int64(4), "seed": np.int64(2), "opening": np.int32(2)}
    plain = rz.match("connect4", "random", "random", 4, seed=2, opening=2)
    assert rz.match("connect4", "random", "random", **few).records == plain.records
    assert NetConfig(blocks=np.int64(2), value_hidden=[np.int64(8)]).blocks == 2
    assert rz.perft(state, two) == 49
    with pytest.raises(rz.PlayerError, match=r"a seed is a whole number .* not 1\.5"):
        rz.player("random", seed=1.5)  # type: ignore[arg-type]


def test_games_are_what_load_takes() -> None:
    """Functions accept a text, a Game, a PythonGame or its class as a game."""
    for game in ("tictactoe", rz.load("tictactoe"), TicTacToe, TicTacToe()):
        assert rz.perft(game, 2) == 72
        assert rz.match(game, "random", "random", 2).game == "tictactoe"
        assert rz.load(game).text == "tictactoe"
    with pytest.raises(rz.GameError, match="a game must be a text or a PythonGame, not 3"):
        rz.match(3, "random", "random")  # type: ignore[arg-type]
    with pytest.raises(rz.GameError, match="has its rules already"):
        rz.load(rz.load("exchange"), dice="fixed:3")


def test_one_start_is_a_text() -> None:
    """A single start may be given as a str, which is not read as a list of letters."""
    text = "7/7/7/7/7/3X3 o"
    result = rz.match("connect4", "random", "random", 2, starts=text)
    assert {record.start for record in result.records} == {text}
    assert result.records == rz.match("connect4", "random", "random", 2, starts=[text]).records


def test_an_empty_path_is_no_store() -> None:
    """An empty path is refused, because it would mean the current folder."""
    for call in (rz.records, rz.Store):
        with pytest.raises(rz.RecordError, match=r"''|needs a name"):
            call("")


class Answering(UniformEvaluator):
    """An evaluator whose answers are given by the test."""

    def __init__(self, slots: int, answer: Any) -> None:
        super().__init__(slots)
        self._answer = answer

    def evaluate(self, planes: Any) -> Any:
        return self._answer(super().evaluate(planes))


def _with(**arrays: Any) -> Any:
    return lambda said: said._replace(**{name: make(said) for name, make in arrays.items()})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda said: said[:2], r"must return rz.Evaluation\(policy, value, draw\), not 2 arrays"),
        (lambda _: None, r"must return rz.Evaluation\(policy, value, draw\), not None"),
        (lambda said: said.policy, r"must return .*, not ndarray"),
        (_with(value=lambda said: said.value.astype(str)), "the value of .* not of <U"),
        (_with(policy=lambda said: said.policy * 1j), "the policy .* not of complex"),
        (_with(policy=lambda said: said.policy * np.nan), "answers with nan"),
        (_with(value=lambda said: said.value + 2), r"values outside \[-1, 1\]"),
        (_with(draw=lambda said: said.draw * 0 + 3), "a draw of 3: it must be a probability"),
        (_with(draw=lambda said: said.draw * 0 - 1), "a draw of -1: it must be a probability"),
        (_with(draw=lambda said: said.draw * np.nan), "answers with nan"),
        (_with(draw=lambda _: None), "the draw of .* not of object"),
    ],
)
def test_wrong_answers_of_an_evaluator_are_one_line(answer: Any, words: str) -> None:
    """The error for a wrong return value of a custom net says what it must return."""
    game = rz.load("connect4")
    player = rz.player("puct:sims=4", evaluator=Answering(game.facts.slots, answer))
    with pytest.raises(rz.NetError, match=words) as raised:
        player.think(game.start())
    assert str(raised.value).isprintable()


def test_numbers_of_other_types_are_good_answers() -> None:
    """float64 arrays and lists are converted; only values that are no numbers are refused."""
    game = rz.load("connect4")
    plain = rz.player("puct:sims=8", evaluator=UniformEvaluator(game.facts.slots))
    for answer in (
        _with(policy=lambda said: said.policy.astype(np.float64)),
        _with(value=lambda said: said.value.tolist(), draw=lambda said: said.draw.astype(int)),
        list,
    ):
        other = rz.player("puct:sims=8", evaluator=Answering(game.facts.slots, answer))
        assert other.think(game.start()) == plain.think(game.start())
