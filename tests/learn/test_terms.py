"""Custom loss terms and heads: training, logs, saving, resuming, and errors."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import rulezero as rz
from rulezero.games import library
from rulezero.learn import terms
from rulezero.nets.card import read_card
from rulezero.nets.checkpoint import load
from rulezero.nets.config import NetConfig
from rulezero.nets.tower import create
from support.documents import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "terms.py"
FEW: dict[str, Any] = {
    "iterations": 2,
    "anchor": None,
    "net": {"blocks": 1, "channels": 8},
    "selfplay": {"games": 4, "a": "puct:net=best,sims=4"},
    "fit": {"batch": 16, "samples": 320, "rate.start": 0.01},
}
BOTH = {"entropy": 0.01, "men": 1.0}


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test its own registry, working folder, and folder of known rules."""
    monkeypatch.setattr(terms, "_registered", {})
    monkeypatch.setenv("RULEZERO_RULES", str(tmp_path / "known"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLE, tmp_path / "terms.py")


def train(out: str, **changes: Any) -> rz.Run:
    given = [FEW, {key.replace("__", "."): value for key, value in changes.items()}]
    return rz.train("connect4", "tiny", out, changes=given, workers=1, progress=False)


def digests(run: rz.Run) -> list[tuple[str, str]]:
    cards = [read_card(net) for net in (run.nets / "iter_1", run.nets / "iter_2")]
    return [(card.weights, card.onnx) for card in cards]


def fits(run: rz.Run) -> list[rz.log.FitEntry]:
    return [entry for entry in run.entries() if isinstance(entry, rz.log.FitEntry)]


def test_the_worked_example_trains() -> None:
    """The example's loss falls and is logged with the others, and the term changes the net."""
    heard: list[dict[str, float]] = []

    class Hearing(rz.Listener):
        def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
            heard.append(losses)

    changes = [FEW, {"hooks": "terms.py", "fit.loss.extra": BOTH, "fit.samples": 1600}]
    run = rz.train("connect4", "tiny", "run", changes=changes, workers=1, listener=Hearing())
    first, last = fits(run)
    assert set(first.extra) == set(BOTH)
    assert last.extra["men"] < heard[0]["men"] / 4
    assert all(-2 < losses["entropy"] < 0 for losses in heard)
    losses = heard[-1]
    parts = losses["policy"] + losses["illegal"] + losses["value"]
    assert losses["total"] == pytest.approx(parts + 0.01 * losses["entropy"] + losses["men"])
    plain = train("plain", fit__samples=1600)
    assert fits(plain)[0].extra == {}
    assert digests(run)[0] != digests(plain)[0]
    # Except for the additional head, both nets began with the same weights.
    ours, theirs = (load(each.nets / "untrained") for each in (run, plain))
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(tensor, ours.state_dict()[name]), name


def test_a_head_is_saved_and_plays_no_part() -> None:
    """The checkpoint has the head's weights, and the card its name; players do not use it."""
    run = train("run", hooks="terms.py", fit__loss__extra=BOTH)
    card = read_card(run.best)
    assert card.heads == ("men",)
    assert "heads" not in json.loads((train("plain").nets / "iter_1.json").read_text("utf-8"))
    (build,) = (term.head for term in terms.chosen(None, ["men"]))
    assert build is not None
    whole = load(run.best, heads={"men": build})
    assert whole.heads == ("men",)
    planes = torch.from_numpy(rz.load("connect4").start().planes()[None])
    said = whole(planes)
    assert said.extra is not None
    assert abs(float(said.extra["men"].detach())) < 0.2  # the board is empty
    terms._registered.clear()
    played = rz.net(run.best).evaluate([rz.load("connect4").start()])
    other = rz.net(run.best, backend="torch").evaluate([rz.load("connect4").start()])
    torch.testing.assert_close(torch.tensor(played[0]), torch.tensor(other[0]), atol=1e-4, rtol=0)
    assert load(run.best).heads == ()
    assert rz.match("connect4", f"puct:net={run.path},sims=4", "random", 2).different == 2


def test_training_on_needs_the_terms_of_the_net() -> None:
    """Training a net with a head needs the head's term; new terms may be added to it."""
    run = train("run", hooks="terms.py", fit__loss__extra={"men": 1.0})
    words = "has a head for the loss term 'men': to continue its training, add"
    for fresh in (True, False):
        if fresh:
            terms._registered.clear()
        with pytest.raises(rz.NetError, match=words):
            train(f"next{fresh}", begin=str(run.best))
    begun = train("kept", begin=str(run.best), hooks="terms.py", fit__loss__extra=BOTH)
    one, other = (
        load(net, heads=_heads()).state_dict() for net in (run.best, begun.nets / "untrained")
    )
    assert one.keys() == other.keys()
    assert all(torch.equal(tensor, other[name]) for name, tensor in one.items())
    rz.generate(rz.experiment("connect4", "tiny"), "games", workers=1)
    with pytest.raises(rz.NetError, match=words):
        rz.fit(rz.experiment("connect4", "tiny"), "games", "second", net=run.best)
    changes = {"hooks": "terms.py", "fit.loss.extra": {"men": 0.5}}
    done = rz.fit(rz.experiment("connect4", "tiny", changes), "games", "second", net=run.best)
    assert set(done.extra) == {"men"}
    assert read_card(Path("second")).heads == ("men",)


def _heads() -> Any:
    return {term.name: term.head for term in terms.chosen(None, ["men"])}


def test_a_resumed_run_is_bit_identical() -> None:
    """A run resumes with its copy of the terms, even if the original file is gone."""
    whole = train("whole", hooks="terms.py", fit__loss__extra=BOTH)

    class Stopping(rz.Listener):
        def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
            self.steps = getattr(self, "steps", 0) + 1
            if self.steps == 30:  # in the second fit
                raise KeyboardInterrupt

    changes = [FEW, {"hooks": "terms.py", "fit.loss.extra": BOTH}]
    with pytest.raises(KeyboardInterrupt):
        rz.train("connect4", "tiny", "half", changes=changes, workers=1, listener=Stopping())
    Path("terms.py").unlink()
    terms._registered.clear()
    resumed = rz.resume("half", workers=1, progress=False)
    assert digests(resumed) == digests(whole)
    assert [fit.train for fit in fits(resumed)] == [fit.train for fit in fits(whole)]


def test_noise_in_a_term_is_reproducible() -> None:
    """The run's seed also seeds torch, so random terms give the same nets."""

    @rz.loss_term("noise", head=lambda channels, facts: nn.Dropout(0.5))
    def noise(said: Any, examples: Any) -> Tensor:
        drawn = torch.rand(len(said.head), device=said.head.device)
        loss: Tensor = (said.head.mean((1, 2, 3)) * drawn).mean()
        return loss

    one, other = (
        train(name, fit__loss__extra={"noise": 1.0}, iterations=2) for name in ("one", "other")
    )
    assert digests(one) == digests(other)


def test_weights_change_in_a_run_and_terms_do_not() -> None:
    """A resumed run may change a term's weight, also to 0, but not its set of terms."""
    run = train("run", hooks="terms.py", fit__loss__extra=BOTH, iterations=1)
    for changes in ({"fit.loss.extra": None}, {"fit.loss.extra.entropi": 1}):
        with pytest.raises(rz.RunError, match=r"terms that the run began with \(entropy, men\)"):
            rz.resume(run.path, iterations=2, changes=changes, workers=1)
    Path("other.py").write_text(Path("terms.py").read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(rz.RunError, match="hooks cannot be changed once a run has begun"):
        rz.resume(run.path, iterations=2, changes={"hooks": "other.py"}, workers=1)
    again = rz.resume(
        run.path, iterations=2, changes={"fit.loss.extra.men": 0}, workers=1, progress=False
    )
    assert again.progress().iteration == 2


def test_files_of_strangers_are_not_run() -> None:
    """The hooks of a run from another machine are run only if the user names the file."""
    run = train("run", hooks="terms.py", fit__loss__extra=BOTH, iterations=1)
    shutil.rmtree(library.library())
    terms._registered.clear()
    with pytest.raises(rz.RunError, match="have not been run on this machine") as raised:
        rz.resume(run.path, iterations=2, workers=1)
    assert "the run has a copy in 'run/hooks/terms.py'" in str(raised.value)
    assert rz.open_run(run.path).best == run.best  # opening a run needs no terms
    trusted = {"hooks": "run/hooks/terms.py"}
    again = rz.resume(run.path, iterations=2, changes=trusted, workers=1, progress=False)
    assert again.progress().iteration == 2
    text = rz.experiment("connect4", "tiny", {"hooks": "x.py", "fit.loss.extra": BOTH}).text
    with pytest.raises(rz.RunError, match=r"the run would run a file, 'x\.py'"):
        rz.config.read(text)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fit.loss.extra": {"entropie": 1}}, r"no loss term 'entropie' \(did you mean 'entropy'"),
        ({"fit.loss.extra.men": -1}, r"fit\.loss\.extra\.men is -1; give 0\.0 or more"),
        ({"fit.loss.extra": 3}, r"fit\.loss\.extra is 3; give a map"),
        ({"hooks": "none.py"}, "there is no file 'none.py' in "),
        ({"hooks": "terms.yaml"}, "is not a name|is (no|not a) Python file"),
        ({"hooks": "empty.py"}, "'empty.py' registers no loss term: see rz.loss_term"),
        ({"hooks": "wrong.py"}, r"'wrong.py' cannot be run: it raised NameError: .* line 1\)"),
    ],
)
def test_wrong_keys_are_one_line(changes: dict[str, Any], words: str) -> None:
    """The error is one line, and no run is made."""
    Path("empty.py").write_text("x = 1\n", "utf-8")
    Path("wrong.py").write_text("unknown\n", "utf-8")
    given = {"hooks": "terms.py", "fit.loss.extra": {"men": 1.0}}
    with pytest.raises(rz.RunError, match=words) as raised:
        rz.train("connect4", "tiny", "run", changes=[FEW, given, changes], workers=1)
    assert str(raised.value).isprintable()
    assert not Path("run").exists()


def test_a_term_that_no_process_has_is_named() -> None:
    """The error for a missing term, or for hooks without use, says what to do."""
    with pytest.raises(rz.RunError, match=r"no loss term 'men'; known: none; register it with rz"):
        train("run", fit__loss__extra={"men": 1})
    with pytest.raises(rz.RunError, match=r"hooks=terms.py has no effect: it is for fit.loss"):
        train("run", hooks="terms.py")
    with pytest.raises(rz.RunError, match="the regime distill does not read hooks"):
        rz.train("distill", "tiny", "run", changes={"hooks": "terms.py"}, workers=1)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda said: said.policy, r"'mine' returned \[16, 7\]; it must return a tensor"),
        (lambda said: 3.0, "'mine' returned 3.0; it must return a tensor"),
        (lambda said: said.policy.mean() * torch.nan, "'mine' is nan in step 1 of 20"),
        (lambda said: said.head + 1, "'mine' raised TypeError: .*test_terms.py, line"),
    ],
)
def test_wrong_answers_of_a_term_are_one_line(answer: Any, words: str) -> None:
    """A term that returns a wrong value, nan, or raises, is an error of one line."""
    rz.loss_term("mine")(lambda said, examples: answer(said))
    with pytest.raises(rz.RunError, match=words) as raised:
        train("run", fit__loss__extra={"mine": 1})
    assert str(raised.value).isprintable()


