"""A judge: a player that evaluates every choice of games already played."""

from collections.abc import Sequence

from rulezero.data.record import Record
from rulezero.play.task import Task


def judging(records: Sequence[Record], by: str, *, name: str = "", seed: int = 0) -> Task:
    """A task that replays valid records of one game; its notes are the judge's thoughts.

    Its n-th game is about the n-th record.
    """
    return Task(
        game=records[0].game,
        a="random",
        b="random",
        games=len(records),
        seed=seed,
        name=name,
        swap=False,
        starts=tuple(record.start for record in records),
        scripts=tuple(tuple(record.action_numbers().tolist()) for record in records),
        judge=by,
        purpose="analysis",
    )
