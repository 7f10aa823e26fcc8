"""Distillation for chess: targets, stages, and whole runs."""

import functools
import math
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero import config, runs
from rulezero._core import Mlp, heuristic, material
from rulezero.cli.terminal.distill_watch import say_progress, say_summary
from rulezero.contest.agreement import agreement, some_positions
from rulezero.data import Record
from rulezero.errors import RunError
from rulezero.fleet.local import LocalFleet
from rulezero.learn.window import Part, Window, WindowSettings, take
from rulezero.nets.perceptron import create, from_nn, to_nn
from rulezero.play.nets import NetStore
from rulezero.reports.diagnosis import diagnose
from rulezero.steps import GenerateOptions, fit, generate
from rulezero.training.experiment import Experiment
from rulezero.training.games.chess import Features
from rulezero.training.listener import Listener
from rulezero.training.log import FitEntry, SummaryEntry
from rulezero.training.regimes.distill import Distill, given_nets, summarise
from rulezero.training.run import Run
from support import commands, logs

CHESS = rz.load("chess")
SEEN = rz.load("chess", planes="features781")
QUICK = ["selfplay.games=6", "anchor.games=2"]
KINGS = "4k3/8/8/8/8/8/{men}/4K3 {mover} - - 0 1"


# --- targets -------------------------------------------------------------------------------------


def chance(centipawns: float) -> float:
    """The mover's winning chance with this lead."""
    return min(max(1 / (1 + math.exp(-centipawns / 600)), 0.01), 0.99)


@pytest.mark.parametrize(
    ("men", "centipawns", "wanted"),
    [
        pytest.param("PN6", 420, 0.6682, id="a pawn and a knight"),
        pytest.param("PPP5", 300, 0.6225, id="three pawns"),
        pytest.param("RR6", 1000, 0.8411, id="two rooks"),
        pytest.param("Q7", 900, 0.8176, id="a queen"),
        pytest.param("NBR5", 1150, 0.8718, id="a knight, a bishop and a rook"),
        pytest.param("QQQ5", 2700, 0.9890, id="below the limit"),
        pytest.param("QQQQ4", 3600, 0.99, id="the limit"),
    ],
)
def test_material_becomes_a_chance(men: str, centipawns: int, wanted: float) -> None:
    """1 / (1 + exp(-centipawns / 600)), clamped to 0.01 to 0.99; the other side has 1 minus it."""
    assert chance(centipawns) == pytest.approx(wanted, abs=5e-5)
    for mover, sign in (("w", 1), ("b", -1)):
        state = CHESS.parse(KINGS.format(men=men, mover=mover))
        assert material(state) == centipawns
        said = rz.player("alphabeta", depth=1).think(state).raw_value
        assert said == heuristic(state)
        assert (1 + sign * said) / 2 == pytest.approx(chance(sign * centipawns), abs=1e-6)


def test_the_formula_stands_above_its_examples() -> None:
    """A lead of 250 gives 0.6027; a mover who is a queen behind has less than 0.5."""
    assert chance(250) == pytest.approx(0.6027, abs=5e-5)
    assert chance(-900) < 0.5


