"""The regime nnue: what its nets learn, exact resumes, and commands on its runs."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero import config, runs, steps
from rulezero._core import Nnue, heuristic
from rulezero.errors import RunError
from rulezero.fleet.canaries import canaries, differs
from rulezero.fleet.local import LocalFleet
from rulezero.fleet.nets import PackedNet, nets_of, pack_net, unpack_net
from rulezero.fleet.protocol import NetBundle
from rulezero.fleet.server.inspection import check_net
from rulezero.learn.batch import value_targets
from rulezero.learn.targets import TargetSettings
from rulezero.learn.window import Part, Window
from rulezero.nets.nnue import Shape, create, to_nnue
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.task import Task
from rulezero.reports.diagnosis import diagnose
from rulezero.reports.page import write_report
from rulezero.reports.standings import rate
from rulezero.stats.tally import Tally
from rulezero.training.listener import Listener
from rulezero.training.log import FitEntry
from rulezero.training.regimes.nnue import NnueRegime
from rulezero.training.regimes.nnue_learner import FeatureTable, NnueLearner
from rulezero.training.run import Run
from support import commands, record_samples, samples, windows

QUICK = ["selfplay.games=6", "anchor.games=2", "iterations=2"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run of two iterations."""
    folder = tmp_path_factory.mktemp("nnue") / "run"
    return runs.train("razzle_nnue", "tiny", folder, changes=QUICK, workers=1)


# --- what is learned -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["chess", "exchange", "monster", "razzle"])
def test_the_net_that_learns_is_the_net_that_plays(text: str) -> None:
    """From a window, in any order, torch's net gives the values that the written net gives in
    play, for movers of both seats."""
    window, game = windows.of_games(text), samples.game(text)
    positions = np.random.default_rng(0).permutation(window.positions(Part.TRAINING))[:300]
    known = window.at(positions)
    played = [
        samples.played(text, int(number))[ply]
        for number, ply in zip(known.game, known.ply, strict=True)
    ]
    assert {state.mover for state in played} == {0, 1}
    most = len(game.start(seed=0).features(0))
    net = create(Shape.of(game.facts, width=8, phases=3, most=most), seed=2)
    with torch.no_grad():
        net.output.weight.mul_(4)
        net.trust.copy_(torch.tensor([0.5, 0.7, 0.9]))
        table = FeatureTable(window, np.sort(positions), game)
        numbers, offsets, counts, values = table.of(positions)
        said = net(numbers, offsets, counts, values).numpy()
    core = Nnue.read(to_nnue(net))
    ends = [*offsets.tolist()[1:], len(numbers)]
    for row, state in enumerate(played):
        for view, seat in ((row, state.mover), (row + len(played), 1 - state.mover)):
            here = numbers[offsets[view] : ends[view]].tolist()
            assert here == state.features(seat)
        assert counts[row] == len(state.features(state.mover))
        assert values[row] == np.float32(heuristic(state) * (1 - 2 * state.mover))
        assert core.evaluate(state) == pytest.approx(float(said[row]), abs=0.05), state.text
    apart = [abs(core.evaluate(state) - said[row]) for row, state in enumerate(played)]
    assert np.mean(apart) < 0.01
    assert np.std(said) > 0.05


def learner_of(window_settings: list[str], text: str = "razzle") -> NnueLearner:
    """An untrained learner with these changes of the tiny preset."""
    experiment = config.load("razzle_nnue", "tiny", window_settings)
    game = samples.game(text)
    assert isinstance(experiment.regime, NnueRegime)
    return NnueLearner(experiment, game, experiment.regime.shape(game), seed=1)


@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_the_target_is_the_movers(share: float) -> None:
    """search_share of the search's value, and the rest of the result, for movers of both seats."""
    window = windows.of_games("razzle")
    learner = learner_of([f"targets.search_share={share}"])
    positions = window.positions(Part.TRAINING)
    wanted = learner._targets(window, positions, 0.5)
    known, seats = window.at(positions), set()
    for row, (number, ply) in enumerate(zip(known.game, known.ply, strict=True)):
        play = samples.played("razzle", int(number))
        record, state = record_samples.several("razzle", 3)[number], play[ply]
        thought, result = record.thought(int(ply)), play[-1].outcome
        assert result is not None
        value = None if thought is None else thought.value
        mixed = result if value is None else share * value + (1 - share) * result
        sign = 1 if state.mover == 0 else -1
        assert wanted[row] == pytest.approx(sign * mixed, abs=1e-4)
        seats.add((state.mover, value is None))
    assert {seat for seat, _ in seats} == {0, 1}
    wdl = value_targets(known, TargetSettings(search_share=share), 0.5)
    assert wanted == pytest.approx(wdl[:, 0] - wdl[:, 2])


def window_of(player: str, games: int) -> Window:
    """A window with games of a player."""
    played = rz.match("razzle", player, player, games, seed=1, opening=8).records
    return windows.of(played)


