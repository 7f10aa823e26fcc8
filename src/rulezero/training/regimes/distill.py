"""Distillation: a perceptron learns to value material, and then the values of a search.

It plays against itself, and a judge evaluates the positions. In mode 1, the targets are the judge's
values without a search; in mode 2, they are the values of its search. The judge's net does not
change during a stage.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from rulezero._core import Game
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay
from rulezero.errors import RunError
from rulezero.learn.targets import Targets
from rulezero.nets import chess_perceptron
from rulezero.nets.card import PERCEPTRON, read_perceptron, resolve
from rulezero.play.task import Task
from rulezero.training.flag import Flag, Keys, setting
from rulezero.training.log import Entry, FitEntry, GamesEntry, StageSummary, Summary
from rulezero.training.regimes.regime import Regime
from rulezero.training.run import Run
from rulezero.training.tasks import PlaySettings, named, task_of

if TYPE_CHECKING:
    from rulezero.nets.size import Size
    from rulezero.training.experiment import Experiment
    from rulezero.training.loop import Trainee

# Keys of a fit that only towers have.
_OF_TOWERS = (
    *("fit.micro_batch", "fit.patience", "fit.average", "fit.mirror", "fit.loss"),
    *("fit.processes", "fit.device", "fit.precision"),
)
SUREST = 0.98  # largest value to learn: the targets are chances from 0.01 to 0.99
_ONE_OR_SEVERAL = BeforeValidator(
    lambda given: given if isinstance(given, list | tuple) else (given,)
)
Modes = Annotated[tuple[Literal[0, 1, 2], ...], _ONE_OR_SEVERAL]
Hidden = Annotated[
    tuple[Annotated[int, Field(ge=1, le=2048)], ...], _ONE_OR_SEVERAL, Field(max_length=8)
]
Depths = Annotated[tuple[Annotated[int, Field(ge=1, le=64)], ...], _ONE_OR_SEVERAL]
AGENTS = ("white", "black")  # by seat, if there are two
ENDS = ("", "_black")  # how the names of their nets end
MODES = ("play only", "material", "search")
_NEEDS_A_NET = {
    0: "mode 0 plays with a net and trains none: add --load runs/x",
    2: "mode 2 begins with a net that knows material: first `rulezero train distill --mode 1 --out"
    " runs/x`, then add --load runs/x",
}


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """Iterations with one teacher and one target."""

    mode: int
    depth: int  # of the teacher's search; 0: no search
    first: int  # first iteration
    last: int  # last iteration, inclusive

    @property
    def teacher(self) -> str:
        """The net that evaluates the leaves of that search: the last net before the stage."""
        return f"iter_{self.first - 1}" if self.first > 1 else "untrained"

    @property
    def name(self) -> str:
        """What is learned."""
        return f"{MODES[self.mode]}, depth {self.depth}" if self.depth else MODES[self.mode]


def _numbers(key: str) -> "Callable[[Experiment, str], Keys]":
    """Sets a key to the numbers of a text such as 2+3."""

    def change(_: "Experiment", text: str) -> Keys:
        try:
            return {"regime": {key: [int(part) for part in text.split("+")]}}
        except ValueError:
            raise RunError(f"give a number, or several such as 2+3, not '{text}'") from None

    return change


class Distill(Regime):
    """Consecutive stages; iteration 0 measures the net that the run begins with."""

    kind: Literal["distill"] = "distill"
    mode: Modes = (1, 2)  # 0: play only; 1: learn material; 2: learn a search's values
    depth: Depths = (3,)  # plies of mode 2's search; several: one stage for each
    material_iterations: int = Field(1, ge=1)  # of a stage of mode 1 or 0
    search_iterations: int = Field(1, ge=1)  # of each stage of mode 2
    train_every: int = Field(1, ge=1)  # learn from every N-th pair of plies, one of each side
    agents: Literal[1, 2] = 1  # 2: one for each side, with its own games and its own teacher
    hidden: Hidden = chess_perceptron.HIDDEN  # neurons of each hidden layer; []: none
    dropout: float = Field(0.0, ge=0, lt=1)  # share of each hidden layer left out in training
    load: str | None = None  # begin with this .nn file, net or run; agents=2: or a folder of both
    save_every: int = Field(1, ge=1)  # write the agents into the run every N iterations
    progress_every: int = Field(10_000, ge=1)  # report the loss every N positions

    has_gate = False
    has_tower = False
    unread = {  # noqa: RUF012
        "net": "leave it out, as regime.hidden sets a perceptron's layers",
        "targets": "leave it out, as the judge's answers are learned",
        "bootstrap": "leave it out, or begin with a trained net: regime.load",
        "selfplay.judge": "leave it out, as regime.mode and regime.depth define the judge",
        **dict.fromkeys((*_OF_TOWERS, "hooks"), "leave it out, as it is for nets with a tower"),
    }
    flags = (
        Flag(
            "mode",
            str,
            "Choose what is learned: 0 nothing, 1 material, 2 a search, 1+2 both in turn.",
            _numbers("mode"),
            value="N+N",
        ),
        Flag(
            "depth",
            str,
            "Set the depth of the teacher's search, in plies (2+3 makes two stages).",
            _numbers("depth"),
            value="N+N",
        ),
        Flag(
            "train-every",
            int,
            "Learn from every N-th pair of plies, one of each side.",
            setting("regime", "train_every"),
        ),
        Flag(
            "learning-rate",
            float,
            "Set the learning rate at the start, as --lr.",
            setting("fit", "rate", "start"),
        ),
        Flag(
            "load",
            str,
            "Begin with the weights of this .nn file or run.",
            setting("regime", "load"),
        ),
        Flag(
            "save-every",
            int,
            "Write the agents into the run every N iterations.",
            setting("regime", "save_every"),
        ),
        Flag(
            "agents",
            int,
            "Train one net for both sides (1), or one for each (2).",
            setting("regime", "agents"),
        ),
    )

    @model_validator(mode="after")
    def _begins_somewhere(self) -> "Distill":
        if not self.mode or not self.depth:
            raise ValueError("mode and depth need at least one number each")
        if 0 in self.mode and len(self.mode) > 1:
            raise ValueError("mode 0 learns nothing: give it alone, without other modes")
        return self

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages, in order."""
        kinds = [
            (mode, depth) for mode in self.mode for depth in (self.depth if mode == 2 else (0,))
        ]
        sizes = [
            self.search_iterations if depth else self.material_iterations for _, depth in kinds
        ]
        return tuple(
            Stage(mode=mode, depth=depth, first=last - size + 1, last=last)
            for (mode, depth), size, last in zip(kinds, sizes, accumulate(sizes), strict=True)
        )

    def stage_of(self, iteration: int) -> Stage:
        """The stage that an iteration belongs to; iteration 0 belongs to the first one."""
        known = [stage for stage in self.stages if stage.first <= max(iteration, 1)]
        return known[-1]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents' files, without suffix."""
        return tuple(f"{name}_agent" for name in AGENTS) if self.agents == 2 else ("agent",)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of neurons in all layers of its perceptrons, from inputs to outputs."""
        inputs, *_, outputs = chess_perceptron.SIZES
        return (inputs, *self.hidden, outputs)

    @property
    def last_iteration(self) -> int:
        """The last iteration of the last stage."""
        return self.stages[-1].last

    def accept(self, experiment: "Experiment") -> None:
        """Raises ValueError for the keys stores and begin, and for too many iterations."""
        if experiment.stores:
            raise ValueError("a distillation learns only from its own games: leave stores out")
        if experiment.begin is not None:
            raise ValueError("a distillation begins with regime.load: leave begin out")
        if experiment.iterations > self.last_iteration:
            raise ValueError(
                f"the stages have {self.last_iteration} iterations, not {experiment.iterations}:"
                " change regime.material_iterations or regime.search_iterations"
            )

    def check(self, game: Game) -> None:
        """Raises RunError if the game is not chess, or if the net to begin with does not fit."""
        if game.facts.name != (known := chess_perceptron.GAME):
            raise RunError(f"{self.kind} trains perceptrons for {known}, not for {game.text}")
        check_given(self)

    def selfplay(self, experiment: "Experiment", iteration: int) -> PlaySettings:
        """Self-play of the student with the judge of the iteration's stage."""
        judge = _judge(self.stage_of(iteration))
        return experiment.selfplay.model_copy(update={"judge": judge})

    def games(
        self, experiment: "Experiment", iteration: int, nets: Mapping[str, str]
    ) -> list[Task]:
        """The tasks of an iteration; with two agents, a task for each, with its own teacher."""
        if iteration == 0 or self.agents == 1:
            return super().games(experiment, iteration, nets)
        stage, played = self.stage_of(iteration), experiment.selfplay
        black = named(played.a, {name: net + ENDS[1] for name, net in nets.items()})
        return [
            task_of(
                played.model_copy(update={"b": black, "swap": False, "judge": _judge(stage, end)}),
                nets,
                experiment,
                iteration,
                name=agent,
                purpose="self-play",
            )
            for agent, end in zip(AGENTS, ENDS, strict=True)
        ]

    def targets(
        self,
        experiment: "Experiment",
        record: Record,
        columns: Columns,
        replay: Replay,
        note: Columns | None,
    ) -> Targets:
        """The judge's values as the search's values, at all plies, including random ones."""
        stage = self.stage_of(record.iteration or 1)
        said = np.full(record.plies, np.nan, np.float32)
        if note is not None and stage.mode > 0:
            said = note.raw_value if stage.mode == 1 else note.value
        turns = np.arange(record.plies) // 2  # two plies each, so that no side is left out
        is_learned = np.isfinite(said) & (turns % self.train_every == 0)
        return Targets(
            result=np.zeros(record.plies, np.float32),
            drawn=np.zeros(record.plies, np.float32),
            search=said.clip(-SUREST, SUREST),
            draw=np.zeros(record.plies, np.float32),
            weight=is_learned.astype(np.float32),
            has_policy=np.zeros(record.plies, np.bool_),
        )

    def trainee(self, experiment: "Experiment", game: Game, run: Run) -> "Callable[[int], Trainee]":
        """Returns a function that makes untrained perceptron learners from a seed."""
        from rulezero.training.regimes.distill_learner import PerceptronPair

        return lambda seed: PerceptronPair(experiment, self, run, seed)

    def begin_with(self, net: str) -> Keys:
        """The key for the weights of a perceptron."""
        return {"regime": {"load": net}}

    def untrained(self, experiment: "Experiment", game: Game, folder: Path) -> Path:
        """Writes a perceptron that has learned nothing into a folder."""
        from rulezero.nets.perceptron import create, to_nn

        net = folder / f"untrained{PERCEPTRON}"
        net.write_bytes(to_nn(create(self.sizes, experiment.seed)))
        return net

    def stand_in(self, folder: Path, seed: int) -> bool:
        """Writes perceptrons that count material, as taught first: random values play wildly."""
        from rulezero.nets.perceptron import of_material, to_nn

        for end in ENDS[: self.agents]:
            net = to_nn(of_material(self.sizes, seed))
            (folder / f"untrained{end}{PERCEPTRON}").write_bytes(net)
        return True

    def learns_since(self, iteration: int) -> int:
        """The first iteration of the stage, since earlier games had another teacher."""
        return self.stage_of(iteration).first

    def size(self, experiment: "Experiment") -> "Size":
        """The size of a perceptron."""
        from rulezero.nets.size import Size

        weights = sum((inputs + 1) * outputs for inputs, outputs in pairwise(self.sizes))
        return Size(weights, weights)

    def conclude(self, run: Run) -> Summary:
        """A summary of each stage."""
        return summarise(run.entries(), self)


