"""The original programs' flags: each changes a key of the recipes that it is for."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import rulezero as rz
from rulezero import config, flags, runs
from rulezero.flags import FLAGS, Switch, belongs_to
from rulezero.training.regimes.curriculum import Curriculum
from rulezero.training.regimes.frozen_opponent import FrozenOpponent
from rulezero.training.regimes.gated import Gated
from rulezero.training.regimes.teacher_student import TeacherStudent
from rulezero.training.tasks import GateSettings
from support.commands import fails, run, succeeds

# Flag, value, a recipe that it is for, the key that it changes, the key's new value.
TABLE: list[tuple[str, Any, str, str, Any]] = [
    ("iterations", 3, "razzle", "iterations", 3),
    ("games", 7, "exchange", "selfplay.games", 7),
    ("simulations", 9, "monster", "selfplay.a", "puct:net=latest,sims=9,noise=0.25,temperature=1"),
    ("random-opening-moves", 5, "razzle", "selfplay.opening", 5),
    ("random-opening-fraction", 0.25, "razzle", "selfplay.opening_share", 0.25),
    ("epochs", 2, "monster", "fit.epochs", 2),
    ("batch-size", 64, "chess", "fit.batch", 64),
    ("lr", 0.01, "random_chess", "fit.rate.start", 0.01),
    ("nproc", 2, "exchange", "fit.processes", 2),
    ("target", "mcts_value", "monster", "targets.search_share", 1.0),
    ("target", "game_result", "connect4", "targets.search_share", 0.0),
    ("target", "blend", "monster", "targets.search_share", 0.8),
    ("target", "blend", "monster", "targets.search_share_end", 0.5),
    ("no-augment", True, "monster", "fit.mirror", False),
    ("keep-generations", 3, "monster", "window.generations", 3),
    ("replay-buffer-size", 5000, "razzle", "window.plies", 5000),
    ("replay-mix-ratio", 0.4, "razzle", "window.mix", 0.4),
    ("gating-games", 6, "razzle", "gate.games", 6),
    ("gating-threshold", 0.6, "razzle", "gate.threshold", 0.6),
    ("gating-simulations", 12, "razzle", "gate.player", "puct:net=candidate,sims=12"),
    ("asymmetric", True, "connect4", "regime.kind", "teacher_student"),
    ("asymmetric", False, "exchange", "regime", {"kind": "gated"}),
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
    ("alternating", True, "random_chess", "regime.kind", "frozen_opponent"),
    ("alternating", False, "monster", "regime", {"kind": "gated"}),
    ("opponent-sims", 3, "monster", "regime.opponent.player", "puct:net=latest,sims=3"),
    ("curriculum", False, "monster", "curriculum", None),
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
NETS = {"some", "some.nn", "somewhere"}  # values in TABLE that stand for a net


def test_the_table_has_every_flag() -> None:
    """TABLE names every flag and no others."""
    assert {flag.name for flag in FLAGS} == {row[0] for row in TABLE}


def value_of(experiment: rz.Experiment, key: str) -> Any:
    """The value of a key, or None if a group of its path is null."""
    found: Any = experiment.model_dump(mode="json")
    for part in key.split("."):
        found = None if found is None else found.get(part)
    return found


@pytest.mark.parametrize(("name", "value", "recipe", "key", "wanted"), TABLE)
def test_a_flag_changes_its_key(name: str, value: Any, recipe: str, key: str, wanted: Any) -> None:
    """The flag sets a key whose value in the recipe differs, and it is for this recipe."""
    flag = next(flag for flag in FLAGS if flag.name == name)
    plain = config.load(recipe, "tiny")
    assert value_of(plain, key) != wanted
    assert value_of(flags.changed(plain, {flag.parameter: value}), key) == wanted
    assert recipe in belongs_to(flag)


@pytest.mark.parametrize(
    ("recipe", "name"),
    [("exchange", "asymmetric"), ("monster", "alternating"), ("monster", "curriculum")],
)
def test_a_switch_that_is_as_asked_changes_nothing(recipe: str, name: str) -> None:
    """A switch that is already on keeps the recipe's settings; one already off changes nothing."""
    plain = config.load(recipe, "tiny")
    assert flags.changed(plain, {name: True}) == plain
    turned_off = flags.changed(plain, {name: False})
    assert turned_off != plain
    assert flags.changed(turned_off, {name: False}) == turned_off


