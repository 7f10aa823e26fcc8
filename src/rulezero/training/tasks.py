"""Settings for the games of a run in a recipe, and the tasks that they describe."""

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from pydantic import AfterValidator, Field, model_validator

from rulezero.data.record import Purpose
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.play.resign import Resign
from rulezero.play.starts import read_starts
from rulezero.play.task import Task, refuse_unrepeatable
from rulezero.settings import Settings
from rulezero.stats.sprt import Sprt
from rulezero.stats.tally import RatingError
from rulezero.training.games import TRAININGS, training_of

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment

# Nets that a player of a recipe may name; previous is the net before the last fit.
NAMES = ("best", "latest", "previous", "candidate")
OWN = re.compile(r"(?:untrained|iter_\d+)((?:_black)?)")  # nets that a run makes itself
CURRICULUM = "curriculum"  # the lessons that are shipped with a game; curriculum:1+2: some tiers


def _checked(text: str) -> str:
    refuse_unrepeatable(read_player(text))
    return text


PlayerText = Annotated[str, AfterValidator(_checked)]


class PlaySettings(Settings):
    """The games of an iteration."""

    games: int = Field(100, ge=1)
    a: PlayerText  # its net is best, latest, previous or candidate
    b: PlayerText | None = None  # none: a plays against itself
    opening: int = Field(0, ge=0, le=1000)  # number of random first plies
    opening_share: float = Field(1.0, ge=0, le=1)  # share of the pairs with a random opening
    swap: bool = True
    judge: PlayerText | None = None
    # A file of positions, curriculum, or curriculum:1+2 for two tiers; none: the recipe's `starts`.
    starts: str | None = None
    source: str = "train"  # written into the records, so that window.always can keep these games
    resign: Resign | None = None  # none: players never resign

    def idle(self) -> dict[str, str]:
        """The share of random openings if there are none."""
        return {} if self.opening else {"opening_share": "opening=4"}


class TrialSettings(Settings):
    """A match that measures a new net."""

    games: int = Field(40, ge=2)
    player: PlayerText = "puct:net=candidate,sims=100"
    opponent: PlayerText | None = None  # none: the same player with the best net
    opening: int = Field(4, ge=0, le=1000)
    every: int = Field(1, ge=1)  # play it in every N-th iteration
    starts: str | None = None  # as in selfplay; none: the recipe's `starts`


class GateSettings(TrialSettings):
    """The gate: whether a new net becomes the best one."""

    kind: Literal["always", "threshold", "sprt"] = "threshold"
    threshold: float = Field(0.55, ge=0, le=1)  # minimum score; a draw is half a point
    # sprt: tests whether the new net is stronger by elo1 (then it is promoted) or only by elo0, in
    # at most `games` games.
    elo0: float = 0.0
    elo1: float = 20.0

    def idle(self) -> dict[str, str]:
        """Keys for other kinds; without a gate, all of them."""
        own = {"threshold": "threshold", "elo0": "sprt", "elo1": "sprt"}
        if self.kind == "always":
            keys = (key for key in type(self).model_fields if key != "kind")
            return {key: f"kind={own.get(key, 'threshold')}" for key in keys}
        return {key: f"kind={kind}" for key, kind in own.items() if kind != self.kind}

    @model_validator(mode="after")
    def _can_decide(self) -> "GateSettings":
        try:
            needed = 0.0 if self.test is None else _games_needed(self.elo0, self.elo1)
        except RatingError as error:
            raise ValueError(str(error)) from None
        if needed > self.games:
            widths = (elo for elo in range(1, 400) if _games_needed(0, elo) <= self.games)
            wider = next((f", or gate.elo1={self.elo0 + elo:g}" for elo in widths), "")
            raise ValueError(
                f"a test of elo0={self.elo0:g} against elo1={self.elo1:g} takes about"
                f" {needed:,.0f} games, but games={self.games} ends it before that: set"
                f" gate.games={math.ceil(needed / 10) * 10}{wider}"
            )
        return self

    @property
    def test(self) -> Sprt | None:
        """The sequential test of the gate, before its first game; None for other kinds."""
        return Sprt(elo0=self.elo0, elo1=self.elo1) if self.kind == "sprt" else None

    @property
    def expected_games(self) -> int:
        """The expected number of games: `games`, or fewer if a sequential test ends earlier."""
        if self.test is None:
            return self.games
        return min(self.games, math.ceil(_games_needed(self.elo0, self.elo1)))