def _judge(stage: Stage, end: str = "") -> str | None:
    """The judge. Alpha-beta also reports the value of a position without its search."""
    if stage.mode == 2:
        return f"alphabeta:net={stage.teacher}{end},depth={stage.depth}"
    return "alphabeta:depth=1" if stage.mode == 1 else None


def check_given(settings: Distill) -> None:
    """Raises RunError if the first stage needs a trained net and there is none."""
    needs = _NEEDS_A_NET.get(settings.mode[0])
    nets = given_nets(settings)
    if needs is not None and not nets:
        raise RunError(needs)
    if settings.mode[0] == 2 and nets[0].stem == "untrained":
        raise RunError(f"'{nets[0]}' is an untrained net, but {needs}")


def given_nets(settings: Distill) -> list[Path]:
    """The .nn files that the agents begin with; [] if they begin with random weights."""
    if settings.load is None:
        return []
    files = [Path(settings.load) / f"{name}{PERCEPTRON}" for name in settings.names]
    if settings.agents == 1 or not all(file.is_file() for file in files):
        net = resolve(settings.load)
        if net.suffix != PERCEPTRON:
            raise RunError(f"regime.load: '{net}' is not a perceptron, which is a .nn file")
        pair = [net.with_name(f"{net.stem}{end}{PERCEPTRON}") for end in ENDS]
        has_both = settings.agents == 2 and pair[1].is_file()
        files = pair if has_both else [net] * settings.agents
    for file in files:
        _check_shape(file, settings)
    return files


