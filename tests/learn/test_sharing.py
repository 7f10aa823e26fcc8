"""Parts of a batch: with all processes together, they have the gradients of the whole batch.

The group's processes are threads here. They compute in float64, so that rounding hides no mistake.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from rulezero.learn.batch import Batch, Batches
from rulezero.learn.fit import FitSettings
from rulezero.learn.gradients import Gradients
from rulezero.learn.losses import Examples, Said
from rulezero.learn.sharing import Group, parts_of, whole_batch
from rulezero.learn.targets import TargetSettings
from rulezero.learn.terms import Term
from rulezero.nets.tower import Tower, create
from support import little_nets, record_samples, samples, windows

T = TypeVar("T")
CPU = torch.device("cpu")
ROWS = 31
NEAR = 1e-9  # absolute and relative
SCALE = 4.0  # of the loss


def together(folder: Path, size: int, work: Callable[[Group], T]) -> list[T]:
    """The results of some work in `size` threads, each of which has a rank in one group."""

    def run(rank: int) -> T:
        group = Group(folder, rank, size, CPU)
        try:
            return work(group)
        finally:
            group.close()

    with ThreadPoolExecutor(size) as threads:
        return list(threads.map(run, range(size)))


def cut(batch: Batch, first: int = 0, last: int = ROWS) -> Batch:
    """Some rows of a batch."""
    return Batch(**{name: getattr(batch, name)[first:last] for name in batch.__struct_fields__})


def some_batch(without_policy: int = 0, kind: type = np.float64) -> Batch:
    """Positions of random games; the first ones have no policy target."""
    records = record_samples.several("connect4", 3)
    game = samples.game("connect4")
    made = Batches(windows.of(records), game, settings=TargetSettings(), mirrors=True)
    batch = made.make(np.arange(ROWS), np.random.default_rng(0))
    batch.policy[:without_policy] = 0
    arrays = {name: getattr(batch, name) for name in batch.__struct_fields__}
    return Batch(
        **{
            name: array if array.dtype == np.bool_ else array.astype(kind)
            for name, array in arrays.items()
        }
    )


class Result(msgspec.Struct):
    """The result of a step, before the optimiser changes the weights."""

    losses: dict[str, Tensor]
    grads: dict[str, Tensor | None]
    statistics: dict[str, Tensor]  # the running ones of batch norm


class Step:
    """Computes a step in one process, or in several."""

    def __init__(self, option: str = "none", terms: tuple[Term, ...] = (), **fit: Any) -> None:
        loss = {"moves_left": 1.0, "extra": {term.name: 0.5 for term in terms}}
        self.settings = FitSettings.model_validate({"loss": loss, "device": "cpu", **fit})
        self.terms = terms
        self.option = option

    def _tower(self) -> Tower:
        config = little_nets.OPTIONS[self.option].model_copy(update={"dropout": 0.0})
        heads = {term.name: term.head for term in self.terms if term.head is not None}
        tower = create(samples.game("connect4"), config, 1, heads)
        return tower.double() if self.settings.precision == "auto" else tower

    def alone(self, batch: Batch) -> Result:
        """The result of one process."""
        tower = self._tower()
        losses = Gradients(tower, self.settings, self.terms, CPU).compute(
            batch, torch.full((1,), SCALE)
        )
        return self._result(tower, losses)

    def shared(self, batch: Batch, folder: Path, size: int) -> Result:
        """The result of several processes."""
        towers = [self._tower() for _ in range(size)]  # here, as torch has one random state

        def compute(group: Group) -> Result:
            tower, part = towers[group.rank], parts_of(ROWS, size)[group.rank]
            gradients = Gradients(tower, self.settings, self.terms, CPU, group)
            if group.rank > 0:
                for weight in tower.parameters():
                    weight.data.zero_()
            kind = next(tower.parameters()).dtype
            scale = group.spread(tower, torch.full((1,), SCALE, dtype=kind))
            losses = gradients.compute(cut(batch, part.first, part.last), scale, part)
            return self._result(tower, group.collect(tower, losses))

        first, *others = together(folder, size, compute)
        for other in others:
            assert other.statistics.keys() == first.statistics.keys()
            for name, tensor in other.statistics.items():
                assert torch.equal(tensor, first.statistics[name]), name
        return first

    def _result(self, tower: Tower, losses: dict[str, Tensor]) -> Result:
        grads = {name: weight.grad for name, weight in tower.named_parameters()}
        return Result(losses, grads, dict(tower.named_buffers()))


def assert_near(one: Result, other: Result, near: float = NEAR) -> None:
    assert one.losses.keys() == other.losses.keys()
    for name, loss in one.losses.items():
        assert float(other.losses[name]) == pytest.approx(float(loss), rel=near, abs=near), name
    for name, grad in one.grads.items():
        found = other.grads[name]
        assert (grad is None) == (found is None), name
        if grad is not None and found is not None:
            assert float((found - grad).abs().max()) < near * (1 + float(grad.abs().max())), name
    for name, tensor in one.statistics.items():
        torch.testing.assert_close(other.statistics[name], tensor, rtol=near, atol=near)


@pytest.mark.parametrize("without_policy", [0, 16, 31])
@pytest.mark.parametrize("size", [2, 3])
def test_parts_add_up_to_the_whole(size: int, without_policy: int, tmp_path: Path) -> None:
    """Losses, gradients and statistics; also if no position of a part has a policy target."""
    step, batch = Step(), some_batch(without_policy)
    assert_near(step.alone(batch), step.shared(batch, tmp_path, size))


@pytest.mark.parametrize("option", [each for each in little_nets.OPTIONS if each != "none"])
def test_every_net_can_be_shared(option: str, tmp_path: Path) -> None:
    """Each option of a net, with two processes."""
    step, batch = Step(option), some_batch(5)
    assert_near(step.alone(batch), step.shared(batch, tmp_path, 2))


def test_recomputed_blocks_use_the_whole_batch_too(tmp_path: Path) -> None:
    """With micro_batch, activations and their statistics are computed a second time."""
    step, batch = Step("pooling", micro_batch=4), some_batch()
    assert_near(step.alone(batch), step.shared(batch, tmp_path, 2))


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_every_precision_can_be_shared(precision: str, tmp_path: Path) -> None:
    """Only float32 and the other processes' rounding make a difference."""
    step, batch = Step("all", precision=precision), some_batch(5, np.float32)
    near = {"float32": 1e-5, "bfloat16": 0.1, "float16": 0.01}[precision]
    assert_near(step.alone(batch), step.shared(batch, tmp_path, 2), near)


