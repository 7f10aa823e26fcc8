"""OpenSpiel's searches on chess, as a program that measures on request.

It runs in its own environment (make bench-peers) and writes JSON lines: first its versions and
sides, then for each request {"side": NAME, "seconds": S} the work it did in about S seconds of CPU
time. Like rulezero's side, all sides play games from the start with 800 simulations per choice,
draw the choice by visits, and stop after 60 plies. Nothing is kept from one choice to the next.
"""

import ctypes
import json
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python.algorithms import mcts
from open_spiel.python.utils import lru_cache
from torch import nn

SIMS = 800
MOST_PLIES = 60
C_PUCT = 1.5  # as rulezero's

PLANES = (119, 8, 8)  # of rulezero's net; the first 20 are OpenSpiel's, the others stay 0
_STAND_IN = "_ZN10open_spiel10algorithms22RandomRolloutEvaluator8EvaluateERKNS_5StateE"


class ConstantEvaluator(mcts.Evaluator):  # type: ignore[misc]
    """An evaluator with equal priors for all moves, and value 0 for all positions."""

    def evaluate(self, state: Any) -> Any:
        return np.zeros(2)

    def prior(self, state: Any) -> list[tuple[int, float]]:
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.one, self.two = conv_norm(channels, channels, 3), conv_norm(channels, channels, 3)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.two(torch.relu(self.one(features))))


class Tower(nn.Module):
    """rulezero's 4x64 net for chess (nets/tower.py), with OpenSpiel's actions."""

    def __init__(self, blocks: int = 4, channels: int = 64) -> None:
        super().__init__()
        self.stem = conv_norm(PLANES[0], channels, 3)
        self.blocks = nn.Sequential(*(Block(channels) for _ in range(blocks)))
        self.policy = nn.Conv2d(channels, 74, 1)  # 4674 actions in whole planes
        self.squeeze = conv_norm(channels, 8, 1)
        self.wdl = nn.Sequential(nn.Linear(8 * 64, 64), nn.ReLU(), nn.Linear(64, 3))

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.blocks(torch.relu(self.stem(planes)))
        value = torch.relu(self.squeeze(features)).flatten(1)
        return self.policy(features).flatten(1), self.wdl(value)


