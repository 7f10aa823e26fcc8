"""Compares the fleet http with the local one: the same games by two workers each, by turns.

.venv/bin/python benchmarks/http_fleet.py [--game razzle] [--games 600] [--rounds 3]

Both play the games of a task with a net. Measured is the time from the game at 15 % to the last
one, so that the start of worker processes does not count, but the end of the task does, when
workers wait for each other. The games per CPU second of all processes together depend less on
other programs. The records of both sides must be equal.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.fleet import Fleet
from rulezero.fleet.hosted import Hosted
from rulezero.fleet.http import HttpFleet
from rulezero.play.nets import NetStore
from rulezero.play.task import Task
from selfplay import make_net
from timing import Spread, ratios, spread

WANTED = 0.85  # http's games per second relative to local's
_WARM = 0.15  # share of the games before the measurement
_TICKS = os.sysconf("SC_CLK_TCK")


class Turn(NamedTuple):
    """What one fleet did with a task."""

    rate: float  # games per second, after the first games
    seconds: float  # for all of it
    cpu: float  # seconds of all processes, start of workers included
    server: float  # seconds of the server's CPU time
    trainer: float  # seconds of this process's CPU time
    ids: list[str]  # of the records


def play(fleet: Fleet, task: Task, others: Callable[[], float], server: int | None) -> Turn:
    """Plays a task; `others` gives the CPU seconds of the other processes so far."""
    begin, trainer, apart = time.perf_counter(), time.process_time(), others()
    served = cpu_of(server)
    times, ids = [], []
    for _, finished in fleet.run([task]):
        times.append(time.perf_counter())
        ids.append(finished.record.id)
    first = int(len(times) * _WARM)
    own = time.process_time() - trainer
    return Turn(
        rate=(len(times) - 1 - first) / (times[-1] - times[first]),
        seconds=times[-1] - begin,
        cpu=own + others() - apart,
        server=cpu_of(server) - served,
        trainer=own,
        ids=sorted(ids),
    )


def cpu_of(pid: int | None) -> float:
    """CPU seconds of a process so far."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def of_children() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_fleet(hosted: Hosted) -> float:
    """CPU seconds of a fleet's server and workers so far."""
    return sum(map(cpu_of, [*hosted.workers.pids, hosted.server.pid]))


def main() -> None:
    """Plays the rounds, and prints the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="razzle")
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--sims", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        net = make_net(folder, asked.game)
        orders = Orders(NetStore(folder), folder / "run", asked.workers)
        player = f"puct:net={net.name},sims={asked.sims},noise=0.25,temperature=1"
        sides: dict[str, list[Turn]] = {"local": [], "http": []}
        with open_fleet("local", orders) as local, open_fleet("http", orders) as http:
            assert isinstance(http, HttpFleet)
            assert http.hosted is not None
            hosted = http.hosted
            warm_up = Task(game=asked.game, a=player, b=player, games=16, name="warm-up")
            list(http.run([warm_up]))
            for number in range(asked.rounds):
                task = replace(warm_up, games=asked.games, name=f"round {number}")
                for name in ("local", "http")[:: 1 if number % 2 == 0 else -1]:
                    if name == "local":
                        turn = play(local, task, of_children, None)
                    else:
                        turn = play(http, task, lambda: of_fleet(hosted), hosted.server.pid)
                    sides[name].append(turn)
                    print(
                        f"{name:5}  {turn.rate:6.2f} games/s, {turn.seconds:.1f} s,"
                        f" {turn.cpu:.1f} CPU s",
                        flush=True,
                    )
    report(sides["local"], sides["http"], asked.games)


def report(local: list[Turn], http: list[Turn], games: int) -> None:
    """Prints the ratios, and the shares of CPU time."""
    assert [turn.ids for turn in local] == [turn.ids for turn in http], "the games differ"
    by_wall = ratios([turn.rate for turn in http], [turn.rate for turn in local])
    by_cpu = ratios([games / turn.cpu for turn in http], [games / turn.cpu for turn in local])
    print(f"http / local, games per second:     {shown(by_wall)} (wanted: {WANTED})")
    print(f"http / local, games per CPU second: {shown(by_cpu)}")
    for name in ("server", "trainer"):
        share = spread([getattr(turn, name) / turn.cpu for turn in http])
        each = spread([1000 * getattr(turn, name) / games for turn in http])
        print(
            f"the {name}'s share of the CPU time: {share.median:.1%}, {each.median:.2f} ms a game"
        )
    print("the records of both fleets are equal")


def shown(number: Spread) -> str:
    """A median with its quartiles."""
    return f"{number.median:.3f} ({number.low:.3f} to {number.high:.3f})"


if __name__ == "__main__":
    main()
