"""Measures the size of records and the speed of reading them: random games, made-up thoughts.

The visits of each ply come from a small PUCT bandit with random priors and values. They are spread
like those of a search with 100 simulations, so the sizes are realistic, but the play is not.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

import rulezero as rz
from rulezero.data import Record, Store, check, pack
from rulezero.data.record import record_from
from rulezero.data.replay import planes, replay_of

_SIMS = 100
_GAMES = 6
_FLATNESS = {"exchange": 20.0}  # of priors and values; the higher, the more even are the visits
_SECONDS = 1.0


def visits(dice: np.random.Generator, actions: int, flatness: float) -> npt.NDArray[np.int64]:
    """Random visits of this many actions, like those of a search with 100 simulations."""
    prior = 0.75 * dice.dirichlet(np.full(actions, flatness))
    prior += 0.25 * dice.dirichlet(np.full(actions, 10 / actions))
    value = dice.normal(0, 0.3 / flatness, actions)
    count, total = np.zeros(actions), np.zeros(actions)
    for number in range(1, _SIMS):
        mean = np.divide(total, count, out=np.zeros(actions), where=count > 0)
        best = int(np.argmax(mean + 1.5 * prior * np.sqrt(number) / (1 + count)))
        count[best] += 1
        total[best] += value[best] + dice.normal(0, 0.1)
    return count.astype(np.int64)


def play(game: rz.Game, seed: int) -> Record:
    """The record of a random game with a thought at every choice."""
    dice = np.random.default_rng(seed)
    state = first = game.start(seed=seed)
    sims: list[int] = []
    values: list[list[float]] = []  # value, raw value, draw, surprise
    counts: list[int] = []
    pair_actions: list[int] = []
    pair_weights: list[int] = []
    drift = 0.0
    while not state.is_over and len(values) < game.facts.max_plies:
        legal = state.legal
        if state.mover == rz.CHANCE:
            chosen = int(dice.choice(legal))
            sims.append(0)
            counts.append(0)
            values.append([np.nan] * 4)
        else:
            count = visits(dice, len(legal), _FLATNESS.get(game.facts.name, 3.0))
            pairs = [(a, int(n)) for a, n in zip(legal, count, strict=True) if n]
            pairs = pairs or [(legal[0], 1)]
            chosen = int(dice.choice([a for a, n in pairs for _ in range(n)]))
            drift = 0.9 * drift + 0.1 * dice.normal()
            value, raw = np.clip(drift + dice.normal(0, 0.1, 2), -1, 1)
            sims.append(_SIMS)
            counts.append(len(pairs))
            values.append([value, raw, dice.beta(2, 10), dice.exponential(0.2)])
            pair_actions += [a for a, _ in pairs]
            pair_weights += [n for _, n in pairs]
        state = state.apply(chosen)
    columns = np.array(values).T
    packed = pack(
        state.actions,
        sims=sims,
        value=columns[0],
        raw_value=columns[1],
        draw=columns[2],
        surprise=columns[3],
        counts=counts,
        pair_actions=pair_actions,
        pair_weights=pair_weights,
    )
    return record_from(
        first,
        packed,
        outcome=state.outcome or 0.0,
        end_reason=state.end_reason or "cap",
        players=("puct:net=runs/x@12,sims=100", "puct:net=runs/x@12,sims=100"),
        nets=("5f3c2a9b1d7e4c60", "5f3c2a9b1d7e4c60"),
        seed=seed,
        task="x/12/self-play/3",
        index=seed,
    )


def rate(work: Callable[[int], int]) -> float:
    """Units of work per second of this process's CPU time."""
    done = number = 0
    begin = time.process_time()
    while (spent := time.process_time() - begin) < _SECONDS:
        done += work(number)
        number += 1
    return done / spent


def size_of(records: list[Record]) -> int:
    """The size in bytes of a shard with these records."""
    with tempfile.TemporaryDirectory() as folder:
        with Store(folder) as store:
            for record in records:
                store.add(record)
        return sum(path.stat().st_size for path in Path(folder).iterdir())


def measure(text: str) -> str:
    """One row of the table."""
    game = rz.load(text)
    records = [play(game, seed) for seed in range(_GAMES)]
    thoughts = sum(int(record.columns().has_thought.sum()) for record in records)
    pairs = sum(len(record.columns().pair_actions) for record in records)
    plies = sum(record.plies for record in records)
    size = size_of(records)
    seen = [np.flatnonzero(replay_of(record, game).movers >= 0) for record in records]
    batch = np.empty((max(map(len, seen)), *game.facts.planes), np.float32)

    def remake(number: int, few: int) -> int:
        at = number % _GAMES
        chosen = seen[at][:: max(1, len(seen[at]) // few)][:few]
        planes(records[at], chosen, game, batch[: len(chosen)])
        return len(chosen)

    def replayed(number: int) -> int:
        return len(check(records[number % _GAMES], game=game).movers)

    return (
        f"{text:14} {pairs / thoughts:5.1f} {size / plies:10.1f} {size / thoughts:12.1f}"
        f" {rate(lambda n: remake(n, 1 << 16)):14,.0f} {rate(lambda n: remake(n, 8)):9,.0f}"
        f" {rate(replayed):16,.0f}"
    )


def main(texts: list[str]) -> None:
    """Prints the table."""
    print("game           pairs  bytes/ply  per thought  planes/s: all  8 a game  checked plies/s")
    for text in texts:
        print(measure(text), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["razzle", "exchange", "chess", "monster", "random_chess", "connect4"])
