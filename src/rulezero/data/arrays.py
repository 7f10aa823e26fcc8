"""Records as arrays of numpy, for programs that learn in their own way."""

from collections.abc import Callable, Iterable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rulezero._core import Game, remake
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.replay import course, policies


def write(records: Iterable[Record], file: IO[bytes], game_for: Callable[[str], Game]) -> int:
    """Writes one .npz of all plies at which a seat chose; returns the number of records.

    planes    [n, channels, rows, columns]  float32, as the mover sees the position
    policies  [n, slots]  float32, the target shares; a row of zeros where there is no policy
    values    [n]  float32, seat 0's by the search, NaN where it is not known
    results   [n]  float32, seat 0's at the end of the game
    movers    [n]  int8, the seat that chose
    games     [n]  int32, the place of the game in `ids`
    plies     [n]  int32
    ids       [games]  text, of the records
    """
    parts: dict[str, list[npt.NDArray[Any]]] = {}
    ids: list[str] = []
    game: Game | None = None
    for record in records:
        if game is None or game.text != record.game:
            if game is not None:
                raise RecordError(f"one .npz has one game: {game.text}, then {record.game}")
            game = game_for(record.game)
        arrays = _arrays(record, game)
        arrays["games"] = np.full(len(arrays["plies"]), len(ids), np.int32)
        for name, array in arrays.items():
            parts.setdefault(name, []).append(array)
        ids.append(record.id)
    if not ids:
        raise RecordError("there are no records to write")
    whole = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    np.savez_compressed(file, allow_pickle=False, ids=np.array(ids), **whole)
    return len(ids)


def _arrays(record: Record, game: Game) -> dict[str, npt.NDArray[Any]]:
    columns = record.columns()
    movers = course(record, game).movers
    plies = np.flatnonzero(movers >= 0)
    counts = np.diff(columns.offsets)
    is_seats = np.repeat(movers >= 0, counts)  # [pairs]
    slots = np.empty(int(is_seats.sum()), np.int32)
    planes = np.empty((len(plies), *game.facts.planes), np.float32)
    offsets = np.append(0, np.cumsum(counts[plies]))
    remake(
        game,
        [(record.start, columns.actions)],
        plies.astype(np.uint32),
        planes=planes,
        offsets=offsets,
        pairs=columns.pair_actions[is_seats],
        slots=slots,
    )
    return {
        "planes": planes,
        "policies": policies(slots, columns.pair_targets[is_seats], offsets, game.facts.slots),
        "values": columns.value[plies],
        "results": np.full(len(plies), record.outcome, np.float32),
        "movers": movers[plies],
        "plies": plies.astype(np.int32),
    }
