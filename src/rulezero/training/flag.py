"""Flags of the command line, which are short names for a recipe's keys."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from rulezero.errors import RunError
from rulezero.play.players import read_player

if TYPE_CHECKING:
    from rulezero.training.experiment import Experiment

Keys = dict[str, Any]


class Switch:
    """The kind of a flag with two forms: --name turns something on, and --no-name off."""


class Flag(NamedTuple):
    """A flag. Regimes and games list their own flags, which apply only to their experiments."""

    name: str  # without its dashes
    kind: type | tuple[str, ...]  # of its value; a tuple: one of these words; bool: only --name
    help: str
    keys: "Callable[[Experiment, Any], Keys]"  # the keys that it changes, by its value
    fits: "Callable[[Experiment], bool]" = lambda _: True
    value: str = ""  # placeholder of its value in help texts; "": by its kind
    needs: str = ""  # the switch without which it has no effect
    group: str = ""  # what it is for, as the heading of a help text says it

    @property
    def parameter(self) -> str:
        """Its name as a Python parameter."""
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
        raise RunError(f"the player '{text}' has no simulations: leave their number out")
    return player.changed(sims=str(sims)).text


def searching(experiment: "Experiment", sims: int) -> Keys:
    """Changes the simulations of selfplay.a."""
    return {"selfplay": {"a": with_sims(experiment.selfplay.a, sims)}}
