"""Short names of a recipe's keys: `--games 50` for `--set selfplay.games=50`.

They are the names that the original programs had, kept for their users. A flag is for the recipes
that have what it changes; for others it is an error that names these. Regimes and games list their
own flags.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rulezero import config
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.train.experiment import Experiment
from rulezero.train.flag import Flag as Flag
from rulezero.train.flag import Keys, searching, setting, with_sims
from rulezero.train.games import TRAININGS
from rulezero.train.regimes import REGIMES
from rulezero.train.regimes.curriculum import Curriculum
from rulezero.train.regimes.regime import Regime

# What a net's value learns from: the search's value, how the game ended, or first more of the one.
_TARGETS: dict[str, Keys] = {
    "mcts_value": {"search_share": 1.0, "search_share_end": None, "search_share_drawn": None},
    "game_result": {"search_share": 0.0, "search_share_end": None, "search_share_drawn": None},
    "blend": {"search_share": 0.8, "search_share_end": 0.5, "search_share_drawn": None},
}


def changed(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """The experiment with flags, by their parameters; those that are None were not given."""
    asked = experiment
    for flag in FLAGS:
        value = given.get(flag.parameter)
        if value is None:
            continue
        if not flag.fits(experiment):
            raise RunError(_misplaced(flag, experiment))
        try:
            asked = config.altered(asked, flag.keys(asked, value))
        except RunError as error:
            raise RunError(f"--{flag.name}: {error}") from None
    return asked


def belongs_to(flag: Flag) -> list[str]:
    """The recipes that a flag is for."""
    return [name for name in config.recipes() if flag.fits(config.load(name, "full"))]


def _misplaced(flag: Flag, experiment: Experiment) -> str:
    owners = belongs_to(flag)
    if experiment.recipe in owners:
        return (
            f"--{flag.name} has no use in {experiment.recipe} as --set has changed it"
            f" (regime={experiment.regime.kind}): leave one of them out"
        )
    *most, last = owners
    named = f"{', '.join(most)} and {last}" if most else last
    return f"--{flag.name} is not for {experiment.recipe}: it belongs to {named}"


def _has_gate(experiment: Experiment) -> bool:
    return experiment.regime.has_gate


def _gating(**keys: Any) -> Keys:
    return {"gate": {"kind": "threshold", **keys}}


def _owned(flags: Sequence[Flag], owns: Callable[[Experiment], bool]) -> list[Flag]:
    """Flags that are for experiments of their owner alone."""

    def owned(flag: Flag) -> Flag:
        return flag._replace(fits=lambda experiment: owns(experiment) and flag.fits(experiment))

    return [owned(flag) for flag in flags]


def _of_regime(regime: type[Regime]) -> list[Flag]:
    return _owned(regime.flags, lambda experiment: isinstance(experiment.regime, regime))


def _of_game(game: str) -> list[Flag]:
    own = TRAININGS[game].flags
    return _owned(own, lambda experiment: load(experiment.game).facts.name == game)


FLAGS = (
    Flag("iterations", int, "Rounds of play and fit.", setting("iterations")),
    Flag("games", int, "Games of an iteration.", setting("selfplay", "games")),
    Flag(
        "simulations",
        int,
        "Simulations of who learns, or teaches.",
        searching,
        lambda experiment: read_player(experiment.selfplay.a).has("sims"),
    ),
    Flag(
        "random-opening-moves", int, "First plies drawn at random.", setting("selfplay", "opening")
    ),
    Flag(
        "random-opening-fraction",
        float,
        "Share of the games that begin so.",
        setting("selfplay", "opening_share"),
    ),
    Flag(
        "epochs",
        int,
        "Times through the window in a fit.",
        lambda _, n: {"fit": {"epochs": n, "samples_per_ply": None, "samples": None}},
    ),
    Flag("batch-size", int, "Positions of a step.", setting("fit", "batch")),
    Flag("lr", float, "The learning rate at the start.", setting("fit", "rate", "start")),
    Flag(
        "target",
        tuple(_TARGETS),
        f"What values learn from: {', '.join(_TARGETS)}.",
        lambda _, word: {"targets": _TARGETS[word]},
        lambda experiment: experiment.regime.has_tower,
    ),
    Flag(
        "no-augment",
        bool,
        "Show no positions in the mirror.",
        lambda *_: {"fit": {"mirror": False}},
        lambda experiment: load(experiment.game).has_mirror,
    ),
    Flag(
        "keep-generations",
        int,
        "Iterations whose games are learned from.",
        lambda _, n: {"window": {"kind": "generations", "generations": n}},
    ),
    Flag(
        "replay-buffer-size",
        int,
        "Plies that are learned from.",
        lambda _, n: {"window": {"kind": "fixed", "plies": n}},
    ),
    Flag("replay-mix-ratio", float, "Share of older games in a batch.", setting("window", "mix")),
    Flag(
        "gating-games",
        int,
        "Games between a new net and the best.",
        lambda _, n: _gating(games=n),
        _has_gate,
    ),
    Flag(
        "gating-threshold",
        float,
        "Score that makes it the best.",
        lambda _, x: _gating(threshold=x),
        _has_gate,
    ),
    Flag(
        "gating-simulations",
        int,
        "Simulations of both in these games.",
        lambda e, n: _gating(player=with_sims(e.gate.player, n)),
        _has_gate,
    ),
    Flag(
        "use-model",
        str,
        "A net to begin with.",
        lambda experiment, net: experiment.regime.begin_with(net),
    ),
    *(flag for regime in REGIMES.values() for flag in _of_regime(regime)),
    *(flag for game in TRAININGS for flag in _of_game(game)),
    *Curriculum.flags,
)
