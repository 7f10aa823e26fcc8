"""Records of random games with made-up thoughts."""

import functools

import numpy as np

import rulezero as rz
from rulezero.data import Record, pack
from support import samples


def made(text: str, seed: int = 0, index: int = 0, **fields: object) -> Record:
    """The record of a random game with made-up thoughts."""
    return of(list(samples.played(text, seed)), seed, index=index, **fields)


def of(states: list[rz.State], seed: int = 0, **fields: object) -> Record:
    """The record of the game that went through these states, with made-up thoughts."""
    first, last = states[0], states[-1]
    facts = first.game.facts
    dice = np.random.default_rng(seed)
    plies = len(last.actions)
    sims = np.zeros(plies, np.int64)
    value, raw_value, draw, surprise = (np.full(plies, np.nan) for _ in range(4))
    counts = np.zeros(plies, np.int64)
    pair_actions: list[int] = []
    pair_weights: list[float] = []
    for ply, state in enumerate(states[:-1]):
        if state.mover == rz.CHANCE or ply % 11 == 10:
            continue
        value[ply], raw_value[ply] = dice.uniform(-1, 1, 2)
        sims[ply] = 1 + dice.integers(200)
        if ply % 5 == 4:
            continue  # a thought without a policy
        draw[ply] = dice.uniform()
        surprise[ply] = dice.exponential()
        chosen = [action for action in state.legal if dice.uniform() < 0.8] or state.legal
        visits = 1 + dice.integers(0, 30, len(chosen))
        is_share = ply % 3 == 2
        counts[ply] = len(chosen)
        pair_actions += chosen
        pair_weights += (visits / visits.sum() if is_share else visits).tolist()
    pair_targets = np.array(pair_weights)
    pair_targets[::7] += 1  # targets may differ from visits, as after pruning
    actions, thoughts = pack(
        last.actions,
        sims=sims,
        value=value,
        raw_value=raw_value,
        draw=draw,
        surprise=surprise,
        counts=counts,
        pair_actions=pair_actions,
        pair_weights=pair_weights,
        pair_targets=pair_targets,
    )
    given = {
        "game": first.game.text,
        "version": facts.version,
        "encoding": facts.encoding,
        "start": first.text,
        "actions": actions,
        "outcome": float(last.outcome or 0),
        "end_reason": last.end_reason or "cap",
        "players": ("puct:sims=100", "oneply"),
        "nets": ("0123abcd", None),
        "seed": seed,
        "task": "t",
        "thoughts": thoughts,
    }
    return Record(**{**given, **fields})  # type: ignore[arg-type]


@functools.cache
def several(text: str = "connect4", games: int = 5) -> tuple[Record, ...]:
    """The first records of a task."""
    return tuple(made(text, seed, index=seed) for seed in range(games))
