"""Experiments: recipe, preset and changes are combined, or give a one-line error."""

from pathlib import Path

import pytest

from rulezero import config
from rulezero._core import NetError
from rulezero.errors import RunError
from rulezero.games.load import load
from rulezero.nets.config import NetConfig


@pytest.mark.parametrize("preset", config.PRESETS)
@pytest.mark.parametrize("recipe", config.recipes())
def test_every_preset_is_an_experiment(recipe: str, preset: str) -> None:
    """Its YAML reads back equal, and its net fits its game."""
    experiment = config.load(recipe, preset)
    assert config.read(experiment.text) == experiment
    assert (experiment.recipe, experiment.preset) == (recipe, preset)
    experiment.net.for_game(load(experiment.game).facts)


def test_changes_come_last() -> None:
    """Changes override recipe and preset; other keys of a group stay."""
    plain = config.load("connect4", "tiny")
    changed = config.load("connect4", "tiny", ["fit.batch=7", "fit.rate.start=0.5", "seed=3"])
    assert (changed.fit.batch, changed.fit.rate.start, changed.seed) == (7, 0.5, 3)
    assert changed.fit.samples_per_ply == plain.fit.samples_per_ply
    assert changed.fit.rate.kind == plain.fit.rate.kind
    seat = "puct:net=best,sims=3"
    assert config.load("connect4", "tiny", [f"selfplay.a={seat}"]).selfplay.a == seat
    assert config.load("connect4", "tiny", ["anchor=null"]).anchor is None


def test_a_recipe_may_be_a_file(tmp_path: Path) -> None:
    """A recipe file needs only the keys that differ from their defaults."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        "game: connect4\nselfplay: {a: 'puct:net=best,sims=5'}\npresets: {small: {iterations: 3}}\n"
    )
    experiment = config.load(str(path))
    assert (experiment.recipe, experiment.iterations) == ("mine", 3)


@pytest.mark.parametrize(
    ("recipe", "preset", "changes", "words"),
    [
        ("conect4", "tiny", [], "did you mean 'connect4'"),
        (
            "nowhere.yaml",
            "tiny",
            [],
            "nowhere.yaml:1: there is no such file; name another .yaml file",
        ),
        ("connect4", "tinny", [], "did you mean 'tiny'"),
        ("connect4", "tiny", ["fit.bach=3"], "key 'bach' is unknown in fit; did you mean batch"),
        ("connect4", "tiny", ["bach=3"], "key 'bach' is unknown in the recipe"),
        ("connect4", "tiny", ["fit.batch"], "is not a change: give key=value"),
        ("connect4", "tiny", ["fit.batch=0"], "fit.batch is 0; give 1 or more"),
        ("connect4", "tiny", ["fit.batch=many"], "fit.batch is 'many'; give a whole number"),
        (
            "connect4",
            "tiny",
            ["fit.rate.kind=quick"],
            "fit.rate.kind is 'quick'; give one of constant",
        ),
        (
            "connect4",
            "tiny",
            ["net.blocks=-1"],
            "net.blocks is -1; give a whole number from 0 to 100",
        ),
        ("connect4", "tiny", ["net.bloks=1"], "key 'bloks' is unknown in net; did you mean blocks"),
        ("connect4", "tiny", ["selfplay.a=puckt"], "selfplay.a: there is no player 'puckt'"),
        ("connect4", "tiny", ["selfplay.resign={value: 2}"], "selfplay.resign.value is 2; give 1"),
        ("connect4", "tiny", ["selfplay.resign={valu: 1}"], "selfplay.resign.valu is 1; take it"),
        ("connect4", "tiny", ['window.always={"a\\nb": x}'], "window.always.a.b is 'x'; give a"),
        ("connect4", "tiny", ["fit=3"], "fit is 3; give a map"),
        ("connect4", "tiny", ["fit.batch={"], "this is not YAML"),
    ],
)
def test_mistakes_are_one_line(recipe: str, preset: str, changes: list[str], words: str) -> None:
    """The error is one line that names the key and suggests the nearest one."""
    with pytest.raises(RunError, match=words) as caught:
        config.load(recipe, preset, changes)
    assert "\n" not in str(caught.value)


def test_mistakes_in_a_file_name_the_line(tmp_path: Path) -> None:
    """The line is in the preset if the key is set there; a change has no line."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        "game: connect4\nselfplay: {a: 'puct:net=best,sims=5'}\n"
        "fit:\n  bach: 3\npresets:\n  small:\n    regime: {kind: gatd}\n"
    )
    with pytest.raises(RunError) as caught:
        config.load(str(path), changes=["window.ply=3"])
    words = str(caught.value)
    assert f"{path}:4: key 'bach' is unknown in fit" in words
    assert f"{path}:7: regime.kind is 'gatd'; did you mean gated?" in words
    assert "key 'ply' is unknown in window" in words
    assert f"{path}:7: key 'ply' is unknown in window" not in words
    path.write_text(
        "game: connect4\nselfplay: {a: random}\nfit: {batch: 8}\npresets: {small: {}}\n"
    )
    with pytest.raises(RunError, match=r"^fit.batch is 'many'; give a whole number$"):
        config.load(str(path), changes=["fit.batch=many"])


