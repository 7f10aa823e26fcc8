"""Replays records: the movers, what their plies did, and the net's input."""

import functools

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game, GameError, RulezeroError, State, game_options, remake, replay
from rulezero.data.columns import Floats, Numbers, RecordError
from rulezero.data.record import Record
from rulezero.games import grammar
from rulezero.games.load import load, names_a_path
from rulezero.games.pieces import SHIPPED


class Replay(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A replayed game of n plies."""

    movers: npt.NDArray[np.int8]  # [n] 0, 1 or CHANCE, which is below 0
    choices: npt.NDArray[np.int32]  # [n] how many actions were legal
    events: Floats  # [n, columns of facts.events] the effects of each ply
    checks: npt.NDArray[np.bool_]  # [n] whether the mover's king was attacked
    actors: npt.NDArray[np.int8]  # [n] the seat that acts: the mover, or the one who rolls the die
    plies: npt.NDArray[np.int32]  # [n] choices of players before it, as the game counts
    last: State  # after the last ply


def game_of(text: str, *, trusted: bool = False) -> Game:
    """The game of a record. Unless `trusted`, a text that would run or read a file is refused.

    Such files are the rules of python:file=, which are a program, and piece files. Rules that this
    user has run before, identified by their hash, are allowed.
    """
    try:
        spec = grammar.read(text)
        files = set(grammar.split_items("pieces", spec.options.get("pieces", "standard")))
        if spec.name in game_options() and files <= set(SHIPPED):
            return _shipped(text)
        is_program = names_a_path(text)
        if not trusted and (is_program or not files <= set(SHIPPED)):
            use = "run" if is_program else "read"
            raise RecordError(
                f"'{text}' would {use} a file; trust it (trusted=True, --trusted) if it is your own"
            )
        return load(text)
    except GameError as error:
        raise RecordError(f"the game of a record cannot be loaded: {error}") from error


@functools.lru_cache(maxsize=64)
def _shipped(text: str) -> Game:
    """A game that depends on no user's file, cached."""
    return load(text)


def replay_of(record: Record, game: Game | None = None) -> Replay:
    """The replay of a record; RecordError names the ply of an illegal action."""
    return follow(game or game_of(record.game), record.start, record.action_numbers())


def follow(game: Game, start: str, actions: Numbers) -> Replay:
    """The replay of these actions from a position's text."""
    try:
        movers, choices, events, checks, actors, plies, last = replay(game, start, actions)
    except RulezeroError as error:
        raise RecordError(f"{game.text}: {error}") from error
    return Replay(
        movers=movers,
        choices=choices,
        events=events,
        checks=checks.astype(bool),
        actors=actors,
        plies=plies,
        last=last,
    )


def is_chosen(record: Record, replay: Replay) -> npt.NDArray[np.bool_]:
    """Whether a player chose the ply, [n]: not dice, and not the opening."""
    chosen: npt.NDArray[np.bool_] = replay.movers >= 0
    return chosen & (np.arange(record.plies) >= record.opening)


def is_played(record: Record, game: Game | None = None) -> bool:
    """Whether players chose any ply: a game can be left when only dice have been rolled."""
    return bool((replay_of(record, game).movers >= 0).any())


def planes(
    record: Record,
    plies: npt.ArrayLike,  # [k] in any order
    game: Game | None = None,
    out: Floats | None = None,
) -> Floats:
    """The net's input before each of these plies: float32 [k, channels, rows, columns].

    It equals state.planes() during play, byte for byte. The game is replayed once. If `out` is
    given, it is filled. A ply of dice has no planes.
    """
    game = game or game_of(record.game)
    wanted = np.asarray(plies, dtype=np.int64).reshape(-1)
    chosen = np.clip(wanted, -1, 1 << 31).astype(np.uint32)  # one below 0 is far beyond the end
    if out is None:
        out = np.empty((len(chosen), *game.facts.planes), np.float32)
    try:
        remake(game, [(record.start, record.action_numbers())], chosen, planes=out)
    except (RulezeroError, IndexError) as error:
        raise RecordError(f"{game.text}: {error}") from error
    return out


def policies(
    slots: npt.NDArray[np.int32],  # [m] of each pair
    weights: npt.ArrayLike,  # [m]
    offsets: npt.NDArray[np.int64],  # [k + 1] the pairs of each position
    size: int,
) -> Floats:
    """The policy targets of k positions, [k, size]: shares that sum to 1, or 0 without pairs."""
    found = np.zeros((len(offsets) - 1, size), np.float32)
    rows = np.repeat(np.arange(len(found)), np.diff(offsets))
    np.add.at(found, (rows, slots), weights)  # actions may share a slot
    total = found.sum(axis=1, keepdims=True)
    np.divide(found, total, out=found, where=total > 0)
    return found