def conv_norm(before: int, after: int, kernel: int) -> nn.Module:
    """A convolution and its BatchNorm."""
    conv = nn.Conv2d(before, after, kernel, padding=kernel // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(after))


def scripted(tower: nn.Module) -> Any:
    """The net as frozen TorchScript, which is faster for one position at a time than the module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, but the fastest
        traced = torch.jit.trace(tower, torch.zeros(1, *PLANES))  # type: ignore[no-untyped-call]
        return torch.jit.freeze(traced)


class NetEvaluator(mcts.Evaluator):  # type: ignore[misc]
    """A torch net, called once for each position, as in OpenSpiel's own AlphaZeroEvaluator."""

    def __init__(self, net: Any) -> None:
        self._net = net
        self._cache = lru_cache.LRUCache(1 << 16)

    def _ask(self, state: Any) -> tuple[float, Any]:
        seen = state.observation_tensor()
        planes = np.zeros(PLANES, np.float32)
        planes.reshape(-1)[: len(seen)] = seen
        mask = np.asarray(state.legal_actions_mask(), bool)
        key = planes.tobytes() + mask.tobytes()
        answer: tuple[float, Any] = self._cache.make(key, lambda: self._infer(planes, mask))
        return answer

    @torch.inference_mode()
    def _infer(self, planes: Any, mask: Any) -> tuple[float, Any]:
        logits, wdl = self._net(torch.from_numpy(planes).view(1, *PLANES))
        chances = torch.softmax(wdl[0], 0)
        legal = np.flatnonzero(mask)
        policy = np.zeros(len(mask), np.float32)
        policy[legal] = torch.softmax(logits[0, legal], 0).numpy()
        return float(chances[0] - chances[2]), policy

    def evaluate(self, state: Any) -> Any:
        value, _ = self._ask(state)
        value = value if state.current_player() == 0 else -value
        return np.array([value, -value])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        _, policy = self._ask(state)
        return [(action, policy[action]) for action in state.legal_actions()]


class Side:
    """A bot that plays one game after another against itself."""

    def __init__(self, search: Callable[[Any], Any], sims: int) -> None:
        self._search = search
        self._sims = sims  # of one choice
        self._dice = random.Random(0)
        self._states = self._play()
        self._root: Any = None  # of the last choice

    def run(self, seconds: float) -> dict[str, float]:
        """Makes choices until this many seconds of CPU time have passed."""
        choices = 0
        spent = 0.0
        while spent < seconds:
            state = next(self._states)
            begin = time.process_time()
            self._root = self._search(state)
            spent += time.process_time() - begin
            choices += 1
        mean, deepest = depths(self._root)
        return {
            "units": choices * self._sims,
            "seconds": spent,
            "mean_depth": mean,
            "max_depth": deepest,
        }

    def _play(self) -> Iterator[Any]:
        game = pyspiel.load_game("chess")
        while True:
            state = game.new_initial_state()
            for _ in range(MOST_PLIES):
                if state.is_terminal():
                    break
                yield state
                children = self._root.children
                visits = [child.explore_count for child in children]
                state.apply_action(self._dice.choices(children, visits)[0].action)


def depths(root: Any) -> tuple[float, int]:
    """The mean and the maximum depth of the simulations of a tree."""
    total, deepest = 0, 0
    level, depth = [root], 0
    while level:
        level = [child for node in level for child in node.children if child.explore_count]
        depth += 1
        total += sum(node.explore_count for node in level)
        deepest = depth if level else deepest
    return total / root.explore_count, deepest


def cpp_bot(sims: int) -> Callable[[Any], Any]:
    """OpenSpiel's C++ search with constants instead of rollouts: see constant_evaluator.cpp."""
    bot = pyspiel.MCTSBot(
        pyspiel.load_game("chess"),
        pyspiel.RandomRolloutEvaluator(1, 0),
        C_PUCT,
        sims,
        1000,
        False,
        0,
        False,
        pyspiel.ChildSelectionPolicy.PUCT,
    )
    return lambda state: bot.mcts_search(state)


def python_bot(evaluator: Any, sims: int) -> Callable[[Any], Any]:
    """OpenSpiel's search in Python."""
    bot = mcts.MCTSBot(
        pyspiel.load_game("chess"),
        C_PUCT,
        sims,
        evaluator,
        solve=False,
        random_state=np.random.RandomState(0),
        child_selection_fn=mcts.SearchNode.puct_value,
    )
    return lambda state: bot.mcts_search(state)


def has_constants() -> bool:
    """Whether the rollouts have been replaced; with them, a search takes a hundred times longer."""
    if not hasattr(ctypes.CDLL(None), _STAND_IN):
        return False
    begin = time.process_time()
    cpp_bot(100)(pyspiel.load_game("chess").new_initial_state())
    return time.process_time() - begin < 0.05


def main() -> None:
    """Answers requests until there are no more."""
    torch.set_num_threads(1)
    tower = Tower().eval()
    sides = {
        "python_constant": Side(python_bot(ConstantEvaluator(), SIMS), SIMS),
        "python_net": Side(python_bot(NetEvaluator(tower), SIMS), SIMS),
        "python_script": Side(python_bot(NetEvaluator(scripted(tower)), SIMS), SIMS),
    }
    if has_constants():
        sides["cpp_constant"] = Side(cpp_bot(SIMS), SIMS)
    about = {"open_spiel": version("open_spiel"), "torch": version("torch")}
    print(json.dumps({"about": about, "sides": sorted(sides)}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(sides[request["side"]].run(request["seconds"])), flush=True)


if __name__ == "__main__":
    main()