def test_material_is_told_of_any_position() -> None:
    """Also for finished games, but not for games whose men have no prices."""
    mated = CHESS.parse("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert mated.is_over
    assert material(mated) == 0
    assert material(rz.load("monster").start()) < 0
    with pytest.raises(rz.GameError, match="razzle has no prices for its men"):
        material(rz.load("razzle").start())


@functools.cache
def perceptron() -> bytes:
    """The file of a perceptron whose output varies between positions."""
    net = create(seed=5)
    net.layers[-1].weight.data *= 30
    return to_nn(net)


def tiny(*changes: str) -> Experiment:
    """The tiny preset."""
    return config.load("distill", "tiny", changes)


def lessons(teacher: Experiment, iteration: int, folder: Path) -> tuple[list[Record], Window]:
    """Games of one iteration, and a window with them."""
    for name in ("untrained", "untrained_black", "iter_1"):
        (folder / f"{name}.nn").write_bytes(perceptron())
    nets = dict.fromkeys(("best", "latest", "candidate"), "untrained")
    tasks = [msgspec.structs.replace(each, games=2) for each in teacher.games(iteration, nets)]
    played = [each for _, each in LocalFleet(NetStore(folder), workers=1).run(tasks)]
    notes = {each.record.id: each.note for each in played if each.note is not None}
    records = sorted((each.record for each in played), key=lambda each: (each.task, each.index))
    window = Window(WindowSettings(held_out=0))
    take(window, records, CHESS, teacher.targets_of, iteration, notes)
    return records, window


def test_material_is_taught_for_the_mover(tmp_path: Path) -> None:
    """Every ply is taught, also of the random opening, with its mover's features."""
    records, window = lessons(tiny(), 1, tmp_path)
    positions = window.positions(Part.TRAINING)
    assert len(positions) == sum(record.plies for record in records)
    features = Features(window, positions)
    at = 0
    for record in records:
        actions = record.action_numbers().tolist()
        for ply in range(0, record.plies, 7):
            state = SEEN.replay(record.start, actions[:ply])
            sign = 1 if state.mover == 0 else -1
            (wanted,) = features.chances(np.array([at + ply]))
            assert wanted == pytest.approx(chance(sign * material(state)), abs=2e-5)
            (seen,) = features.of(np.array([at + ply]))
            np.testing.assert_array_equal(seen, state.planes().reshape(-1))
        at += record.plies


def test_a_search_is_taught_for_the_mover(tmp_path: Path) -> None:
    """The target is the best of the teacher's leaves, each exactly 2p - 1; a mate is the limit."""
    teacher = tiny("distill.search_iterations=2")
    records, window = lessons(teacher, 2, tmp_path)
    judge = teacher.games(3, dict.fromkeys(("best", "latest", "candidate"), "iter_2"))[0].judge
    assert judge == "alphabeta:net=iter_1,depth=1"  # frozen for the stage
    known = window.at(window.positions(Part.TRAINING))
    mlp, at, mates = Mlp.read(perceptron()), 0, 0
    for record in records:
        actions = record.action_numbers().tolist()
        for ply in range(record.plies - 1, 0, -9):
            state = SEEN.replay(record.start, actions[:ply])
            leaves = [state.apply(action) for action in state.legal]
            values = [
                abs(leaf.outcome or 0)
                if leaf.is_over
                else 1 - 2 * float(mlp.evaluate(leaf.planes().reshape(1, -1))[0, 0])
                for leaf in leaves
            ]
            assert known.search[at + ply] == pytest.approx(min(max(values), 0.98), abs=5e-5)
            mates += max(values) == 1
        at += record.plies
    assert mates > 0


def test_only_some_plies_are_taught(tmp_path: Path) -> None:
    """Both sides' plies of every second or third turn are taught, and none in mode 0."""
    for every in (2, 3):
        teacher = tiny(f"distill.train_every={every}")
        records, window = lessons(teacher, 1, tmp_path)
        plies = window.at(window.positions(Part.TRAINING)).ply
        assert set(plies % (2 * every)) == {0, 1}
        wanted = [ply for r in records for ply in range(r.plies) if ply % (2 * every) < 2]
        assert sorted(plies) == sorted(wanted)
    (tmp_path / "mine.nn").write_bytes(perceptron())
    silent = tiny("distill.mode=0", f"distill.load={tmp_path}/mine.nn")
    assert len(lessons(silent, 1, tmp_path)[1]) == 0


def test_two_agents_learn_from_games_of_their_own(tmp_path: Path) -> None:
    """Each agent's games are judged by its own teacher; White's net plays White in both.

    Each learns from both sides' plies, because one ply ahead it evaluates the other side's.
    """
    teacher = tiny("distill.agents=2")
    nets = dict.fromkeys(("best", "latest", "candidate"), "iter_1")
    white, black = teacher.games(2, nets)
    for task in (white, black):
        assert "net=iter_1," in task.a
        assert "net=iter_1_black," in task.b
        assert not task.swap
    assert [white.judge, black.judge] == [
        "alphabeta:net=iter_1,depth=1",
        "alphabeta:net=iter_1_black,depth=1",
    ]
    records, window = lessons(teacher, 1, tmp_path)
    known = window.at(window.positions(Part.TRAINING))
    assert len(known.ply) == sum(record.plies for record in records)
    for agent in ("white", "black"):
        alone = window.narrowed(1, {f"0001/{agent}"})
        own = [record for record in records if record.task == f"0001/{agent}"]
        assert len(alone) == sum(record.plies for record in own) > 0
        assert set(np.concatenate([game.movers for game in alone.games])) == {0, 1}
    assert len(window.narrowed(since=2)) == 0


# --- stages --------------------------------------------------------------------------------------


def test_stages_follow_each_other() -> None:
    """First material, then a stage for each depth, taught by the last net before it."""
    settings = Distill(depth=(2, 3), material_iterations=3, search_iterations=4)
    found = [(stage.mode, stage.depth, stage.first, stage.last) for stage in settings.stages]
    assert found == [(1, 0, 1, 3), (2, 2, 4, 7), (2, 3, 8, 11)]
    assert [stage.teacher for stage in settings.stages[1:]] == ["iter_3", "iter_7"]
    assert Distill(mode=(2,), load="x").stages[0].teacher == "untrained"


@pytest.mark.parametrize(
    ("changes", "iterations"),
    [
        ([], 2),
        (["iterations=1"], 1),
        (["distill.mode=1", "distill.material_iterations=5"], 5),
        (["distill.depth=[1, 2, 3]", "distill.search_iterations=4"], 13),
    ],
)
def test_a_run_ends_with_its_stages(changes: list[str], iterations: int) -> None:
    """A run has the iterations of its stages, or fewer if `iterations` says so."""
    experiment = config.load("distill", "tiny", changes)
    assert experiment.iterations == iterations
    assert config.read(experiment.text) == experiment


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["iterations=50"], "the stages have 2 iterations, not 50"),
        (["begin=x"], "a distillation begins with regime.load"),
        (["stores=[x]"], "a distillation learns only from its own games"),
        (["distill.mode=[1, 0]"], "mode 0 learns nothing: give it alone"),
        (["distill.mode=[]"], "mode and depth need at least one number each"),
        (["distill.mode=3"], "regime.mode is 3; give one of 0, 1, 2"),
        (["distill.depth=[2, 0]"], "regime.depth.1 is 0; give 1 or more"),
        (["distill.modes=1"], "key 'modes' is unknown in regime (distill); did you mean mode?"),
        (["distill.agents=3"], "regime.agents"),
        (["distill.hidden=[64, 0]"], "regime.hidden.1 is 0; give 1 or more"),
        (["distill.hidden=4096"], "regime.hidden is 4096; give 2,048 or less"),
        (["distill.hidden=[1, 2, 3, 4, 5, 6, 7, 8, 9]"], "regime.hidden has 9 entries"),
        (["distill.dropout=1"], "regime.dropout is 1; give less than 1"),
        (["distill.drop=0.1"], "key 'drop' is unknown in regime (distill); did you mean dropout?"),
    ],
)
def test_what_cannot_be_taught_is_refused(changes: list[str], words: str) -> None:
    """A wrong experiment raises a one-line error when it is made."""
    with pytest.raises(RunError) as error:
        config.load("distill", "tiny", changes)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["distill.mode=2"], "first `rulezero train distill --mode 1 --out runs/x`"),
        (["distill.mode=0"], "trains none: add --load runs/x"),
        (["distill.load=lost.nn"], "there is no net 'lost.nn'"),
        (["distill.load=nowhere"], "there is no net 'nowhere'"),
        (["game=razzle"], "distill trains perceptrons for chess, not for razzle"),
    ],
)
def test_what_is_missing_is_told_first(changes: list[str], words: str, tmp_path: Path) -> None:
    """The error is raised before a folder is made."""
    with pytest.raises(rz.RulezeroError, match=words):
        runs.train("distill", "tiny", tmp_path / "run", changes=changes)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("untrained.nn", perceptron(), "untrained.nn' is an untrained net, but mode 2 begins"),
        ("short.nn", perceptron()[:100], "short.nn': the .nn file"),
    ],
)
def test_a_net_that_teaches_nothing_is_refused(
    name: str, content: bytes, words: str, tmp_path: Path
) -> None:
    """A teacher must be trained and undamaged; the error names the net."""
    (tmp_path / name).write_bytes(content)
    changes = ["distill.mode=2", f"distill.load={tmp_path / name}"]
    with pytest.raises(rz.RulezeroError, match=words):
        runs.train("distill", "tiny", tmp_path / "run", changes=changes)


