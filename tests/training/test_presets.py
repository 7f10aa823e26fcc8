"""The `full` presets equal the experiments of the original systems in every figure."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from rulezero import config
from rulezero.games.load import load
from rulezero.learn.learner import Learner
from rulezero.nets.perceptron import create as create_perceptron
from rulezero.nets.tower import create
from rulezero.play.players import read_player
from rulezero.training.regimes.distill_learner import PerceptronLearner
from rulezero.training.tasks import NAMES
from support.batches import any_batch
from support.evaluators import RandomEvaluator

TABLES = sorted((Path(__file__).parents[1] / "golden" / "presets").glob("*.txt"))


def lines_of(path: Path) -> Iterator[tuple[str, str, Any]]:
    """Each figure of a table: its key, the option of a player's text (or ""), and its value."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, _, value = line.partition(" = ")
        key, _, option = name.partition(": ")
        yield key, option, yaml.safe_load(value)


def _renewed(key: str) -> str:
    """The current name of a table's key: a regime's own keys have moved into `regime`."""
    if key == "regime":
        return "regime.kind"
    group, _, rest = key.partition(".")
    if group == "distill":
        return f"regime.{rest}"
    key = f"regime.{key}" if group in ("student", "opponent") else key
    return re.sub(r"\.seat$", ".player", key)


def found(whole: dict[str, Any], key: str, option: str) -> Any:
    """The experiment's value of a table's key, or of one option of the player given there."""
    value: Any = whole
    for part in _renewed(key).split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    if not option:
        return value
    player = read_player(value)
    if option == "name":
        return player.spec.name
    return yaml.safe_load(player.spec.options.get(option, "null")) or player.number(option)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_full_is_the_original_experiment(path: Path) -> None:
    """Tables were written from the description of the original system alone; all lines agree."""
    recipe, _, preset = path.stem.partition(".")
    whole = config.load(recipe, preset or "full").model_dump(mode="json")
    lines = list(lines_of(path))
    assert len(lines) > 2
    wrong = [
        f"{key} {option}: {found(whole, key, option)!r}, not {value!r}"
        for key, option, value in lines
        if found(whole, key, option) != value
    ]
    assert not wrong


@pytest.mark.parametrize("tier", ["tier1", "tier2", "tier3"])
def test_tiers_play_as_many_games_as_the_original_plan(tier: str) -> None:
    """Iterations times games per iteration give the planned total; there is no bootstrap."""
    experiment = config.load("random_chess", tier)
    path = next(path for path in TABLES if path.stem == f"random_chess.{tier}")
    total = re.search(r"^# total games = (\d+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert total
    assert experiment.iterations * experiment.selfplay.games == int(total[1])
    assert experiment.bootstrap == ()


def test_random_chess_takes_700_000_steps() -> None:
    """The steps of one fit times the number of iterations are about 700,000."""
    experiment = config.load("random_chess", "full")
    fit = experiment.fit
    assert fit.samples is not None
    steps = experiment.iterations * round(fit.samples / fit.batch)
    assert steps == pytest.approx(700_000, rel=1e-3)


# The recipe chess has the same net as random_chess; the core computes the nets of some recipes.
TOWERS = [
    name
    for name in config.recipes()
    if name != "chess" and config.load(name, "full").regime.has_tower
]


@pytest.mark.parametrize("recipe", TOWERS)
def test_the_full_net_learns_one_batch(recipe: str) -> None:
    """One step, forward and backward, changes more than half of the weight tensors."""
    experiment = config.load(recipe, "full")
    game = load(experiment.game)
    tower = create(game, experiment.net)
    before = {name: weight.clone() for name, weight in tower.named_parameters()}
    learner = Learner(tower, game, experiment.fit)
    assert learner.learn(any_batch(game, 8), 1e-3) == 8
    moved = [name for name, weight in tower.named_parameters() if (weight != before[name]).any()]
    assert len(moved) > len(before) / 2


def test_the_full_perceptron_learns_one_position() -> None:
    """One step, forward and backward, changes every layer."""
    learner = PerceptronLearner(create_perceptron(seed=1), config.load("distill", "full").fit)
    before = {name: weight.clone() for name, weight in learner.net.named_parameters()}
    assert sum(weight.numel() for weight in before.values()) == 233_217
    planes = load("chess", planes="features781").start().planes().reshape(1, -1)
    learner.learn(planes, np.array([0.9], np.float32), 1e-3)
    for name, weight in learner.net.named_parameters():
        assert (weight != before[name]).any(), name


def test_virtual_loss_is_no_empty_promise() -> None:
    """Players of presets that set it search differently with virtual_loss 0, 3 and 50."""
    texts = {}
    for recipe in config.recipes():
        for preset in config.presets_of(recipe):
            experiment = config.load(recipe, preset)
            for task in experiment.games(2, dict.fromkeys(NAMES, "net")):
                for text in (task.a, task.b):
                    if read_player(text).spec.options.get("virtual_loss"):
                        texts[text] = experiment.game
    assert len(texts) >= 4
    for text, game in texts.items():
        plain = read_player(text).without_net().changed(sims="200", noise="0")
        evaluator = RandomEvaluator(load(game).facts.slots)
        visits = []
        for losses in ("0", "3", "50"):
            spec = plain.changed(virtual_loss=losses).text
            player = read_player(spec, evaluator=evaluator)
            visits.append(player.think(load(game).start()).shares)
        assert visits[0] != visits[1] != visits[2] != visits[0], text
