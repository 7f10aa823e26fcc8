"""The messages between the trainer and the process that is the cluster's driver.

Both processes are on the same machine and of the same version.
"""

from multiprocessing.connection import Connection
from typing import Any, NewType

import msgspec

LOCAL = "local"  # the address of a new cluster on this machine

GameKey = tuple[int, int]  # the number of its task, and its index there
Frame = NewType("Frame", bytes)  # a finished game, as fleet.protocol.pack gives it


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has chosen."""

    address: str  # of the cluster's head, auto, or LOCAL
    actors: int  # 0: as many as the cluster has CPUs for
    cpus: float  # that each actor reserves
    gpus: float
    width: int  # games that an actor plays at the same time
    cache: int = 1 << 16  # positions of each net that an actor caches


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Games to be played."""

    tasks: list[bytes]  # encoded
    games: list[GameKey]
    nets: dict[str, str]  # by the names in the tasks' players: the digests of their packed nets
    packed: dict[str, bytes]  # by digest: the nets that the order before this one did not have
    registered: bytes  # games that are registered only in the trainer, as `games.load.packed` gives
    files: dict[str, dict[str, bytes]]  # of games in Python files, by the hash of their rules


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The driver is connected."""


class Games(msgspec.Struct, frozen=True, tag=True):
    """Finished games, each with the number of its task."""

    games: list[tuple[int, bytes]]


class Notice(msgspec.Struct, frozen=True, tag=True):
    """A warning for people."""

    words: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The order cannot be finished, and the driver ends."""

    words: str
    is_cluster: bool  # not the games are at fault, but the cluster


Answer = Ready | Games | Notice | Failed


def send(connection: "Connection[Any, Any]", message: msgspec.Struct) -> None:
    """Sends a message; OSError if the other process has ended."""
    connection.send_bytes(msgspec.msgpack.encode(message))


def receive(connection: "Connection[Any, Any]", form: Any) -> Any:
    """Waits for a message; EOFError or OSError if the other process has ended."""
    return msgspec.msgpack.decode(connection.recv_bytes(), type=form)
