"""Measures games on a Ray cluster of this machine, against worker processes.

    .venv/bin/python benchmarks/ray_fleet.py [--rounds 5] [--games 300]

Machines differ and are noisy, so both fleets take turns in one run, and the figure is the ratio of
neighbouring turns. Neither counts the start of its processes: the time of a turn begins when a
tenth of its games are finished. It ends with the last game, so the tail counts.
"""

import argparse
import contextlib
import logging
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

import rulezero as rz
from rulezero.data.shard import compress
from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.fleet import Fleet, play_into
from rulezero.fleet.nets import nets_of, pack_net
from rulezero.nets.checkpoint import save
from rulezero.nets.config import NetConfig
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import create
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.nets import PATHS
from rulezero.play.table import Finished
from rulezero.play.task import Task

WANTED = 0.85  # of the speed of worker processes
_WORKERS = 2
_WIDTH = 64
_NET = NetConfig(blocks=4, channels=32)
_LIGHT = 40  # times as many games if no net plays
_CALLS = 2000
_BOARD = "exchange"  # whose positions are sent
_ACTORS = 2


class Turn(NamedTuple):
    """A task that a fleet has played."""

    games: float  # per second
    share: float  # of one core that this process used: it decodes, checks and stores games


def tasks(folder: Path, games: int) -> dict[str, Task]:
    """What is played: games of a net, and games that take no time, so that messages dominate."""
    game = rz.load("connect4")
    net = save(folder / "net", create(game, _NET), game)
    player = f"puct:net={net},sims=32,noise=0.25,temperature=1"
    return {
        "connect4, net 4x32, 32 simulations": Task(
            game="connect4", a=player, b=player, games=games, name="net", purpose="self-play"
        ),
        "connect4, random moves": Task(
            game="connect4", a="random", b="random", games=_LIGHT * games, name="random"
        ),
    }


