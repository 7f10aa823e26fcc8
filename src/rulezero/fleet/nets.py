"""Carries the nets that tasks name to other machines."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from rulezero._core import NetError
from rulezero.files import write_whole
from rulezero.nets.card import ONE_FILE, beside, digest, read_card, read_part
from rulezero.play.evaluators import backends
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.task import Task


class PackedNet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The files of a net that a backend needs to play with it."""

    # The net's file name, without suffix unless it is a perceptron's: it is written into records.
    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_. +=@-]{0,199}\Z")]
    parts: dict[str, bytes]  # by suffix; a perceptron has one part, with the suffix ""

    @property
    def digest(self) -> str:
        """SHA-256 of the whole, in hexadecimal."""
        return digest(msgspec.msgpack.encode(self, order="sorted"))


def nets_of(tasks: Iterable[Task]) -> dict[str, set[str]]:
    """The nets that the players and judges of tasks name, with the suffixes of files to pack."""
    found: dict[str, set[str]] = {}
    for task in tasks:
        for text in filter(None, (task.a, task.b, task.judge)):
            player = read_player(text)
            if player.net is not None:
                found.setdefault(player.net, set()).add(backends()[player.options.backend].reads)
    return found


def pack_net(net: str, suffixes: Iterable[str], nets: NetStore) -> PackedNet:
    """A net with its files of these suffixes; NetError if one is missing or damaged.

    A .nn or .nnue net is one file, whatever the suffixes are.
    """
    path = nets.path_of(net)
    if path.suffix in ONE_FILE:
        return PackedNet(name=path.name, parts={"": path.read_bytes()})
    card = read_card(path)
    digests = {".onnx": card.onnx, ".safetensors": card.weights}
    parts = {suffix: read_part(path, suffix, digests[suffix]) for suffix in sorted(suffixes)}
    return PackedNet(name=path.name, parts={".json": beside(path, ".json").read_bytes(), **parts})


def unpack_net(packed: PackedNet, folder: Path) -> Path:
    """The path of a net in a folder of unpacked nets, in the form of `resolve`.

    The card is written last, so a folder with a card is complete. NetError says what is wrong with
    a net that could not be used.
    """
    is_one_file = packed.name.endswith(ONE_FILE)
    read = {backend.reads for backend in backends().values()}
    suffixes = set(packed.parts)
    if suffixes != {""} if is_one_file else not {".json"} < suffixes <= read | {".json"}:
        raise NetError(f"the packed net '{packed.name}' has the wrong parts: {sorted(suffixes)}")
    path = folder / packed.digest / packed.name
    for suffix in sorted(suffixes, key=lambda suffix: suffix == ".json"):
        if not beside(path, suffix).is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(beside(path, suffix), packed.parts[suffix])
    return path
