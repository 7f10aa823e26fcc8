"""ONNX files: what plays, without torch."""

import functools
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from rulezero.nets.config import NetConfig
from rulezero.nets.tower import Tower


def to_onnx(tower: Tower) -> bytes:
    """The net as an ONNX model for any batch size; BatchNorm is folded into the convolutions.

    planes  [B, C, H, W]  float32, the only input
    policy  [B, slots]    logits
    wdl     [B, 3]        logits of the mover's win, draw, loss, if the value head computes these
    value   [B]           the mover's, p(win) - p(loss)
    draw    [B]           p(draw); 0 if the value head does not predict draws

    What only training needs is left out: the guess how long the game goes on, and dropout.
    """
    model = onnx.ModelProto()
    config = tower.config.model_copy(update={"moves_left": False, "dropout": 0.0})
    model.CopyFrom(_graph(tower.planes, tower.slots, config))
    weights = _Exported(tower.folded()).state_dict()
    for initializer in model.graph.initializer:
        weight = weights.get(initializer.name)
        if weight is not None:
            initializer.CopyFrom(numpy_helper.from_array(weight.numpy(), initializer.name))
    data: bytes = model.SerializeToString()
    return data


class _Exported(nn.Module):
    """A tower with the outputs that a search reads."""

    def __init__(self, tower: Tower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        answers, head = self.tower(planes), self.tower.value
        logits = (answers.value,) if head.onnx_name else ()
        return answers.policy, *logits, *head.value_and_draw(answers.value)


@functools.lru_cache(maxsize=8)
def _graph(planes: tuple[int, int, int], slots: int, config: NetConfig) -> onnx.ModelProto:
    """The model without its weights. Torch takes seconds to make it, and a run needs it often."""
    with torch.random.fork_rng(devices=[]):
        exported = _Exported(Tower(planes, slots, config).folded()).eval()
        for weight in exported.parameters():  # equal ones might be merged
            nn.init.normal_(weight)
    logits = exported.tower.value.onnx_name
    example = torch.zeros(2, *planes)  # a batch of one would be taken for a constant
    with warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
        program = torch.onnx.export(
            exported,
            (example,),
            dynamo=True,
            input_names=["planes"],
            output_names=["policy", *([logits] if logits else []), "value", "draw"],
            dynamic_shapes=({0: "batch"},),
            verbose=False,
        )
    assert program is not None
    model = _bare(program.model_proto)
    shapes = {put.name: tuple(put.dims) for put in model.graph.initializer}
    for name, weight in exported.state_dict().items():
        assert shapes.get(name) == tuple(weight.shape), f"the exporter has changed {name}"
    return model


def _bare(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without notes about the code that made it: they name this machine's folders."""
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    del graph.value_info[:]
    model.producer_name = "rulezero"
    return model


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """A logger says nothing below an error: the exporter tells of every package it misses."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
