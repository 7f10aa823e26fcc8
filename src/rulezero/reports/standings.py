"""Who is how strong in a run: its nets, the recipe's anchor and two fixed players on one scale."""

import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from rulezero import config
from rulezero._core import Game
from rulezero.data.record import Record
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.fleet.local import LocalFleet
from rulezero.games import grammar
from rulezero.games.load import load
from rulezero.nets.card import PERCEPTRON, inside, resolve
from rulezero.play.binding import has_heuristic
from rulezero.play.players import read_player
from rulezero.play.task import Task
from rulezero.stats.ladder import Ladder, Meeting, Rating
from rulezero.stats.tally import GameResult, Tally
from rulezero.train.experiment import Experiment
from rulezero.train.run import Run
from rulezero.train.tasks import TrialSettings, named

Tell = Callable[[int, int], None]  # games played now, games to be played now


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody to be rated."""

    name: str  # for people: that of a net, or the seat's text
    seat: str
    is_net: bool = False
    about: str = ""  # best, latest, anchor


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A player and its place."""

    player: Entrant
    rating: Rating  # in Elo above the anchor


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """Players by strength, the strongest first."""

    game: str
    anchor: str  # its seat: it has 0 Elo
    standings: tuple[Standing, ...]
    advantage: float  # Elo that seat 0 is worth
    confidence: float  # of the intervals
    games: int  # that the ratings are made of
    played: int  # of them, in the call that wrote this


def rate(
    run: Run,
    *,
    games: int = 40,
    sims: int | None = None,
    nets: int = 5,
    workers: int = 0,
    tell: Tell | None = None,
) -> Standings:
    """The ratings of some nets of a run, and of who else is there, after `games` for each pairing.

    Games are kept in the run's store, so that none is played twice: asking again plays what is
    missing, and every game of these players that the store holds counts. reports/rating.json is
    written. `sims` are the nets' simulations, where they are not the anchor's trials'.
    """
    experiment = config.read(run.config())
    game = load(experiment.game)
    trial = experiment.anchor or experiment.gate
    players = players_of(run, experiment, game, sims=sims, nets=nets)
    tasks = [
        Task(
            game=experiment.game,
            a=a.seat,
            b=b.seat,
            games=games,
            seed=experiment.seed,
            name=f"rating/{a.seat}/{b.seat}",
            opening=trial.opening,
            purpose="rating",
            source="rate",
        )
        for a, b in pairings(players)
    ]
    played = _play(run, tasks, LocalFleet(run.nets, workers=workers, width=experiment.width), tell)
    with run.store() as store:
        met = meetings(store.select(purpose="rating"), [player.seat for player in players])
    (anchor,) = (player for player in players if "anchor" in player.about)
    ladder = Ladder.fit(met, anchor=anchor.seat)
    by_seat = {player.seat: player for player in players}
    found = Standings(
        game=game.text,
        anchor=anchor.seat,
        standings=tuple(Standing(player=by_seat[r.player], rating=r) for r in ladder.ratings),
        advantage=ladder.advantage,
        confidence=ladder.confidence,
        games=sum(meeting.tally.games for meeting in met),
        played=played,
    )
    path = rating_path(run)
    path.parent.mkdir(exist_ok=True)
    write_whole(path, msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    return found


def rating_path(run: Run) -> Path:
    """Where the newest ratings of a run are."""
    return run.path / "reports" / "rating.json"


def read_standings(run: Run) -> Standings | None:
    """The newest ratings of a run, or None before the first."""
    path = rating_path(run)
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Standings)
    except msgspec.DecodeError as error:
        raise RunError(f"'{path}' cannot be read: {error}; rulezero rate writes it") from error


