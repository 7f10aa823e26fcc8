"""Compares the search, without a net and with one, with OpenSpiel's search on chess."""

import statistics
from collections.abc import Iterator
from pathlib import Path

import torch

import rulezero as rz
from peer import HOW, Peer
from rulezero._core import Played
from rulezero.play.evaluators import Evaluator
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.evaluators.torch import TorchEvaluator
from rulezero.play.session import Session
from selfplay import SelfPlay, make_net
from timing import Figure, Side, Slice, interleave, ratios, spend, spread

SIMS = 800
MOST_PLIES = 60
_CACHE = 1 << 16  # positions of a net that are cached: the default of both programs
_CONSTANT = {"cpp_constant": "C++", "python_constant": "Python"}  # sides of the peer
_NET = {"python_net": "torch", "python_script": "TorchScript"}


class UniformPlay:
    """One game after another without a net: equal priors, and value 0 for all positions."""

    def __init__(self, name: str) -> None:
        self.game = rz.load(name)
        seat = rz.player(f"puct:eval=uniform,sims={SIMS},reuse=false,temperature=1")
        self.session = Session(self.game, [seat], seed=0, width=1, cache=0)
        self._played: list[Played] = []
        self._added = 0
        self._add()

    def lines(self) -> list[int]:
        """Lengths of the expected lines of all choices in the games that have ended."""
        thoughts = (each.thought(ply) for each in self._played for ply in range(each.plies))
        return [len(thought.line) for thought in thoughts if thought is not None]

    def run(self, seconds: float) -> Slice:
        """Plays for about this many seconds; returns the simulations."""
        before = self.session.pool.simulations
        spent = spend(self._step, seconds).seconds
        return Slice(self.session.pool.simulations - before, spent)

    def _step(self) -> int:
        for played in self.session.step():
            self._played.append(played)
            self._add()
        return 0

    def _add(self) -> None:
        self.session.add(self._added, self.game.start(), most_plies=MOST_PLIES)
        self._added += 1


def measure(peer: Peer | None, rounds: int, seconds: float) -> Iterator[Figure]:
    """Simulations per second without a net: Monster and chess, and their ratios to OpenSpiel's."""
    ours = {name: UniformPlay(name) for name in ("monster", "chess")}
    sides: dict[str, Side] = {name: play.run for name, play in ours.items()}
    theirs = {side: language for side, language in _CONSTANT.items() if peer and side in peer.sides}
    for side in theirs:
        assert peer
        sides[side] = peer.side(side)
    rates = interleave(sides, rounds, seconds)
    for name, play in ours.items():
        lines = play.lines() or [0]  # no game has ended yet
        yield Figure(
            part="tree",
            what=f"{name} without a net, {SIMS} simulations a choice",
            number=spread(rates[name]),
            unit="/s",
            note=f"expected lines: mean {statistics.mean(lines):.1f}, longest {max(lines)} plies",
        )
    for side, language in theirs.items():
        assert peer
        said = peer.last[side]
        for name in ours:
            is_aim = name == "monster" and language == "C++"
            yield Figure(
                part="tree",
                what=f"{name} / OpenSpiel's chess, {language}, both without a net",
                number=ratios(rates[name], rates[side]),
                wanted=16 if is_aim else None,
                note=(
                    f"theirs {statistics.median(rates[side]):,.0f} a second; simulations"
                    f" {said['mean_depth']:.1f} deep, deepest {said['max_depth']:.0f}"
                ),
            )


def measure_bot(
    peer: Peer | None, folder: Path, rounds: int, seconds: float, warm_up: int
) -> Iterator[Figure]:
    """Self-play on chess with a net, against OpenSpiel's Python bot with a net of the same size."""
    if peer is None:
        return
    net = make_net(folder, "chess")
    game = rz.load("chess")
    torch.set_num_threads(1)
    ours: dict[str, Evaluator] = {
        "fp32": OnnxEvaluator(net),
        "int8": OnnxEvaluator(net, "int8"),
        "torch": TorchEvaluator(net, "cpu"),
    }
    sides: dict[str, Side] = {
        name: SelfPlay(game, evaluator, warm_up=warm_up, cache=_CACHE).simulate
        for name, evaluator in ours.items()
    }
    sides |= {side: peer.side(side) for side in _NET}
    rates = interleave(sides, rounds, seconds)
    for side, their_net in _NET.items():
        for name in ours:
            yield Figure(
                part="bot",
                what=f"chess self-play, {name} / OpenSpiel's Python bot, {their_net}",
                number=ratios(rates[name], rates[side]),
                wanted=5 if name != "torch" and side == "python_net" else None,
                note=(
                    f"{statistics.median(rates[name]):,.0f} against"
                    f" {statistics.median(rates[side]):,.0f} simulations a second"
                ),
            )


def left_out(peer: Peer | None) -> list[str]:
    """The comparisons that cannot be made, and what they need."""
    if peer is None:
        return [f"the comparisons with OpenSpiel; they need {HOW}"]
    if "cpp_constant" not in peer.sides:
        return [f"OpenSpiel's C++ search with constants; it needs Linux, a compiler and {HOW}"]
    return []
