"""What holds for every test, and what several of them need."""

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.endgame import Tables, solving

# A background job of a shell ignores Ctrl-C, and so would the processes that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Rules in Python that tests run stay unknown to the user.
os.environ["RULEZERO_RULES"] = tempfile.mkdtemp(prefix="rulezero_rules_")
atexit.register(shutil.rmtree, os.environ["RULEZERO_RULES"], ignore_errors=True)

SOLVED = ["KvKQ", "KvKN", "KPvK", "KvKQR", "KvKQQ", "KvKQQQ"]


@pytest.fixture(scope="session")
def endgames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Endgame tables of a few men, and of all that they can turn into."""
    place = tmp_path_factory.mktemp("endgames")
    for men in SOLVED:
        solving.solve(men, place, workers=2)
    return place


@pytest.fixture(scope="session")
def tables(endgames: Path) -> Tables:
    """The same, opened."""
    return rz.endgame.open(endgames)
