"""A net that evaluates states."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rulezero._core import Game, State
from rulezero.games.load import AnyGame, load
from rulezero.nets.card import Card, read_card, resolve
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation, Evaluator, chances, open_net, read_options

_BATCH = 64


class Net:
    """An evaluator with its card, which says for which game it is.

    The evaluator's values are the mover's; those of this class are seat 0's, as everywhere else.
    """

    def __init__(self, evaluator: Evaluator, card: Card) -> None:
        self.evaluator = evaluator
        self.card = card

    def evaluate(self, states: Sequence[State]) -> tuple[Floats, Floats]:
        """The net's policies and values of states, without a search.

        policy  [B, slots]  logits, also of illegal slots; state.slot(action) is the index
        value   [B]         seat 0's expected result, in [-1, 1]
        """
        answers, turned = self._judge(states)
        return answers.policy, answers.value * turned

    def chances(self, states: Sequence[State]) -> Floats:
        """Probabilities of seat 0's win, a draw and seat 0's loss: [B, 3]."""
        answers, turned = self._judge(states)
        return chances(answers.value * turned, answers.draw)

    def _judge(self, states: Sequence[State]) -> tuple[Evaluation, Floats]:
        """The outputs for the movers, and 1 or -1 if the mover is seat 0 or 1."""
        games: dict[str, Game] = {state.game.text: state.game for state in states}
        for game in games.values():
            self.card.check(game.facts)
        planes = np.empty((len(states), *self.card.planes), np.float32)
        for row, state in zip(planes, states, strict=True):
            row[:] = state.planes()
        parts = [
            self.evaluator.evaluate(planes[at : at + _BATCH])
            for at in range(0, max(1, len(planes)), _BATCH)
        ]
        answers = Evaluation(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        return answers, np.array([1 - 2 * state.mover for state in states], np.float32)

    def __repr__(self) -> str:
        return f"<net {self.evaluator.identity} for {self.card.game}>"


def net(
    text: str | Path, precision: str = "fp32", game: AnyGame | None = None, **options: str
) -> Net:
    """The net of a checkpoint, a run folder (its best), RUN@latest or RUN@12.

    precision, backend and device are as in a player's text (default: onnxruntime, fp32, CPU). A
    game in a Python file must be given.
    """
    path = resolve(text)
    rules = None if game is None else load(game)
    evaluator = open_net(path, read_options({"precision": precision, **options}), rules)
    return Net(evaluator, read_card(path))