def test_perceptrons_are_for_chess_and_have_no_policy(tmp_path: Path) -> None:
    """Other games refuse perceptrons, and diagnose says that they have no policy."""
    (tmp_path / "agent.nn").write_bytes(perceptron())
    changes = [f"opponent.first=puct:net={tmp_path / 'agent.nn'},sims=4"]
    with pytest.raises(rz.RulezeroError, match="a perceptron for chess; it cannot judge monster"):
        runs.train("monster", "tiny", tmp_path / "run", changes=changes)
    assert not (tmp_path / "run").exists()
    with pytest.raises(RunError, match="has no policy to diagnose"):
        diagnose(tmp_path / "agent.nn")


def test_both_nets_of_an_iteration_are_loaded(tmp_path: Path) -> None:
    """If each side had its own net, both are loaded; else both sides begin with the same net."""
    for name in ("iter_3.nn", "iter_3_black.nn", "alone.nn"):
        (tmp_path / name).write_bytes(perceptron())
    both = Distill(load=str(tmp_path / "iter_3.nn"), agents=2)
    assert [net.name for net in given_nets(both)] == ["iter_3.nn", "iter_3_black.nn"]
    one = Distill(load=str(tmp_path / "alone.nn"), agents=2)
    assert [net.name for net in given_nets(one)] == ["alone.nn", "alone.nn"]


