"""Fixtures of the page's tests: a server, a visitor, the owner, and a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.browser import browser
from support.page_server import PageServer, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's folder; a module that has runs or stores fills `runs` in it."""
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[PageServer]:
    """A server with one search process."""
    with serving(folder, "--workers", "1") as made:
        yield made


@pytest.fixture
def visitor(server: PageServer) -> Iterator[httpx.Client]:
    """A new visitor."""
    with server.visitor() as made:
        yield made


@pytest.fixture(scope="module")
def owner(server: PageServer) -> Iterator[httpx.Client]:
    """The owner's browser."""
    with server.visitor(is_owner=True) as made:
        yield made


@pytest.fixture(scope="module")
def running() -> Iterator[Any]:
    """A browser."""
    with browser() as made:
        yield made
