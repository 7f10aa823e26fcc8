"""The nets of a server: a folder with one file for each, named by its SHA-256."""

import hashlib
import os
import re
import secrets
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from rulezero.files import sync_folder
from rulezero.fleet.protocol import FleetError, NetBundle, decode, encode
from rulezero.fleet.server.inspection import NetIdentity, check_net

_SHA256 = re.compile(r"[0-9a-f]{64}")


class NetFolder:
    """Keeps nets. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._identities: dict[str, NetIdentity] = {}
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        for rest in folder.glob("*.new"):  # of uploads that were cut off
            rest.unlink()

    def path(self, sha256: str) -> Path | None:
        """The file of a net; None if it is not here."""
        path = self._folder / sha256
        return path if _SHA256.fullmatch(sha256) and path.is_file() else None

    def begin(self) -> tuple[Path, BinaryIO]:
        """A new file for an upload."""
        path = self._folder / f"{secrets.token_hex(16)}.new"
        return path, path.open("xb")

    def keep(self, new: Path, sha256: str) -> None:
        """Keeps an uploaded net, or deletes it and raises FleetError if it is not one."""
        try:
            body = new.read_bytes()
            found = hashlib.sha256(body).hexdigest()
            if found != sha256:
                raise FleetError(f"the SHA-256 of the net is {found}, not {sha256}")
            bundle = decode(body, NetBundle)
            if encode(bundle) != body:
                raise FleetError("the net is not in the form that rulezero writes")
            identity = check_net(bundle)
            with new.open("rb") as file:
                os.fsync(file.fileno())
            new.replace(self._folder / sha256)
            sync_folder(self._folder)
        finally:
            new.unlink(missing_ok=True)
        with self._lock:
            self._identities[sha256] = identity

    def identities(self, digests: Iterable[str]) -> dict[str, NetIdentity]:
        """What records may say about those of these nets that are here."""
        found = {}
        for sha256 in digests:
            path = self.path(sha256)
            if path is None:
                continue
            if sha256 not in self._identities:
                identity = check_net(decode(path.read_bytes(), NetBundle))
                with self._lock:
                    self._identities[sha256] = identity
            found[sha256] = self._identities[sha256]
        return found
