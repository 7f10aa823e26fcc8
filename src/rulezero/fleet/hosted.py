"""A server and workers that a trainer starts for itself, and that end with it."""

import contextlib
import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote

from rulezero.errors import RunError
from rulezero.files import lock
from rulezero.fleet.attached import Attached, Death
from rulezero.fleet.client import Client
from rulezero.fleet.listening import listening, local_url, public_url
from rulezero.fleet.packages import check_server_packages
from rulezero.fleet.protocol import FleetError
from rulezero.fleet.worker.processes import Workers
from rulezero.fleet.worker.worker import WorkerSettings
from rulezero.machine import cores

_ADDRESS = re.compile(rb"\bhttps?://(\S+):([0-9]+)")  # in the line that `serve` prints
_ERROR = "rulezero: error: "  # how the last line begins that a command with an error prints
_MOST_DEATHS = 5  # of the server or of workers in a row, soon after their start
_START_SECONDS = 60.0  # for the server's first start
_LEASE_SECONDS = 15  # at most, the games of a killed worker wait for this time
_NAMES = ("trainer of this run", "workers of this run")  # of the tokens


class Hosted:
    """A server and workers with their files in a run's folder.

    Both are started again when they die: the server at the same port, with the same data. `tell`
    gets lines for people. Once it is entered, `client` is the trainer's.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int,
        width: int,
        host: str,
        port: int,
        tell: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._workers = workers or cores()
        self._width = width
        self._host = host
        self._port = port
        self._tell = tell
        self._listens = threading.Event()
        self._failure = ""  # why the server cannot go on
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "Hosted":
        self._folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            trainer, worker = new_tokens(self._folder)
            _wait_for_the_last(self._folder)
            self.server = Attached(
                self._words, on_line=self._hear, on_death=self._replace, log=self._log
            )
            stack.callback(self.server.join)
            stack.callback(self.server.stop)
            self._wait()
            address = local_url(self._host, self._port)
            self.client = Client(address, trainer, on_trouble=self._say_trouble)
            stack.callback(self.client.close)
            settings = WorkerSettings(
                server=address,
                token=worker,
                name="local",
                cache=str(self._folder / "worker"),
                width=self._width,
            )
            # Games in an earlier spool were leased to a token that is revoked now.
            shutil.rmtree(self._folder / "worker" / "spool", ignore_errors=True)
            (self._folder / "worker").mkdir(exist_ok=True)
            helper = Client(address, worker)
            stack.callback(helper.close)
            self.workers = Workers(helper, settings, self._workers, self._tell)
            stack.callback(self.workers.stop)
            self._tell(
                f"the server of games listens at {public_url(self._host, self._port)}; `rulezero"
                f" token new NAME --scope worker --fleet {quote(str(self._folder.parent))}` makes a"
                " token for other machines"
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def check(self) -> None:
        """FleetError if the server or the workers die again and again."""
        if self._failure:
            raise FleetError(self._failure)
        self.workers.check(_MOST_DEATHS)

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    def _words(self) -> list[str]:
        place = str(self._folder.parent)
        return [
            *("serve", "--fleet", place, "--host", self._host, "--port", str(self._port)),
            *("--lease-seconds", str(_LEASE_SECONDS)),
        ]

    def _wait(self) -> None:
        """Waits until the server listens."""
        if not self._listens.wait(_START_SECONDS) or self._failure:
            raise RunError(
                self._failure or f"the server did not begin to listen in {_START_SECONDS:g} s"
            )

    def _hear(self, line: bytes) -> None:
        if not self._listens.is_set() and (found := _ADDRESS.search(line)):
            self._port = int(found[2])
            self._listens.set()

    def _replace(self, death: Death) -> bool:
        if not self._listens.is_set() or death.number > _MOST_DEATHS:
            self._failure = f"the server of games {death.how}{self._reason()}"
            self._listens.set()
            return False
        self._tell(f"the server of games {death.how}; it is started again")
        return True

    def _reason(self) -> str:
        """Why the server has ended, by the last line of its log."""
        with contextlib.suppress(OSError):
            lines = self._log.read_text("utf-8", "replace").splitlines()
            if lines and lines[-1].startswith(_ERROR):
                return f": {lines[-1].removeprefix(_ERROR)}"
        return f"; '{self._log}' says why"

    def _say_trouble(self, trouble: str) -> None:
        self._tell(trouble or "the server of games answers again")


def check_server(folder: Path, host: str, port: int) -> None:
    """RunError if no server can be started in a folder; nothing is written."""
    check_server_packages()
    if (folder / "server.lock").is_file():
        held = lock(folder / "server.lock")
        if held is None:  # an earlier server is about to end, and it may have the port
            return
        held.close()
    with listening(host, port):
        pass


def _wait_for_the_last(folder: Path) -> None:
    """Waits until the server of an earlier process, which was killed perhaps, has ended."""
    until = time.monotonic() + _START_SECONDS
    while (held := lock(folder / "server.lock")) is None:
        if time.monotonic() > until:
            raise RunError(f"another server uses '{folder}': stop it first")
        time.sleep(0.1)
    held.close()


def new_tokens(folder: Path) -> tuple[str, str]:
    """New tokens for the trainer and for its workers; those of an earlier process are revoked.

    They are not written anywhere: the database has only their hashes.
    """
    from rulezero.fleet.server.database import open_database
    from rulezero.fleet.server.tokens import TokenTable

    engine = open_database(folder, None)
    try:
        tokens = TokenTable(engine)
        for token in tokens.all():
            if token.name in _NAMES and token.revoked is None:
                tokens.revoke(token.id)
        trainer, workers = _NAMES
        return tokens.new(trainer, ["trainer"]).secret, tokens.new(workers, ["worker"]).secret
    finally:
        engine.dispose()