def players_of(
    run: Run, experiment: Experiment, game: Game, *, sims: int | None = None, nets: int = 5
) -> list[Entrant]:
    """Who is rated: the fixed players from the weakest on, then nets from the oldest on."""
    trial: TrialSettings = experiment.anchor or experiment.gate
    best, latest = (
        resolve(f"{run.path}@{which}").name.removesuffix(PERCEPTRON) for which in ("best", "latest")
    )
    anchor = trial.opponent
    if anchor is None or grammar.read(anchor).options.get("net") is not None:
        anchor = "random"  # a net of the run is no fixed point
    fixed = ["random", *(["heuristic"] if has_heuristic(game) else [])]
    fixed = [text for text in fixed if text != anchor] + [read_player(anchor).text]
    players = [
        Entrant(name=text, seat=text, about="anchor" if text == fixed[-1] else "") for text in fixed
    ]
    for name in spaced(net_names(run), nets, best):
        spec = grammar.read(
            named(trial.player, dict.fromkeys(("best", "latest", "candidate"), name))
        )
        options = {**spec.options, **({} if sims is None else {"sims": str(sims)})}
        marks = [mark for mark, net in (("best", best), ("latest", latest)) if net == name]
        text = read_player(grammar.Spec(spec.name, options).text).text
        players.append(Entrant(name=name, seat=text, is_net=True, about=", ".join(marks)))
    return players


def net_names(run: Run) -> list[str]:
    """The nets of a run from the oldest on, the untrained one first."""
    files = [*run.nets.glob("iter_*.json"), *run.nets.glob(f"iter_*{PERCEPTRON}")]
    numbers = [path.stem.removeprefix("iter_") for path in files]
    trained = sorted(int(number) for number in numbers if number.isdecimal())
    names = ["untrained"] if inside(run.nets, "untrained") is not None else []
    return names + [f"iter_{number}" for number in trained]


def spaced(names: Sequence[str], count: int, best: str) -> list[str]:
    """So many of the names, evenly spaced, the best and the last among them in their order."""
    if count < 1:
        raise RunError("at least one net is rated: nets=1 or more")
    last = len(names) - 1
    picked = {round(last * at / (count - 1)) for at in range(count)} if count > 1 else set()
    wanted = names.index(best)
    if wanted not in picked:  # it takes the place of its neighbour, but never the last one's
        others = picked - {last}
        picked -= {min(others, key=lambda at: abs(at - wanted))} if others else set()
        picked |= {wanted}
    return [names[at] for at in sorted(picked)]


def pairings(players: Sequence[Entrant]) -> list[tuple[Entrant, Entrant]]:
    """Who meets whom: neighbours; the last net everybody fixed and the first net; the anchor the
    best net and the one in the middle."""
    nets = [player for player in players if player.is_net]
    fixed = [player for player in players if not player.is_net]
    best = [player for player in nets if "best" in player.about]
    pairs = list(itertools.pairwise(players))
    pairs += [(player, nets[-1]) for player in (*fixed, nets[0])]
    pairs += [(fixed[-1], player) for player in (*best, nets[len(nets) // 2])]
    found: dict[frozenset[str], tuple[Entrant, Entrant]] = {}
    for a, b in pairs:
        if a.seat != b.seat:
            found.setdefault(frozenset((a.seat, b.seat)), (a, b))
    return list(found.values())


def meetings(records: Iterable[Record], seats: Collection[str]) -> list[Meeting]:
    """What these players have played against each other."""
    results: dict[tuple[str, str, str], list[GameResult]] = {}
    for record in records:
        a, b = sorted(record.players)
        if a != b and a in seats and b in seats:
            results.setdefault((record.task, a, b), []).append(
                GameResult(
                    seat=record.players.index(a),
                    outcome=record.outcome,
                    cause=record.end_reason,
                    plies=record.plies,
                    pair=record.index // 2,
                )
            )
    return [Meeting(a, b, Tally.of(games)) for (_, a, b), games in results.items()]


def _play(run: Run, tasks: Sequence[Task], fleet: LocalFleet, tell: Tell | None) -> int:
    """Plays what the store does not hold yet; how many games that were."""
    done: dict[str, set[int]] = {task.name: set() for task in tasks}
    with run.store() as store:
        for record in store.select(purpose="rating"):
            if record.task in done:
                done[record.task].add(record.index)
        wanted = sum(len(set(range(task.games)) - done[task.name]) for task in tasks)
        played = 0
        if wanted:
            for _, finished in fleet.run(tasks, [done[task.name] for task in tasks]):
                store.add(finished.record)
                played += 1
                if tell is not None:
                    tell(played, wanted)
    return played