def ratio(said: Said, examples: Examples) -> Tensor:
    """A loss that is no mean over positions: parts of a batch do not determine it."""
    policy = said.policy.masked_fill(~examples.legal, 0).square().sum()
    return policy / (1 + said.value.square().sum()) + examples.planes.std()


def spread(said: Said, examples: Examples) -> Tensor:
    """The variance of a head's output over the batch."""
    assert said.head is not None
    return said.head.var() + (said.head * examples.weight).mean()


class Head(nn.Module):
    """A head with its own batch norm, of both kinds, and a weight that is never used."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.linear = nn.Linear(channels, 4)
        self.norm_of_rows = nn.BatchNorm1d(4, affine=False)
        self.idle = nn.Parameter(torch.ones(3))

    def forward(self, features: Tensor) -> Tensor:
        rows: Tensor = self.norm_of_rows(self.linear(self.norm(features).mean((2, 3))))
        return rows.tanh().sum(1)  # [B]


def test_own_terms_get_the_whole_batch(tmp_path: Path) -> None:
    """Terms that are no means, and a user's head with batch norm, give the same gradients."""
    terms = (
        Term("ratio", ratio),
        Term("spread", spread, lambda channels, facts: Head(channels)),
    )
    step, batch = Step("moves_left", terms), some_batch(16)
    alone = step.alone(batch)
    assert alone.grads["extra.spread_head.idle"] is None
    near = 1e-6  # as the value of a term is rounded to float32
    assert_near(alone, step.shared(batch, tmp_path, 2), near)
    (tmp_path / "three").mkdir()
    assert_near(alone, step.shared(batch, tmp_path / "three", 3), near)


def test_batch_norm_is_that_of_torch(tmp_path: Path) -> None:
    """Outputs, gradients and running statistics of single layers, for some shapes of parts."""
    for number, shape in enumerate([(7, 4), (7, 4, 3), (7, 4, 3, 2)]):
        x = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
        layer = nn.BatchNorm1d(4, momentum=None) if len(shape) < 4 else nn.BatchNorm2d(4)
        layer.double()
        assert layer.weight is not None
        nn.init.uniform_(layer.weight, generator=torch.Generator().manual_seed(2))
        state = {name: tensor.clone() for name, tensor in layer.state_dict().items()}
        inputs = x.clone().requires_grad_()
        outputs = layer(inputs)
        (outputs**3).sum().backward()

        def norm(
            group: Group, x: Tensor = x, layer: nn.Module = layer, state: dict[str, Tensor] = state
        ) -> tuple[Tensor, Tensor, nn.Module]:
            part = parts_of(7, 3)[group.rank]
            own = type(layer)(4, momentum=layer.momentum).double()
            own.load_state_dict(state)
            rows = x[part.first : part.last].clone().requires_grad_()
            with whole_batch(own, group, part):
                said = own(rows)
                (said**3).sum().backward()
            assert rows.grad is not None
            return said.detach(), rows.grad, own

        folder = tmp_path / str(number)
        folder.mkdir()
        found = together(folder, 3, norm)
        assert inputs.grad is not None
        torch.testing.assert_close(
            torch.cat([said for said, _, _ in found]), outputs, rtol=NEAR, atol=NEAR
        )
        torch.testing.assert_close(
            torch.cat([grad for _, grad, _ in found]), inputs.grad, rtol=NEAR, atol=NEAR
        )
        for name, tensor in layer.state_dict().items():
            torch.testing.assert_close(found[1][2].state_dict()[name], tensor, rtol=NEAR, atol=NEAR)


def test_parts_are_even() -> None:
    """Parts follow each other and differ by one row at most."""
    for size, processes in ((7, 2), (8, 4), (5, 5), (100, 7)):
        parts = parts_of(size, processes)
        assert [part.first for part in parts] == [0, *(part.last for part in parts[:-1])]
        assert parts[-1].last == size
        sizes = {part.last - part.first for part in parts}
        assert max(sizes) - min(sizes) <= 1
        assert {part.largest for part in parts} == {max(sizes)}
