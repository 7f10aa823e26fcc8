"""backend=onnx: runs a net with onnxruntime on one core of the CPU, without torch."""

from pathlib import Path

from rulezero._core import Game
from rulezero.nets.card import beside, read_card, read_part, resolve
from rulezero.nets.runtime import Floats, Runtime
from rulezero.play.evaluators import Backend, Evaluation, register


class OnnxEvaluator:
    """A net on one core of the CPU, without torch.

    precision is fp32, int8 or auto: see nets.quantize.choose. For int8 and auto, which test the
    net on positions, a game in a Python file must be given.
    """

    def __init__(self, net: str | Path, precision: str = "fp32", game: Game | None = None) -> None:
        path = resolve(net)
        suffix, sha256 = ".onnx", read_card(path).onnx
        if precision != "fp32":
            from rulezero.nets import quantize  # here, as its imports are slow

            if quantize.choose(path, precision, game) != beside(path, ".onnx"):
                suffix, sha256 = ".int8.onnx", quantize.measure(path, game).int8
        self.identity = f"{path.name}{suffix[:-5]}#{sha256[:12]}"
        self._runtime = Runtime(read_part(path, suffix, sha256), f"{path}{suffix}")

    def __repr__(self) -> str:
        return f"<evaluator {self.identity}>"

    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's outputs for a batch."""
        return Evaluation(*self._runtime.run(planes))


register(
    "onnx",
    Backend(
        open=lambda net, options, game: OnnxEvaluator(net, options.precision, game),
        precisions={"fp32": "", "int8": "", "auto": "int8 if close enough and faster"},
    ),
)
