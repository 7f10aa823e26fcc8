"""Settings for all tests, and shared fixtures."""

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.endgame import Tables, solving

# Background jobs of a shell ignore Ctrl-C, and processes that tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Keeps the Python rules that tests run out of the user's own folder of known rules.
os.environ["RULEZERO_RULES"] = tempfile.mkdtemp(prefix="rulezero_rules_")
atexit.register(shutil.rmtree, os.environ["RULEZERO_RULES"], ignore_errors=True)

SOLVED = ["KvKQ", "KvKN", "KPvK", "KvKQR", "KvKQQ", "KvKQQQ"]


@pytest.fixture(scope="session")
def endgames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the endgame tables of SOLVED, and of the endgames that they lead to."""
    place = tmp_path_factory.mktemp("endgames")
    for men in SOLVED:
        solving.solve(men, place, workers=2)
    return place


@pytest.fixture(scope="session")
def tables(endgames: Path) -> Tables:
    """The tables of `endgames`, opened."""
    return rz.endgame.open(endgames)
