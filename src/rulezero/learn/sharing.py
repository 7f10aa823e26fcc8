"""Shares each batch of a fit among processes, as if one process had all of it.

Process 0 has the optimiser. For each batch it sends the weights to the others, every process
computes the gradients of its part, and process 0 receives their sum.
"""

import contextlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm as AnyBatchNorm

_CONNECTING = timedelta(minutes=1)  # longest time that a process waits for the others to connect
_PATIENCE = timedelta(minutes=30)  # and later, in a step


class Disconnected(Exception):  # noqa: N818  # not an error of its own: `helpers` finds the cause
    """Raised when another process of the group has ended."""


class Part(NamedTuple):
    """The rows of a batch that a process has."""

    first: int
    last: int  # exclusive
    whole: int  # rows of the whole batch
    largest: int  # rows of the largest part


def parts_of(size: int, processes: int) -> list[Part]:
    """The parts of a batch, process by process; they differ by one row at most."""
    ends = [size * number // processes for number in range(processes + 1)]
    largest = -(-size // processes)
    return [Part(ends[number], ends[number + 1], size, largest) for number in range(processes)]


class Group:
    """The processes of a fit, which exchange tensors: by gloo on a CPU, by NCCL on GPUs."""

    def __init__(self, folder: Path, rank: int, size: int, device: torch.device) -> None:
        """Waits until `size` processes with different ranks have opened the same folder."""
        self.rank = rank
        self.size = size
        file = str(folder / "meeting")
        store = distributed.FileStore(file, size)  # type: ignore[attr-defined]
        with _connected():
            self._group = _open(store, rank, size, device)

    def spread(self, net: nn.Module, scale: Tensor) -> Tensor:
        """Copies process 0's weights and scale of the loss to all; returns the scale."""
        weights = list(net.parameters())
        flat = torch.cat([each.detach().reshape(-1) for each in (*weights, scale)])
        with _connected():
            self._group.broadcast(flat, 0).wait()
        if self.rank > 0:
            with torch.no_grad():
                for weight, part in zip(weights, _cut(flat, weights), strict=False):
                    weight.copy_(part)
        return flat[-1]

    def collect(self, net: nn.Module, losses: dict[str, Tensor]) -> dict[str, Tensor]:
        """Sums all gradients and losses in process 0; returns the losses there.

        A weight has no gradient if no process has computed one for it.
        """
        weights = list(net.parameters())
        grads = [torch.zeros_like(each) if each.grad is None else each.grad for each in weights]
        has_grad = [each.grad is not None for each in weights]
        flat = torch.cat(
            [
                *(grad.reshape(-1) for grad in grads),
                torch.tensor(has_grad, dtype=grads[0].dtype, device=grads[0].device),
                torch.stack(list(losses.values())),
            ]
        )
        with _connected():
            self._group.reduce(flat, 0).wait()
        rest = flat[-len(weights) - len(losses) :]
        for weight, grad, count in zip(weights, _cut(flat, weights), rest, strict=False):
            weight.grad = grad if count > 0 else None
        return dict(zip(losses, rest[len(weights) :], strict=True))

    def total(self, tensor: Tensor) -> Tensor:
        """The sum of all processes' tensors; the tensor itself is overwritten."""
        with _connected():
            self._group.allreduce([tensor]).wait()
        return tensor

    def gather(self, tensor: Tensor) -> Tensor:
        """All processes' tensors, which have the same shape [...]: [size, ...]."""
        found = [torch.empty_like(tensor) for _ in range(self.size)]
        with _connected():
            self._group.allgather([found], [tensor]).wait()
        return torch.stack(found)

    def rows(self, tensor: Tensor, part: Part) -> Tensor:
        """The rows of the whole batch. A gradient flows back only to the rows of this process.

        Every process must compute the same number of the rows: then the gradient is complete.
        """
        found: Tensor = _Rows.apply(tensor, self, part)  # type: ignore[no-untyped-call]
        return found

    def close(self) -> None:
        """Leaves the group."""
        self._group.shutdown()


def _open(store: Any, rank: int, size: int, device: torch.device) -> Any:
    """A backend by itself: init_process_group would change this process's global state."""
    if device.type == "cuda":
        by_nccl: Any = distributed.ProcessGroupNCCL.Options()
        by_nccl._timeout = _PATIENCE
        return distributed.ProcessGroupNCCL(store, rank, size, by_nccl)
    options = distributed.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
    options._timeout = _CONNECTING
    # By default, it would listen on the address of the machine's name, open to the network.
    options._devices = [distributed.ProcessGroupGloo.create_device(hostname="127.0.0.1")]
    group = distributed.ProcessGroupGloo(store, rank, size, options)
    group.set_timeout(_PATIENCE)
    return group


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # of torch.distributed, when a connection is closed
        raise Disconnected(str(error)) from error


def _cut(flat: Tensor, shapes: list[nn.Parameter]) -> Iterator[Tensor]:
    """Consecutive parts of a flat tensor, in the shapes of these tensors."""
    at = 0
    for each in shapes:
        yield flat[at : at + each.numel()].view(each.shape)
        at += each.numel()


class _Rows(torch.autograd.Function):
    """See Group.rows."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: Group, part: Part) -> Tensor:
        ctx.part = part
        padded = tensor.new_zeros((part.largest, *tensor.shape[1:]))
        padded[: len(tensor)] = tensor
        found = group.gather(padded)
        sizes = [each.last - each.first for each in parts_of(part.whole, group.size)]
        return torch.cat([rows[:size] for rows, size in zip(found, sizes, strict=True)])

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return grad[ctx.part.first : ctx.part.last], None, None


@contextlib.contextmanager
def whole_batch(net: nn.Module, group: Group, part: Part) -> Iterator[None]:
    """While it is active, the net's layers of batch norm and dropout treat a part like the batch.

    Batch norm uses the means and variances of the whole batch. Dropout draws its random numbers for
    the whole batch, so that they do not depend on the number of processes. This includes the layers
    of users' own heads.
    """
    layers: dict[nn.Module, Callable[[Tensor], Tensor]] = {}
    for layer in (each for each in net.modules() if each.training):
        if isinstance(layer, AnyBatchNorm):
            layers[layer] = partial(_batch_norm, layer, group)
        elif isinstance(layer, nn.Dropout):
            layers[layer] = partial(_dropout, layer, part)
    for layer, forward in layers.items():
        layer.forward = forward
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward


def _batch_norm(layer: AnyBatchNorm, group: Group, x: Tensor) -> Tensor:
    with torch.no_grad():
        count, mean, var = _statistics(x, group)
        if layer.running_mean is not None and layer.running_var is not None:
            assert layer.num_batches_tracked is not None
            layer.num_batches_tracked.add_(1)
            share = layer.momentum  # of this batch; none: all batches have the same
            share = 1 / float(layer.num_batches_tracked) if share is None else share
            layer.running_mean.lerp_(mean, share)
            layer.running_var.lerp_(var * (count / (count - 1).clamp(min=1)), share)
    normed: Tensor = _BatchNorm.apply(  # type: ignore[no-untyped-call]
        x, layer.weight, layer.bias, mean, var, count, layer.eps, group
    )
    return normed


def _statistics(x: Tensor, group: Group) -> tuple[Tensor, Tensor, Tensor]:
    """Of each channel of the whole batch: the count of numbers, their mean and variance."""
    # Twenty times as fast as torch.var_mean for channels that come last. It would also update
    # running statistics; here, these only say that results of bfloat16 have float32.
    unused = x.new_zeros(x.shape[1], dtype=torch.promote_types(x.dtype, torch.float32))
    mean, var = torch.batch_norm_update_stats(x, unused, unused, 0.0)
    count = torch.full_like(mean, x.numel() / x.shape[1])
    counts, means, variances = group.gather(torch.stack((count, mean, var))).unbind(1)
    count = counts.sum(0)
    mean = (counts * means).sum(0) / count
    var = (counts * (variances + (means - mean) ** 2)).sum(0) / count
    return count, mean, var


def _dropout(layer: nn.Dropout, part: Part, x: Tensor) -> Tensor:
    if len(x) != part.last - part.first:  # not one row for each position
        return functional.dropout(x, layer.p)
    whole = functional.dropout(x.new_ones((part.whole, *x.shape[1:])), layer.p)
    return x * whole[part.first : part.last]


class _BatchNorm(torch.autograd.Function):
    """Batch norm with given statistics of the whole batch, and its gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        mean: Tensor,
        var: Tensor,
        count: Tensor,
        eps: float,
        group: Group,
    ) -> Tensor:
        ctx.save_for_backward(x, weight, mean, var, count)
        ctx.eps = eps
        ctx.group = group
        return functional.batch_norm(x, mean, var, weight, bias, eps=eps)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """By the chain rule, each input also moves the mean and the variance of the whole batch."""
        x, weight, mean, var, count = ctx.saved_tensors
        # The gradient for constant statistics, and the sums of grad * normed and of grad.
        direct, of_weight, of_bias = torch.ops.aten.native_batch_norm_backward(
            grad, x, weight, mean, var, None, None, False, ctx.eps, [True, True, True]
        )
        sums = ctx.group.total(torch.stack((of_weight, of_bias)).to(mean.dtype))
        scale = (var + ctx.eps).rsqrt()
        slope = sums[0] / count * scale * (scale if weight is None else scale * weight)
        level = sums[1] / count * (scale if weight is None else scale * weight) - slope * mean
        shape = (1, -1, *[1] * (x.ndim - 2))
        through = torch.addcmul(level.view(shape), x.to(mean.dtype), slope.view(shape))
        of_x = (direct - through).to(x.dtype)
        has_weight, has_bias = ctx.needs_input_grad[1:3]
        return (
            of_x,
            of_weight if has_weight else None,
            of_bias if has_bias else None,
            *[None] * 5,
        )
