"""Keeps nets that a worker has fetched from its server."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rulezero.files import lock, write_whole
from rulezero.fleet.nets import unpack_net
from rulezero.fleet.protocol import Canary, NetBundle, decode
from rulezero.fleet.worker.trust import check_model
from rulezero.nets.card import beside, digest

_BUNDLE = ".net"
_MOST_BYTES = 4 << 30
_RECENT = 3600.0  # seconds: a process may still open nets that were used in this time

Fetch = Callable[[str], bytes]


class Cached(NamedTuple):
    """A net of a server on this machine."""

    path: Path  # as `resolve` gives it
    canaries: list[Canary]


class NetCache:
    """A folder of nets by the SHA-256 of their bundles, which processes may share.

    `fetch` gives the bytes of a bundle that is not in the folder. When the folder exceeds
    `most_bytes`, the nets that were not used for the longest time are removed.
    """

    def __init__(self, folder: Path, fetch: Fetch, most_bytes: int = _MOST_BYTES) -> None:
        self._folder = folder
        self._fetch = fetch
        self._most_bytes = most_bytes
        self._found: dict[str, Cached] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, sha256: str) -> Cached:
        """A net, which is fetched if it is not here."""
        file = self._folder / f"{sha256}{_BUNDLE}"
        net = self._found.get(sha256)
        if net is not None and (net.path.is_file() or beside(net.path, ".json").is_file()):
            with contextlib.suppress(FileNotFoundError):
                os.utime(file)
                return net
        held = lock(self._folder / f"{sha256}.lock", wait=True)  # one process fetches it
        assert held is not None
        with held:
            body = file.read_bytes() if file.is_file() else b""
            if digest(body) != sha256:
                body = self._fetch(sha256)
                self._make_room(len(body))
                write_whole(file, body)
            os.utime(file)
            bundle = decode(body, NetBundle)
            for suffix, part in bundle.net.parts.items():
                if suffix.endswith(".onnx"):
                    check_model(part, bundle.net.name)
            net = Cached(unpack_net(bundle.net, self._folder / sha256), bundle.canaries)
        self._found[sha256] = net
        return net

    def _make_room(self, wanted: int) -> None:
        """Removes old nets until there is room for `wanted` bytes, twice: packed and unpacked."""
        files = sorted(self._folder.glob(f"*{_BUNDLE}"), key=lambda file: file.stat().st_mtime)
        total = 2 * (wanted + sum(file.stat().st_size for file in files))
        for file in files:
            age = time.time() - file.stat().st_mtime
            if total <= self._most_bytes or age < _RECENT:
                return
            total -= 2 * file.stat().st_size
            file.unlink(missing_ok=True)
            shutil.rmtree(self._folder / file.stem, ignore_errors=True)
            (self._folder / f"{file.stem}.lock").unlink(missing_ok=True)
