"""Ratings of a run's nets, the recipe's anchor and two fixed players on one scale."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from rulezero import config
from rulezero._core import Game
from rulezero.contest.standings import Entrant, Standing, Standings, meetings, pairings, spaced
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.fleet.fleet import play_into
from rulezero.fleet.local import LocalFleet
from rulezero.games import grammar
from rulezero.nets.card import ONE_FILE, inside, resolve, trained
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.task import Task
from rulezero.stats.ladder import Ladder
from rulezero.training.experiment import Experiment
from rulezero.training.run import Run
from rulezero.training.tasks import TrialSettings, named, positions_of

Tell = Callable[[int, int], None]  # games played now, games to be played now


def rate(
    run: Run,
    *,
    games: int = 40,
    sims: int | None = None,
    time: float | None = None,
    nets: int = 5,
    add: Sequence[str] = (),
    workers: int = 0,
    tell: Tell | None = None,
) -> Standings:
    """Rates some nets of a run and the fixed players, with `games` games for each pairing.

    Games are kept in the run's store: another call plays only those that are missing, and every
    game of these players in the store counts. reports/rating.json is written. `sims` are the nets'
    simulations (default: those of the anchor's trials). `time` gives all players that search this
    many seconds per move instead. `add` has more fixed players, such as an engine.
    """
    experiment = config.read(run.config())
    game = run.game(experiment.game)
    trial = experiment.anchor or experiment.gate
    players = players_of(run, experiment, game, sims=sims, time=time, nets=nets, add=add)
    tasks = [
        Task(
            game=experiment.game,
            a=a.text,
            b=b.text,
            games=games,
            seed=experiment.seed,
            name=f"rating/{a.text}/{b.text}",
            opening=trial.opening,
            starts=positions_of(trial, experiment),
            purpose="rating",
            source="rate",
        )
        for a, b in pairings(players)
    ]
    fleet = LocalFleet(NetStore(run.nets), workers=workers, width=experiment.width)
    missing, played = games * len(tasks), 0
    with run.store() as store:
        for _, _, is_new in play_into(store, tasks, fleet):
            missing -= not is_new
            played += is_new
            if is_new and tell is not None:
                tell(played, missing)
    with run.store() as store:
        met = meetings(store.select(purpose="rating"), [player.text for player in players])
    (anchor,) = (player for player in players if "anchor" in player.about)
    ladder = Ladder.fit(met, anchor=anchor.text)
    by_text = {player.text: player for player in players}
    standings = Standings(
        game=game.text,
        anchor=anchor.text,
        standings=tuple(Standing(player=by_text[r.player], rating=r) for r in ladder.ratings),
        advantage=ladder.advantage,
        advantage_error=ladder.advantage_error,
        confidence=ladder.confidence,
        games=sum(meeting.tally.games for meeting in met),
        different=sum(meeting.tally.different for meeting in met),
        played=played,
    )
    path = rating_path(run)
    path.parent.mkdir(exist_ok=True)
    write_whole(path, msgspec.json.format(msgspec.json.encode(standings)) + b"\n")
    return standings


def rating_path(run: Run) -> Path:
    """The file of the newest ratings of a run."""
    return run.path / "reports" / "rating.json"


def read_standings(run: Run) -> Standings | None:
    """The newest ratings of a run, or None before the first."""
    path = rating_path(run)
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Standings)
    except msgspec.DecodeError as error:
        raise RunError(
            f"'{path}' cannot be read: {error}; `rulezero rate` writes it again"
        ) from error


def players_of(
    run: Run,
    experiment: Experiment,
    game: Game,
    *,
    sims: int | None = None,
    time: float | None = None,
    nets: int = 5,
    add: Sequence[str] = (),
) -> list[Entrant]:
    """The players to rate: the fixed ones, the weakest first, then nets, the oldest first."""

    def limited(text: str) -> str:
        player = read_player(text)
        return player.text if time is None else player.within(time).text

    trial: TrialSettings = experiment.anchor or experiment.gate
    best, latest = (_name(resolve(f"{run.path}@{which}")) for which in ("best", "latest"))
    anchor = trial.opponent
    if anchor is None or grammar.read(anchor).options.get("net") is not None:
        anchor = "random"  # a net of the run cannot be a fixed point
    fixed = ["random", *(["heuristic"] if game.facts.has_heuristic else [])]
    fixed = [*map(limited, add), *(text for text in fixed if text != anchor), limited(anchor)]
    fixed = list(dict.fromkeys(fixed))
    players = [
        Entrant(name=text, text=text, about="anchor" if text == fixed[-1] else "") for text in fixed
    ]
    for name in spaced(net_names(run), nets, best):
        spec = grammar.read(
            named(trial.player, dict.fromkeys(("best", "latest", "candidate"), name))
        )
        options = {**spec.options, **({} if sims is None else {"sims": str(sims)})}
        marks = [mark for mark, net in (("best", best), ("latest", latest)) if net == name]
        text = limited(grammar.Spec(spec.name, options).text)
        players.append(Entrant(name=name, text=text, is_net=True, about=", ".join(marks)))
    return players


def net_names(run: Run) -> list[str]:
    """The nets of a run: the untrained one, then the others, the oldest first."""
    names = ["untrained"] if inside(run.nets, "untrained") is not None else []
    return names + [f"iter_{number}" for number in trained(run.nets)]


def _name(net: Path) -> str:
    return net.stem if net.suffix in ONE_FILE else net.name
