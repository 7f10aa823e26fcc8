"""backend=onnx: runs a net with onnxruntime, without torch: on one core of the CPU, or on a GPU."""

from pathlib import Path

from rulezero._core import Game, NetError
from rulezero.nets.card import beside, read_card, read_part, resolve
from rulezero.nets.runtime import Floats, Runtime, check_device
from rulezero.play.evaluators import Backend, Evaluation, Options, in_batches, register

_GPU_BATCH = 256  # positions


class OnnxEvaluator:
    """A net on one core of the CPU or on a GPU, without torch.

    precision is fp32, int8 or auto: see nets.quantize.choose. For int8 and auto, which test the
    net on positions, a game in a Python file must be given.
    """

    def __init__(
        self,
        net: str | Path,
        precision: str = "fp32",
        game: Game | None = None,
        device: str = "cpu",
    ) -> None:
        path = resolve(net)
        suffix, sha256 = ".onnx", read_card(path).onnx
        if precision != "fp32":
            from rulezero.nets import quantize  # here, as its imports are slow

            if quantize.choose(path, precision, game) != beside(path, ".onnx"):
                suffix, sha256 = ".int8.onnx", quantize.measure(path, game).int8
        where = "" if device == "cpu" else f".onnx.{device}"
        self.identity = f"{path.name}{suffix[:-5]}{where}#{sha256[:12]}"
        # On the CPU, outputs do not depend on the size of the batch.
        self.batch = 0 if device == "cpu" else _GPU_BATCH
        self._runtime = Runtime(read_part(path, suffix, sha256), f"{path}{suffix}", device)

    def __repr__(self) -> str:
        return f"<evaluator {self.identity}>"

    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's outputs for a batch."""
        return (
            in_batches(planes, self.batch, self._compute) if self.batch else self._compute(planes)
        )

    def _compute(self, planes: Floats) -> Evaluation:
        return Evaluation(*self._runtime.run(planes))


def _check(options: Options) -> None:
    device = options.device or "cpu"
    if device == "cpu":
        return
    if options.precision != "fp32":
        raise NetError(
            f"precision={options.precision} is for the CPU: leave it or device={device} out"
        )
    check_device(device)


def _open(net: Path, options: Options, game: Game | None) -> OnnxEvaluator:
    _check(options)
    return OnnxEvaluator(net, options.precision, game, options.device or "cpu")


register(
    "onnx",
    Backend(
        open=_open,
        check=_check,
        device=lambda options: options.device or "cpu",
        precisions={"fp32": "", "int8": "CPU", "auto": "int8 if close enough and faster"},
        devices=("cpu", "cuda"),
    ),
)
