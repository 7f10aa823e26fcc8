"""`rulezero worker`: plays games for the server of a fleet."""

import signal
import time
from collections import deque
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import Workers
from rulezero.cli.terminal.words import counted

_SECONDS_BETWEEN_LINES = 60.0  # where no line can be drawn again
_SPEED_SECONDS = 60.0  # over which games per second are measured


def worker(
    server: Annotated[
        str, typer.Option(metavar="URL", help="Server, such as https://games.example.org.")
    ],
    token: Annotated[
        str,
        typer.Option(
            metavar="TOKEN",
            help="Token that the server's owner gave you. @FILE reads it from a file (default: the"
            " variable RULEZERO_TOKEN).",
        ),
    ] = "",
    workers: Workers = 0,
    name: Annotated[
        str, typer.Option(help="Name of this machine at the server (default: the host's name).")
    ] = "",
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for nets, and for finished games while the server is away (default:"
            " ~/.cache/rulezero).",
        ),
    ] = None,
    width: Annotated[
        int, typer.Option(min=1, max=1024, help="Games that each process plays at the same time.")
    ] = 64,
) -> None:
    """Play games for a server until Ctrl-C. It runs only built-in games, and no code of others.

    Examples:
      rulezero worker --server https://games.example.org --token @token.txt
      rulezero worker --server http://10.0.0.7:8642 --workers 2 --name attic
    """
    signal.signal(signal.SIGTERM, _end)
    with _Display(server) as display:
        try:
            rz.work(
                server,
                token,
                workers=workers,
                name=name,
                cache=cache,
                width=width,
                on_status=display.show,
                on_line=display.print,
            )
        except KeyboardInterrupt:
            display.finish()
            raise typer.Exit(130) from None
        except SystemExit:
            display.finish()
            raise


def _end(*_: object) -> None:
    raise SystemExit(0)


class _Display:
    """One line on a terminal that is drawn again; elsewhere a line from time to time."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._console = Console(stderr=True, highlight=False)
        self._newest: rz.fleets.WorkStatus | None = None
        self._counts: deque[tuple[float, int]] = deque()  # times and games
        self._printed = -_SECONDS_BETWEEN_LINES
        self._words = ""
        self._live = Live(console=self._console, transient=True, get_renderable=self._line)

    def __enter__(self) -> "_Display":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, status: rz.fleets.WorkStatus) -> None:
        """Takes note of what the workers do now."""
        now = time.monotonic()
        self._newest = status
        self._counts.append((now, status.games))
        while len(self._counts) > 2 and now - self._counts[0][0] > _SPEED_SECONDS:
            self._counts.popleft()
        if not self._console.is_terminal and now - self._printed >= _SECONDS_BETWEEN_LINES:
            words = str(self._line())
            if words != self._words:
                self.print(words)
            self._words, self._printed = words, now

    def print(self, line: str) -> None:
        """Prints news."""
        self._console.print(Text(f"{time.strftime('%H:%M:%S')}  {line}"), soft_wrap=True)

    def finish(self) -> None:
        """Says what was done."""
        status = self._newest
        if status is None:
            return
        words = f"stopped after {counted(status.games, 'game')}"
        if status.waiting:
            words += "; those that are not delivered yet are kept for the next start"
        self.print(words)

    def _line(self) -> Text:
        status = self._newest
        if status is None:
            return Text(f"asking {self._server}")
        begin, end = self._counts[0], self._counts[-1]
        speed = (end[1] - begin[1]) / max(end[0] - begin[0], 1.0)
        words = f"{status.state}: {counted(status.games, 'game')}, {speed:.1f} games/s"
        words += f", {counted(status.workers, 'worker')}, {self._server}"
        if status.waiting:
            words += f"; {status.waiting} to deliver"
        return Text(words, no_wrap=True)
