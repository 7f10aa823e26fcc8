"""Loads games: those of the core, those registered from Python, and those in Python files."""

import functools
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle

from rulezero._core import (
    Game,
    GameError,
    State,
    game_options,
    load_game,
    load_python_game,
)
from rulezero.errors import among, nearest
from rulezero.games import drawing, grammar, sources
from rulezero.games.grammar import Spec, Value
from rulezero.games.pieces import read_pieces
from rulezero.games.python_game import PythonGame, place_of_class

AnyPythonGame = PythonGame[Any]
AnyGame = str | Game | AnyPythonGame | type[AnyPythonGame]
Registered = TypeVar("Registered", bound=AnyPythonGame | type[AnyPythonGame])

_registered: dict[str, AnyPythonGame] = {}
_from_files: dict[str, AnyPythonGame] = {}  # rules by the text of the game


def game_names() -> list[str]:
    """The names that load() knows: the core's games, then those registered from Python."""
    return [*game_options(), *sorted(_registered)]


def load(game: AnyGame, **rules: Value) -> Game:
    """The game of a text such as "exchange:dice=fixed:3", or of a PythonGame.

    "my_game.py" is short for "python:file=my_game.py", the game in a file. Rule options may also
    be keywords: load("exchange", dice="fixed:3"); a list is joined with '+'. A Game is returned as
    it is. Unknown names and options raise GameError, which suggests the nearest known one.
    """
    if isinstance(game, Game):
        if rules:
            raise GameError(f"'{game.text}' has its rules already: leave {', '.join(rules)} out")
        return game
    if not isinstance(game, str):
        if rules:
            raise GameError(f"a PythonGame takes no rule options here: {', '.join(rules)}")
        return load(register(_instance(game)).name)
    spec = _spec(game).extended(rules)
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
    """The state of a game after these actions from a position's text, to unpickle it."""
    return load(game).replay(text, actions)


def register(game: Registered) -> Registered:
    """Registers a PythonGame for load(name) and returns it; also a class decorator.

    Registering a name again replaces its game, so that a notebook's cell can be run twice. The
    names of the core's games cannot be used.
    """
    instance = _instance(game)
    spec = grammar.read(load_python_game(instance, "").facts.name)
    if spec.options or spec.name != spec.name.lower():
        raise GameError(f"'{instance.name}' is not a name: use lower-case letters, digits and '_'")
    _refuse_taken(spec.name)
    _registered[spec.name] = instance
    return game


def names_a_path(text: str) -> bool:
    """Whether loading a text executes a file that it names; never load such untrusted text."""
    spec = grammar.read(text)
    return spec.name == "python" and "sha" not in spec.options


def files_of(game: Game) -> dict[str, bytes]:
    """The files of a game in a Python file, by path; {} for other games."""
    spec = grammar.read(game.text)
    return sources.known(spec.options["sha"]) if spec.name == "python" else {}


def rules_of(game: Game) -> AnyPythonGame | None:
    """The rules of a game in Python; None for other games."""
    return _from_files.get(game.text) or _registered.get(game.text)


def packed(texts: Iterable[str]) -> bytes:
    """The games of these texts that only this process knows, for `unpack` in another one."""
    games = {name: _registered[name] for name in texts if name in _registered}
    for name, game in games.items():
        module = sys.modules.get(type(game).__module__)
        try:
            if module is not None:  # others may not find it, such as a notebook
                cloudpickle.register_pickle_by_value(module)
            cloudpickle.dumps(game)
        except Exception as error:
            raise GameError(
                f"the game '{name}' cannot be sent to worker processes ({error}): use workers=1, or"
                " put it into a file of its own and load it as python:file=FILE"
            ) from error
    return bytes(cloudpickle.dumps(list(games.values())))


def unpack(data: bytes) -> None:
    """Registers the games of another process here."""
    for game in cloudpickle.loads(data):
        register(game)


def _spec(text: str) -> Spec:
    """The name and options of a game's text; the path of a .py file means the game in it."""
    if text.endswith(".py") and not text.startswith("python:"):
        return Spec("python", {"file": text})
    return grammar.read(text)