def test_a_switch_turns_on_what_a_change_has_turned_off() -> None:
    """What is turned on gets its default settings; a gate that the regime cannot use is removed."""
    plain = config.load("monster", "tiny", ["curriculum=null", "regime=gated"])
    assert flags.changed(plain, {"curriculum": True}).curriculum == Curriculum()
    assert flags.changed(plain, {"alternating": True}).regime == FrozenOpponent()
    gated = config.load("exchange", "tiny")
    assert gated.gate.kind == "threshold"
    assert flags.changed(gated, {"alternating": True}).gate == GateSettings(kind="always")
    turned = flags.changed(gated, {"asymmetric": False})
    assert (turned.regime, turned.gate) == (Gated(), gated.gate)


def test_switches_come_before_the_flags_that_need_them() -> None:
    """Switches are applied first, in whatever order the flags are given."""
    made = flags.changed(config.load("connect4"), {"asymmetric_sims": 5, "asymmetric": True})
    assert made.regime == TeacherStudent()
    assert "sims=5" in made.selfplay.a
    made = flags.changed(config.load("monster"), {"gating_games": 8, "alternating": False})
    assert (made.gate.kind, made.gate.games) == ("threshold", 8)


@pytest.mark.parametrize(
    "recipe", [name for name in config.recipes() if config.load(name).regime.has_tower]
)
@pytest.mark.parametrize("name", ["asymmetric", "alternating"])
def test_every_tower_takes_the_switches(recipe: str, name: str) -> None:
    """The changed experiment passes the checks of a run, and its YAML reads back equal."""
    made = flags.changed(config.load(recipe, "tiny"), {name: True})
    runs.check(made)
    assert config.read(made.text) == made


def trains(*arguments: str | Path) -> None:
    """Runs `rulezero train` to its end; output on stderr is allowed."""
    result = run("train", *arguments)
    assert result.returncode == 0, result.stderr


def takes_away(name: str, value: Any) -> bool:
    """Whether a flag turns something off, which may make other flags useless."""
    return value is False or name.startswith("no-")


@pytest.mark.parametrize(
    ("recipe", "is_off"),
    sorted({(recipe, takes_away(name, value)) for name, value, recipe, *_ in TABLE}),
)
def test_runs_start_with_every_flag_of_theirs(recipe: str, is_off: bool, tmp_path: Path) -> None:
    """A run with all of a recipe's flags finishes, and its config.yaml has their values."""
    flagged = {
        name: value
        for name, value, owner, *_ in TABLE
        if owner == recipe and takes_away(name, value) == is_off
    }
    options = ["--preset", "tiny", "--workers", "1", "--set", "anchor.games=2"]
    quick = [word for name, value in QUICK.items() for word in (f"--{name}", str(value))]
    net = str(tmp_path / "net")
    if needs_net := NETS & {value for value in flagged.values() if isinstance(value, str)}:
        trains(recipe, *options, *quick, "--output-dir", net)
    for name, value in (flagged | QUICK).items():
        options.append(f"--no-{name}" if value is False else f"--{name}")
        if not isinstance(value, bool):
            options.append(net if value in needs_net else str(value))
    trains(recipe, *options, "--output-dir", tmp_path / "run")
    made = (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(made)["iterations"] == 1
    assert (net in made) == bool(needs_net)


@pytest.mark.parametrize(
    ("recipe", "name", "belongs"),
    [
        ("distill", "alternating", "monster"),
        ("distill", "asymmetric", "exchange"),
        ("connect4", "curriculum", "monster"),
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
    """The error is one line that names the recipes that the flag is for."""
    kind = next(flag for flag in FLAGS if flag.name == name).kind
    value = "blend" if name == "target" else "2"
    options = [f"--{name}"] if kind in (bool, Switch) else [f"--{name}", value]
    words = fails("train", recipe, *options)
    assert f"--{name} is not for {recipe}: it belongs to " in words
    assert belongs in words.partition("belongs to")[2]


@pytest.mark.parametrize(
    ("recipe", "name", "switch"),
    [
        ("exchange", "asymmetric-sims", "asymmetric"),
        ("monster", "opponent-sims", "alternating"),
        ("monster", "curriculum-games", "curriculum"),
    ],
)
def test_a_flag_names_the_switch_that_it_needs(recipe: str, name: str, switch: str) -> None:
    """If another option turned off what the flag changes, the error names the switch to add."""
    words = fails("train", recipe, f"--no-{switch}", f"--{name}", "3")
    assert f"--{name} needs --{switch}: add it" in words


def test_a_flag_that_a_change_has_made_useless() -> None:
    """The error blames the other option; it does not say that the flag is for another recipe."""
    words = fails("train", "exchange", "--set", "targets.rewards=null", "--combo-bonus-max", "1")
    assert "--combo-bonus-max has no effect on exchange with the other options given" in words
    words = fails("train", "connect4", "--asymmetric", "--alternating")
    assert "--asymmetric and --alternating select different regimes: give only one of them" in words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["exchange", "--games", "0"], "--games: selfplay.games is 0; give 1 or more"),
        (["distill", "--mode", "x"], "--mode: give a number, or several such as 2+3, not 'x'"),
        (["distill", "--mode", "2"], "first `rulezero train distill --mode 1 --out runs/x`"),
        (["distill", "--mode", "2", "--dry-run"], "first `rulezero train distill --mode 1"),
        (
            ["exchange", "--random-opening-fraction", "0.5"],
            "--random-opening-fraction: selfplay.opening_share=0.5 has no effect: it is for"
            " selfplay.opening=4; add --set selfplay.opening=4, or leave it out",
        ),
        (["exchange", "--set", "game=chess"], "targets.rewards is only for exchange"),
        (
            ["monster", "--set", "curriculum.values=[5,0,0,0,0]"],
            "curriculum.values.0 is 5; give 1.0 or less",
        ),
    ],
)
def test_wrong_values_are_told_by_the_flag(words: list[str], told: str) -> None:
    """The error is one line that names the flag or the key with the wrong value."""
    assert told in fails("train", *words, "--preset", "tiny")


