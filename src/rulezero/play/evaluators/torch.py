"""backend=torch: runs a net on a GPU, or on one core of the CPU."""

from pathlib import Path
from typing import TYPE_CHECKING

from rulezero._core import Game, NetError
from rulezero.nets.card import read_card, resolve
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Backend, Evaluation, Options, register

if TYPE_CHECKING:
    import torch

_HALF = ("fp16", "bf16")


class TorchEvaluator:
    """A net in torch.

    On a GPU, and also with torch's CPU kernels, the last bits of the outputs may depend on the size
    of the batch.
    """

    def __init__(
        self,
        net: str | Path,
        device: str = "auto",
        precision: str = "fp32",
        game: Game | None = None,
    ) -> None:
        import torch

        from rulezero.nets.checkpoint import load

        path = resolve(net)
        self.device = _device(device)
        if precision == "auto":
            precision = "fp32" if self.device.type == "cpu" else "fp16"
        kinds = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
        where = f"torch.{self.device.type}" + (f".{precision}" if precision in _HALF else "")
        self.identity = f"{path.name}.{where}#{read_card(path).weights[:12]}"
        self._type = kinds[precision]
        self._tower = load(path, game).folded().to(self.device, self._type)
        self._tower.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def __repr__(self) -> str:
        return f"<evaluator {self.identity}>"

    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's outputs for a batch; on the CPU in one thread, as workers share the cores."""
        import torch

        from rulezero.nets.device import threads

        with threads(1), torch.inference_mode():
            batch = torch.from_numpy(planes).to(
                self.device, self._type, memory_format=torch.channels_last
            )
            outputs = self._tower(batch).float()
            answers = outputs.policy, *self._tower.value.value_and_draw(outputs.value)
            return Evaluation(*(answer.contiguous().cpu().numpy() for answer in answers))


def _device(choice: str) -> "torch.device":
    from rulezero.nets.device import device_of

    return device_of(choice, "device", gpus=("cuda", "mps"))


def _open(net: Path, options: Options, game: Game | None) -> TorchEvaluator:
    """The evaluator; NetError if torch, the GPU or half precision is not available."""
    try:
        device = _device(options.device)
    except ImportError as error:
        raise NetError(
            f"backend=torch needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    if device.type == "cpu" and options.precision in _HALF:
        raise NetError(
            f"precision={options.precision} is for GPUs, but this net would run on the CPU: leave"
            " precision= out, or give precision=auto"
        )
    return TorchEvaluator(net, options.device, options.precision, game)


register(
    "torch",
    Backend(
        open=_open,
        precisions={
            "fp32": "",
            "fp16": "GPU",
            "bf16": "GPU",
            "auto": "fp16 on a GPU",
        },
        devices=("auto", "cpu", "cuda", "mps"),
        reads=".safetensors",
    ),
)
