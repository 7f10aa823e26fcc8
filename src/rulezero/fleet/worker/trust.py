"""Refuses tasks and nets of a server that would run or read files of a worker's machine."""

from collections.abc import Iterable, Iterator
from typing import Any

from rulezero._core import Game, NetError, RulezeroError, game_options
from rulezero.data.columns import RecordError
from rulezero.data.replay import game_of
from rulezero.fleet.protocol import MOST_GAMES, FleetError, Lease
from rulezero.games import grammar
from rulezero.play.players import read_player
from rulezero.play.task import FORMAT, Task, check_task

_FILES = ("weights", "tables")  # keys of players that name a file


def check_lease(lease: Lease) -> list[int]:
    """The indices of a lease's games; FleetError says why this machine does not play them."""
    try:
        if lease.task.format != FORMAT:
            raise FleetError(f"a task of format {lease.task.format}, not {FORMAT}")
        _check_game(lease.task.game)
        _check_players(lease.task, lease.nets)
        check_task(lease.task)
    except RulezeroError as error:
        raise FleetError(f"refused: {error}") from error
    indices = [at for first, number in lease.games[:MOST_GAMES] for at in _range(first, number)]
    if not 1 <= len(set(indices)) == len(indices) <= MOST_GAMES:
        raise FleetError(f"refused: a lease has 1 to {MOST_GAMES} different games")
    if not 0 <= min(indices) <= max(indices) < lease.task.games:
        raise FleetError(f"refused: a lease has games that its task of {lease.task.games} has not")
    return indices


def _range(first: int, number: int) -> range:
    return range(first, first + min(number, MOST_GAMES + 1))


def _check_game(text: str) -> Game:
    if grammar.read(text).name not in game_options():
        raise FleetError(f"the game '{text}' is not one of rulezero's own; no other code is run")
    try:
        return game_of(text)
    except RecordError as error:
        raise FleetError(f"the game '{text}' would read a file of this machine") from error


def _check_players(task: Task, nets: Iterable[str]) -> None:
    known = set(nets)
    for text in filter(None, (task.a, task.b, task.judge)):
        player = read_player(text)
        if player.engine is not None:
            raise FleetError(f"the player '{text}' would start a program on this machine")
        for key in _FILES:
            if key in player.spec.options:
                raise FleetError(f"the player '{text}' would read a file of this machine: {key}=")
        if player.net is not None and player.net not in known:
            raise FleetError(f"the player '{text}' has a net that the server does not send")


def check_model(model: bytes, name: str) -> None:
    """Raises NetError if an ONNX model is none, or takes its weights from other files."""
    import onnx

    try:
        found = onnx.load_model_from_string(model)
    except Exception as error:  # of protobuf, which onnx does not name
        raise NetError(f"the net '{name}' is not an ONNX model") from error
    external = onnx.TensorProto.EXTERNAL
    if any(tensor.data_location == external for tensor in _tensors(found)):
        raise NetError(f"the net '{name}' would read files of this machine")


def _tensors(message: Any) -> Iterator[Any]:
    """Every tensor in a protobuf message, however deep."""
    if message.DESCRIPTOR.name == "TensorProto":
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for each in [value] if hasattr(value, "ListFields") else value:
            if hasattr(each, "ListFields"):
                yield from _tensors(each)
