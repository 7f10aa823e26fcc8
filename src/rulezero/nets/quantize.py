"""int8 models: made from a net's ONNX file, and used only where they are good and faster.

Weights have seven bits, so that a CPU without VNNI does not overflow when it adds products in
pairs: answers are then alike on all CPUs. The last layers of both heads stay float; they cost
little, and eight bits of logits are too few.
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
    speed: float = 1.1,  # at least, with auto
) -> Path:
    """The ONNX file to play with on this machine.

    int8: the int8 file, and a NetError that names the figure if it is too far from the net.
    auto: the int8 file if it is near enough and faster, and else the net's own.
    The comparison is made once for a CPU, a version of onnxruntime and a net; an int8 file that
    is not there yet is made. A game in a Python file must be given.
    """
    exact = beside(net, ".onnx")
    if precision == "fp32":
        return exact
    if precision not in ("int8", "auto"):
        raise NetError(f"there is no precision '{precision}': fp32, int8 or auto")
    try:
        found = measure(net, game)
    except NetError:  # not every user's module has an int8 form
        if precision == "auto" and isinstance(read_card(net).config, ModuleConfig):
            return exact
        raise
    wrong = [
        f"{name} is {figure:.3g}, {bound} {limit:g} is wanted"
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
    """The comparison of a net with its int8 file on this machine, made or remembered."""
    card = read_card(net)
    path, notes = beside(net, ".int8.onnx"), beside(net, ".int8.json")
    quick = path.read_bytes() if path.is_file() else b""
    files = (card.onnx, digest(quick))
    known = [one for one in _remembered(notes) if (one.net, one.int8) == files]
    for one in known:
        if (one.cpu, one.onnxruntime) == (cpu(), ort.__version__):
            return one
    if not known:  # no file, or one that was made from another net
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

    Ranges are calibrated on positions of random games. NetError if onnxruntime would still
    compute a layer in float, beyond the last ones of the heads.
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
    """The names of the layers from which the policy and the value come."""
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
    """The names of the layers that onnxruntime computes in float once it has optimised."""
    with tempfile.TemporaryDirectory(prefix="rulezero_") as folder:
        path = Path(folder) / "optimised"
        options = ort.SessionOptions()
        options.optimized_model_filepath = str(path)
        # Beyond this level layouts change, and with them names; all that becomes int8 is by now.
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.log_severity_level = 3
        ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        nodes = onnx.load(str(path)).graph.node
    return {node.name.removeprefix("fused ") for node in nodes if node.op_type in _LAYERS}


class _Reader(CalibrationDataReader):  # type: ignore[misc]
    """Planes, a batch at a time."""

    def __init__(self, planes: Floats) -> None:
        self._batches = (planes[at : at + _BATCH] for at in range(0, len(planes), _BATCH))

    def get_next(self) -> dict[str, Floats] | None:
        return next(({"planes": batch} for batch in self._batches), None)


def _remembered(notes: Path) -> list[Parity]:
    """Comparisons made before; none if the file is not there or not readable."""
    try:
        return msgspec.json.decode(notes.read_bytes(), type=list[Parity])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return []