# --- runs ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with one iteration of each mode."""
    path = tmp_path_factory.mktemp("distill") / "run"
    return runs.train("distill", "tiny", path, changes=QUICK, workers=1)


def test_nets_are_files_byte_for_byte(run: Run, tmp_path: Path) -> None:
    """A run's net, its agent, its export and the first net of another run are equal files."""
    file = (run.nets / "iter_2.nn").read_bytes()
    assert len(file) == 932_932
    assert (run.path / "agent.nn").read_bytes() == file
    assert to_nn(from_nn(file)) == file
    out = tmp_path / "mine.nn"
    assert "781 features" in commands.succeeds("export", run.path, "--to", "nn", "--out", out)
    assert out.read_bytes() == file
    changes = [*QUICK, "distill.mode=2", f"distill.load={out}"]
    after = runs.train("distill", "tiny", tmp_path / "after", changes=changes, workers=1)
    assert (after.nets / "untrained.nn").read_bytes() == file
    assert (after.nets / "iter_1.nn").read_bytes() != file


def test_nets_of_a_run_play(run: Run) -> None:
    """Players can use the nets of a run."""
    for text in (f"oneply:net={run.path}", f"alphabeta:net={run.path}@1,depth=1"):
        result = rz.match("chess", text, "random", 2, opening=2)
        assert result.tally.games == 2
    assert rz.player("puct", net=str(run.path), sims=8).think(CHESS.start()).value is not None


def test_a_run_is_summed_up(run: Run) -> None:
    """The log has every stage, with the loss next to the best constant's loss."""
    last = list(run.entries())[-1]
    assert isinstance(last, SummaryEntry)
    summary = last.summary
    material_stage, search = summary.stages
    assert (material_stage.mode, search.mode) == (1, 2)
    assert material_stage.positions > 0
    assert material_stage.verdict.split(",")[0] in ("good", "acceptable", "high")
    lines = say_summary(summary)
    assert lines[1].startswith("  mode 1 (material): ")
    assert lines[2].startswith("  mode 2 (search, depth 1): ")
    assert "centipawns for White" in lines[-1]
    fits = [entry for entry in run.entries() if isinstance(entry, FitEntry)]
    assert all(entry.train["value"] > 0 for entry in fits)