def test_a_few_games_are_learned_by_heart() -> None:
    """The loss on the games falls far below the heuristic's own, and search values have the sign
    that the heuristic has."""
    window = window_of("alphabeta:depth=3,explore=0.1", 8)
    changes = ["fit.samples_per_ply=60", "fit.rate.start=0.01"]
    learner = learner_of([*changes, "fit.average=0.5", "regime.hidden=16"])
    positions = window.positions(Part.TRAINING)
    wanted = learner._targets(window, positions, 1.0)
    table = FeatureTable(window, positions, samples.game("razzle"))
    values = table.of(positions)[3].numpy()
    assert np.corrcoef(values, wanted)[0, 1] > 0.3
    own = float(np.mean((values - wanted) ** 2)) / 4
    fit = learner.learn_from(window, 0, progress=(0, 1), dice=np.random.default_rng(0))
    assert fit.steps > 200
    assert fit.train["value"] < 0.3 * own
    with torch.no_grad():
        said = learner.average(*table.of(positions)).numpy()
    assert float(np.mean((said - wanted) ** 2)) / 4 < 0.3 * own


# --- runs ----------------------------------------------------------------------------------------


def test_a_run_logs_its_fits(run: Run) -> None:
    """Every fit has a loss and is measured on held-out games."""
    fits = [entry for entry in run.entries() if isinstance(entry, FitEntry)]
    assert len(fits) == 3
    for fit in fits:
        assert fit.steps > 0
        assert fit.train["value"] < fit.train["constant"]
        assert fit.held_out is not None
        assert fit.held_out.positions > 0
    names = {"untrained", "iter_0", "iter_1", "iter_2"}
    assert {path.stem for path in run.nets.glob("*.nnue")} == names
    assert len({path.read_bytes() for path in run.nets.glob("*.nnue")}) == len(names)


class Stopping(Listener):
    """Stops a run in a phase, after some games or steps."""

    def __init__(self, iteration: int, phase: str, count: int) -> None:
        self.at, self.count, self.now = (iteration, phase), count, (0, "")

    def begin(self, iteration: int, phase: str) -> None:
        self.now = (iteration, phase)
        self._stop(0)

    def played(self, task: Task, tally: Tally, games: int, total: int, sims: int) -> None:
        self._stop(games)

    def learned(self, step: int, steps: int, losses: dict[str, float]) -> None:
        self._stop(step)

    def _stop(self, count: int) -> None:
        if self.now == self.at and count == self.count:
            raise KeyboardInterrupt


STOPS = [
    (0, "generate", 5), (0, "evaluate", 0), (1, "generate", 0), (1, "generate", 3),
    (1, "fit", 0), (1, "fit", 4), (1, "evaluate", 1), (2, "fit", 1), (2, "evaluate", 2),
]  # fmt: skip


def test_a_stopped_run_comes_to_the_same(run: Run, tmp_path: Path) -> None:
    """Stopped in every phase and resumed, also with two workers: nets, optimiser and games are
    those of the uninterrupted run."""
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        runs.train(
            "razzle_nnue", "tiny", path, changes=QUICK, workers=1, listener=Stopping(*STOPS[0])
        )
    for stop in STOPS[1:]:
        with pytest.raises(KeyboardInterrupt):
            runs.resume(path, workers=1, listener=Stopping(*stop))
    again = runs.resume(path, workers=2, progress=False)
    assert again.fingerprint() == run.fingerprint()
    for net in run.nets.glob("*.nnue"):
        assert (again.nets / net.name).read_bytes() == net.read_bytes()


def test_another_seed_is_another_run(run: Run, tmp_path: Path) -> None:
    """The seed changes the untrained net and the games."""
    other = runs.train("razzle_nnue", "tiny", tmp_path / "r", changes=[*QUICK, "seed=1"], workers=1)
    for name in ("untrained.nnue", "iter_2.nnue"):
        assert (other.nets / name).read_bytes() != (run.nets / name).read_bytes()
    assert other.fingerprint()["records"] != run.fingerprint()["records"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("net.blocks=3", "the regime nnue does not read net.blocks: leave it out"),
        ("fit.mirror=false", "does not read fit.mirror: leave"),
        ("fit.loss.value=2", "does not read fit.loss.value: leave"),
        ("fit.device=cpu", "does not read fit.device: leave"),
        ("fit.processes=2", "does not read fit.processes: leave"),
        ("fit.precision=bfloat16", "does not read fit.precision: leave"),
        ("fit.micro_batch=8", "does not read fit.micro_batch: leave"),
        ("regime.hidden=12", "regime.hidden"),
        ("regime.hidden=512", "regime.hidden"),
        ("regime.phases=0", "regime.phases"),
        ("game=connect4", "connect4 has no features for an NNUE"),
    ],
)
def test_keys_that_it_does_not_read(change: str, words: str) -> None:
    """A key without effect, a size out of range or a game without features is one clear line."""
    changes = [change, "anchor=null"] if change.startswith("game") else [change]
    with pytest.raises(RunError, match=words) as error:
        runs.check(config.load("razzle_nnue", "tiny", changes))
    assert "\n" not in str(error.value)


# --- commands on a run ---------------------------------------------------------------------------


