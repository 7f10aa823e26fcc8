"""The regimes, one file each: who plays whom, what is learned, and which net is promoted.

A new regime needs a file with a subclass of Regime, and an entry in AnyRegime below.
"""

from typing import Annotated, get_args

from pydantic import Field

from rulezero.training.regimes.distill import Distill, Stage
from rulezero.training.regimes.frozen_opponent import FrozenOpponent
from rulezero.training.regimes.gated import Gated
from rulezero.training.regimes.nnue import NnueRegime
from rulezero.training.regimes.regime import Regime
from rulezero.training.regimes.teacher_student import TeacherStudent

__all__ = ["REGIMES", "AnyRegime", "Distill", "Stage"]

# What a recipe's key `regime` may be; its `kind` says which.
AnyRegime = Annotated[
    Gated | TeacherStudent | FrozenOpponent | Distill | NnueRegime, Field(discriminator="kind")
]
REGIMES: dict[str, type[Regime]] = {  # by their kinds
    each.model_fields["kind"].default: each for each in get_args(get_args(AnyRegime)[0])
}