def test_the_second_stage_is_a_run_of_its_own(tmp_path: Path) -> None:
    """Distillation in two runs, with flags only: material first, then --mode 2 with its net."""
    quick = ["--preset", "tiny", "--games", "2", "--workers", "1", "--set", "anchor.games=2"]
    trains("distill", *quick, "--mode", "1", "--out", tmp_path / "first")
    options = ["--mode", "2", "--load", str(tmp_path / "first")]
    trains("distill", *quick, *options, "--out", tmp_path / "second")


def test_flags_of_other_verbs(tmp_path: Path) -> None:
    """Other verbs accept the original programs' names for their options, too."""
    store, net = tmp_path / "store", tmp_path / "net"
    quick = ["--preset", "tiny", "--num-games", "4", "--workers", "1"]
    succeeds("generate", "monster", "--output-dir", store, *quick, "--simulations", "4")
    options = ["--epochs", "1", "--batch-size", "16", "--lr", "0.01", "--target", "blend"]
    fit: list[str | Path] = ["fit", "--recipe", "monster", "--preset", "tiny"]
    succeeds(*fit, "--data-dir", store, "--model-dir", net, *options, "--no-augment")
    words = "give STORE or --data-dir"
    assert f"{words}; see" in fails(*fit, "--to", tmp_path / "other")
    assert f"{words}, not both; see" in fails(*fit, store, "--data-dir", store, "--to", net)
    arrays: list[str | Path] = ["data", "process", "--to", tmp_path / "arrays"]
    assert "give STORE or --raw-dir; see" in fails(*arrays)
    assert "give STORE or --raw-dir, not both; see" in fails(*arrays, store, "--raw-dir", store)
    run(*arrays, "--raw-dir", store)
    assert (tmp_path / "arrays").is_dir()
    lessons: list[str | Path] = ["--curriculum", "--train-side", "white"]
    lessons += ["--use-model", net, "--opponent-model", net, "--opponent-sims", "2"]
    succeeds("generate", "monster", "--output-dir", store, *quick, *lessons)
    assert "probability on legal moves" in succeeds("diagnose", "connect4", "--baseline")
    assert "is not a run" in fails("train", "--resume", tmp_path, "--games", "3")