def _check_shape(net: Path, settings: Distill) -> None:
    """RunError unless the perceptron of a file has the layers that the settings name."""
    sizes = read_perceptron(net).sizes
    if (sizes[0], sizes[-1]) != (settings.sizes[0], settings.sizes[-1]):
        raise RunError(
            f"regime.load: '{net}' has the layers {_listed(sizes)}; a perceptron for"
            f" {chess_perceptron.GAME} reads {settings.sizes[0]} features and gives 1 number"
        )
    if sizes != settings.sizes:
        raise RunError(
            f"regime.load: '{net}' has the layers {_listed(sizes)}, not {_listed(settings.sizes)}:"
            f" add --set regime.hidden=[{','.join(map(str, sizes[1:-1]))}]"
        )


def _listed(sizes: Sequence[int]) -> str:
    return "-".join(map(str, sizes))


def summarise(entries: Iterable[Entry], settings: Distill) -> Summary:
    """The summary of a log."""
    known = list(entries)
    fits = {entry.iteration: entry for entry in known if isinstance(entry, FitEntry)}
    ended = [
        entry.figures.last_material
        for entry in known
        if isinstance(entry, GamesEntry) and entry.purpose == "self-play"
    ]
    found = []
    for stage in settings.stages:
        done = [fit for at, fit in fits.items() if stage.first <= at <= stage.last]
        taught = [fit for fit in done if fit.train]
        measured = [fit.held_out for fit in done if fit.held_out is not None]
        found.append(
            StageSummary(
                name=stage.name,
                mode=stage.mode,
                positions=sum(fit.samples for fit in taught),
                loss=_mean(taught, "value"),
                idle_loss=_mean(taught, "constant"),
                held_out=measured[-1].net.value if measured else None,
                constant=measured[-1].constant.value if measured else None,
            )
        )
    return Summary(stages=tuple(found), last_material=ended[-1] if ended else None)


def _mean(fits: Sequence[FitEntry], name: str) -> float | None:
    """The mean loss of a name over all positions of the fits."""
    positions = sum(fit.samples for fit in fits)
    return sum(fit.train[name] * fit.samples for fit in fits) / positions if fits else None
