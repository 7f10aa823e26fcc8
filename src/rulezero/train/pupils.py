"""Who learns in a run."""

from collections.abc import Callable

from rulezero._core import Game
from rulezero.learn.learner import Learner
from rulezero.nets.card import inside, resolve
from rulezero.nets.checkpoint import load
from rulezero.nets.tower import create
from rulezero.train.agents import PerceptronPair
from rulezero.train.loop import Trainee
from rulezero.train.recipe import Recipe
from rulezero.train.run import Run


def pupils(recipe: Recipe, game: Game, run: Run) -> Callable[[int], Trainee]:
    """Makes a recipe's pupils, by a seed, as they are before they have learned anything."""

    def tower(seed: int) -> Learner:
        if recipe.begin is None:
            net = create(game, recipe.net, seed)
        else:  # the run keeps what it began with
            net = load(inside(run.nets, "untrained") or resolve(recipe.begin), game)
        return Learner(net, game, recipe.fit, recipe.targets)

    def agents(seed: int) -> PerceptronPair:
        return PerceptronPair(recipe, run, seed)

    return agents if recipe.regime == "distill" else tower
