"""Who plays the games of a run: the recipe's words for tasks."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from rulezero.data.record import Purpose
from rulezero.games import grammar
from rulezero.play.resign import Resign
from rulezero.play.seats import seat
from rulezero.play.task import Task
from rulezero.train.settings import AS_KEYS, Settings, read_as

NAMES = ("best", "latest", "candidate")  # nets that a seat of a recipe may name


class PlaySettings(Settings):
    """Games of an iteration."""

    games: int = Field(100, ge=1)
    a: str  # seats; a net is best, latest or candidate
    b: str | None = None  # none: a plays itself
    opening: int = Field(0, ge=0, le=1000)  # first plies drawn at random
    opening_share: float = Field(1.0, ge=0, le=1)  # of the pairs of games that begin so
    swap: bool = True
    judge: str | None = None
    resign: Annotated[Resign | None, read_as(Resign), AS_KEYS] = (
        None  # none: every game is played out
    )

    @field_validator("a", "b", "judge")
    @classmethod
    def _is_a_seat(cls, text: str | None) -> str | None:
        if text is not None:
            seat(text)
        return text


class TrialSettings(Settings):
    """A match that measures a new net."""

    games: int = Field(40, ge=2)
    seat: str = "puct:net=candidate,sims=100"  # of both, where the opponent is a net
    opponent: str | None = None  # none: the best net, in the same seat
    opening: int = Field(4, ge=0, le=1000)
    every: int = Field(1, ge=1)  # iterations

    @field_validator("seat", "opponent")
    @classmethod
    def _is_a_seat(cls, text: str | None) -> str | None:
        if text is not None:
            seat(text)
        return text


class GateSettings(TrialSettings):
    """Whether a new net becomes the best one."""

    kind: Literal["always", "threshold", "sprt"] = "threshold"
    threshold: float = Field(0.55, ge=0, le=1)  # score to be reached, draws as half
    elo0: float = 0.0  # sprt: promoted if it is stronger by elo1, not if by elo0
    elo1: float = 20.0


def named(text: str, nets: Mapping[str, str]) -> str:
    """A seat's text with the names of this moment in the place of best, latest, candidate."""
    spec = grammar.read(text)
    net = spec.options.get("net")
    if net not in NAMES:
        return text
    return grammar.Spec(spec.name, {**spec.options, "net": nets[net]}).text


def task_of(
    settings: PlaySettings,
    nets: Mapping[str, str],
    *,
    game: str,
    name: str,
    seed: int,
    purpose: Purpose,
) -> Task:
    """The task of such games."""
    a = named(settings.a, nets)
    return Task(
        game=game,
        a=a,
        b=a if settings.b is None else named(settings.b, nets),
        games=settings.games,
        seed=seed,
        name=name,
        swap=settings.swap,
        opening=settings.opening,
        opening_share=settings.opening_share,
        judge=None if settings.judge is None else named(settings.judge, nets),
        resign=settings.resign,
        purpose=purpose,
        source="train",
    )


def trial_of(
    settings: TrialSettings,
    nets: Mapping[str, str],
    *,
    game: str,
    name: str,
    seed: int,
    purpose: Purpose,
) -> Task:
    """The task of a match between the candidate and somebody else."""
    against = {**nets, "candidate": nets["best"]}
    opponent = settings.opponent
    return Task(
        game=game,
        a=named(settings.seat, nets),
        b=named(settings.seat, against) if opponent is None else named(opponent, nets),
        games=settings.games,
        seed=seed,
        name=name,
        opening=settings.opening,
        purpose=purpose,
        source="train",
    )
