"""backend=torch: runs a net on a GPU, or on one core of the CPU."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rulezero._core import Game, NetError
from rulezero.nets.card import read_card, resolve
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Backend, Evaluation, Options, in_batches, register

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from rulezero.nets.tower import Outputs

_HALF = ("fp16", "bf16")
_CPU_BATCH = 16  # positions; larger ones are hardly faster, and cost more to fill up
_GPU_BATCH = 256


class TorchEvaluator:
    """A net in torch. It computes batches of one size, so outputs do not depend on the batch."""

    def __init__(
        self,
        net: str | Path,
        device: str = "auto",
        precision: str = "fp32",
        game: Game | None = None,
        *,
        batch: int = 0,  # 0: as many as suit the device
        is_compiled: bool = False,
    ) -> None:
        import torch

        from rulezero.nets.checkpoint import load

        path = resolve(net)
        self.device = _device(device)
        if precision == "auto":
            precision = "fp32" if self.device.type == "cpu" else "fp16"
        usual = _CPU_BATCH if self.device.type == "cpu" else _GPU_BATCH
        self.batch = batch or usual
        kinds = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
        self._type = kinds[precision]
        self._tower = load(path, game).folded().to(self.device, self._type)
        self._tower.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._run: Callable[[torch.Tensor], Outputs] = (
            torch.compile(self._tower, dynamic=False) if is_compiled else self._tower
        )
        shape = (self.batch, *self._tower.planes)
        # Copies to and from a GPU need not wait if the host's memory cannot be swapped out.
        self._is_pinned = self.device.type == "cuda"
        self._lock = threading.Lock()  # of these planes
        self._planes = torch.zeros(shape, pin_memory=self._is_pinned)
        what = [f"torch.{self.device.type}"]
        what += [precision] if precision in _HALF else []
        what += ["compiled"] if is_compiled else []
        what += [f"b{self.batch}"] if self.batch != usual else []
        self.identity = f"{path.name}.{'.'.join(what)}#{read_card(path).weights[:12]}"
        try:
            self.evaluate(np.zeros(shape, np.float32))
        except RuntimeError as error:  # it does not fit, or a compiler or a kernel is missing
            line = str(error).strip().split("\n")[0]
            raise NetError(f"the net {self.identity} cannot be computed here: {line}") from error

    def __repr__(self) -> str:
        return f"<evaluator {self.identity}>"

    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's outputs for a batch; on the CPU in one thread, as workers share the cores."""
        import torch

        from rulezero.nets.device import threads

        if planes.dtype != np.float32 or planes.shape[1:] != self._planes.shape[1:]:
            wanted = ", ".join(map(str, self._planes.shape[1:]))
            given = f"{planes.dtype} {list(planes.shape)}"
            raise NetError(f"the net takes float32 planes [batch, {wanted}], not {given}")
        with self._lock, threads(1), torch.inference_mode():
            return in_batches(planes, self.batch, self._compute)

    def _compute(self, planes: Floats) -> Evaluation:
        import torch

        self._planes.copy_(torch.from_numpy(planes))
        there = self._planes.to(self.device, non_blocking=True)
        outputs = self._run(there.to(self._type, memory_format=torch.channels_last)).float()
        answers = (outputs.policy, *self._tower.value.value_and_draw(outputs.value))
        return Evaluation(*[host.numpy() for host in self._to_host(answers)])

    def _to_host(self, answers: "tuple[torch.Tensor, ...]") -> "list[torch.Tensor]":
        import torch

        hosts = [torch.empty(answer.shape, pin_memory=self._is_pinned) for answer in answers]
        for host, answer in zip(hosts, answers, strict=True):
            host.copy_(answer, non_blocking=True)
        if self.device.type != "cpu":
            torch.accelerator.synchronize(self.device)
        return hosts


def _device(choice: str) -> "torch.device":
    try:
        from rulezero.nets.device import device_of
    except ImportError as error:
        raise NetError(
            f"backend=torch needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    return device_of(choice, "device", gpus=("cuda", "mps"))


def _check(options: Options) -> None:
    """NetError if torch, the GPU or half precision is not available."""
    if _device(options.device or "auto").type == "cpu" and options.precision == "fp16":
        raise NetError(
            "precision=fp16 is for GPUs, but this net would run on the CPU: give precision=bf16 or"
            " auto, or leave precision= out"
        )


def _open(net: Path, options: Options, game: Game | None) -> TorchEvaluator:
    """The evaluator; NetError if torch, the GPU or half precision is not available."""
    _check(options)
    return TorchEvaluator(
        net,
        options.device or "auto",
        options.precision,
        game,
        batch=options.batch,
        is_compiled=options.compile,
    )


register(
    "torch",
    Backend(
        open=_open,
        check=_check,
        device=lambda options: _device(options.device or "auto").type,
        precisions={
            "fp32": "",
            "fp16": "GPU",
            "bf16": "",
            "auto": "fp16 on a GPU",
        },
        devices=("auto", "cpu", "cuda", "mps"),
        keys={
            "batch": "number of positions that are computed at a time, with zeros for missing ones"
            f" (default: {_CPU_BATCH} on the CPU, {_GPU_BATCH} on a GPU)",
            "compile": "whether torch.compile makes the net faster, which takes up to a minute",
        },
        reads=".safetensors",
    ),
)
