"""The lines of a run's log.jsonl: one JSON object per line, whose field `kind` names its type."""

import math
from typing import Any

import msgspec

from rulezero.data.record import Purpose
from rulezero.learn.fit import Fit
from rulezero.stats.rating import Estimate
from rulezero.stats.tally import Counts
from rulezero.training.games.figures import GameFigures

_GOOD, _ACCEPTABLE = 0.05, 0.10  # average losses below these limits get this verdict
_IDLE = 0.9  # of the best constant's loss: a net above it has learned next to nothing
# JSON has neither nan nor infinity: in these fields, null stands for one.
_NULLS = {
    "lower": -math.inf,
    "upper": math.inf,
    **dict.fromkeys(("policy", "top1", "legal_mass", "policy_spread"), math.nan),
}


class _Entry(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    iteration: int
    seconds_so_far: float  # of work since the run began


class GamesEntry(_Entry, frozen=True, kw_only=True, tag="games"):
    """The games of one task."""

    task: str
    purpose: Purpose
    a: str  # players
    b: str
    games: int
    plies: int
    sims: int
    seconds: float
    score: float  # of a against b
    elo: Estimate
    first_seat: float  # score of seat 0
    ends: dict[str, Counts]  # a's results by the reason the games ended
    figures: GameFigures = GameFigures()
    played_sims: int | None = None  # in `seconds`, without games found; none: all, older runs
    different: int | None = None  # different games: copies count once; none: unknown, older runs

    @property
    def first(self) -> Counts:
        """Wins, draws and losses of seat 0."""
        draws = min(sum(self.draws.values()), self.games)
        decided = self.games - draws
        wins = min(max(round(self.first_seat * self.games - draws / 2), 0), decided)
        return Counts(wins, draws, decided - wins)

    @property
    def is_training(self) -> bool:
        """Whether these games are learned from."""
        return self.purpose in ("self-play", "bootstrap")

    @property
    def draws(self) -> dict[str, int]:
        """Draws by their causes, the most frequent first."""
        return draws_of(self.ends)

    @property
    def draw_share(self) -> float:
        """Share of the games that were drawn."""
        return sum(self.draws.values()) / max(self.games, 1)

    @property
    def sims_per_second(self) -> float:
        """Speed of all workers together, over the games that were not found in the store."""
        sims = self.sims if self.played_sims is None else self.played_sims
        return sims / max(self.seconds, 1e-9)


class FitEntry(Fit, frozen=True, kw_only=True, tag_field="kind", tag="fit"):
    """A fit."""

    iteration: int
    seconds_so_far: float
    window: int  # positions in it
    window_games: int

    @property
    def samples_per_second(self) -> float:
        """Speed, with the time spent waiting for batches."""
        return self.samples / max(self.seconds, 1e-9)


class VerdictEntry(_Entry, frozen=True, kw_only=True, tag="verdict"):
    """The end of an iteration: whether its net is the best now."""

    net: str
    is_promoted: bool
    is_tried: bool  # whether it played against the best net
    reason: str = ""  # in words; "": the score alone decided, or there were no games
    cores: float  # mean number of busy cores


class WarningEntry(_Entry, frozen=True, kw_only=True, tag="warning"):
    """A sign that the run may learn nothing."""

    about: str
    words: str


class ChangeEntry(_Entry, frozen=True, kw_only=True, tag="change"):
    """Keys of the experiment that were changed when the run was resumed, from an iteration on."""

    keys: dict[str, Any]  # new values by their paths, such as fit.batch
    time: str  # when, in ISO 8601


class StageSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a stage of a distillation. Losses are squared errors of the mover's chance."""

    name: str
    mode: int
    positions: int  # number of training samples
    loss: float | None  # mean over these samples when they were trained; none: nothing is learned
    idle_loss: float | None  # the best constant's loss over these samples
    held_out: float | None  # loss on games never trained on, at the end of the stage
    constant: float | None  # the best constant's loss on these games

    @property
    def verdict(self) -> str:
        """The average loss in a word."""
        if self.loss is None:
            return "nothing learned"
        word = "good" if self.loss < _GOOD else "acceptable" if self.loss < _ACCEPTABLE else "high"
        if self.held_out is None or self.constant is None:
            return word
        if self.held_out <= _IDLE * self.constant:
            return word
        return f"{word}, but on other games hardly better than the best constant"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a distillation."""

    stages: tuple[StageSummary, ...]
    last_material: int | None  # centipawns, White's lead at the end of the last game


class SummaryEntry(_Entry, frozen=True, kw_only=True, tag="summary"):
    """The end of a distillation."""

    summary: Summary


Entry = GamesEntry | FitEntry | VerdictEntry | WarningEntry | ChangeEntry | SummaryEntry


def read_entry(line: bytes) -> Entry:
    """The entry that a line holds; msgspec.DecodeError if it holds none."""
    entry: Entry = msgspec.convert(_restored(msgspec.json.decode(line)), Entry)
    return entry


def draws_of(ends: dict[str, Counts]) -> dict[str, int]:
    """Draws by their causes, the most frequent first."""
    found = {cause: counts.draws for cause, counts in ends.items() if counts.draws}
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _restored(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: _NULLS.get(key) if each is None else _restored(each) for key, each in value.items()
    }
