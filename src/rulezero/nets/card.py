"""Finds nets and reads their cards. Nothing here needs torch.

A net is NAME.json (its card), NAME.onnx (for play) and NAME.safetensors (the weights, for
training). The card is written last: a net with a card is complete. A perceptron is one file,
NAME.nn, and so is an efficiently updatable net, NAME.nnue; the core computes both.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
from pydantic import Field, StrictInt

from rulezero._core import Facts, Game, Mlp, NetError, Nnue
from rulezero.files import write_whole
from rulezero.games.load import load, names_a_path
from rulezero.nets.config import AnyConfig, ModuleConfig, NetConfig
from rulezero.settings import Settings

_SUFFIXES = (".int8.onnx", ".safetensors", ".onnx", ".json")
PERCEPTRON = ".nn"
NNUE = ".nnue"
ONE_FILE = (PERCEPTRON, NNUE)  # suffixes of nets that are one file without a card
LARGEST_CARD = 1 << 20  # bytes
_LARGEST_FILE = 1 << 28  # bytes of a net that is one file
CoreNet = TypeVar("CoreNet")
_POINTER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class Card(Settings):
    """The description of a net, without its weights."""

    error: ClassVar[type[NetError]] = NetError

    game: str  # canonical text
    name: str  # of the game
    rules: StrictInt  # version of the rules it was trained with
    encoding: StrictInt  # version of the planes and slots it was trained on
    planes: tuple[StrictInt, StrictInt, StrictInt]  # channels, rows, columns
    slots: StrictInt
    config: AnyConfig
    weights: str  # SHA-256 of the .safetensors file
    onnx: str  # SHA-256 of the .onnx file
    rulezero: str  # version of rulezero that wrote it
    metadata: dict[str, Any] = Field(default_factory=dict)  # free for the writer
    heads: tuple[str, ...] = ()  # of loss terms; with weights, but not in the .onnx file

    def check(self, facts: Facts) -> None:
        """Raises NetError unless the net's planes and slots are those of this game.

        Rule options that change neither planes nor slots do not matter.
        """
        if facts.name != self.name:
            raise NetError(f"the net is for {self.name}, not for {facts.name}")
        if facts.encoding != self.encoding:
            raise NetError(
                f"the net needs encoding {self.encoding} of {self.name}, but the game now has"
                f" encoding {facts.encoding}"
            )
        if (facts.planes, facts.slots) != (self.planes, self.slots):
            raise NetError(
                f"the net is for '{self.game}' with planes {self.planes} and {self.slots} slots,"
                f" but this game has planes {facts.planes} and {facts.slots} slots"
            )

    def tower_config(self, net: str | Path) -> NetConfig:
        """The config of this net's tower; NetError if the net is a user's module."""
        if isinstance(self.config, ModuleConfig):
            raise NetError(
                f"the net '{net}' is a torch module of your own, {self.config.module}, which"
                " rulezero can play with but not train: rz.load_weights loads its weights into"
                " your module"
            )
        return self.config


def beside(net: Path, suffix: str) -> Path:
    """A file of a net, by its suffix."""
    return net.with_name(net.name + suffix)


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_card(net: Path) -> Card:
    """The card of a net that resolve() has found."""
    path = beside(net, ".json")
    try:
        if path.stat().st_size > LARGEST_CARD:
            raise NetError("it is larger than 1 MiB")
        return Card(**msgspec.json.decode(path.read_bytes(), type=dict[str, Any]))
    except OSError as error:
        if net.suffix in ONE_FILE and net.is_file():
            raise NetError(
                f"'{net}' is a {net.suffix} file, which has no policy: play with it by oneply or"
                " alphabeta"
            ) from error
        raise NetError(f"there is no net '{net}': {path.name} {_reason(error)}") from error
    except (msgspec.DecodeError, NetError, UnicodeDecodeError, RecursionError) as error:
        raise NetError(f"'{path}' is not the card of a net: {error}") from error


def read_perceptron(path: Path) -> Mlp:
    """The perceptron of a .nn file."""
    return _read(path, Mlp.read)


def read_nnue(path: Path) -> Nnue:
    """The efficiently updatable net of a .nnue file."""
    return _read(path, Nnue.read)


def _read(path: Path, read: Callable[[bytes], CoreNet]) -> CoreNet:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise NetError(f"it is too large for a {path.suffix} file")
        return read(path.read_bytes())
    except OSError as error:
        raise NetError(f"there is no net '{path}': {error.strerror}") from error
    except NetError as error:
        raise NetError(f"'{path}': {error}") from error


def read_part(net: Path, suffix: str, wanted: str) -> bytes:
    """The bytes of a net's file; NetError if their SHA-256 is not the one on the card."""
    path = beside(net, suffix)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NetError(f"the net '{net}' is incomplete: {path.name} {_reason(error)}") from error
    if digest(data) != wanted:
        raise NetError(f"'{path}' is not the file its card names: its SHA-256 is different")
    return data


