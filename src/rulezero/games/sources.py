"""Python files with games, identified by a hash of their content.

The text of such a game, `python:file=dots.py,sha=3f2a91c04d5e6b70`, names its file and a hash of
its content, not its folder: records, nets and runs mean the same rules wherever they are opened.

Rules that a user names by their path are executed and copied to a folder of that user. A text with
a hash executes only rules from that folder, so an untrusted file cannot choose what is executed.
"""

import contextlib
import hashlib
import importlib.abc
import importlib.machinery
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from rulezero._core import GameError
from rulezero.games.library import DIGITS, library
from rulezero.games.python_game import describe, own_frames


class Rules(NamedTuple):
    """A game's file and the files in its folder that it imports, as they were executed."""

    file: str  # the name of the game's own file
    module: ModuleType
    files: Mapping[str, bytes]  # content by path, relative to the game's folder

    @property
    def sha(self) -> str:
        """The hash of all content."""
        return _hash(self.files)


def run(path: Path) -> Rules:
    """Executes a game's file as it is now, even if it was loaded before; may raise GameError."""
    if path.suffix != ".py":
        raise GameError(f"'{path}' is not a Python file: its name must end in .py")
    name = f"rulezero_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:DIGITS]}"
    files: dict[str, bytes] = {}
    loader = _Loader(path, path.parent, files)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses look up their module when they are defined
    try:
        with _neighbours(path.parent, files):
            loader.exec_module(module)
    except GameError as error:  # from a game that it registers or loads
        del sys.modules[name]
        lines = [frame.lineno for frame in own_frames(error) if frame.filename == str(path)]
        words = str(error).replace(f"{name}.", "")
        raise GameError(f"{path}:{lines[-1]}: {words}" if lines else words) from error
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise GameError(f"'{path}' cannot be run: it {describe(error)}") from error
    return Rules(path.name, module, files)


def run_known(file: str, sha: str) -> Rules:
    """Executes rules that were executed on this machine before; GameError for others."""
    files = known(sha)
    if file not in files:
        raise GameError(
            f"the rules 'python:file={file},sha={sha}' have not been run on this machine: if you"
            f" trust them, load their file once, as python:file=FOLDER/{file}"
        )
    return run(library() / sha / file)


def keep(rules: Rules) -> None:
    """Copies rules to this user's folder of known rules."""
    if known(rules.sha):
        return
    place = library()
    with tempfile.TemporaryDirectory(prefix="half_", dir=place) as half:
        write(rules.files, Path(half) / rules.sha)
        shutil.rmtree(place / rules.sha, ignore_errors=True)  # an existing copy is damaged
        with contextlib.suppress(FileExistsError):  # another process was quicker
            (Path(half) / rules.sha).rename(place / rules.sha)


def known(sha: str) -> dict[str, bytes]:
    """The files of known rules, by path; {} if the rules are unknown or damaged."""
    folder = library() / sha
    if not sha.isalnum() or not folder.is_dir():
        return {}
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.py"))
    }
    return files if _hash(files) == sha else {}


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Writes files into a folder, and creates it."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def _hash(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        lines = content.replace(b"\r\n", b"\n")  # Windows ends lines in this way
        digest.update(f"{path}\n{len(lines)}\n".encode() + lines)
    return digest.hexdigest()[:DIGITS]


class _Loader(importlib.abc.SourceLoader):
    """Executes a file's current source, not cached bytecode, and records what it read."""

    def __init__(self, path: Path, folder: Path, files: dict[str, bytes]) -> None:
        self._path, self._folder, self._files = path, folder, files

    def get_filename(self, fullname: str) -> str:
        return str(self._path)

    def get_data(self, path: str | bytes) -> bytes:
        content = self._path.read_bytes()
        self._files[self._path.relative_to(self._folder).as_posix()] = content
        return content


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules in a folder before other modules of the same name."""

    def __init__(self, folder: Path, files: dict[str, bytes]) -> None:
        self._folder, self._files = folder, files
        self.names = {path.stem for path in folder.glob("*.py")}
        self.names |= {path.parent.name for path in folder.glob("*/__init__.py")}
        self.names -= {*sys.stdlib_module_names, "__main__", "rulezero"}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        top, *below = fullname.split(".")
        if top not in self.names:
            return None
        plain = self._folder.joinpath(top, *below)
        package = plain / "__init__.py"
        file = package if package.is_file() else plain.with_suffix(".py")
        if not file.is_file():
            return None
        return importlib.machinery.ModuleSpec(
            fullname,
            _Loader(file, self._folder, self._files),
            origin=str(file),
            is_package=file == package,
        )


@contextlib.contextmanager
def _neighbours(folder: Path, files: dict[str, bytes]) -> Iterator[None]:
    """Lets a game's file import other files in its folder, which other modules never see.

    Afterwards the loaded modules are the same as before, so that two games may each import a
    different file of the same name.
    """
    finder = _Finder(folder, files)
    before = _take_out(finder.names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _take_out(finder.names)
        sys.modules.update(before)


def _take_out(names: set[str]) -> dict[str, ModuleType]:
    """Removes modules of these names and their submodules from sys.modules; returns them."""
    found = [name for name in sys.modules if name.partition(".")[0] in names]
    return {name: sys.modules.pop(name) for name in found}
