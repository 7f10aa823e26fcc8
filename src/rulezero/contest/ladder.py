"""Rates every kind of player of a game at one time limit, by games of each against each."""

import contextlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from rulezero._core import Game, PlayerError
from rulezero.contest.match import about_copies
from rulezero.data.record import Record
from rulezero.data.replay import is_chosen, replay_of
from rulezero.data.store import open_store
from rulezero.fleet.fleet import play_into
from rulezero.fleet.local import LocalFleet
from rulezero.games.load import AnyGame, load
from rulezero.play.players import Player, read_player
from rulezero.play.task import Task, check_task, result_of
from rulezero.stats.ladder import Ladder, Meeting, Rating
from rulezero.stats.rating import quantile
from rulezero.stats.tally import Counts, GameResult, Tally

LADDER_TIME = 0.1  # seconds per move

Tell = Callable[[int, int], None]  # games that are done, and all games


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """A player of a ladder."""

    player: str  # its text, with its time limit
    rating: Rating  # in Elo above the anchor
    by_seat: tuple[Counts, Counts]  # wins, draws and losses in seat 0 and in seat 1
    moves: int  # that it has chosen
    sims: float  # mean simulations, or positions searched, per move; 0: it does not search
    forfeits: int = 0  # games that it lost as an engine that failed


class LadderResult(msgspec.Struct, frozen=True, kw_only=True):
    """Players by strength, the strongest first, at one time limit."""

    game: str
    time: float | None  # seconds per move; None: the players' own limits
    anchor: str  # text of the player that has 0 Elo
    rungs: tuple[Rung, ...]
    advantage: float  # Elo that seat 0 is worth
    advantage_error: float  # one standard error
    confidence: float  # of the intervals
    games: int
    different: int  # games; copies count once
    played: int  # of the games, now: the others were in the store
    opening: int  # number of random first plies

    def __getitem__(self, player: str) -> Rung:
        """The rung of a player, by its text with or without the time limit; KeyError."""
        for rung in self.rungs:
            limited = read_player(player)
            if self.time is not None:
                limited = limited.within(self.time)
            if limited.text == rung.player:
                return rung
        raise KeyError(player)

    @property
    def advantage_text(self) -> str:
        """The advantage of seat 0 in words: +12 Elo (+3 to +21, 95 %)."""
        width = quantile(self.confidence) * self.advantage_error
        lower, upper = self.advantage - width, self.advantage + width
        bounds = f"{lower:+.0f} to {upper:+.0f}, {100 * self.confidence:.4g} %"
        return f"{self.advantage:+.0f} Elo ({bounds})"

    @property
    def warning(self) -> str:
        """A warning and its remedy if many games are copies of each other, or ""."""
        return about_copies(self.different, self.games, self.opening)


def kinds_for(game: AnyGame) -> list[str]:
    """One player of each kind that plays a game without a net; the first is of middle strength."""
    facts = load(game).facts
    searching = ("ucb1", "gumbel", "puct", "alphabeta")
    if facts.has_heuristic:
        found = [*searching, "heuristic"]
    else:
        found = [f"{kind}:eval=rollout" for kind in searching]
    return [*found, "random", *(["scripted"] if facts.has_script else [])]


def ladder(
    game: AnyGame,
    players: Sequence[str] = (),
    *,
    add: Sequence[str] = (),
    time: float | None = LADDER_TIME,
    games: int = 20,
    opening: int = 4,
    seed: int = 0,
    workers: int = 0,
    save: str | Path | None = None,
    tell: Tell | None = None,
) -> LadderResult:
    """Lets each player meet each other in `games` games, and rates them on one scale.

    Without `players`, they are `kinds_for` the game; `add` has more of them, such as nets and
    engines. The first player is the anchor, whose rating is 0. `time` is the time limit per move in
    seconds of all players that search; None leaves them their own limits. Each of the `workers`
    (0: one per core) plays one game at a time. Games come in pairs with the same random `opening`
    and the seats swapped. `save` names a store: games that it has are not played again. `tell` is
    called with the numbers of games that are done and of all games.
    """
    rules = load(game)
    seated = _players(rules, [*(players or kinds_for(rules)), *add], time)
    tasks = [
        Task(
            game=rules.text,
            a=a.text,
            b=b.text,
            games=games,
            seed=seed,
            name=f"ladder/{opening}/{a.text}/{b.text}",
            opening=opening,
            purpose="rating",
            source="ladder",
        )
        for a, b in itertools.combinations(seated, 2)
    ]
    for task in tasks:
        check_task(task)
    results: list[list[GameResult]] = [[] for _ in tasks]
    scores = {player.text: _Score() for player in seated}
    done = played = 0
    with contextlib.ExitStack() as stack:
        store = None if save is None else stack.enter_context(open_store(save))
        fleet = LocalFleet(workers=workers)
        kept = stack.enter_context(contextlib.closing(play_into(store, tasks, fleet)))
        for number, record, is_new in kept:
            results[number].append(result_of(record, tasks[number]))
            _count(record, rules, scores)
            done, played = done + 1, played + is_new
            if tell is not None:
                tell(done, games * len(tasks))
    met = [
        Meeting(task.a, task.b, Tally.of(each)) for task, each in zip(tasks, results, strict=True)
    ]
    fitted = Ladder.fit(met, anchor=seated[0].text)
    return LadderResult(
        game=rules.text,
        time=time,
        anchor=fitted.anchor,
        rungs=tuple(scores[rating.player].rung(rating) for rating in fitted.ratings),
        advantage=fitted.advantage,
        advantage_error=fitted.advantage_error,
        confidence=fitted.confidence,
        games=done,
        different=sum(meeting.tally.different for meeting in met),
        played=played,
        opening=opening,
    )


class _Score:
    """What a player has done so far."""

    def __init__(self) -> None:
        self.seats = [Counts(), Counts()]
        self.moves = self.sims = self.forfeits = 0

    def rung(self, rating: Rating) -> Rung:
        return Rung(
            player=rating.player,
            rating=rating,
            by_seat=(self.seats[0], self.seats[1]),
            moves=self.moves,
            sims=self.sims / max(1, self.moves),
            forfeits=self.forfeits,
        )


def _players(game: Game, texts: Sequence[str], time: float | None) -> list[Player]:
    """The players with the time limit. PlayerError if there are too few, or one is there twice."""
    players = [read_player(text) for text in texts]
    if time is not None:
        players = [player.within(time) for player in players]
    if len(players) < 2:
        raise PlayerError(f"a ladder of {game.text} needs at least two players")
    for player in players:
        if players.count(player) > 1:
            raise PlayerError(f"'{player.text}' is on the ladder twice: leave one out")
    return players


def _count(record: Record, game: Game, scores: dict[str, _Score]) -> None:
    """Adds a game to the scores of its players."""
    replay = replay_of(record, game)
    chosen = is_chosen(record, replay)
    sims = record.columns().sims
    for seat, text in enumerate(record.players):
        score = scores[text]
        outcome = record.outcome if seat == 0 else -record.outcome
        score.seats[seat] += Counts(int(outcome > 0), int(outcome == 0), int(outcome < 0))
        own = chosen & (replay.movers == seat)
        score.moves += int(own.sum())
        score.sims += int(np.asarray(sims, np.uint64)[own].sum())
        score.forfeits += record.end_reason == "forfeit" and outcome < 0