def copy(net: Path, form: str, target: Path) -> int:
    """Copies a net in one of its forms, nn, nnue, onnx or safetensors; returns its bytes."""
    if f".{form}" in ONE_FILE:
        data = net.read_bytes()
    else:
        card = read_card(net)
        data = read_part(net, f".{form}", card.onnx if form == "onnx" else card.weights)
    write_whole(target, data)
    return len(data)


def game_of(net: Path, card: Card, game: Game | None = None) -> Game:
    """The game given, or else that of the card; NetError if it does not fit the net.

    A game in a Python file must be given, unless the card names it by its hash and it was run here
    before: a card must not decide which file is executed.
    """
    if game is None:
        if names_a_path(card.game):
            raise NetError(f"the net '{net}' is for a game in a Python file: give the game, too")
        game = load(card.game)
    card.check(game.facts)
    return game


def resolve(text: str | Path) -> Path:
    """The net that a text names, as the path of its files without their suffixes.

    The text is a checkpoint, with or without a suffix; a run folder (its best net); RUN@latest or
    RUN@best; or RUN@12 for the net of iteration 12. The path of a net that is one file keeps its
    suffix, .nn or .nnue, which the text needs too, unless it names a run. NetError says what is
    missing.
    """
    text = str(text)
    if text.endswith(ONE_FILE) and Path(text).is_file():
        return Path(text)
    plain = without_suffix(text)
    if plain.name and beside(plain, ".json").is_file():
        return plain
    if text and Path(text).is_dir():
        return _of_run(Path(text), "best")
    run, at, which = text.rpartition("@")
    if at and Path(run).is_dir():
        return _of_run(Path(run), which)
    if text.endswith(ONE_FILE):
        raise NetError(f"there is no net '{text}': there is no such file")
    if at and not _suffix(text):
        raise NetError(f"there is no net '{text}': there is no run folder '{run}'")
    raise NetError(
        f"there is no net '{text}': it is neither a checkpoint ('{plain}.json') nor a run folder"
    )


def inside(nets: Path, name: str) -> Path | None:
    """The net of this name in a folder, in the form of resolve(); None if there is none."""
    net = nets / name
    if not net.name:
        return None
    if beside(net, ".json").is_file():
        return net
    files = [net] if net.suffix in ONE_FILE else [beside(net, suffix) for suffix in ONE_FILE]
    return next((file for file in files if file.is_file()), None)


def _of_run(run: Path, which: str) -> Path:
    """The net of a run folder: best, latest or an iteration's number."""
    nets = run / "nets"
    if which.isdecimal():
        net = inside(nets, f"iter_{int(which)}")
        if net is None:
            raise NetError(f"the run '{run}' has no net of iteration {which}{_newest(nets)}")
        return net
    if which not in ("best", "latest"):
        raise NetError(f"'{run}@{which}': after the @, give best, latest or an iteration's number")
    pointer = nets / which
    if not pointer.is_file():
        raise NetError(f"the run '{run}' has no {which} net: there is no file '{pointer}'")
    with pointer.open("rb") as file:
        name = file.read(200).decode("utf-8", "replace").strip()
    if not _POINTER.fullmatch(name):
        raise NetError(f"'{pointer}' must hold the name of a net, not {name[:40]!a}")
    net = inside(nets, name)
    if net is None:
        raise NetError(
            f"'{pointer}' names '{name}', but there is no '{nets / name}.json', .nn or .nnue"
        )
    return net


def _newest(nets: Path) -> str:
    numbers = trained(nets)
    return f"; its newest is {numbers[-1]}" if numbers else ""


def trained(nets: Path) -> list[int]:
    """The iterations whose nets are in a run's folder of nets, in ascending order."""
    files = [file for suffix in (".json", *ONE_FILE) for file in nets.glob(f"iter_*{suffix}")]
    return sorted(int(file.stem[5:]) for file in files if file.stem[5:].isdecimal())


def without_suffix(text: str | Path) -> Path:
    """The path of a net's files without the suffix of one of them."""
    return Path(str(text).removesuffix(_suffix(str(text))))


def _suffix(text: str) -> str:
    return next((suffix for suffix in _SUFFIXES if text.endswith(suffix)), "")


def _reason(error: OSError) -> str:
    return "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