def play(task: Task, fleet: Fleet) -> Turn:
    """Plays a task into a store, as a run does."""
    with tempfile.TemporaryDirectory() as folder, rz.Store(folder) as store:
        begun = spent = 0.0
        first = max(1, task.games // 10)
        with contextlib.closing(play_into(store, [task], fleet)) as kept:
            for count, _ in enumerate(kept, 1):
                if count == first:
                    begun, spent = time.perf_counter(), time.process_time()
        seconds = time.perf_counter() - begun
        return Turn((task.games - first) / seconds, (time.process_time() - spent) / seconds)


def compare(task: Task, fleets: dict[str, Fleet], rounds: int) -> dict[str, list[Turn]]:
    """The turns of each fleet; every other round has the fleets in reverse order."""
    turns: dict[str, list[Turn]] = {name: [] for name in fleets}
    for number in range(rounds):
        for name in list(fleets)[:: 1 if number % 2 == 0 else -1]:
            turns[name].append(play(task, fleets[name]))
    return turns


def sizes(task: Task) -> Iterator[tuple[str, float]]:
    """Bytes of the messages for a task."""
    yield "task", len(msgspec.msgpack.encode(task))
    for net, suffixes in nets_of([task]).items():
        packed = pack_net(net, suffixes, PATHS)
        yield "net", len(msgspec.msgpack.encode(packed))
    with tempfile.TemporaryDirectory() as folder, open_fleet("local", _orders(folder)) as fleet:
        few = msgspec.structs.replace(task, games=_WIDTH)
        records = [_bytes(finished) for _, finished in fleet.run([few])]
    plain, packed_sizes = zip(*records, strict=True)
    yield "finished game", statistics.mean(plain)
    yield "finished game as it is sent", statistics.mean(packed_sizes)


def _bytes(finished: Finished) -> tuple[int, int]:
    message = msgspec.msgpack.encode(finished)
    return len(message), len(compress(message))


def calls(bytes_of_answer: int) -> Iterator[tuple[str, float]]:
    """Calls of a driver, each with an answer of this size, and batches of positions, per second."""
    import ray

    os.environ.setdefault("RAY_worker_niceness", "0")  # as the fleet does
    facts = rz.load(_BOARD).facts
    outputs = facts.slots + 2

    class Echo:
        """An actor that answers at once."""

        def answer(self) -> bytes:
            return bytes(bytes_of_answer)

        def evaluate(self, planes: Floats) -> Floats:
            return np.zeros((len(planes), outputs), np.float32)

    ray.init(
        "local",
        num_cpus=_ACTORS,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    actors: list[Any] = [ray.remote(Echo).remote() for _ in range(_ACTORS)]
    ray.get([actor.answer.remote() for actor in actors])

    def one_by_one() -> None:
        for _ in range(_CALLS):
            ray.get(actors[0].answer.remote())

    def awaited() -> None:
        pending = {actor.answer.remote(): actor for actor in actors}
        for _ in range(_CALLS):
            (call,), _ = ray.wait(list(pending))
            ray.get(call)
            actor = pending.pop(call)
            pending[actor.answer.remote()] = actor

    batch = np.zeros((_WIDTH, *facts.planes), np.float32)

    def positions() -> None:
        for _ in range(_CALLS // 4):
            ray.get(actors[0].evaluate.remote(batch))

    yield "calls, one after the other", _CALLS / _seconds(one_by_one)
    yield f"calls to {_ACTORS} actors, as the driver waits for them", _CALLS / _seconds(awaited)
    sent = _CALLS // 4 * _WIDTH / _seconds(positions)
    yield f"{_BOARD}: positions to an actor and their policies back, by {_WIDTH}", sent
    ray.shutdown()


def evaluations(folder: Path) -> float:
    """Positions per second that the process that needs them evaluates itself."""
    game = rz.load(_BOARD)
    evaluator = OnnxEvaluator(save(folder / _BOARD, create(game, _NET), game))
    batch = np.zeros((_WIDTH, *game.facts.planes), np.float32)
    evaluator.evaluate(batch)

    def work() -> None:
        for _ in range(_CALLS // 20):
            evaluator.evaluate(batch)

    return _CALLS // 20 * _WIDTH / _seconds(work)


def _seconds(work: Callable[[], None]) -> float:
    """CPU seconds of this process: the caller's part, whatever else the machine does."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _orders(folder: str | Path) -> Orders:
    return Orders(PATHS, Path(folder), workers=_WORKERS, width=_WIDTH)


def main() -> None:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=300, help="games of a turn with a net")
    given = parser.parse_args()
    table = Table("what", "local", "ray", "ray / local", "wanted", "trainer's share of a core")
    found = Table("message", "bytes")
    with tempfile.TemporaryDirectory() as folder:
        wanted = tasks(Path(folder), given.games)
        with (
            open_fleet("local", _orders(folder)) as local,
            open_fleet("ray", _orders(folder)) as cluster,
        ):
            list(cluster.run([msgspec.structs.replace(next(iter(wanted.values())), games=4)]))
            for what, task in wanted.items():
                turns = compare(task, {"local": local, "ray": cluster}, given.rounds)
                ratio = statistics.median(
                    ours.games / theirs.games
                    for ours, theirs in zip(turns["ray"], turns["local"], strict=True)
                )
                speeds = [statistics.median(turn.games for turn in each) for each in turns.values()]
                shares = [statistics.median(turn.share for turn in each) for each in turns.values()]
                table.add_row(
                    what,
                    *(f"{speed:,.1f}/s" for speed in speeds),
                    f"{ratio:.2f}",
                    f"{WANTED}" if "net" in what else "",
                    ", ".join(f"{share:.0%}" for share in shares),
                )
        Console(width=110).print(table)
        record = math.nan
        for what, number in sizes(next(iter(wanted.values()))):
            found.add_row(what, f"{number:,.0f}")
            record = number
        Console(width=110).print(found)
        rates = Table("what", "per second of the caller's CPU time")
        for what, number in calls(round(record)):
            rates.add_row(what, f"{number:,.0f}")
        what = f"{_BOARD}: positions that a net 4x32 evaluates on one core, without a call"
        rates.add_row(what, f"{evaluations(Path(folder)):,.0f}")
    Console(width=110).print(rates)


if __name__ == "__main__":
    main()
