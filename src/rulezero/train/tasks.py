"""Who plays the games of a run: the recipe's words for tasks."""

from collections.abc import Mapping
from typing import Annotated, Literal, Protocol

from pydantic import AfterValidator, Field, model_validator

from rulezero.data.record import Purpose
from rulezero.endgame.tables import GAME
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.play.resign import Resign
from rulezero.play.starts import read_starts
from rulezero.play.task import Task
from rulezero.settings import AS_KEYS, Settings, read_as
from rulezero.train.games import monster as curriculum

NAMES = ("best", "latest", "candidate")  # nets that a seat of a recipe may name


def _checked(text: str) -> str:
    read_player(text)
    return text


PlayerText = Annotated[str, AfterValidator(_checked)]
Value = Annotated[float, Field(ge=-1, le=1)]  # seat 0's


class PlaySettings(Settings):
    """Games of an iteration."""

    games: int = Field(100, ge=1)
    a: PlayerText  # a net is best, latest or candidate
    b: PlayerText | None = None  # none: a plays itself
    opening: int = Field(0, ge=0, le=1000)  # first plies drawn at random
    opening_share: float = Field(1.0, ge=0, le=1)  # of the pairs of games that begin so
    swap: bool = True
    judge: PlayerText | None = None
    starts: str | None = None  # a file of positions; curriculum, or curriculum:1+2 for its tiers
    source: str = "train"  # told in the records: window.always can keep games by it
    resign: Annotated[Resign | None, read_as(Resign), AS_KEYS] = None  # none: nobody gives up


class TrialSettings(Settings):
    """A match that measures a new net."""

    games: int = Field(40, ge=2)
    seat: PlayerText = "puct:net=candidate,sims=100"  # of both, where the opponent is a net
    opponent: PlayerText | None = None  # none: the best net, in the same seat
    opening: int = Field(4, ge=0, le=1000)
    every: int = Field(1, ge=1)  # iterations


class GateSettings(TrialSettings):
    """Whether a new net becomes the best one."""

    kind: Literal["always", "threshold", "sprt"] = "threshold"
    threshold: float = Field(0.55, ge=0, le=1)  # score to be reached, draws as half
    elo0: float = 0.0  # sprt: promoted if it is stronger by elo1, not if by elo0
    elo1: float = 20.0

    @model_validator(mode="after")
    def _is_a_test(self) -> "GateSettings":
        if self.elo0 >= self.elo1:
            raise ValueError("elo0 is below elo1")
        return self


class OpponentSettings(Settings):
    """Who plays against the side that learns, where one side learns at a time."""

    seat: PlayerText = "puct:net=latest,sims=200"
    first: PlayerText = "ucb1:sims=200"  # in the first iteration, when nothing is frozen yet


class CurriculumSettings(Settings):
    """Games from lessons."""

    games: int = Field(200, ge=1)
    seat: PlayerText = "puct:net=latest,sims=50,temperature=1,temperature_turns=15"  # White
    first: PlayerText = "ucb1:sims=800,temperature=1,temperature_turns=15"  # White in the bootstrap
    black: PlayerText = "scripted"
    starts: str = "curriculum"  # as in selfplay
    label: Literal["result", "start"] = "result"  # what learners are told: the end, or the tier's
    values: tuple[Value, Value, Value, Value, Value] = (-1, -1, -0.7, -0.7, -0.7)  # by tier


class Played(Protocol):
    """What tasks read of a recipe."""

    @property
    def game(self) -> str: ...
    @property
    def seed(self) -> int: ...


def named(text: str, nets: Mapping[str, str]) -> str:
    """A seat's text with the names of this moment in the place of best, latest, candidate."""
    net = read_player(text).net
    return read_player(text).changed(net=nets[net]).text if net in NAMES else text


def is_curriculum(starts: str) -> bool:
    """Whether this is no file, but the curriculum that comes with a game, or tiers of it."""
    return starts.partition(":")[0] == "curriculum"


def starts_of(text: str, game: str) -> list[str]:
    """The positions of a file, or of the curriculum that comes with a game."""
    if not is_curriculum(text):
        return read_starts(text, load(game))
    tiers = text.partition(":")[2]
    if load(game).facts.name != GAME:
        raise RunError(f"there is no curriculum for {game}: {GAME} has one")
    wanted = set(tiers.split("+")) if tiers else {str(tier) for tier in curriculum.TIERS}
    if unknown := wanted - {str(tier) for tier in curriculum.TIERS}:
        raise RunError(
            f"{text}: there is no tier '{min(unknown)}'; tiers are {min(curriculum.TIERS)} to"
            f" {max(curriculum.TIERS)}, several as in curriculum:1+2"
        )
    return [lesson.text for lesson in curriculum.lessons() if str(lesson.tier) in wanted]


def task_name(iteration: int, kind: str) -> str:
    """The name of an iteration's task: 0003/self-play."""
    return f"{iteration:04}/{kind}"


def task_of(
    settings: PlaySettings,
    nets: Mapping[str, str],
    recipe: Played,
    iteration: int | None,
    *,
    name: str,  # in its iteration, if it has one
    purpose: Purpose,
) -> Task:
    """The task of such games."""
    a, game = named(settings.a, nets), recipe.game
    return Task(
        game=game,
        a=a,
        b=a if settings.b is None else named(settings.b, nets),
        games=settings.games,
        seed=recipe.seed,
        name=name if iteration is None else task_name(iteration, name),
        swap=settings.swap,
        opening=settings.opening,
        opening_share=settings.opening_share,
        starts=() if settings.starts is None else tuple(starts_of(settings.starts, game)),
        judge=None if settings.judge is None else named(settings.judge, nets),
        resign=settings.resign,
        purpose=purpose,
        source=settings.source,
        iteration=iteration,
    )


def trial_of(
    settings: TrialSettings,
    nets: Mapping[str, str],
    recipe: Played,
    iteration: int,
    *,
    name: str,  # in its iteration
    purpose: Purpose,
) -> Task:
    """The task of a match between the candidate and somebody else."""
    against = {**nets, "candidate": nets["best"]}
    opponent = settings.opponent
    return Task(
        game=recipe.game,
        a=named(settings.seat, nets),
        b=named(settings.seat, against) if opponent is None else named(opponent, nets),
        games=settings.games,
        seed=recipe.seed,
        name=task_name(iteration, name),
        opening=settings.opening,
        purpose=purpose,
        source="train",
        iteration=iteration,
    )
