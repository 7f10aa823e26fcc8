"""A unit of play: two players, a number of games, their starts, and a seed for the rest."""

from bisect import bisect
from itertools import accumulate
from typing import Annotated, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from rulezero._core import Game, GameError, PlayerError, State
from rulezero.data.record import Purpose, Record
from rulezero.games.load import load
from rulezero.play.engines.settings import check_engine
from rulezero.play.players import Player, read_player
from rulezero.play.resign import Resign
from rulezero.seeds import keyed
from rulezero.stats.tally import GameResult
from rulezero.version import __version__

FORMAT = 2  # of the messages Task and Finished; increased when the meaning of one changes

_TRAINING: tuple[Purpose, ...] = ("self-play", "bootstrap", "gate")

Message = TypeVar("Message", bound=msgspec.Struct)


class Task(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to play. Its records depend on nothing else, such as the number of workers.

    With `swap`, games are in pairs: both have the same start and opening, with swapped seats.
    """

    game: str
    a: str  # players' texts; a has seat 0 in games 0, 2, ...
    b: str
    games: Annotated[int, Meta(ge=1, le=1_000_000_000)]
    seed: Annotated[int, Meta(ge=0)] = 0  # below 2**64
    name: str = ""  # written into its records, and part of its seed
    swap: bool = True
    opening: Annotated[int, Meta(ge=0, le=1000)] = 0  # first plies drawn at random
    opening_share: Annotated[float, Meta(ge=0, le=1)] = 1.0  # share of the pairs with an opening
    starts: tuple[str, ...] = ()  # start positions, used in turn
    scripts: tuple[tuple[int, ...], ...] = ()  # all actions from each start; players choose none
    judge: str | None = None  # text of a player that evaluates every choice
    resign: Resign | None = None  # when players resign; None: never
    purpose: Purpose = "rating"
    source: str = "match"
    iteration: Annotated[int, Meta(ge=0)] | None = None  # of the run that it belongs to
    forced_result: Annotated[float, Meta(ge=-1, le=1)] | None = None  # learned, not the outcome
    format: int = FORMAT

    def __post_init__(self) -> None:
        """Converts numpy's numbers to Python's, as messages need these."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, np.generic):
                msgspec.structs.force_setattr(self, name, value.item())

    @property
    def word(self) -> int:
        """The seed and the name as one 64-bit number."""
        return keyed(self.seed, self.name)


class Beginning(msgspec.Struct, frozen=True):
    """The beginning of a game of a task."""

    start: State
    script: list[int]  # the plies of its opening
    a_sits: int  # a's seat
    resign: Resign | None  # None: not allowed, or this game is for the audit


def check_task(task: Task) -> Game:
    """The task's game; raises an error now if the task cannot be played."""
    try:
        msgspec.convert(msgspec.to_builtins(task), Task)
    except msgspec.ValidationError as error:
        wrong, _, where = str(error).rpartition(" - at ")
        name = where.strip("`").removeprefix("$.").partition("[")[0]
        value = getattr(task, name, "")
        wanted = wrong[:1].lower() + wrong[1:]
        raise GameError(f"{name} is {value!r}: {wanted}") from error
    if task.seed >= 1 << 64:
        raise GameError("a seed is a whole number from 0 to 2**64 - 1")
    if task.scripts and not len(task.scripts) == len(task.starts) == task.games:
        raise GameError("a task with scripts needs one start and one script per game")
    game = load(task.game)
    for text in (task.a, task.b, task.judge):
        if text is not None:
            refuse_human(read_player(text))
            if task.purpose in _TRAINING:
                refuse_unrepeatable(read_player(text))
            if (engine := read_player(text).engine) is not None:
                check_engine(engine, game)
    for start in task.starts:
        if game.parse(start).is_over:
            raise GameError(f"the game is over in the start position '{start}': leave it out")
    return game


def refuse_human(player: Player) -> None:
    """Raises PlayerError if the player is a human, who cannot move in a task."""
    if player.is_human:
        raise PlayerError("a human cannot play here: use `rulezero play`")


def refuse_unrepeatable(player: Player) -> None:
    """Raises PlayerError for an engine, or a time limit: games with them cannot be repeated."""
    if player.engine is not None:
        raise PlayerError(
            f"'{player.text}': a run must be the same when it is repeated, and an engine is another"
            " program; use it in a match"
        )
    if player.seconds > 0:
        raise PlayerError(
            f"'{player.text}': a run must be the same when it is repeated, and searches with time="
            " are not; leave time= out, and give sims= or depth="
        )


def decode(message: bytes, form: type[Message]) -> Message:
    """The Task or Finished of a message; GameError if its format is another version's."""
    name = form.__name__.lower()
    try:
        found = msgspec.msgpack.decode(message, type=_Versioned).format
        if found == FORMAT:
            return msgspec.msgpack.decode(message, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise GameError(f"the message is not a {name}: {error}") from error
    raise GameError(
        f"the message is a {name} of format {found}, and rulezero {__version__} reads format"
        f" {FORMAT}: use the same version of rulezero on both sides"
    )


class _Versioned(msgspec.Struct):
    """The field that messages of every format have."""

    format: int = 0


def result_of(record: Record, task: Task) -> GameResult:
    """The result of a game of the task, for its player a."""
    return GameResult(
        seat=record.index % 2 if task.swap else 0,
        outcome=record.outcome,
        cause=record.end_reason,
        plies=record.plies,
        pair=record.index // 2 if task.swap else None,
        key=record.played_id,
    )


def begin(task: Task, game: Game, index: int) -> Beginning:
    """The beginning of one of a task's games."""
    if task.scripts:
        return Beginning(game.parse(task.starts[index]), list(task.scripts[index]), 0, None)
    pair = index // 2 if task.swap else index
    a_sits = index % 2 if task.swap else 0
    if task.starts:
        start = game.parse(task.starts[pair % len(task.starts)])
    else:
        start = game.start(seed=keyed(task.word, "start", pair))
    is_opened = keyed(task.word, "share", pair) < task.opening_share * 2**64
    script = _opening(task, start, pair) if task.opening and is_opened else []
    resign = task.resign
    if resign is not None and keyed(task.word, "audit", pair) < resign.audit * 2**64:
        resign = None
    return Beginning(start, script, a_sits, resign)


def _opening(task: Task, start: State, pair: int) -> list[int]:
    """Random plies after which the game is not over: as many as the task asks for, or the most
    that 100 attempts found."""
    longest: list[int] = []
    for attempt in range(100):
        state = start
        for ply in range(task.opening):
            draw = keyed(task.word, "opening", pair, attempt, ply) / 2**64
            chances = state.chances or [1 / len(state.legal)] * len(state.legal)
            choice = bisect(list(accumulate(chances)), draw, hi=len(chances) - 1)
            after = state.apply(state.legal[choice])
            if after.is_over:
                break
            state = after
        if len(state.actions) == task.opening:
            return state.actions
        longest = max(longest, state.actions, key=len)
    return longest
