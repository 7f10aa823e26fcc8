"""Positions that come with a net, with the outputs that every machine must reproduce.

They find machines on which a backend computes wrongly: damaged memory, a broken library, another
number format than the player's text names. A worker whose outputs differ does not play.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from rulezero._core import CHANCE, Game, NetError, RulezeroError, State
from rulezero.data.replay import game_of
from rulezero.fleet.protocol import Canary
from rulezero.nets.card import ONE_FILE, read_card
from rulezero.nets.parity import softmax
from rulezero.nets.positions import play_randomly
from rulezero.play.evaluators import open_net, read_options
from rulezero.play.nets import NetStore

_POSITIONS = 32
_SEED = 20
# The largest mean difference, of policies (total variation) and of values, that is right.
# benchmarks/again.py measures: below 1e-5 between libraries in fp32, 0.001 for weights in bfloat16
# (a GPU in TF32 is more exact), 0.01 for int8, and 0.01 for the net of the iteration before.
# Where the text says auto, one machine may compute in int8 and another in fp32; nets/quantize.py
# accepts an int8 file up to a mean difference of 0.03.
_FP32 = 0.005
_ROUGH = 0.03


def canaries(net: str, options: Mapping[str, str], nets: NetStore) -> list[Canary]:
    """Positions of random play with the outputs of a net that a player's text names.

    `options` are the keys of the text that say how the net is computed: backend, precision and
    device. The list is empty for a net that the core computes.
    """
    path = nets.path_of(net)
    if path.suffix in ONE_FILE:
        return []
    card = read_card(path)
    game = game_of(card.game)
    card.check(game.facts)
    chosen = _positions(game)
    return [
        Canary(
            game=game.text,
            options=dict(options),
            start=start,
            actions=state.actions,
            shares=shares.tolist(),
            value=value,
        )
        for (start, state), (shares, value) in zip(
            chosen, _outputs([state for _, state in chosen], net, options, nets), strict=True
        )
    ]


def differs(given: Sequence[Canary], net: str, nets: NetStore) -> str | None:
    """Why this machine must not play with a net: its outputs are not those of the canaries.

    None if they are near enough: other processors and libraries round otherwise.
    """
    for options, group in groupby(given, key=lambda canary: canary.options):
        try:
            policy, value = apart(list(group), net, nets)
            limit = _FP32 if read_options(options).precision == "fp32" else _ROUGH
        except RulezeroError as error:
            return f"the net '{net}' cannot be tested on this machine: {error}"
        if not (policy <= limit and value <= limit):  # also if one is NaN
            return (
                f"the net '{net}' gives other outputs on this machine than on the trainer's: on"
                f" average its policies differ by {policy:.3g} and its values by {value:.3g}, and"
                f" at most {limit:g} is right"
            )
    return None


def apart(given: Sequence[Canary], net: str, nets: NetStore) -> tuple[float, float]:
    """The mean total variation of the policies, and the mean difference of the values.

    All canaries must have the same options. NetError if they are not about the net's game.
    """
    game = game_of(read_card(nets.path_of(net)).game)
    if any(canary.game != game.text for canary in given):
        raise NetError(f"its canaries are not positions of {game.text}")
    states = [game.replay(canary.start, canary.actions) for canary in given]
    policies, values = [], []
    outputs = _outputs(states, net, given[0].options, nets)
    for canary, (shares, value) in zip(given, outputs, strict=True):
        if len(canary.shares) != len(shares):
            raise NetError(f"its canaries have other legal moves than {game.text} has there")
        policies.append(np.abs(shares - canary.shares).sum() / 2)
        values.append(abs(value - canary.value))
    return float(np.mean(policies)), float(np.mean(values))


def _positions(game: Game) -> list[tuple[str, State]]:
    """States of different random games with a player to move, with the texts of their starts."""
    found: list[tuple[str, State]] = []
    for number in range(_POSITIONS):
        dice = random.Random(f"{_SEED} {number}")
        states = play_randomly(game, dice)
        open_states = [state for state in states if state.mover != CHANCE]
        if open_states:
            found.append((states[0].text, dice.choice(open_states)))
    return found


def _outputs(
    states: Sequence[State], net: str, options: Mapping[str, str], nets: NetStore
) -> list[tuple[npt.NDArray[np.float64], float]]:
    """The policy over the legal actions of each state, and the value for its mover."""
    path = nets.path_of(net)
    game = states[0].game
    read_card(path).check(game.facts)
    evaluator = open_net(path, read_options(options), game)
    answers = evaluator.evaluate(np.stack([state.planes() for state in states]))
    return [
        (softmax(policy[[state.slot(action) for action in state.legal]]), float(value))
        for state, policy, value in zip(states, answers.policy, answers.value, strict=True)
    ]
