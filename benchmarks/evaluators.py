"""Measures the speed of nets on one core: torch, onnxruntime, and onnxruntime with int8.

    taskset -c 0 .venv/bin/python benchmarks/evaluators.py [BLOCKS CHANNELS]

Machines differ and are noisy, so the important figures are the ratios to onnxruntime with floats:
all take turns on one core for several rounds, and the table has the median round. Times are CPU
times of the thread.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

import rulezero as rz
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.positions import sample
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import create
from rulezero.play.evaluators import Evaluator
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.evaluators.torch import TorchEvaluator

_SECONDS = 0.15  # per round and evaluator
_ROUNDS = 5
_BATCHES = (1, 8, 64)


def rate(evaluator: Evaluator, planes: Floats) -> float:
    """Positions per second."""
    done = 0
    begin = time.thread_time()
    while (spent := time.thread_time() - begin) < _SECONDS:
        done += len(evaluator.evaluate(planes).value)
    return done / spent


def rates(evaluators: dict[str, Evaluator], planes: Floats) -> dict[str, tuple[float, float]]:
    """The median rate of each evaluator, and of its ratio to the first one in the same round."""
    rounds = [
        {name: rate(evaluator, planes) for name, evaluator in evaluators.items()}
        for _ in range(_ROUNDS)
    ]
    first = next(iter(evaluators))
    return {
        name: (
            statistics.median(once[name] for once in rounds),
            statistics.median(once[name] / once[first] for once in rounds),
        )
        for name in evaluators
    }


def main() -> None:
    """Prints a table with rows for games and batch sizes, and columns for evaluators."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    blocks, channels = map(int, sys.argv[1:3]) if sys.argv[2:] else (4, 64)
    title = f"{blocks}x{channels}: positions a second on one core"
    table = Table(title=title, title_justify="left")
    table.add_column("game")
    for column in ("batch", "onnx fp32", "onnx int8", "torch", "int8 / fp32", "torch / fp32"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        for name in rz.game_names():
            game = rz.load(name)
            tower = create(game, NetConfig(blocks=blocks, channels=channels))
            net = save(Path(folder) / name, tower, game)
            evaluators: dict[str, Evaluator] = {
                "onnx fp32": OnnxEvaluator(net),
                "onnx int8": OnnxEvaluator(net, "int8"),
                "torch": TorchEvaluator(net, "cpu"),
            }
            planes = sample(game, max(_BATCHES), seed=2).planes
            for batch in _BATCHES:
                found = rates(evaluators, planes[:batch])
                table.add_row(
                    name,
                    str(batch),
                    *(f"{speed:,.0f}" for speed, _ in found.values()),
                    *(f"{found[kind][1]:.2f} x" for kind in ("onnx int8", "torch")),
                    end_section=batch == _BATCHES[-1],
                )
    Console(width=None if Console().is_terminal else 110).print(table)


if __name__ == "__main__":
    main()
