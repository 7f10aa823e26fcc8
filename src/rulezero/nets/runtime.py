"""Runs ONNX models on one core of a CPU, or on a GPU."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rulezero._core import NetError

Floats: TypeAlias = npt.NDArray[np.float32]

_OUTPUTS = ["policy", "value", "draw"]

# By device: onnxruntime's name for it, and its options. The default search for the fastest
# convolutions could choose others, which round differently, each time that a net is opened.
_PROVIDERS: dict[str, tuple[str, dict[str, str]]] = {
    "cpu": ("CPUExecutionProvider", {}),
    "cuda": ("CUDAExecutionProvider", {"cudnn_conv_algo_search": "HEURISTIC"}),
}


def check_device(device: str) -> None:
    """NetError if the installed onnxruntime is not made for a device."""
    import onnxruntime as ort

    name, _ = _PROVIDERS[device]
    if name not in ort.get_available_providers():
        raise NetError(
            f"device={device}, but this onnxruntime has no {name}: pip install onnxruntime-gpu, or"
            " leave device= out"
        )


class Runtime:
    """A model ready to run, with one thread and no spinning, as workers share the cores.

    On the CPU, a position's result depends neither on the rest of the batch nor on its size, to the
    bit; on a GPU, only batches of one size are comparable.
    """

    def __init__(self, model: bytes, what: str, device: str = "cpu") -> None:
        import onnxruntime as ort  # here, so that `import rulezero` is fast

        check_device(device)
        name, settings = _PROVIDERS[device]
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(model, options, providers=[(name, settings)])
        except Exception as error:  # onnxruntime's exceptions share no base
            raise NetError(f"'{what}' is not an ONNX model: {_first_line(error)}") from error
        if self._session.get_providers()[0] != name:  # it falls back to the CPU without an error
            raise NetError(
                f"device={device}, but onnxruntime cannot start its {name}: its log says why"
            )
        inputs = self._session.get_inputs()
        outputs = {output.name: output.shape for output in self._session.get_outputs()}
        if [put.name for put in inputs] != ["planes"] or not outputs.keys() >= {*_OUTPUTS}:
            raise NetError(
                f"'{what}' is not a net: it needs the input planes and outputs policy, value, draw"
            )
        self.planes = tuple(inputs[0].shape[1:])
        self.slots = outputs["policy"][1]

    def run(self, planes: Floats) -> tuple[Floats, Floats, Floats]:
        """Policy logits [B, slots], the mover's value [B] and the probability of a draw [B]."""
        try:
            policy, value, draw = self._session.run(_OUTPUTS, {"planes": planes})
        except Exception as error:  # onnxruntime's exceptions share no base
            if planes.dtype == np.float32 and planes.shape[1:] == self.planes:
                raise NetError(f"the net could not be run: {_first_line(error)}") from error
            wanted = ", ".join(map(str, self.planes))
            given = f"{planes.dtype} {list(planes.shape)}"
            raise NetError(
                f"the net takes float32 planes [batch, {wanted}], not {given}"
            ) from error
        return policy, value, draw


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
