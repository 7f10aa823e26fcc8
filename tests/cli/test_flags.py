"""The original programs' flags for a recipe's keys: each does what it says, where it belongs."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulezero import config, flags
from rulezero.flags import FLAGS, belongs_to
from support.commands import fails, run, succeeds

# Flag, value, a recipe that it is for, the key that it changes, what it is then.
TABLE: list[tuple[str, Any, str, str, Any]] = [
    ("iterations", 3, "razzle", "iterations", 3),
    ("games", 7, "exchange", "selfplay.games", 7),
    ("simulations", 9, "monster", "selfplay.a", "puct:net=latest,sims=9,noise=0.25,temperature=1"),
    ("random-opening-moves", 5, "razzle", "selfplay.opening", 5),
    ("random-opening-fraction", 0.25, "razzle", "selfplay.opening_share", 0.25),
    ("epochs", 2, "monster", "fit.epochs", 2),
    ("batch-size", 64, "chess", "fit.batch", 64),
    ("lr", 0.01, "random_chess", "fit.rate.start", 0.01),
    ("target", "mcts_value", "monster", "targets.search_share", 1.0),
    ("target", "game_result", "monster", "targets.search_share", 0.0),
    ("target", "blend", "monster", "targets.search_share", 0.8),
    ("target", "blend", "monster", "targets.search_share_end", 0.5),
    ("no-augment", True, "monster", "fit.mirror", False),
    ("keep-generations", 3, "monster", "window.generations", 3),
    ("replay-buffer-size", 5000, "razzle", "window.plies", 5000),
    ("replay-mix-ratio", 0.4, "razzle", "window.mix", 0.4),
    ("gating-games", 6, "razzle", "gate.games", 6),
    ("gating-threshold", 0.6, "razzle", "gate.threshold", 0.6),
    ("gating-simulations", 12, "razzle", "gate.player", "puct:net=candidate,sims=12"),
    ("asymmetric", True, "exchange", "regime.kind", "teacher_student"),
    (
        "asymmetric-sims",
        5,
        "exchange",
        "selfplay.a",
        "puct:net=best,sims=5,c_puct=3,noise=0.25,alpha=0.15,draw_value=-0.5",
    ),
    ("no-combo-bonus", True, "exchange", "targets.rewards.combo_bonus", False),
    ("combo-bonus-per-attack", 0.1, "exchange", "targets.rewards.rd_combo_bonus_per_attack", 0.1),
    ("combo-bonus-max", 0.5, "exchange", "targets.rewards.rd_combo_bonus_max", 0.5),
    ("alternating", True, "monster", "regime.kind", "frozen_opponent"),
    ("opponent-sims", 3, "monster", "regime.opponent.player", "puct:net=latest,sims=3"),
    ("curriculum", True, "monster", "curriculum.games", 4),
    ("curriculum-games", 2, "monster", "curriculum.games", 2),
    (
        "curriculum-simulations",
        3,
        "monster",
        "curriculum.player",
        "puct:net=latest,sims=3,temperature=1",
    ),
    ("mode", "1", "distill", "regime.mode", [1]),
    ("depth", "2+3", "distill", "regime.depth", [2, 3]),
    ("depth", "2+3+4", "distill", "iterations", 4),
    ("train-every", 2, "distill", "regime.train_every", 2),
    ("learning-rate", 0.005, "distill", "fit.rate.start", 0.005),
    ("load", "some.nn", "distill", "regime.load", "some.nn"),
    ("save-every", 3, "distill", "regime.save_every", 3),
    ("agents", 2, "distill", "regime.agents", 2),
    ("use-model", "somewhere", "connect4", "begin", "somewhere"),
    ("use-model", "some.nn", "distill", "regime.load", "some.nn"),
    ("opponent-model", "some", "monster", "regime.opponent.first", "puct:net=some,sims=4"),
]
QUICK = {"games": 2, "iterations": 1}
NETS = {"some", "some.nn", "somewhere"}  # stand for a net


def test_the_table_has_every_flag() -> None:
    """None is forgotten here."""
    assert {flag.name for flag in FLAGS} == {row[0] for row in TABLE}


@pytest.mark.parametrize(("name", "value", "recipe", "key", "wanted"), TABLE)
def test_a_flag_changes_its_key(name: str, value: Any, recipe: str, key: str, wanted: Any) -> None:
    """And only in experiments that have it."""
    flag = next(flag for flag in FLAGS if flag.name == name)
    found: Any = flags.changed(config.load(recipe, "tiny"), {flag.parameter: value})
    found = found.model_dump(mode="json")
    for part in key.split("."):
        found = found[part]
    assert found == wanted
    assert recipe in belongs_to(flag)


def trains(*arguments: str | Path) -> None:
    """A run goes to its end; what it tells meanwhile is not an error."""
    result = run("train", *arguments)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("recipe", sorted({row[2] for row in TABLE}))
def test_runs_start_with_every_flag_of_theirs(recipe: str, tmp_path: Path) -> None:
    """All at once, in a run that goes to its end and tells of them in its config."""
    flagged = {name: value for name, value, owner, *_ in TABLE if owner == recipe}
    options = ["--preset", "tiny", "--workers", "1", "--set", "anchor.games=2"]
    quick = [word for name, value in QUICK.items() for word in (f"--{name}", str(value))]
    net = str(tmp_path / "net")
    if needs_net := NETS & {value for value in flagged.values() if isinstance(value, str)}:
        trains(recipe, *options, *quick, "--output-dir", net)
    for name, value in (flagged | QUICK).items():
        options.append(f"--{name}")
        if value is not True:
            options.append(net if value in needs_net else str(value))
    trains(recipe, *options, "--output-dir", tmp_path / "run")
    made = (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(made)["iterations"] == 1
    assert (net in made) == bool(needs_net)


@pytest.mark.parametrize(
    ("recipe", "name", "belongs"),
    [
        ("razzle", "alternating", "monster"),
        ("monster", "asymmetric", "exchange"),
        ("connect4", "combo-bonus-max", "exchange"),
        ("exchange", "curriculum-games", "monster"),
        ("exchange", "no-augment", "monster"),
        ("monster", "gating-games", "razzle"),
        ("distill", "simulations", "chess"),
        ("distill", "target", "monster"),
    ],
)
def test_a_flag_of_another_recipe_is_told_where_it_belongs(
    recipe: str, name: str, belongs: str
) -> None:
    """In one line, before anything is done."""
    kind = next(flag for flag in FLAGS if flag.name == name).kind
    options = [f"--{name}"] if kind is bool else [f"--{name}", "blend" if name == "target" else "2"]
    words = fails("train", recipe, *options)
    assert f"--{name} is not for {recipe}: it belongs to " in words
    assert belongs in words.partition("belongs to")[2]


@pytest.mark.parametrize(
    ("recipe", "name"), [("exchange", "asymmetric"), ("monster", "alternating")]
)
def test_a_flag_that_a_change_has_made_useless(recipe: str, name: str) -> None:
    """It is not told that it belongs where it stands."""
    words = fails("train", recipe, "--set", "regime=gated", f"--{name}")
    assert f"--{name} has no use in {recipe} as --set has changed it (regime=gated)" in words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["exchange", "--games", "0"], "--games: selfplay.games is 0; give 1 or more"),
        (["distill", "--mode", "x"], "--mode: 'x' is no number"),
        (["distill", "--mode", "2"], "first `rulezero train distill --mode 1 --out runs/x`"),
        (["distill", "--mode", "2", "--dry-run"], "first `rulezero train distill --mode 1"),
        (["exchange", "--set", "game=chess"], "targets.rewards shape the results of exchange"),
        (
            ["monster", "--set", "curriculum.values=[5,0,0,0,0]"],
            "curriculum.values.0 is 5; give 1.0 or less",
        ),
    ],
)
def test_wrong_values_are_told_by_the_flag(words: list[str], told: str) -> None:
    """In one line, before anything is done."""
    assert told in fails("train", *words, "--preset", "tiny")


def test_the_second_stage_is_a_run_of_its_own(tmp_path: Path) -> None:
    """Material first; then a search of whoever has learned that, by flags alone."""
    quick = ["--preset", "tiny", "--games", "2", "--workers", "1", "--set", "anchor.games=2"]
    trains("distill", *quick, "--mode", "1", "--out", tmp_path / "first")
    options = ["--mode", "2", "--load", str(tmp_path / "first")]
    trains("distill", *quick, *options, "--out", tmp_path / "second")


def test_flags_of_other_verbs(tmp_path: Path) -> None:
    """The original programs' names for them, where rulezero has words of its own."""
    store, net = tmp_path / "store", tmp_path / "net"
    quick = ["--preset", "tiny", "--games", "4", "--workers", "1"]
    succeeds("generate", "monster", "--output-dir", store, *quick, "--simulations", "4")
    options = ["--epochs", "1", "--batch-size", "16", "--lr", "0.01", "--target", "blend"]
    fit: list[str | Path] = ["fit", store, "--recipe", "monster", "--preset", "tiny", "--to"]
    succeeds(*fit, net, *options, "--no-augment")
    lessons: list[str | Path] = ["--curriculum", "--train-side", "white"]
    lessons += ["--use-model", net, "--opponent-model", net, "--opponent-sims", "2"]
    succeeds("generate", "monster", "--output-dir", store, *quick, *lessons)
    assert "probability on legal moves" in succeeds("diagnose", "connect4", "--baseline")
    assert "short name" in fails("train", "--resume", tmp_path, "--games", "3")
