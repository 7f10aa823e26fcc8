"""Keys without effect are refused with a one-line error that says what to do."""

import pytest
import yaml

from rulezero import config, runs
from rulezero.errors import RunError
from support.documents import ROOT

OLD = ROOT / "tests" / "old_runs"


@pytest.mark.parametrize(
    ("recipe", "change", "words"),
    [
        ("distill", "net.blocks=3", "the regime distill does not read net.blocks: leave it out"),
        ("distill", "targets.keep=0.5", "the regime distill does not read targets.keep: leave"),
        ("distill", "fit.mirror=false", "the regime distill does not read fit.mirror: leave"),
        ("distill", "fit.loss.value=2", "the regime distill does not read fit.loss.value: leave"),
        ("distill", "bootstrap=[{a: random}]", "the regime distill does not read bootstrap: leave"),
        ("distill", "selfplay.judge=random", "the regime distill does not read selfplay.judge"),
        ("exchange", "selfplay.b=random", "does not read selfplay.b: set regime.student"),
        ("exchange", "selfplay.swap=false", "does not read selfplay.swap: leave it out"),
        ("monster", "selfplay.b=random", "does not read selfplay.b: set regime.opponent.player"),
        ("monster", "gate.games=4", "frozen_opponent has no gate and does not read gate.games"),
        (
            "monster",
            "gate.kind=threshold",
            "frozen_opponent has no gate and does not read gate.kind",
        ),
        ("exchange", "regime=frozen_opponent", "leave it out, or add --set gate=null"),
        (
            "connect4",
            "regime.student=random",
            "regime \\(gated\\).*; student is for regime.kind=teacher_st",
        ),
        (
            "connect4",
            "opponent.player=random",
            "regime \\(gated\\).*; opponent is for regime.kind=frozen_op",
        ),
    ],
)
def test_what_a_regime_does_not_read(recipe: str, change: str, words: str) -> None:
    """The error names the regime and says what to do."""
    with pytest.raises(RunError, match=words) as caught:
        runs.check(config.load(recipe, "tiny", [change]))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("recipe", "changes", "use"),
    [
        ("connect4", ["gate.games=6"], "gate.kind=threshold"),
        ("exchange", ["gate.elo1=90"], "gate.kind=sprt"),
        ("connect4", ["gate.kind=sprt", "gate.elo1=400", "gate.threshold=0.6"], "gate.kind=thres"),
        ("razzle", ["fit.rate.end=0.5"], "fit.rate.kind=cosine"),
        ("razzle", ["fit.rate.factor=0.5"], "fit.rate.kind=exponential"),
        ("razzle", ["fit.rate.steps=[3]"], "fit.rate.kind=steps"),
        ("razzle", ["fit.momentum=0.5"], "fit.optimiser=sgd"),
        ("razzle", ["fit.epochs=3"], "fit.samples_per_ply=null"),
        ("razzle", ["fit.samples=3", "fit.samples_per_ply=2"], "fit.samples=null"),
        ("razzle", ["window.growth=0.5"], "window.kind=growing"),
        ("monster", ["window.plies=500"], "window.kind=fixed"),
        ("monster", ["curriculum.values=[0,0,0,0,0]"], "curriculum.label=start"),
        ("monster", ["selfplay.opening_share=0.5"], "selfplay.opening=4"),
        ("connect4", ["fit.loss.moves_left=0.5"], "net.moves_left=true"),
        ("connect4", ["net.key_channels=4"], "net.head=from_to"),
        (
            "exchange",
            ["targets.rewards.combo_bonus=false", "targets.rewards.rd_combo_bonus_max=1"],
            "targets.rewards.combo_bonus=true",
        ),
    ],
)
def test_what_has_no_effect_beside_other_keys(recipe: str, changes: list[str], use: str) -> None:
    """The error names the setting that gives the key an effect."""
    with pytest.raises(RunError, match=rf"{changes[-1].partition('=')[0]}=.* has no effect") as why:
        config.load(recipe, "tiny", changes)
    assert f"it is for {use}" in str(why.value)
    assert "\n" not in str(why.value)


def test_a_key_with_what_it_is_for() -> None:
    """It is accepted in any order, and so are keys that only a preset leaves without effect."""
    made = config.load("razzle", "tiny", ["fit.rate.end=0.5", "fit.rate.kind=cosine"])
    assert made.fit.rate.end == 0.5
    made = config.load("random_chess", "tiny")  # the recipe's gate.every has no effect here
    assert (made.gate.kind, made.gate.every) == ("always", 5)
    made = config.load("exchange", "tiny", ["regime=frozen_opponent", "gate=null"])
    assert made.gate.kind == "always"


@pytest.mark.parametrize("name", ["distill", "monster", "exchange"])
def test_runs_that_were_begun_with_such_keys_are_read(name: str) -> None:
    """The values of such keys are dropped, because nothing ever used them."""
    whole = yaml.safe_load((OLD / name / "config.yaml").read_text(encoding="utf-8"))
    plain = config.read(yaml.safe_dump(whole))
    whole["selfplay"] |= {"judge": "random"} if name == "distill" else {"b": "random"}
    if name != "exchange":
        whole["gate"] |= {"games": 6, "threshold": 0.7}
    assert config.read(yaml.safe_dump(whole)) == plain