def test_wrong_terms_and_heads_are_refused() -> None:
    """Wrong terms are refused when they are registered, wrong heads when the net is made."""
    for name in ("", "Men", "a.b", "x" * 50, 3):
        with pytest.raises(rz.RunError, match="cannot be the name of a loss term"):
            rz.loss_term(name)  # type: ignore[arg-type]
    with pytest.raises(rz.RunError, match="the loss already has a part 'policy'"):
        rz.loss_term("policy")
    with pytest.raises(rz.RunError, match="the head of 'men' must be a function of"):
        rz.loss_term("men", head=nn.Linear)(len) and rz.loss_term("men", head=3)  # type: ignore
    facts = rz.load("connect4").facts
    tower = create(rz.load("connect4"), NetConfig(blocks=1, channels=8))
    with pytest.raises(rz.NetError, match=r"the head of 'men' must be a torch.nn.Module, not 3"):
        tower.add_heads(facts, {"men": lambda channels, facts: 3}, 0)  # type: ignore
    with pytest.raises(rz.NetError, match="the head of 'men' raised ZeroDivisionError"):
        tower.add_heads(facts, {"men": lambda channels, facts: 1 / 0}, 0)  # type: ignore
    for name in ("items", "type", "train"):  # also names of torch's own attributes
        tower.add_heads(facts, {name: lambda channels, facts: nn.Identity()}, 0)
        assert tower.heads == (name,)