def test_losses_are_called_by_their_size() -> None:
    """Losses are rated by their size, and shown by side if each side has its own net."""
    settings = Distill(mode=(1,))
    for loss, verdict in ((0.049, "good"), (0.05, "acceptable"), (0.1, "high")):
        train = {"value": loss, "constant": 0.2}
        (stage,) = summarise([logs.fit(1, samples=10, train=train)], settings).stages
        assert (stage.verdict, stage.idle_loss) == (verdict, 0.2)
        judged = msgspec.structs.replace(stage, held_out=0.5, constant=1.0)
        assert judged.verdict == verdict
        idle = msgspec.structs.replace(stage, held_out=0.95, constant=1.0)
        words = ", but on other games hardly better than the best constant"
        assert idle.verdict == verdict + words
    words = say_progress(settings.stages[0], 20, {"value": 0.25, "white": 0.2, "black": 0.3})
    assert words == (
        "mode 1 (material): 20 positions, average loss 0.25000 (white 0.20000, black 0.30000)"
    )


class Stop(Listener):
    """A listener that stops a run at a given point."""

    def __init__(self, iteration: int, phase: str, step: int) -> None:
        self._at = (iteration, phase)
        self._left = step
        self._now: tuple[int, str] = (0, "")

    def begin(self, iteration: int, phase: str) -> None:
        self._now = (iteration, phase)
        self._count()

    def played(self, *_: Any) -> None:
        self._count()

    def learned(self, *_: Any) -> None:
        self._count()

    def _count(self) -> None:
        self._left -= self._now == self._at
        if self._now == self._at and self._left < 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("hidden", ["[24, 16, 8]", "40", "[]"])
def test_a_recipe_shapes_its_nets(hidden: str, tmp_path: Path) -> None:
    """The net files contain the sizes: they can play, teach, and start another run."""
    changes = [*QUICK, f"distill.hidden={hidden}", "distill.agents=2"]
    shaped = runs.train("distill", "tiny", tmp_path / "run", changes=changes, workers=1)
    experiment = config.read(shaped.config())
    settings = experiment.regime
    assert isinstance(settings, Distill)
    for name in ("white_agent.nn", "nets/untrained_black.nn", "nets/iter_2.nn"):
        assert Mlp.read((shaped.path / name).read_bytes()).sizes == (781, *settings.hidden, 1)
    layers = pairwise((781, *settings.hidden, 1))
    weights = sum((inputs + 1) * outputs for inputs, outputs in layers)
    assert settings.size(experiment).parameters == weights  # costs are estimated from it
    assert rz.match("chess", f"alphabeta:net={shaped.path},depth=1", "random", 2).tally.games == 2
    changes = [f"distill.hidden={hidden}", "distill.mode=2", f"distill.load={shaped.path}"]
    after = runs.train("distill", "tiny", tmp_path / "on", changes=[*QUICK, *changes], workers=1)
    loaded = (after.nets / "untrained.nn").read_bytes()
    assert loaded == (shaped.nets / "iter_2.nn").read_bytes() != to_nn(create(settings.sizes))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((781, 24, 1), "has the layers 781-24-1, not 781-256-128-1: add --set regime.hidden=[24]"),
        ((781, 1), "has the layers 781-1, not 781-256-128-1: add --set regime.hidden=[]"),
        (
            (64, 256, 128, 1),
            "has the layers 64-256-128-1; a perceptron for chess reads 781",
        ),
    ],
)
def test_a_loaded_net_has_the_shape_of_the_recipe(
    sizes: tuple[int, ...], words: str, tmp_path: Path
) -> None:
    """A loaded net of another shape is an error of one line that says what to change."""
    (tmp_path / "odd.nn").write_bytes(to_nn(create(sizes)))
    changes = [f"distill.load={tmp_path / 'odd.nn'}"]
    with pytest.raises(RunError) as error:
        runs.train("distill", "tiny", tmp_path / "run", changes=changes)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_default_run_is_as_it_ever_was(run: Run) -> None:
    """A default run's net has the original shape and the original program's header."""
    settings = config.read(run.config()).regime
    assert isinstance(settings, Distill)
    assert (settings.hidden, settings.dropout) == ((256, 128), 0)
    header = b"NNWB" + np.array([1, 4, 781, 256, 128, 1, 2, 1, 1], "<u4").tobytes()
    assert (run.nets / "iter_2.nn").read_bytes().startswith(header)


