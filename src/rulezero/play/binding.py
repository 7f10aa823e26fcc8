"""Finds what evaluates positions for a player: a net, a perceptron or a heuristic."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from rulezero import endgame
from rulezero._core import Game, Mlp, MonsterTables, NetError, Nnue, PlayerError
from rulezero.nets import chess_perceptron
from rulezero.nets.card import NNUE, ONE_FILE, read_card, read_nnue
from rulezero.play.evaluators import Evaluator, Options, open_net
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player, kinds
from rulezero.play.weights import weights_of

_MOST_OPEN = 16  # nets kept open

_opening = threading.Lock()  # of the dictionaries; threads that play share nets and tables
_solved: dict[Path, endgame.Tables] = {}
_opened: dict[tuple[Path, str, Options], Evaluator] = {}
_read: dict[tuple[Path, int, int], Nnue] = {}


@dataclass(frozen=True)
class EvaluatorBinding:
    """How a player evaluates positions: an evaluator, a net in the core, or neither."""

    encoder: Game  # the game whose planes and slots the net uses
    evaluator: Evaluator | None = None
    mlp: Mlp | None = None
    nnue: Nnue | None = None
    weights: tuple[float, ...] = ()  # of the heuristic; (): the defaults
    identity: str | None = None  # of its net or weights, for records
    core_options: dict[str, str] = field(default_factory=dict)  # beside the text's own


def evaluator_for(player: Player, game: Game, nets: NetStore = PATHS) -> EvaluatorBinding:
    """What evaluates positions of this game for this player; NetError if its net cannot.

    `nets` finds the net; the core computes .nn and .nnue files.
    """
    if player.evaluator is not None:
        return EvaluatorBinding(game, player.evaluator, identity=player.evaluator.identity)
    if player.net is None and player.spec.name == "policy":
        raise PlayerError("the player policy needs a net: policy:net=PATH")
    if player.net is None:
        is_open = kinds()[player.spec.name].judges and "eval" not in player.spec.options
        options = {"eval": "rollout"} if is_open and not game.facts.has_heuristic else {}
        numbers, identity = weights_of(player, game)
        return EvaluatorBinding(game, weights=numbers, identity=identity, core_options=options)
    path = nets.path_of(player.net)
    if path.suffix in ONE_FILE and player.spec.name == "policy":
        raise PlayerError(f"'{player.net}' has no policy: use alphabeta, oneply or puct with it")
    if path.suffix in ONE_FILE:
        if unused := player.spec.options.keys() & set(Options._fields):
            raise PlayerError(
                f"'{player.net}' is a {path.suffix} file, which the core computes: leave"
                f" {min(unused)}= out"
            )
        return core_net(path, game)
    card = read_card(path)
    card.check(game.facts)
    evaluator = _evaluator(path, card.onnx, player.options, game)
    return EvaluatorBinding(game, evaluator, identity=evaluator.identity)


def check_player(player: Player, game: Game) -> None:
    """Raises NetError or PlayerError if the player's net, weights or tables do not suit the game.

    A net's file is found, but not opened.
    """
    path = None if player.net is None else PATHS.path_of(player.net)
    if path is None or path.suffix in ONE_FILE:
        evaluator_for(player, game)
    else:
        read_card(path).check(game.facts)
    solved_by(player, game)


def tables_of(player: Player, game: Game) -> MonsterTables | None:
    """The solved endgames of a player's `tables`, in the core's form; None without `tables`."""
    tables = solved_by(player, game)
    return None if tables is None else tables.core


def solved_by(player: Player, game: Game) -> endgame.Tables | None:
    """The solved endgames of a player's `tables`, opened once per process; None without."""
    folder = player.spec.options.get("tables")
    if folder is None:
        return None
    if not game.facts.has_tables:
        raise PlayerError(f"there are no endgame tables of {game.facts.name}: leave tables= out")
    place = Path(folder).resolve()
    with _opening:
        if place not in _solved:
            _solved[place] = endgame.open(folder)
        return _solved[place]


def _evaluator(path: Path, digest: str, options: Options, game: Game) -> Evaluator:
    """The evaluator of a net, opened once per process and digest of its file."""
    key = (path.resolve(), digest, options)
    with _opening:
        if key not in _opened:
            if len(_opened) >= _MOST_OPEN:
                _opened.pop(next(iter(_opened)))
            _opened[key] = open_net(path, options, game)
        return _opened[key]


def _nnue(path: Path) -> Nnue:
    """The net of a .nnue file, read once per process unless the file changes."""
    try:
        stamp = path.stat()
    except OSError as error:
        raise NetError(f"there is no net '{path}': {error.strerror}") from error
    key = (path.resolve(), stamp.st_mtime_ns, stamp.st_size)
    with _opening:
        if key not in _read:
            if len(_read) >= _MOST_OPEN:
                _read.pop(next(iter(_read)))
            _read[key] = read_nnue(path)
        return _read[key]


def core_net(path: Path, game: Game) -> EvaluatorBinding:
    """The net of a .nn or .nnue file, which the core computes; NetError if it cannot judge."""
    if path.suffix == NNUE:
        nnue = _nnue(path)
        try:
            nnue.check(game)
        except NetError as error:
            raise NetError(f"'{path}': {error}") from error
        return EvaluatorBinding(game, nnue=nnue, identity=path.name)
    mlp, encoder = chess_perceptron.read(path, game)
    return EvaluatorBinding(encoder, mlp=mlp, identity=path.name)
