"""From a seat's text to what judges positions for it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rulezero._core import Game, Mlp, NetError
from rulezero.games import load
from rulezero.nets.card import read_card, resolve
from rulezero.play.evaluators import Evaluator, OnnxEvaluator
from rulezero.play.seats import Seat


@dataclass(frozen=True)
class Sight:
    """How a seat sees positions: by an evaluator, by a perceptron in the core, or by neither."""

    encoder: Game  # whose planes and slots it knows
    evaluator: Evaluator | None = None
    mlp: Mlp | None = None
    identity: str | None = None  # of its net, for records


def sight_of(seat: Seat, game: Game) -> Sight:
    """What judges positions of this game for this seat. NetError says why its net cannot."""
    if seat.evaluator is not None:
        return Sight(game, seat.evaluator, identity=seat.evaluator.identity)
    if seat.net is None:
        return Sight(game)
    if seat.net.endswith(".nn"):
        return _perceptron(Path(seat.net), game)
    path = resolve(seat.net)
    card = read_card(path)
    encoder = game if card.fits(game.facts) else load(card.game)
    card.check(encoder.facts)
    evaluator = _evaluator(path, card.onnx, seat.precision)
    return Sight(encoder, evaluator, identity=evaluator.identity)
