"""The page: play, watch, train and explain in a browser."""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

from rulezero.errors import RunError

_NEEDED = ("fastapi", "markdown_it", "plotly", "uvicorn", "websockets")


def serve_page(
    place: str | Path = "runs",
    *,
    host: str = "127.0.0.1",
    port: int = 8640,
    games: Sequence[str] = (),
    processes: int = 0,
    names: Sequence[str] = (),
    proxies: Sequence[str] = (),
    secret: str | Path | None = None,
    on_ready: Callable[[str], None] = print,
) -> None:
    """Serves the page until SIGTERM or Ctrl-C.

    `place` is the folder with the owner's runs and stores. `games` are the owner's own games, such
    as my_game.py. `names` are those by which a reverse proxy serves the page, and `proxies` the
    addresses of proxies whose X-Forwarded-For is believed. Searches run in `processes` processes
    (0: one for each core). `secret` is a file with the secret that makes a visitor the owner; it is
    made if there is none (default: a new secret without a file). `on_ready` gets the address with
    the secret. Port 0 is a free one.
    """
    for name in _NEEDED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise RunError(f"the page needs {name}: pip install '.[web]'") from error
    from rulezero.web.serve import run_server

    if Path(place).exists() and not Path(place).is_dir():
        raise RunError(f"'{place}' is a file: name a folder for your runs and stores")
    file = None if secret is None else Path(secret)
    run_server(Path(place), host, port, games, processes, names, proxies, file, on_ready)
