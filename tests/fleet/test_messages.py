"""Tasks and finished games as messages: they survive a round trip; invalid ones are refused."""

from typing import Any

import msgspec
import pytest
from zstandard import ZstdDecompressor

import rulezero as rz
from rulezero.data.record import read_record
from rulezero.data.shard import decompress
from rulezero.fleet import protocol
from rulezero.fleet.local import run
from rulezero.fleet.protocol import FleetError, open_pair, pack, unpack
from rulezero.play.resign import Resign
from rulezero.play.table import Finished
from rulezero.play.task import FORMAT, Task, decode
from rulezero.version import __version__

TASK = Task(
    game="razzle",
    a="gumbel:sims=4",
    b="random",
    games=2,
    name="x",
    judge="heuristic",
    resign=Resign(value=0.9),
)


def test_messages_survive_the_way() -> None:
    """A decoded message equals the encoded one, and carries the format number."""
    finished = next(iter(run(TASK)))
    assert finished.note is not None
    for value in TASK, finished:
        message = msgspec.msgpack.encode(value)
        assert msgspec.msgpack.decode(message)["format"] == FORMAT
        assert decode(message, type(value)) == value


@pytest.mark.parametrize("form", [Task, Finished])
@pytest.mark.parametrize("number", [FORMAT + 1, 0, None])
def test_another_format_is_refused(form: type[msgspec.Struct], number: int | None) -> None:
    """The error names both formats and this version, whatever else the message holds."""
    message: dict[str, Any] = {"format": number, "unheard": 1}
    if number is None:
        del message["format"]
    with pytest.raises(rz.GameError) as caught:
        decode(msgspec.msgpack.encode(message), form)
    assert str(caught.value) == (
        f"the message is a {form.__name__.lower()} of format {number or 0}, and rulezero"
        f" {__version__} reads format {FORMAT}: use the same version of rulezero on both sides"
    )


def test_unknown_fields_and_nonsense_are_refused() -> None:
    """Unknown fields are refused, because they might change which games are to be played."""
    task = msgspec.to_builtins(TASK)
    for message in task | {"handicap": 2}, task | {"games": "many"}, {"format": FORMAT}, [1, 2]:
        with pytest.raises(rz.GameError, match="the message is not a task: ") as caught:
            decode(msgspec.msgpack.encode(message), Task)
        assert "\n" not in str(caught.value)
    for nonsense in b"", b"\xc1", msgspec.msgpack.encode(task)[:-3]:
        with pytest.raises(rz.GameError, match="the message is not a finished"):
            decode(nonsense, Finished)


def test_packed_games_survive_the_way() -> None:
    """`unpack` gives what was packed; the record's frame is what a store holds."""
    for finished in run(TASK):
        packed = pack(finished)
        assert unpack(packed) == finished
        frame, _ = open_pair(packed)
        assert read_record(decompress(frame, ZstdDecompressor())) == finished.record


@pytest.mark.parametrize("nonsense", [b"", b"\xc1", b"\x92\xc4\x01x\xc0", b"\x91\xc0"])
def test_what_is_not_a_packed_game_is_refused(nonsense: bytes) -> None:
    """Damaged games give one line, never another exception."""
    with pytest.raises(FleetError, match=r"^not a packed game: [^\n]*$"):
        unpack(nonsense)


def test_a_message_with_bytes_that_are_no_text_is_refused() -> None:
    """Invalid UTF-8 is an error of the message, not of the program that reads it."""
    message = msgspec.msgpack.encode(TASK).replace(b"razzle", b"razz\xff\xfe")
    with pytest.raises(rz.RulezeroError, match="the message is not a task"):
        decode(message, Task)
    with pytest.raises(rz.RulezeroError, match="the body is not a message Task"):
        protocol.decode(message, Task)
