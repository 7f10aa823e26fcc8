"""Writes ONNX models node by node: torch's exporter takes seconds, and workers wait for nets."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

_OPSET, _IR_VERSION = 20, 10  # older versions of onnxruntime refuse newer ones


class Graph:
    """The nodes and weights of an ONNX model. A tensor in it is known by its name.

    Each method adds nodes and returns the name of their result.
    """

    def __init__(self, root: nn.Module, name: str) -> None:
        self._names = {module: path for path, module in root.named_modules(prefix=name)}
        self._nodes: list[onnx.NodeProto] = []
        self._tensors: dict[str, TensorProto] = {}

    def node(self, kind: str, *given: str, **attributes: Any) -> str:
        """A node of any kind."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, given, [name], name, **attributes))
        return name

    def weight(self, module: nn.Module, name: str) -> str:
        """A parameter of a module of the root."""
        path = f"{self._names[module]}.{name}"
        weight = module.get_parameter(name).detach().numpy()
        self._tensors[path] = numpy_helper.from_array(weight, path)
        return path

    def whole(self, number: int | list[int]) -> str:
        """A constant whole number, or a list of them."""
        name = f"whole_{number}"
        self._tensors[name] = numpy_helper.from_array(np.array(number, np.int64), name)
        return name

    def conv(self, layer: nn.Conv2d, x: str) -> str:
        """A convolution with a bias."""
        edge = layer.kernel_size[0] // 2
        weights = self.weight(layer, "weight"), self.weight(layer, "bias")
        return self.node("Conv", x, *weights, kernel_shape=layer.kernel_size, pads=[edge] * 4)

    def linear(self, layer: nn.Linear, x: str) -> str:
        """A linear layer with a bias."""
        weights = self.weight(layer, "weight"), self.weight(layer, "bias")
        return self.node("Gemm", x, *weights, transB=1)

    def over_squares(self, kind: str, x: str) -> str:
        """ReduceMean or ReduceMax over the board: from [B, C, H, W] to [B, C]."""
        return self.node(kind, x, self.whole([2, 3]), keepdims=0)

    def column(self, x: str, number: int) -> str:
        """A column of a matrix: from [B, n] to [B]."""
        return self.node("Gather", x, self.whole(number), axis=1)

    def model(
        self, planes: tuple[int, int, int], outputs: dict[str, tuple[str, list[int]]]
    ) -> onnx.ModelProto:
        """The model with the input `planes`, and these outputs: by name, a tensor and its shape.

        Shapes are without the batch.
        """
        final = {tensor: name for name, (tensor, _) in outputs.items()}
        for node in self._nodes:
            node.input[:] = [final.get(each, each) for each in node.input]
            node.output[:] = [final.get(each, each) for each in node.output]
        graph = helper.make_graph(
            self._nodes,
            "net",
            [_described("planes", [*planes])],
            [_described(name, shape) for name, (_, shape) in outputs.items()],
            list(self._tensors.values()),
        )
        opsets = [helper.make_opsetid("", _OPSET)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="rulezero"
        )


def _described(name: str, shape: list[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])