def _games_needed(elo0: float, elo1: float) -> float:
    """The mean number of games of a test if the difference is exactly elo1."""
    return Sprt(elo0=elo0, elo1=elo1, counts=(0,) * 5).remaining(elo1)


def named(text: str, nets: Mapping[str, str]) -> str:
    """A player's text, with the current names of the nets best, latest, ... in their place."""
    net = read_player(text).net
    return read_player(text).changed(net=nets[net]).text if net in NAMES else text


def with_untrained(task: Task) -> Task:
    """The task with an untrained net in place of every net that a run makes itself."""

    def changed(text: str) -> str:
        player = read_player(text)
        own = None if player.net is None else OWN.fullmatch(player.net)
        return text if own is None else player.changed(net=f"untrained{own[1]}").text

    judge = None if task.judge is None else changed(task.judge)
    return msgspec.structs.replace(task, a=changed(task.a), b=changed(task.b), judge=judge)


def is_curriculum(starts: str) -> bool:
    """Whether this text names a game's curriculum, or tiers of it, and not a file."""
    return starts.partition(":")[0] == CURRICULUM


def starts_of(text: str, game: str) -> list[str]:
    """The positions of a file, or of the curriculum that is shipped with a game."""
    if not is_curriculum(text):
        return read_starts(text, load(game))
    lessons = training_of(load(game)).lessons()
    if not lessons:
        known = ", ".join(name for name, each in TRAININGS.items() if each.lessons())
        raise RunError(f"there is no curriculum for {game}: {known} has one")
    tiers = sorted({str(lesson.tier) for lesson in lessons})
    wanted = set(filter(None, text.partition(":")[2].split("+"))) or set(tiers)
    if unknown := wanted - set(tiers):
        raise RunError(
            f"{text}: there is no tier '{min(unknown)}'; the tiers are {tiers[0]} to {tiers[-1]};"
            " for several, write curriculum:1+2"
        )
    return [lesson.text for lesson in lessons if str(lesson.tier) in wanted]


def positions_of(
    settings: PlaySettings | TrialSettings, experiment: "Experiment"
) -> tuple[str, ...]:
    """The positions that games begin from: those of their settings, or else of the recipe."""
    text = experiment.starts if settings.starts is None else settings.starts
    return () if text is None else tuple(starts_of(text, experiment.game))


def task_name(iteration: int, kind: str) -> str:
    """The name of an iteration's task: 0003/self-play."""
    return f"{iteration:04}/{kind}"


def task_of(
    settings: PlaySettings,
    nets: Mapping[str, str],
    experiment: "Experiment",
    iteration: int | None,
    *,
    name: str,  # within its iteration, if it has one
    purpose: Purpose,
) -> Task:
    """The task that these settings describe."""
    a = named(settings.a, nets)
    return Task(
        game=experiment.game,
        a=a,
        b=a if settings.b is None else named(settings.b, nets),
        games=settings.games,
        seed=experiment.seed,
        name=name if iteration is None else task_name(iteration, name),
        swap=settings.swap,
        opening=settings.opening,
        opening_share=settings.opening_share,
        starts=positions_of(settings, experiment),
        judge=None if settings.judge is None else named(settings.judge, nets),
        resign=settings.resign,
        purpose=purpose,
        source=settings.source,
        iteration=iteration,
    )


def trial_of(
    settings: TrialSettings,
    nets: Mapping[str, str],
    experiment: "Experiment",
    iteration: int,
    *,
    name: str,  # within its iteration
    purpose: Purpose,
) -> Task:
    """The task of a match between the candidate and its opponent."""
    against = {**nets, "candidate": nets["best"]}
    opponent = settings.opponent
    return Task(
        game=experiment.game,
        a=named(settings.player, nets),
        b=named(settings.player, against) if opponent is None else named(opponent, nets),
        games=settings.games,
        seed=experiment.seed,
        name=task_name(iteration, name),
        opening=settings.opening,
        starts=positions_of(settings, experiment),
        purpose=purpose,
        source="train",
        iteration=iteration,
    )
