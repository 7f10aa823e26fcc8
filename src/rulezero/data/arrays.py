"""Records as arrays of numpy, for programs that learn in their own way."""

from collections.abc import Callable, Iterable
from typing import IO, Any

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import Game, remake
from rulezero.data.columns import Floats, RecordError
from rulezero.data.record import Columns, Record
from rulezero.data.replay import policies, replay_of


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
    columns, movers = record.columns(), replay_of(record, game).movers
    plies = np.flatnonzero(movers >= 0)
    shown = show(record.start, columns, plies, game)
    return {
        "planes": shown.planes,
        "policies": shown.policies(game),
        "values": columns.value[plies],
        "results": np.full(len(plies), record.outcome, np.float32),
        "movers": movers[plies],
        "plies": plies.astype(np.int32),
    }


class Shown(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """k positions as a net sees them, or in the mirror."""

    planes: Floats  # [k, channels, rows, columns]
    offsets: npt.NDArray[np.int64]  # [k + 1] of the pairs of each
    slots: npt.NDArray[np.int32]  # [m] of each pair
    weights: npt.NDArray[np.uint16]  # [m]

    def policies(self, game: Game) -> Floats:
        """The policy targets, [k, slots]."""
        return policies(self.slots, self.weights, self.offsets, game.facts.slots)

    def differs(self, other: "Shown") -> npt.NDArray[np.bool_]:
        """Where it teaches something else than the other, [k]."""
        found: npt.NDArray[np.bool_] = (self.planes != other.planes).any(axis=(1, 2, 3))
        rows = np.repeat(np.arange(len(self.planes)), np.diff(self.offsets))
        found[rows[self.slots != other.slots]] = True
        return found


def show(
    start: str,
    columns: Columns,
    plies: npt.NDArray[np.int64],  # [k] ascending
    game: Game,
    *,
    is_mirrored: bool = False,
) -> Shown:
    """The positions before these plies of a game."""
    counts = np.diff(columns.offsets)
    has_pairs = np.repeat(np.isin(np.arange(len(counts)), plies), counts)  # [pairs]
    shown = Shown(
        planes=np.empty((len(plies), *game.facts.planes), np.float32),
        offsets=np.append(0, np.cumsum(counts[plies])),
        slots=np.empty(int(has_pairs.sum()), np.int32),
        weights=columns.pair_targets[has_pairs],
    )
    remake(
        game,
        [(start, columns.actions)],
        plies.astype(np.uint32),
        planes=shown.planes,
        offsets=shown.offsets,
        pairs=columns.pair_actions[has_pairs],
        slots=shown.slots,
        mirrored=np.full(len(plies), is_mirrored),
    )
    return shown
