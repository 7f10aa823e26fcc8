"""Writes the log's figures for TensorBoard.

It does not use torch's SummaryWriter, which writes in a thread: with a full disk or a read-only
folder, that ends in a traceback that cannot be caught.
"""

import itertools
import math
import os
import re
import socket
import time
from pathlib import Path

import msgspec
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from rulezero.errors import RunError
from rulezero.training.listener import Listener
from rulezero.training.log import Entry, FitEntry, GamesEntry, VerdictEntry

_UNTAGGED = re.compile(r"[^\w.-]+")  # characters that names of curves cannot have


class TensorBoardListener(Listener):
    """Writes the figures of the log as scalars over iterations."""

    def __init__(self, folder: Path, iteration: int = 0) -> None:
        """Hides older scalars of this iteration and later ones, from before the run was stopped.

        Raises RunError if nothing can be written into the folder.
        """
        seconds = time.time()
        name = f"events.out.tfevents.{int(seconds):010d}.{socket.gethostname()}.{os.getpid()}"
        self._path = next(
            path
            for number in itertools.count()
            if not (path := folder / f"{name}.{number}").exists()
        )
        try:
            folder.mkdir(exist_ok=True)
            self._write(Event(wall_time=seconds, file_version="brain.Event:2"))
        except OSError as error:
            raise RunError(
                f"the run cannot write its curves into '{folder}': {error.strerror}"
            ) from error
        if iteration:
            log = SessionLog(status=SessionLog.START)
            self._write(Event(wall_time=seconds, step=iteration, session_log=log))

    def logged(self, entry: Entry) -> None:
        for name, number in scalars(entry).items():
            value = Summary.Value(tag=name, simple_value=number)
            summary = Summary(value=[value])
            self._write(Event(wall_time=time.time(), step=entry.iteration, summary=summary))

    def _write(self, event: Event) -> None:
        with self._path.open("ab") as file:
            RecordWriter(file).write(event.SerializeToString())


def scalars(entry: Entry) -> dict[str, float]:
    """The figures of a log entry that get a curve, by their names."""
    if isinstance(entry, GamesEntry):
        # Each task has its own curves, so that lessons are separate from other self-play.
        group = entry.task.partition("/")[2] if entry.is_training else entry.purpose
        return {f"{group}/{name}": number for name, number in _of_games(entry).items()}
    if isinstance(entry, VerdictEntry):
        return {"verdict/promoted": float(entry.is_promoted)}
    if isinstance(entry, FitEntry):
        found = {f"train/{name}": loss for name, loss in entry.train.items()}
        found |= {"fit/rate": entry.rate, "fit/waiting": entry.waiting}
        found["fit/samples_per_second"] = entry.samples_per_second
        if held_out := entry.held_out:
            for who, figures in (("net", held_out.net), ("constant", held_out.constant)):
                numbers = msgspec.structs.asdict(figures).items()
                found |= {f"held_out/{name}/{who}": n for name, n in numbers if not math.isnan(n)}
        return found
    return {}


def _of_games(entry: GamesEntry) -> dict[str, float]:
    """Figures of the games of a task; shares are of all its games."""
    games, first = max(entry.games, 1), entry.first
    found = {
        "plies": entry.plies / games,
        "draws": entry.draw_share,
        "first_seat": entry.first_seat,
        "sims_per_second": entry.sims_per_second,
        "first_seat/wins": first.wins / games,
        "first_seat/draws": first.draws / games,
        "first_seat/losses": first.losses / games,
    }
    if entry.a != entry.b:  # a teacher against a student, a new net against the best one
        found |= {"score": entry.score, "elo": entry.elo.elo}
    for cause, count in entry.draws.items():
        found[f"draws/{_UNTAGGED.sub('_', cause)}"] = count / games
    return found | entry.figures.scalars
