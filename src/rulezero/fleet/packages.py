"""The packages that fleets of several machines need, and how to install them."""

import importlib

from rulezero.errors import RunError

_SERVER = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "httpx", "prometheus_client")


def install(extra: str) -> str:
    """The command that installs an extra of rulezero, which is not on PyPI."""
    return f"pip install -c constraints.txt '.[{extra}]'"


def check_server_packages() -> None:
    """RunError says how to install what a server needs and this machine lacks."""
    for name in _SERVER:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise RunError(
                f"a fleet's server needs the package {name}: {install('fleet')}"
            ) from error
