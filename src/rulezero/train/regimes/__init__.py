"""Who plays whom, what is learned from it, who is promoted: one file per regime."""

from rulezero.train.recipe import Recipe
from rulezero.train.regimes.curriculum import Curriculum
from rulezero.train.regimes.distill import Distill
from rulezero.train.regimes.frozen_opponent import FrozenOpponent
from rulezero.train.regimes.gated import Gated
from rulezero.train.regimes.teacher_student import TeacherStudent

REGIMES = {
    "gated": Gated,
    "teacher_student": TeacherStudent,
    "frozen_opponent": FrozenOpponent,
    "distill": Distill,
}


def regime_of(recipe: Recipe) -> Gated | Curriculum:
    """The regime that a recipe names, with the lessons around it if it has any."""
    regime = REGIMES[recipe.regime](recipe)
    return regime if recipe.curriculum is None else Curriculum(recipe, regime)