def _load_with_pieces(spec: Spec) -> Game:
    """A game whose men are read from the files that its `pieces` option names."""
    options = dict(spec.options)
    pieces = read_pieces(grammar.split_items("pieces", options.get("pieces", "standard")))
    if options.get("pool", "all") != "all":
        pool = [pieces.find(item) for item in grammar.split_items("pool", options["pool"])]
        # The grammar would misread some symbols: their pieces are named by id.
        options["pool"] = "+".join(p.symbol if p.symbol.isalnum() else p.id for p in pool)
    game = load_game(spec.name, options, pieces.core)
    drawing.remember(game, pieces.pictures)
    return game


def _instance(game: AnyPythonGame | type[AnyPythonGame]) -> AnyPythonGame:
    if isinstance(game, PythonGame):
        return game
    if not (isinstance(game, type) and issubclass(game, PythonGame)):
        raise GameError(f"a game must be a text or a PythonGame, not {game!r}")
    missing = sorted(getattr(game, "__abstractmethods__", ()))
    if missing:
        raise GameError(f"{game.__name__} does not define these methods: {', '.join(missing)}")
    return game()


def _load_file(spec: Spec) -> Game:
    """The game in a file: python:file=PATH, or python:file=PATH,class=NAME if it has several.

    With sha=HASH, it is the one with this hash, if it was run on this machine before.
    """
    options = ["file", "class", "sha"]
    _refuse_unknown(spec.options, options, "python")
    if "file" not in spec.options:
        raise GameError("python needs a file: python:file=my_game.py")
    if "sha" in spec.options:
        return _load_known(spec.text)
    path = Path(spec.options["file"]).expanduser()
    if not path.is_file():
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise GameError(
            f"'{path}' is a folder" if path.is_dir() else f"there is no file '{path}'{where}"
        )
    if "," in path.name or not path.name.isprintable():
        raise GameError(
            f"{path.name!r} has a comma or an unprintable character, so no text could name its"
            " game: rename the file"
        )
    rules = sources.run(path)
    game = _game_in(rules, spec, path)
    sources.keep(rules)
    return game


@functools.lru_cache(maxsize=64)
def _load_known(text: str) -> Game:
    """The game of a text with a hash; cached, as its rules never change."""
    spec = grammar.read(text)
    file = spec.options["file"]
    return _game_in(sources.run_known(file, spec.options["sha"]), spec, Path(file))


def _game_in(rules: sources.Rules, spec: Spec, path: Path) -> Game:
    """The only game that a file defines, or the one that the text names."""
    found = {
        name: value
        for name, value in vars(rules.module).items()
        if isinstance(value, type)
        and issubclass(value, PythonGame)
        and value.__module__ == rules.module.__name__
    }
    wanted = spec.options.get("class")
    if not found:
        raise GameError(f"'{path}' defines no game: define a subclass of rz.PythonGame in it")
    if wanted is None:  # abstract base classes are not games, unless there is nothing else
        found = {
            name: value for name, value in found.items() if not inspect.isabstract(value)
        } or dict([*found.items()][-1:])
    if wanted is None and len(found) > 1:
        raise GameError(f"'{path}' has several games; add class=NAME, one of: {', '.join(found)}")
    if wanted is not None and wanted not in found:
        raise GameError(f"'{path}' has no game class '{wanted}'{among(wanted, found)}")
    chosen = {} if wanted is None else {"class": wanted}
    text = Spec("python", {"file": rules.file, **chosen, "sha": rules.sha}).text
    rules_class = found[wanted or next(iter(found))]
    try:
        instance = _instance(rules_class)
        game = load_python_game(instance, text)
        _refuse_taken(game.facts.name)
    except GameError as error:
        words = str(error).replace(f"{rules.module.__name__}.", "")
        raise GameError(f"{place_of_class(rules_class) or path}: {words}") from error
    if "sha" not in spec.options or text not in _from_files:  # the user's own file has priority
        _from_files[text] = instance
    return game


def _refuse_taken(name: str) -> None:
    if name in game_options() or name == "python":
        raise GameError(f"the name '{name}' is taken by a game of rulezero: choose another one")


def _refuse_unknown(given: Iterable[str], known: list[str], game: str) -> None:
    for name in given:
        if name not in known:
            options = f"known: {', '.join(known)}" if known else "it takes none"
            raise GameError(f"{game} has no option '{name}'{nearest(name, known)}; {options}")
