"""Commands in processes forked from one that has imported the package: ten times as fast to start.

Run as a program, this file is that process: it reads requests from a socket and forks for each. It
imports the modules that are its further arguments.
"""

import atexit
import contextlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from typing import BinaryIO


class Forks:
    """The process that forks. It has imported these modules, too."""

    def __init__(self, *modules: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno()), *modules]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        self._socket = ours
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the process."""
        self._socket.close()
        self._process.wait()

    def run(
        self, arguments: list[str], stdin: str, environment: dict[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Runs `rulezero` with these arguments; returns its output, errors and exit code."""
        with contextlib.ExitStack() as stack:
            files: list[BinaryIO] = [
                stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)
            ]
            files[0].write(stdin.encode())
            files[0].seek(0)
            request = json.dumps([arguments, environment, os.getcwd()]).encode()  # noqa: PTH109
            head = len(request).to_bytes(4, "big")
            socket.send_fds(self._socket, [head], [file.fileno() for file in files])
            self._socket.sendall(request)
            pid = _receive(self._socket)
            self._socket.settimeout(timeout)
            try:
                code = _receive(self._socket)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._socket.settimeout(None)
                _receive(self._socket)
                raise subprocess.TimeoutExpired(arguments, timeout) from None
            self._socket.settimeout(None)
            texts = []
            for file in files[1:]:
                file.seek(0)
                texts.append(file.read().decode())
        return subprocess.CompletedProcess(arguments, code, *texts)


def _receive(connection: socket.socket) -> int:
    """A number of eight bytes."""
    data = b""
    while len(data) < 8:
        more = connection.recv(8 - len(data))
        if not more:
            raise EOFError("the process that forks has ended")
        data += more
    return int.from_bytes(data, "big", signed=True)


def _send(connection: socket.socket, number: int) -> None:
    connection.sendall(number.to_bytes(8, "big", signed=True))


def _requests(connection: socket.socket) -> list[str] | None:
    """Forks for every request. Returns the command in a child, and None when there are no more."""
    while True:
        head, files, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            return None
        request = b""
        while len(request) < int.from_bytes(head, "big"):
            request += connection.recv(1 << 20)
        arguments, environment, folder = json.loads(request)
        pid = os.fork()
        if pid:
            for file in files:
                os.close(file)
            _send(connection, pid)
            _send(connection, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            continue
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        encoding, _, errors = environment.get("PYTHONIOENCODING", "utf-8").partition(":")
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(
                open(number, mode, buffering=-1, closefd=False),  # noqa: SIM115
                encoding=encoding,
                errors=("backslashreplace" if number == 2 else errors or "strict"),
                line_buffering=number == 2,
            )
            for number, mode in enumerate(("rb", "wb", "wb"))
        )
        return ["rulezero", *arguments]


if __name__ == "__main__":
    import gc
    import importlib

    from rulezero.cli import main

    for module in sys.argv[2:]:
        importlib.import_module(module)
    gc.freeze()  # otherwise a collection would copy every page
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        found = _requests(listening)
    if found is not None:
        sys.argv = found
        main()
