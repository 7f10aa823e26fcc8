"""Loading games: the core's own, those registered from Python, those in a file."""

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from rulezero._core import (
    Game,
    GameError,
    State,
    game_options,
    load_game,
    load_python_game,
)
from rulezero.errors import among, nearest
from rulezero.games import grammar
from rulezero.games.grammar import Spec, Value
from rulezero.games.pieces import read_pieces
from rulezero.games.python_game import PythonGame, describe

AnyPythonGame = PythonGame[Any]
AnyGame = str | Game | AnyPythonGame | type[AnyPythonGame]
Registered = TypeVar("Registered", bound=AnyPythonGame | type[AnyPythonGame])

_registered: dict[str, AnyPythonGame] = {}


def game_names() -> list[str]:
    """The names that load() knows: the core's games, then those registered from Python."""
    return [*game_options(), *sorted(_registered)]


def load(game: AnyGame, **rules: Value) -> Game:
    """The game of a text, such as "exchange:dice=fixed:3", or of a PythonGame; a Game itself.

    Rules may also be keywords: load("exchange", dice="fixed:3"); a list stands for items with
    '+' between them. GameError says what is unknown, and what is near.
    """
    if isinstance(game, Game):
        if rules:
            raise GameError(
                f"'{game.text}' has its rules already: {', '.join(rules)} come too late"
            )
        return game
    if not isinstance(game, str):
        if rules:
            raise GameError(f"a PythonGame takes no rule options here: {', '.join(rules)}")
        return load(register(_instance(game)).name)
    spec = grammar.read(game).extended(rules)
    if spec.name == "python":
        return _load_file(spec)
    if spec.name in _registered:
        _refuse_unknown(spec.options, [], spec.name)
        return load_python_game(_registered[spec.name], spec.name)
    known = game_options()
    if spec.name not in known:
        raise GameError(f"there is no game '{spec.name}'{among(spec.name, game_names())}")
    options = [name for name, _, _ in known[spec.name]]
    _refuse_unknown(spec.options, options, spec.name)
    if "pieces" in options:
        return _load_with_pieces(spec)
    return load_game(spec.name, spec.options)


def restore(game: str, text: str, actions: list[int]) -> State:
    """The state of a game after these actions from a text: what a pickled state comes back by."""
    return load(game).replay(text, actions)


def register(game: Registered) -> Registered:
    """Makes load(name) know a PythonGame, and returns it: a decorator for the class.

    Registering a name again replaces it, so that a notebook's cell can be run twice; the core's
    own names cannot be taken.
    """
    instance = _instance(game)
    spec = grammar.read(load_python_game(instance, "").facts.name)
    if spec.options or spec.name != spec.name.lower():
        raise GameError(f"'{instance.name}' is no name: lower-case letters, digits and '_'")
    if spec.name in game_options() or spec.name == "python":
        raise GameError(f"the name '{spec.name}' is taken by rulezero's own game")
    _registered[spec.name] = instance
    return game


def _load_with_pieces(spec: Spec) -> Game:
    """A game whose men are read from the files that its `pieces` option names."""
    options = dict(spec.options)
    pieces = read_pieces(grammar.split_items("pieces", options.get("pieces", "standard")))
    if options.get("pool", "all") != "all":
        pool = [pieces.find(item) for item in grammar.split_items("pool", options["pool"])]
        # A symbol that the grammar would misread goes by its piece's id.
        options["pool"] = "+".join(p.symbol if p.symbol.isalnum() else p.id for p in pool)
    return load_game(spec.name, options, pieces.core)


def _instance(game: AnyPythonGame | type[AnyPythonGame]) -> AnyPythonGame:
    if isinstance(game, PythonGame):
        return game
    if not (isinstance(game, type) and issubclass(game, PythonGame)):
        raise GameError(f"a game is a text or a PythonGame, not {game!r}")
    missing = sorted(getattr(game, "__abstractmethods__", ()))
    if missing:
        raise GameError(f"{game.__name__} does not answer yet: {', '.join(missing)}")
    return game()


def _load_file(spec: Spec) -> Game:
    """The game in a file: python:file=PATH, or python:file=PATH,class=NAME if it has several."""
    options = ["file", "class"]
    _refuse_unknown(spec.options, options, "python")
    if "file" not in spec.options:
        raise GameError("python needs a file: python:file=my_game.py")
    path = Path(spec.options["file"]).expanduser()
    if not path.is_file():
        where = "" if path.is_absolute() else f" in {Path.cwd()}, where it is looked for"
        raise GameError(
            f"'{path}' is a folder" if path.is_dir() else f"there is no file '{path}'{where}"
        )
    found = {
        name: value
        for name, value in vars(_run(path)).items()
        if isinstance(value, type)
        and issubclass(value, PythonGame)
        and value.__module__ == _module_name(path)
        and not inspect.isabstract(value)
    }
    wanted = spec.options.get("class")
    if not found:
        raise GameError(f"'{path}' defines no PythonGame with all its answers")
    if wanted is None and len(found) > 1:
        raise GameError(f"'{path}' has several games; add class=, one of: {', '.join(found)}")
    if wanted is not None and wanted not in found:
        raise GameError(f"'{path}' has no game class '{wanted}'{among(wanted, found)}")
    chosen = wanted or next(iter(found))
    text = Spec("python", {key: spec.options[key] for key in options if key in spec.options}).text
    return load_python_game(_instance(found[chosen]), text)


def _module_name(path: Path) -> str:
    return f"rulezero_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}"


def _run(path: Path) -> ModuleType:
    """The file as a module, run afresh: what it says now counts."""
    name = _module_name(path)
    source = importlib.util.spec_from_file_location(name, path)
    if source is None or source.loader is None:
        raise GameError(f"'{path}' is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(source)
    sys.modules[name] = module  # dataclasses look their module up while they are made
    try:
        source.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise GameError(f"'{path}' cannot be run: it {describe(error)}") from error
    return module


def _refuse_unknown(given: Iterable[str], known: list[str], game: str) -> None:
    for name in given:
        if name not in known:
            options = f"known: {', '.join(known)}" if known else "it takes none"
            raise GameError(f"{game} has no option '{name}'{nearest(name, known)}; {options}")
