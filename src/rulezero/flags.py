"""Short names of a recipe's keys: `--games 50` for `--set selfplay.games=50`.

A flag is for the recipes that have what it changes; for others it is an error that names these.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from rulezero import config
from rulezero.config import Experiment
from rulezero.endgame.tables import GAME as MONSTER
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.play.players import read_player
from rulezero.train.tasks import CurriculumSettings

Keys = dict[str, Any]

# What a net's value learns from: the search's value, how the game ended, or first more of the one.
_TARGETS: dict[str, Keys] = {
    "mcts_value": {"search_share": 1.0, "search_share_end": None, "search_share_drawn": None},
    "game_result": {"search_share": 0.0, "search_share_end": None, "search_share_drawn": None},
    "blend": {"search_share": 0.8, "search_share_end": 0.5, "search_share_drawn": None},
}


class Flag(NamedTuple):
    """A short name."""

    name: str  # without its dashes
    kind: type | tuple[str, ...]  # of its value; words: one of these
    help: str
    keys: Callable[[Experiment, Any], Keys]  # that it changes
    fits: Callable[[Experiment], bool] = lambda _: True
    value: str = ""  # what stands for it in a help text; "": by its kind

    @property
    def parameter(self) -> str:
        """Its name as Python writes it."""
        return self.name.replace("-", "_")


def with_sims(text: str, sims: int) -> str:
    """A seat with so many simulations."""
    player = read_player(text)
    if not player.has("sims"):
        raise RunError(f"'{text}' has no simulations: leave them out")
    return player.changed(sims=str(sims)).text


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
            f" (regime={experiment.regime}): leave one of them out"
        )
    *most, last = owners
    named = f"{', '.join(most)} and {last}" if most else last
    return f"--{flag.name} is not for {experiment.recipe}: it belongs to {named}"


def _in(group: str, key: str) -> Callable[[Experiment, Any], Keys]:
    return lambda _, value: {group: {key: value}}


def _is_gated(experiment: Experiment) -> bool:
    return experiment.regime in ("gated", "teacher_student")


def _teaches(experiment: Experiment) -> bool:
    return experiment.regime == "teacher_student"


def _alternates(experiment: Experiment) -> bool:
    return experiment.regime == "frozen_opponent"


def _is_shaped(experiment: Experiment) -> bool:
    return experiment.targets.rewards is not None


def _has_lessons(experiment: Experiment) -> bool:
    return load(experiment.game).facts.name == MONSTER


def _has_mirror(experiment: Experiment) -> bool:
    return load(experiment.game).has_mirror


def _distils(experiment: Experiment) -> bool:
    return experiment.regime == "distill"


def _searches(experiment: Experiment) -> bool:
    return read_player(experiment.selfplay.a).has("sims")


def _numbers(text: str) -> list[int]:
    """2+3 as a list."""
    try:
        return [int(part) for part in text.split("+")]
    except ValueError:
        raise RunError(f"'{text}' is no number, nor several such as 2+3") from None


def _rewards(key: str) -> Callable[[Experiment, Any], Keys]:
    return lambda _, value: {"targets": {"rewards": {key: value}}}


def _searching(experiment: Experiment, sims: int) -> Keys:
    return {"selfplay": {"a": with_sims(experiment.selfplay.a, sims)}}


def _opposed(experiment: Experiment, sims: int) -> Keys:
    opponent = experiment.opponent
    return {
        "opponent": {
            "seat": with_sims(opponent.seat, sims),
            "first": with_sims(opponent.first, sims),
        }
    }


def _opposed_by(experiment: Experiment, net: str) -> Keys:
    return {"opponent": {"first": read_player(experiment.opponent.seat).changed(net=net).text}}


def _lessons(key: Literal["games", "seat"]) -> Callable[[Experiment, Any], Keys]:
    def change(experiment: Experiment, value: int) -> Keys:
        lessons = experiment.curriculum or CurriculumSettings()
        return {"curriculum": {key: with_sims(lessons.seat, value) if key == "seat" else value}}

    return change


def _gating(experiment: Experiment, **keys: Any) -> Keys:
    return {"gate": {"kind": "threshold", **keys}}


FLAGS = (
    Flag("iterations", int, "Rounds of play and fit.", lambda _, n: {"iterations": n}),
    Flag("games", int, "Games of an iteration.", _in("selfplay", "games")),
    Flag("simulations", int, "Simulations of who learns, or teaches.", _searching, _searches),
    Flag("random-opening-moves", int, "First plies drawn at random.", _in("selfplay", "opening")),
    Flag(
        "random-opening-fraction",
        float,
        "Share of the games that begin so.",
        _in("selfplay", "opening_share"),
    ),
    Flag(
        "epochs",
        int,
        "Times through the window in a fit.",
        lambda _, n: {"fit": {"epochs": n, "samples_per_ply": None, "samples": None}},
    ),
    Flag("batch-size", int, "Positions of a step.", _in("fit", "batch")),
    Flag(
        "lr", float, "The learning rate at the start.", lambda _, x: {"fit": {"rate": {"start": x}}}
    ),
    Flag(
        "target",
        tuple(_TARGETS),
        f"What values learn from: {', '.join(_TARGETS)}.",
        lambda _, word: {"targets": _TARGETS[word]},
        lambda e: not _distils(e),
    ),
    Flag(
        "no-augment",
        bool,
        "Show no positions in the mirror.",
        lambda *_: {"fit": {"mirror": False}},
        _has_mirror,
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
    Flag("replay-mix-ratio", float, "Share of older games in a batch.", _in("window", "mix")),
    Flag(
        "gating-games",
        int,
        "Games between a new net and the best.",
        lambda e, n: _gating(e, games=n),
        _is_gated,
    ),
    Flag(
        "gating-threshold",
        float,
        "Score that makes it the best.",
        lambda e, x: _gating(e, threshold=x),
        _is_gated,
    ),
    Flag(
        "gating-simulations",
        int,
        "Simulations of both in these games.",
        lambda e, n: _gating(e, seat=with_sims(e.gate.seat, n)),
        _is_gated,
    ),
    Flag(
        "asymmetric",
        bool,
        "A teacher who searches against a student.",
        lambda *_: {"regime": "teacher_student"},
        _teaches,
    ),
    Flag("asymmetric-sims", int, "The teacher's simulations.", _searching, _teaches),
    Flag(
        "no-combo-bonus",
        bool,
        "No reward for strikes under a Decree.",
        lambda *_: {"targets": {"rewards": {"combo_bonus": False}}},
        _is_shaped,
    ),
    Flag(
        "combo-bonus-per-attack",
        float,
        "Reward for each such strike.",
        _rewards("rd_combo_bonus_per_attack"),
        _is_shaped,
    ),
    Flag(
        "combo-bonus-max",
        float,
        "The most that they earn in a game.",
        _rewards("rd_combo_bonus_max"),
        _is_shaped,
    ),
    Flag(
        "alternating",
        bool,
        "One side learns at a time.",
        lambda *_: {"regime": "frozen_opponent"},
        _alternates,
    ),
    Flag("opponent-sims", int, "Simulations of the side that stands still.", _opposed, _alternates),
    Flag("opponent-model", str, "Its net in the first iteration.", _opposed_by, _alternates),
    Flag(
        "curriculum",
        bool,
        "Lessons beside the other games.",
        lambda *_: {"curriculum": {}},
        _has_lessons,
    ),
    Flag("curriculum-games", int, "Lessons of an iteration.", _lessons("games"), _has_lessons),
    Flag(
        "curriculum-simulations",
        int,
        "White's simulations in lessons.",
        _lessons("seat"),
        _has_lessons,
    ),
    Flag(
        "mode",
        str,
        "0: play only, 1: material, 2: a search; 1+2.",
        lambda _, text: {"distill": {"mode": _numbers(text)}},
        _distils,
        "N+N",
    ),
    Flag(
        "depth",
        str,
        "Plies of the teacher's search; 2+3: a stage each.",
        lambda _, text: {"distill": {"depth": _numbers(text)}},
        _distils,
        "N+N",
    ),
    Flag(
        "train-every",
        int,
        "Turns of which one is learned.",
        _in("distill", "train_every"),
        _distils,
    ),
    Flag(
        "learning-rate",
        float,
        "As --lr.",
        lambda _, rate: {"fit": {"rate": {"start": rate}}},
        _distils,
    ),
    Flag("load", str, "A .nn file or a run to begin with.", _in("distill", "load"), _distils),
    Flag("save-every", int, "Iterations between saves.", _in("distill", "save_every"), _distils),
    Flag("agents", int, "2: a net for each side.", _in("distill", "agents"), _distils),
    Flag(
        "use-model",
        str,
        "A net to begin with.",
        lambda e, net: {"distill": {"load": net}} if _distils(e) else {"begin": net},
    ),
)
