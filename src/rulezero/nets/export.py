"""ONNX files: what plays, without torch."""

import copy
import logging
import warnings

import onnx
import torch
from torch import Tensor, nn

from rulezero.nets.layers import ConvNorm
from rulezero.nets.tower import Tower

_PRODUCER = "rulezero"


class _Exported(nn.Module):
    """A tower whose answers are also told as the search wants them."""

    def __init__(self, tower: Tower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        policy, wdl = self.tower(planes)
        chances = torch.softmax(wdl, 1)
        return policy, wdl, chances[:, 0] - chances[:, 2], chances[:, 1]


def to_onnx(tower: Tower) -> bytes:
    """The net as an ONNX model for any batch size; BatchNorm is folded into the convolutions.

    planes  [B, C, H, W]  float32, the only input
    policy  [B, slots]    logits
    wdl     [B, 3]        logits of the mover's win, draw, loss
    value   [B]           the mover's, p(win) - p(loss)
    draw    [B]           p(draw)
    """
    exported = _Exported(copy.deepcopy(tower).cpu()).eval()
    for module in exported.modules():
        if isinstance(module, ConvNorm):
            module.fold()
    example = torch.zeros(2, *tower.planes)  # two: a batch of one would be taken for a constant
    with warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
        program = torch.onnx.export(
            exported,
            (example,),
            dynamo=True,
            input_names=["planes"],
            output_names=["policy", "wdl", "value", "draw"],
            dynamic_shapes=({0: "batch"},),
            verbose=False,
        )
    assert program is not None
    model: bytes = _bare(program.model_proto).SerializeToString()
    return model


def _bare(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without notes about the code that made it: they name this machine's folders."""
    for part in (model.graph, *model.graph.node, *model.graph.input, *model.graph.output):
        del part.metadata_props[:]
    for part in (*model.graph.value_info, *model.graph.initializer):
        del part.metadata_props[:]
    for node in model.graph.node:
        node.doc_string = ""
    del model.metadata_props[:]
    model.producer_name = _PRODUCER
    return model


class _quiet:  # noqa: N801
    """A logger says nothing below an error meanwhile: the exporter tells of packages it misses."""

    def __init__(self, name: str) -> None:
        self.logger = logging.getLogger(name)

    def __enter__(self) -> None:
        self.level = self.logger.level
        self.logger.setLevel(logging.ERROR)

    def __exit__(self, *error: object) -> None:
        self.logger.setLevel(self.level)