@pytest.mark.parametrize("text", ["1e3", "1.5e3", "-1e3", ".5e3", "12e4", "010", "yes", "null"])
def test_texts_that_look_like_numbers_come_back(text: str) -> None:
    """A run can read back the texts that it writes."""
    experiment = config.load("connect4", "tiny", [f"selfplay.source='{text}'"])
    experiment = experiment.model_copy(update={"recipe": text})
    assert config.read(experiment.text) == experiment


def test_a_game_whose_text_ends_like_a_file_is_a_game(tmp_path: Path) -> None:
    """A game text may end with a file name, as with custom pieces."""
    pieces = tmp_path / "mine.yaml"
    camel = "camel: {name: Camel, symbol: C, value: 3, moves: [{type: leap, vectors: [[1, 3]]}]}"
    pieces.write_text(camel, encoding="utf-8")
    text = f"random_chess:pieces={pieces}"
    assert config.load_or_game(text).game == text


@pytest.mark.parametrize("like", ["[tiny]", "{a: 1}", "3", "nowhere"])
def test_a_preset_is_like_another_one_by_name(tmp_path: Path, like: str) -> None:
    """Any other value of `like` is an error of one line that lists the presets."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        f"like: connect4\npresets: {{tiny: {{like: {like}}}, other: {{}}}}\n", encoding="utf-8"
    )
    with pytest.raises(RunError, match=r"the preset 'tiny' is like .*, not another preset"):
        config.load(str(path), "tiny")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("fit.threads=100000", "fit.threads is 100000; give 1,024 or less"),
        ("fit.rate.start=1e300", r"fit.rate.start is 1e\+300; give"),
        ("selfplay.resign={choices: 99999999999999999999}", "give 10,000 or less"),
        ("window.always={self-play: -5}", "is -5; give 0.0 or more"),
        ("window.always={self-play: 1e300}", "give 1,000,000"),
    ],
)
def test_numbers_that_would_break_a_run_are_refused(change: str, words: str) -> None:
    """They are refused when the experiment is read."""
    with pytest.raises(RunError, match=words):
        config.load("connect4", "tiny", [change])


def test_keys_that_are_no_texts_are_one_line() -> None:
    """Keys that are not str, as Python code may give them, are an error of one line."""
    for keys in ({"fit": {1: 2}}, {3: 2}):
        with pytest.raises(RunError, match="is unknown in"):
            config.altered(config.load("connect4", "tiny"), keys)  # type: ignore[arg-type]
    with pytest.raises(NetError, match="key 'self' is unknown"):
        NetConfig(**{"self": 1})
    with pytest.raises(RunError):
        config.read("regime: distill\ndistill: 3\n")
