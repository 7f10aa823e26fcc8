"""Positions that come with a net, with the outputs that every machine must reproduce.

They find machines on which a backend computes wrongly: damaged memory, a broken library, another
number format than the player's text names. A worker whose outputs differ does not play.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from rulezero._core import CHANCE, Game, RulezeroError, State
from rulezero.data.replay import game_of
from rulezero.fleet.protocol import Canary
from rulezero.nets.card import PERCEPTRON, read_card
from rulezero.nets.parity import softmax
from rulezero.nets.positions import play_randomly
from rulezero.play.evaluators import open_net, read_options
from rulezero.play.nets import NetStore

_POSITIONS = 32
_SEED = 20
# Means over the positions, measured by benchmarks/again.py. They leave room for every way to
# compute a net that a player's text can ask for, as precision=auto may be int8 on one machine and
# float on another; nets.quantize accepts an int8 file up to these differences. A net whose weights
# are damaged, or that of another iteration, is farther away.
_MOST_POLICY = 0.03  # total variation
_MOST_VALUE = 0.03


def canaries(net: str, options: Mapping[str, str], nets: NetStore) -> list[Canary]:
    """Positions of random play with the outputs of a net that a player's text names.

    `options` are the keys of the text that say how the net is computed: backend, precision and
    device. The list is empty for a perceptron, which the core computes.
    """
    path = nets.path_of(net)
    if path.suffix == PERCEPTRON:
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
            reason = _difference(list(group), net, options, nets)
        except RulezeroError as error:
            return f"the net '{net}' cannot be tested on this machine: {error}"
        if reason is not None:
            return reason
    return None


def _difference(
    group: Sequence[Canary], net: str, options: Mapping[str, str], nets: NetStore
) -> str | None:
    """Why the outputs of a net differ from those of canaries with these options; None: they fit."""
    game = game_of(read_card(nets.path_of(net)).game)
    if any(canary.game != game.text for canary in group):
        return f"the canaries of '{net}' are not positions of {game.text}"
    states = [game.replay(canary.start, canary.actions) for canary in group]
    policies, values = [], []
    for canary, (shares, value) in zip(group, _outputs(states, net, options, nets), strict=True):
        if len(canary.shares) != len(shares):
            return f"the canaries of '{net}' have other legal moves than {game.text} has here"
        policies.append(np.abs(shares - canary.shares).sum() / 2)
        values.append(abs(value - canary.value))
    policy, value = float(np.mean(policies)), float(np.mean(values))
    if policy <= _MOST_POLICY and value <= _MOST_VALUE:  # False for NaN, too
        return None
    return (
        f"the net '{net}' gives other outputs on this machine than on the trainer's: its policies"
        f" differ by {policy:.3g} on average (at most {_MOST_POLICY:g} is right), its values by"
        f" {value:.3g} (at most {_MOST_VALUE:g})"
    )


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