def test_its_nets_play(run: Run) -> None:
    """By the run's folder, RUN@1 and RUN@latest; by every player that judges positions."""
    start = samples.game("razzle").start()
    values: dict[str, Any] = {}
    for net in (f"{run.path}", f"{run.path}@1", f"{run.path}@latest", f"{run.nets}/iter_2.nnue"):
        values[net] = rz.player("alphabeta:depth=2", net=net).think(start).value
        for kind in ("oneply", "puct:sims=4", "ucb1:sims=4", "gumbel:sims=4"):
            assert rz.player(kind, net=net).think(start).action in start.legal
    assert (
        values[f"{run.path}"] == values[f"{run.path}@latest"] == values[f"{run.nets}/iter_2.nnue"]
    )
    assert values[f"{run.path}@1"] != values[f"{run.path}"]
    opponent = rz.play.opponent(net=str(run.path), time=0.01)  # whom people meet
    assert opponent.think(start).action in start.legal
    with pytest.raises(rz.PlayerError, match="has no policy: use alphabeta, oneply or puct"):
        rz.player("policy", net=str(run.path)).think(start)
    with pytest.raises(rz.PlayerError, match=r"a \.nnue file, which the core computes: leave"):
        rz.player("oneply", net=str(run.path), backend="onnx").think(start)
    with pytest.raises(rz.NetError, match=r"iter_2\.nnue': the net judges razzle, not monster"):
        rz.player("oneply", net=str(run.path)).think(samples.game("monster").start())
    with pytest.raises(rz.NetError, match="no net of iteration 9; its newest is 2"):
        rz.player("oneply", net=f"{run.path}@9").think(start)


def test_a_file_that_changes_is_read_again(run: Run, tmp_path: Path) -> None:
    """A net is read once, but a new file of the same name is another net."""
    path, start = tmp_path / "net.nnue", samples.game("razzle").start()
    values = []
    for name in ("untrained", "iter_2", "untrained"):
        path.unlink(missing_ok=True)
        path.write_bytes((run.nets / f"{name}.nnue").read_bytes())
        values.append(rz.player("alphabeta:depth=1", net=str(path)).think(start).raw_value)
    assert values[0] == values[2] != values[1]
    path.unlink()
    with pytest.raises(rz.NetError, match="there is no such file"):
        rz.player("alphabeta:depth=1", net=str(path)).think(start)


def test_commands(run: Run, tmp_path: Path) -> None:
    """export copies the file; match plays; fit is refused."""
    out = tmp_path / "net.nnue"
    said = commands.succeeds("export", run.path, "--to", "nnue", "--out", out)
    assert "1563 features" in said
    assert out.read_bytes() == (run.nets / "iter_2.nnue").read_bytes()
    wrong = commands.fails("export", run.path, "--to", "onnx", "--out", tmp_path / "x")
    assert "a .nnue file is exported to nnue, not to 'onnx'" in wrong
    player = f"alphabeta:net={run.path},depth=1"
    result = commands.run("match", "razzle", "--a", player, "--b", "random", "--games", "2")
    assert (result.returncode, "Traceback" in result.stderr) == (0, False), result.stderr
    assert "alphabeta" in result.stdout
    with pytest.raises(RunError, match=r"learns while it plays.*use `rulezero train razzle_n"):
        steps.fit(config.load("razzle_nnue", "tiny"), tmp_path / "none", tmp_path / "net")


def test_reports(run: Run, tmp_path: Path) -> None:
    """A report is written, nets are rated, and a diagnosis of the policy is refused."""
    page = write_report(run, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "razzle_nnue" in page
    standings = rate(run, games=2, workers=1)
    assert standings is not None
    for net in (run.path, run.nets / "iter_1.nnue"):
        with pytest.raises(RunError, match="has no policy to diagnose: use `rulezero rate`") as why:
            diagnose(net)
        assert "\n" not in str(why.value)


def test_nets_travel(run: Run, tmp_path: Path) -> None:
    """Packed, sent and unpacked, a net plays the same games; it needs no canaries."""
    net = str(run.nets / "iter_2.nnue")
    task = Task(game="razzle", a=f"alphabeta:net={net},depth=2", b="random", games=2)
    packed = {name: pack_net(name, suffixes, PATHS) for name, suffixes in nets_of([task]).items()}
    got = msgspec.msgpack.decode(msgspec.msgpack.encode(packed), type=dict[str, PackedNet])
    copies = {name: unpack_net(each, tmp_path / "far") for name, each in got.items()}
    assert all(path.suffix == ".nnue" for path in copies.values())

    def records(nets: NetStore) -> list[str]:
        games = LocalFleet(nets, workers=1).run([task])
        return sorted(finished.record.id for _, finished in games)

    assert records(NetStore(copies=copies)) == records(PATHS)
    assert canaries(net, {}, PATHS) == []
    assert differs([], net, PATHS) is None
    assert check_net(NetBundle(net=packed[net])).name == "iter_2.nnue"
    with pytest.raises(rz.NetError, match="has the wrong parts"):
        unpack_net(PackedNet(name="x.nnue", parts={".json": b"", ".onnx": b""}), tmp_path / "far")
