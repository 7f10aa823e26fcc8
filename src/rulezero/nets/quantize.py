"""Makes int8 models from nets' ONNX files, to be used only if they are close and faster.

Weights have 7 bits, so that sums of two products do not overflow on a CPU without VNNI: results are
then similar on all CPUs. The last layers of both heads stay float; they cost little, and 8 bits are
too few for logits.
"""

import logging
import tempfile
from pathlib import Path

import msgspec
import onnx
import onnxruntime as ort
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from rulezero._core import Game, NetError
from rulezero.files import write_whole
from rulezero.nets.card import beside, digest, game_of, read_card, read_part
from rulezero.nets.config import ModuleConfig
from rulezero.nets.parity import Parity, compare, cpu
from rulezero.nets.positions import sample
from rulezero.nets.runtime import Floats, Runtime

_LAYERS = {"Conv", "FusedConv", "Gemm", "FusedGemm", "MatMul", "FusedMatMul", "TransposeMatMul"}
_POSITIONS = 256
_BATCH = 32


def choose(
    net: Path,
    precision: str = "auto",
    game: Game | None = None,
    *,
    speed: float = 1.1,  # minimum for auto: int8's speed / float's
) -> Path:
    """The ONNX file to play with on this machine.

    fp32: the net's own file.
    int8: the int8 file; NetError, with the numbers, if it is too far from the net.
    auto: the int8 file if it is close enough and faster, else the net's own.
    The comparison is made once per CPU, version of onnxruntime and net. A missing int8 file is
    created. A game in a Python file must be given.
    """
    exact = beside(net, ".onnx")
    if precision == "fp32":
        return exact
    if precision not in ("int8", "auto"):
        raise NetError(f"there is no precision '{precision}': give fp32, int8 or auto")
    try:
        found = measure(net, game)
    except NetError:  # some users' modules have no int8 form
        if precision == "auto" and isinstance(read_card(net).config, ModuleConfig):
            return exact
        raise
    wrong = [
        f"{name} is {figure:.3g}, must be {bound} {limit:g}"
        for name, figure, bound, limit in (
            ("agreement of the favourites", found.agreement, "at least", 0.95),
            ("mean difference of the policies", found.policy, "at most", 0.03),
            ("mean difference of the values", found.value, "at most", 0.03),
            ("greatest difference of the values", found.worst_value, "at most", 0.2),
        )
        if not (figure >= limit if bound == "at least" else figure <= limit)
    ]
    if precision == "int8" and wrong:
        raise NetError(f"int8 is too far from the net '{net}': {'; '.join(wrong)}")
    if wrong or (precision == "auto" and found.speed < speed):
        return exact
    return beside(net, ".int8.onnx")


def measure(net: Path, game: Game | None = None) -> Parity:
    """The comparison of a net with its int8 file on this machine; saved beside the net."""
    card = read_card(net)
    path, notes = beside(net, ".int8.onnx"), beside(net, ".int8.json")
    quick = path.read_bytes() if path.is_file() else b""
    files = (card.onnx, digest(quick))
    known = [one for one in _remembered(notes) if (one.net, one.int8) == files]
    for one in known:
        if (one.cpu, one.onnxruntime) == (cpu(), ort.__version__):
            return one
    if not known:  # no file, or one made from another net
        quick = quantize(net, game).read_bytes()
    found = Parity(
        cpu=cpu(),
        onnxruntime=ort.__version__,
        net=card.onnx,
        int8=digest(quick),
        **compare(
            Runtime(read_part(net, ".onnx", card.onnx), f"{net}.onnx"),
            Runtime(quick, str(path)),
            sample(game_of(net, card, game), _POSITIONS, seed=1),
        ),
    )
    write_whole(notes, msgspec.json.format(msgspec.json.encode([*known, found])) + b"\n")
    return found


def quantize(net: Path, game: Game | None = None) -> Path:
    """Writes NAME.int8.onnx and returns its path.

    Ranges are calibrated on positions of random games. NetError if onnxruntime would compute
    another layer than the last ones of the heads in float.
    """
    card = read_card(net)
    planes = sample(game_of(net, card, game), _POSITIONS, seed=0).planes
    model = quantized(read_part(net, ".onnx", card.onnx), planes)
    path = beside(net, ".int8.onnx")
    write_whole(path, model)
    return path


def quantized(model: bytes, planes: Floats) -> bytes:
    """The int8 model of a float one, calibrated on these planes."""
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        given, ready, made = (Path(folder) / name for name in ("given", "ready", "made"))
        given.write_bytes(model)
        # Without this step, layers silently stay float.
        quant_pre_process(str(given), str(ready), skip_symbolic_shape=True)
        last = last_layers(onnx.load(str(ready)))
        logging.disable(logging.WARNING)
        try:
            quantize_static(
                str(ready),
                str(made),
                _Reader(planes),
                quant_format=QuantFormat.QDQ,
                op_types_to_quantize=["Conv", "Gemm", "MatMul", "Add", "Relu"],
                nodes_to_exclude=sorted(last),
                activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8,
                per_channel=True,
                reduce_range=True,
            )
        finally:
            logging.disable(logging.NOTSET)
        data = made.read_bytes()
    left = float_layers(data) - last
    if left:
        raise NetError(f"layers stayed float: {', '.join(sorted(left))}")
    return data


def last_layers(model: onnx.ModelProto) -> set[str]:
    """The names of the last layers before the policy and the value."""
    makers = {put: node for node in model.graph.node for put in node.output}
    found: set[str] = set()
    waiting = ["policy", "value"]
    while waiting:
        node = makers.get(waiting.pop())
        if node is None:
            continue
        if node.op_type in _LAYERS:
            found.add(node.name)
        else:
            waiting += node.input
    return found


def float_layers(model: bytes) -> set[str]:
    """The names of the layers that onnxruntime computes in float after its optimisation."""
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        path = Path(folder) / "optimised"
        options = ort.SessionOptions()
        options.optimized_model_filepath = str(path)
        # Higher levels change layouts and names; at this one, all int8 layers are already int8.
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.log_severity_level = 3
        ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        nodes = onnx.load(str(path)).graph.node
    return {node.name.removeprefix("fused ") for node in nodes if node.op_type in _LAYERS}


class _Reader(CalibrationDataReader):  # type: ignore[misc]
    """Gives planes, one batch at a time."""

    def __init__(self, planes: Floats) -> None:
        self._batches = (planes[at : at + _BATCH] for at in range(0, len(planes), _BATCH))

    def get_next(self) -> dict[str, Floats] | None:
        return next(({"planes": batch} for batch in self._batches), None)


def _remembered(notes: Path) -> list[Parity]:
    """Earlier comparisons; [] if the file is missing or unreadable."""
    try:
        return msgspec.json.decode(notes.read_bytes(), type=list[Parity])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return []
