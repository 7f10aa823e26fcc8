"""Keeps the graphs of exported nets in files, for all processes of a test run.

torch takes one second to trace a graph, and two to import what it traces with. A graph depends only
on a net's shape and options, so each one is traced once in a test run.
"""

import functools
import hashlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = "RULEZERO_TEST_GRAPHS"  # the environment variable with the folder
_MODULE = "rulezero.nets.export"


def install() -> None:
    """Lets this process use the folder as soon as it imports the module that exports nets."""
    if FOLDER in os.environ and _MODULE not in sys.modules:
        sys.meta_path.insert(0, _Finder(Path(os.environ[FOLDER])))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the module as usual, and changes its function that traces."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.loader is not None
        execute = spec.loader.exec_module

        def execute_and_change(module: ModuleType) -> None:
            execute(module)
            module._graph = _shared(module._graph, self._folder)  # type: ignore[attr-defined]

        spec.loader.exec_module = execute_and_change  # type: ignore[method-assign]
        return spec


def _shared(trace: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    """The function `trace`, whose results are files in the folder."""
    import onnx

    from rulezero.files import lock, write_whole

    @functools.lru_cache(maxsize=64)
    def graph(planes: tuple[int, int, int], slots: int, config: Any) -> onnx.ModelProto:
        key = hashlib.sha256(f"{planes} {slots} {config!r}".encode()).hexdigest()
        file = folder / f"{key}.onnx"
        held = lock(file.with_suffix(".lock"), wait=True)
        assert held is not None
        with held:
            if not file.is_file():
                model: onnx.ModelProto = trace(planes, slots, config)
                write_whole(file, model.SerializeToString())
            return onnx.load(file)

    return graph