def test_dropout_changes_what_is_learned_and_nothing_else(run: Run, tmp_path: Path) -> None:
    """The first net is the same with dropout, and a stopped run resumes with equal results."""
    changes = [*QUICK, "distill.dropout=0.3", "distill.agents=2"]
    whole = runs.train("distill", "tiny", tmp_path / "whole", changes=changes, workers=1)
    path = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        runs.train("distill", "tiny", path, changes=changes, workers=1, listener=Stop(2, "fit", 1))
    assert runs.resume(path, workers=1).fingerprint() == whole.fingerprint()
    first = (run.nets / "untrained.nn").read_bytes()
    assert (whole.nets / "untrained.nn").read_bytes() == first
    plain = runs.train(
        "distill", "tiny", tmp_path / "plain", changes=[*QUICK, "distill.agents=2"], workers=1
    )
    assert plain.fingerprint()["net"] != whole.fingerprint()["net"]


@pytest.mark.parametrize("agents", [1, 2])
def test_what_is_stopped_comes_to_the_same(agents: int, run: Run, tmp_path: Path) -> None:
    """A run stopped in games, in a fit or in a trial resumes with equal results."""
    changes = [*QUICK, f"distill.agents={agents}"]
    whole = run
    if agents == 2:
        whole = runs.train("distill", "tiny", tmp_path / "whole", changes=changes, workers=1)
        for name, end in (("white", ""), ("black", "_black")):
            agent = whole.path / f"{name}_agent.nn"
            assert agent.read_bytes() == (whole.nets / f"iter_2{end}.nn").read_bytes()
    path = tmp_path / "stopped"
    stops = [Stop(1, "generate", 3), Stop(1, "fit", 2), Stop(2, "fit", 1), Stop(2, "evaluate", 1)]
    go_on = functools.partial(runs.train, "distill", "tiny", path, changes=changes)
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            go_on(workers=1, listener=stop)
        go_on = functools.partial(runs.resume, path)
    assert runs.resume(path, workers=1).fingerprint() == whole.fingerprint()
    last = runs.resume(path, workers=1)  # once more, when all is done
    kinds = [type(entry) for entry in last.entries()]
    assert kinds == [type(entry) for entry in whole.entries()]


def test_mode_0_only_plays(run: Run, tmp_path: Path) -> None:
    """In mode 0 the loaded net does not change, also if loaded from a folder of two agents."""
    for name in ("white", "black"):
        (tmp_path / f"{name}_agent.nn").write_bytes((run.nets / "iter_2.nn").read_bytes())
    changes = [*QUICK, "distill.mode=0", f"distill.load={tmp_path}", "distill.agents=2"]
    played = runs.train("distill", "tiny", tmp_path / "run", changes=changes, workers=1)
    file = (run.nets / "iter_2.nn").read_bytes()
    for name in ("untrained", "iter_1", "iter_1_black"):
        assert (played.nets / f"{name}.nn").read_bytes() == file
    regime = cast(Distill, config.read(played.config()).regime)
    (stage,) = summarise(played.entries(), regime).stages
    assert (stage.positions, stage.loss, stage.verdict) == (0, None, "nothing learned")


def test_by_hand(run: Run, tmp_path: Path) -> None:
    """`generate` works with a run's net; `fit` is refused, because there is no judge."""
    experiment = config.load("distill", "tiny")
    for net in (run.path, None):
        done = generate(
            experiment, tmp_path / "games", net=net, options=GenerateOptions(games=2), workers=1
        )
        assert done.played == 2
    with pytest.raises(RunError, match="use `rulezero train distill`"):
        fit(experiment, tmp_path / "games", tmp_path / "net")


# --- agreement -----------------------------------------------------------------------------------


def test_agreement_with_a_search() -> None:
    """Counting material agrees fully with a one-ply search, and partly with a deeper one."""
    states = some_positions("chess", 60)
    assert [state.text for state in states] == [state.text for state in some_positions("chess", 60)]
    same = agreement(None, states, "alphabeta:depth=1")
    assert (same.positions, same.choices) == (60, 1.0)
    deeper = agreement(None, states)
    assert 0 < deeper.choices < 1
    assert 0.5 < deeper.spearman < 1
    assert 0.5 < deeper.pearson < 1
    with pytest.raises(rz.GameError, match="no positions to compare on"):
        agreement(None, [])
