"""Finds the nets that players name."""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rulezero._core import NetError
from rulezero.nets.card import ONE_FILE, digest, inside, read_card, resolve

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class NetStore:
    """The nets of a folder, by name or by SHA-256; without a folder, nets by their paths.

    It can be pickled, so that worker processes find the same nets.
    """

    folder: Path | None = None
    copies: Mapping[str, Path] = field(default_factory=dict)  # of nets from another machine

    def path_of(self, net: str) -> Path:
        """The net's path in the form of `resolve`; NetError if there is no such net.

        `net` is a name in the folder, the SHA-256 of its .onnx, .nn or .nnue file, or any
        text that `resolve` takes. A net with a copy is the copy.
        """
        if net in self.copies:
            return self.copies[net]
        if self.folder is None:
            return resolve(net)
        if (found := inside(self.folder, net)) is not None:
            return found
        if _SHA256.fullmatch(net):
            return _with_digest(self.folder, net)
        try:
            return resolve(net)
        except NetError as error:
            raise NetError(f"{error}, nor is it a net in '{self.folder}'") from error


PATHS = NetStore()  # for players that name their nets by path or run


def _with_digest(folder: Path, sha256: str) -> Path:
    """The net of a folder whose .onnx, .nn or .nnue file has this SHA-256."""
    for path in sorted(folder.glob("*.onnx")):
        with contextlib.suppress(NetError):  # int8 variants have no card; damaged nets are skipped
            if read_card(path.with_suffix("")).onnx == sha256:
                return path.with_suffix("")
    for path in sorted(path for suffix in ONE_FILE for path in folder.glob(f"*{suffix}")):
        if digest(path.read_bytes()) == sha256:
            return path
    raise NetError(f"there is no net with the SHA-256 {sha256} in '{folder}'")
