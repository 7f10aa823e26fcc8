"""A temporary folder that the actors of a fleet share on a node. The last actor removes it."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "rulezero_ray_"
_LOCK = "lock"


class NodeFolder:
    """A folder that exists as long as a process of this node uses it.

    Each process holds a lock, which the system releases when the process is killed. So the folders
    of killed processes are recognised, and the next process that makes a folder removes them.
    """

    def __init__(self, key: str) -> None:
        """The folder of a fleet, which `key` identifies."""
        place = Path(tempfile.gettempdir())
        for other in place.glob(f"{_PREFIX}*"):
            _remove_unused(other)
        self.path = place / f"{_PREFIX}{key}"
        while True:
            self.path.mkdir(mode=0o700, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another process has just removed it
                self._lock = (self.path / _LOCK).open("ab")
                fcntl.flock(self._lock, fcntl.LOCK_SH)
                if os.fstat(self._lock.fileno()).st_nlink:
                    return
                self._lock.close()

    def close(self) -> None:
        """Removes the folder unless another process uses it."""
        self._lock.close()
        _remove_unused(self.path)


def _remove_unused(folder: Path) -> None:
    with contextlib.suppress(OSError), (folder / _LOCK).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError: it is used
        shutil.rmtree(folder, ignore_errors=True)
