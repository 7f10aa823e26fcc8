"""Short names of a recipe's keys, as the command line has them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from rulezero.errors import RunError
from rulezero.play.players import read_player

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment

Keys = dict[str, Any]


class Switch:
    """The kind of a flag that turns something on, as --name, or off, as --no-name."""


class Flag(NamedTuple):
    """A short name. Regimes and games list their own: those belong to their experiments alone."""

    name: str  # without its dashes
    kind: type | tuple[str, ...]  # of its value; words: one of these; bool: only --name
    help: str
    keys: "Callable[[Experiment, Any], Keys]"  # that it changes
    fits: "Callable[[Experiment], bool]" = lambda _: True
    value: str = ""  # what stands for it in a help text; "": by its kind
    needs: str = ""  # the switch that turns on what it belongs to

    @property
    def parameter(self) -> str:
        """Its name as Python writes it."""
        return self.name.replace("-", "_")


def setting(*path: str) -> "Callable[[Experiment, Any], Keys]":
    """Sets one key to the flag's value: setting("fit", "batch")."""

    def change(_: "Experiment", value: Any) -> Keys:
        for key in reversed(path):
            value = {key: value}
        keys: Keys = value
        return keys

    return change


def with_sims(text: str, sims: int) -> str:
    """A player with another number of simulations."""
    player = read_player(text)
    if not player.has("sims"):
        raise RunError(f"'{text}' has no simulations: leave them out")
    return player.changed(sims=str(sims)).text


def searching(experiment: "Experiment", sims: int) -> Keys:
    """Changes the simulations of selfplay.a."""
    return {"selfplay": {"a": with_sims(experiment.selfplay.a, sims)}}
