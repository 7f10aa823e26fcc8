"""The stages of a distillation: in which order a perceptron learns what, and from whom."""

from itertools import accumulate
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from pydantic import BeforeValidator, Field, model_validator

from rulezero.errors import RunError
from rulezero.nets.card import PERCEPTRON, read_perceptron, resolve
from rulezero.settings import Settings

_ONE_OR_SEVERAL = BeforeValidator(
    lambda given: given if isinstance(given, list | tuple) else (given,)
)
Modes = Annotated[tuple[Literal[0, 1, 2], ...], _ONE_OR_SEVERAL]
Depths = Annotated[tuple[Annotated[int, Field(ge=1, le=64)], ...], _ONE_OR_SEVERAL]
AGENTS = ("white", "black")  # by seat, where there are two
ENDS = ("", "_black")  # of the names of their nets
MODES = ("play only", "material", "search")
_NEEDS_A_NET = {
    0: "mode 0 plays a net and teaches none: name one with --load runs/x",
    2: "mode 2 teaches a net that knows material: first `rulezero train distill --mode 1 --out"
    " runs/x`, then add --load runs/x",
}


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """Iterations in which one thing is learned."""

    mode: int
    depth: int  # of the search that teaches; 0 where none does
    first: int  # iterations, both inclusive
    last: int

    @property
    def teacher(self) -> str:
        """The net that judges the leaves of that search: the last one before the stage."""
        return f"iter_{self.first - 1}" if self.first > 1 else "untrained"

    @property
    def name(self) -> str:
        """What is learned."""
        return f"{MODES[self.mode]}, depth {self.depth}" if self.depth else MODES[self.mode]


class DistillSettings(Settings):
    """What a perceptron of chess is taught, stage after stage."""

    mode: Modes = (1, 2)  # 0: it only plays; 1: material; 2: what a search says
    depth: Depths = (3,)  # plies of mode 2's search; several: a stage for each
    material_iterations: int = Field(1, ge=1)  # of a stage of mode 1, or 0
    search_iterations: int = Field(1, ge=1)  # of each stage of mode 2
    train_every: int = Field(1, ge=1)  # turns of both sides, of which one is learned from
    agents: Literal[1, 2] = 1  # 2: White's and Black's, each from games that its own teacher judges
    load: str | None = None  # begin with this .nn file, net or run; agents=2: or a folder of both
    save_every: int = Field(1, ge=1)  # iterations after which agents are written into the run
    progress_every: int = Field(10_000, ge=1)  # positions after which the loss is told

    @model_validator(mode="after")
    def _begins_somewhere(self) -> "DistillSettings":
        if not self.mode or not self.depth:
            raise ValueError("mode and depth are one number each, or several")
        if 0 in self.mode and len(self.mode) > 1:
            raise ValueError("mode 0 learns nothing: it stands alone")
        return self

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One after the other."""
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
        """The stage that an iteration belongs to; the first one has the beginning."""
        known = [stage for stage in self.stages if stage.first <= max(iteration, 1)]
        return known[-1]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the agents' files."""
        return tuple(f"{name}_agent" for name in AGENTS) if self.agents == 2 else ("agent",)


def check_given(settings: DistillSettings) -> None:
    """RunError where the first stage needs a net that there is not, or that knows nothing."""
    needs = _NEEDS_A_NET.get(settings.mode[0])
    nets = given_nets(settings)
    if needs is not None and not nets:
        raise RunError(needs)
    if settings.mode[0] == 2 and nets[0].stem == "untrained":
        raise RunError(f"'{nets[0]}' has learned nothing, but {needs}")


def given_nets(settings: DistillSettings) -> list[Path]:
    """The .nn files that the agents begin with; none where they begin from nothing."""
    if settings.load is None:
        return []
    files = [Path(settings.load) / f"{name}{PERCEPTRON}" for name in settings.names]
    if settings.agents == 2 and all(file.is_file() for file in files):
        return files
    net = resolve(settings.load)
    if net.suffix != PERCEPTRON:
        raise RunError(f"distill.load: '{net}' is no perceptron, which is a .nn file")
    read_perceptron(net)
    pair = [net.with_name(f"{net.stem}{end}{PERCEPTRON}") for end in ENDS]
    return pair if settings.agents == 2 and pair[1].is_file() else [net] * settings.agents
