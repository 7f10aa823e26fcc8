"""Short names of a recipe's keys: `--games 50` for `--set selfplay.games=50`.

These are the option names of the original programs, kept for their users. A flag works with the
recipes whose keys it changes; with any other recipe it is an error that names those recipes.
Regimes and games define their own flags.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rulezero import config
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.training.experiment import Experiment
from rulezero.training.flag import Flag as Flag
from rulezero.training.flag import Keys, searching, setting, with_sims
from rulezero.training.flag import Switch as Switch
from rulezero.training.games import TRAININGS
from rulezero.training.regimes import REGIMES
from rulezero.training.regimes.curriculum import Curriculum
from rulezero.training.regimes.regime import Regime

# Targets of the value head: the search's value, the game's result, or a mix whose share of the
# search's value falls from 80 % to 50 %.
_TARGETS: dict[str, Keys] = {
    "mcts_value": {"search_share": 1.0, "search_share_end": None, "search_share_drawn": None},
    "game_result": {"search_share": 0.0, "search_share_end": None, "search_share_drawn": None},
    "blend": {"search_share": 0.8, "search_share_end": 0.5, "search_share_drawn": None},
}


def changed(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """The experiment after applying flags: values by parameter name, None if not given.

    Switches are applied first, then the others; each sees the result of those before it.
    """
    asked, changes = experiment, dict[str, Keys]()
    turned_on = [regime.switch for regime in _SWITCHED if given.get(regime.switch)]
    if len(turned_on) > 1:
        named = " and ".join(f"--{name}" for name in turned_on)
        raise RunError(f"{named} select different regimes: give only one of them")
    for flag in sorted(FLAGS, key=lambda flag: flag.kind is not Switch):
        value = given.get(flag.parameter)
        if value is None:
            continue
        if not flag.fits(asked):
            raise RunError(_misplaced(flag, asked))
        try:
            changes[flag.name] = flag.keys(asked, value)
            asked = config.altered(asked, changes[flag.name])
        except RunError as error:
            raise RunError(f"--{flag.name}: {error}") from None
    for name, keys in changes.items():
        try:
            config.refuse_idle(asked, keys)
        except RunError as error:
            raise RunError(f"--{name}: {error}") from None
    return asked


def belongs_to(flag: Flag) -> list[str]:
    """The recipes that a flag works with."""
    return [name for name in config.recipes() if flag.fits(config.load(name, "full"))]


def _misplaced(flag: Flag, experiment: Experiment) -> str:
    if any(each.name == flag.needs and each.fits(experiment) for each in FLAGS):
        return f"--{flag.name} needs --{flag.needs}: add it"
    owners = belongs_to(flag)
    if experiment.recipe in owners:
        return (
            f"--{flag.name} has no effect on {experiment.recipe} with the other options given"
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
    """The flags, restricted to experiments of their owner (a regime or a game)."""

    def owned(flag: Flag) -> Flag:
        return flag._replace(fits=lambda experiment: owns(experiment) and flag.fits(experiment))

    return [owned(flag) for flag in flags]


def _grouped(group: str, flags: Sequence[Flag]) -> list[Flag]:
    """The flags, which a help text shows in one group."""
    return [flag._replace(group=group) for flag in flags]


def _of_regime(regime: type[Regime]) -> list[Flag]:
    own = [flag._replace(needs=regime.switch) for flag in regime.flags]
    kind = regime.model_fields["kind"].default
    flags = _grouped(
        f"recipes with regime: {kind}",
        _owned(own, lambda experiment: isinstance(experiment.regime, regime)),
    )
    return [*([_switch(regime)] if regime.switch else []), *flags]


def _switch(regime: type[Regime]) -> Flag:
    """The flag that turns a regime on, or off, which selects the default: plain self-play."""
    kind = regime.model_fields["kind"].default
    plain = Experiment.model_fields["regime"].default.kind

    def turn(experiment: Experiment, is_on: bool) -> Keys:
        if is_on == isinstance(experiment.regime, regime):
            return {}
        # The kind replaces the whole group, so that no key of another regime is left.
        gate = {} if regime.has_gate or not is_on else {"gate": None}
        return {"regime": kind if is_on else plain, **gate}

    return Flag(
        regime.switch,
        Switch,
        regime.switch_help,
        turn,
        lambda experiment: experiment.regime.has_tower,
    )


def _of_game(game: str) -> list[Flag]:
    own = TRAININGS[game].flags
    flags = _owned(own, lambda experiment: load(experiment.game).facts.name == game)
    return _grouped(f"recipes of {game}", flags)


_SWITCHED = [regime for regime in REGIMES.values() if regime.switch]

_SELF_PLAY = (
    Flag("iterations", int, "Run N iterations of self-play and fit.", setting("iterations")),
    Flag("games", int, "Play N games per iteration.", setting("selfplay", "games")),
    Flag(
        "simulations",
        int,
        "Set the simulations per move of the learner, or of the teacher if there is one.",
        searching,
        lambda experiment: read_player(experiment.selfplay.a).has("sims"),
    ),
    Flag(
        "random-opening-moves",
        int,
        "Play the first N plies of a game at random.",
        setting("selfplay", "opening"),
    ),
    Flag(
        "random-opening-fraction",
        float,
        "Start this share of the games (0 to 1) with random plies.",
        setting("selfplay", "opening_share"),
    ),
)

_LEARNING = (
    Flag(
        "epochs",
        int,
        "Train for N epochs over the window in each fit.",
        lambda _, n: {"fit": {"epochs": n, "samples_per_ply": None, "samples": None}},
    ),
    Flag("batch-size", int, "Use N positions per training step.", setting("fit", "batch")),
    Flag("lr", float, "Set the initial learning rate.", setting("fit", "rate", "start")),
    Flag(
        "nproc",
        int,
        "Fit with N processes that share each batch, each on its own GPU if there are any.",
        setting("fit", "processes"),
        lambda experiment: experiment.regime.has_tower,
    ),
    Flag(
        "target",
        tuple(_TARGETS),
        f"Choose the value head's target: {', '.join(_TARGETS)}.",
        lambda _, word: {"targets": _TARGETS[word]},
        lambda experiment: experiment.regime.has_tower,
    ),
    Flag(
        "no-augment",
        bool,
        "Do not train on mirrored positions.",
        lambda *_: {"fit": {"mirror": False}},
        lambda experiment: load(experiment.game).has_mirror,
    ),
    Flag(
        "keep-generations",
        int,
        "Train on the games of the last N iterations.",
        lambda _, n: {"window": {"kind": "generations", "generations": n}},
    ),
    Flag(
        "replay-buffer-size",
        int,
        "Train on the last N plies.",
        lambda _, n: {"window": {"kind": "fixed", "plies": n}},
    ),
    Flag(
        "replay-mix-ratio",
        float,
        "Take this share of a batch (0 to 1) from older iterations.",
        setting("window", "mix"),
    ),
    Flag(
        "use-model",
        str,
        "Start with the weights of this net.",
        lambda experiment, net: experiment.regime.begin_with(net),
    ),
)

_GATE = (
    Flag(
        "gating-games",
        int,
        "Play N games between a new net and the best one.",
        lambda _, n: _gating(games=n),
        _has_gate,
    ),
    Flag(
        "gating-threshold",
        float,
        "Promote a new net if its gate score is at least this (0 to 1).",
        lambda _, x: _gating(threshold=x),
        _has_gate,
    ),
    Flag(
        "gating-simulations",
        int,
        "Set both nets' simulations per move in gate games.",
        lambda e, n: _gating(player=with_sims(e.gate.player, n)),
        _has_gate,
    ),
)

FLAGS = (
    *_grouped("self-play", _SELF_PLAY),
    *_grouped("learning", _LEARNING),
    *_grouped("the gate, which promotes nets", _GATE),
    *(flag for regime in REGIMES.values() for flag in _of_regime(regime)),
    *(flag for game in TRAININGS for flag in _of_game(game)),
    *_grouped("the curriculum", Curriculum.flags),
)
