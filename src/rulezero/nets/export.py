"""Exports nets to ONNX files, with which players evaluate positions without torch."""

import io
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import onnx
import torch
from torch import Tensor, nn

from rulezero._core import NetError
from rulezero.nets.graph import Graph
from rulezero.nets.heads import WdlHead
from rulezero.nets.tower import Tower

_COLOURS = re.compile(r"\x1b\[\d+m")


def to_onnx(tower: Tower) -> bytes:
    """The net as an ONNX model for any batch size; BatchNorm is folded into the convolutions.

    planes  [B, C, H, W]  float32, the only input
    policy  [B, slots]    logits
    wdl     [B, 3]        logits of the mover's win, draw, loss, if the value head has these
    value   [B]           the mover's value, p(win) - p(loss)
    draw    [B]           p(draw); 0 if the value head does not predict draws

    Parts for training only are left out: the prediction of the game's length, and dropout.
    """
    folded = tower.folded()
    graph = Graph(folded, "tower")
    policy, value_head = folded.export(graph)
    value, draw = folded.value.export_value_and_draw(graph, value_head)
    outputs: dict[str, tuple[str, list[int]]] = {"policy": (policy, [tower.slots])}
    if folded.value.onnx_name:
        outputs[folded.value.onnx_name] = value_head, [3]
    model = graph.model(tower.planes, {**outputs, "value": (value, []), "draw": (draw, [])})
    data: bytes = model.SerializeToString()
    return data


class Playing(nn.Module):
    """A user's module with the outputs that a search reads.

    The module answers with policy logits [B, slots] and one of these:
    [B, 3]           logits of the mover's win, draw, loss
    [B] or [B, 1]    the mover's value, in [-1, 1]
    [B] and [B]      the mover's value and the probability of a draw
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        policy, value, *draw = self.module(planes)
        if draw:
            return policy, value.flatten(), draw[0].flatten()
        if value.ndim == 2 and value.shape[1] == 3:
            return policy, *WdlHead.value_and_draw(value)
        value = value.flatten()
        return policy, value, torch.zeros_like(value)


def module_to_onnx(module: Playing, planes: tuple[int, int, int]) -> bytes:
    """The ONNX model of a module in eval mode, with the inputs and outputs of to_onnx but wdl.

    NetError, with the first line of the reason, if torch cannot export it.
    """
    module.training = False  # the caller sets the mode of the inner module
    logging.disable(logging.CRITICAL)  # errors are logged with pages of code
    unread = io.StringIO()
    try:
        with redirect_stdout(unread), redirect_stderr(unread):
            model = _traced(module, planes, ["policy", "value", "draw"])
    except Exception as error:  # whatever the exporter raises
        reason = _COLOURS.sub("", str(error.__cause__ or error)).strip().split("\n")[0]
        name = type(module.module).__name__
        raise NetError(f"torch cannot export {name} to ONNX: {reason}") from error
    finally:
        logging.disable(logging.NOTSET)
    data: bytes = model.SerializeToString()
    return data


def _traced(module: nn.Module, planes: tuple[int, int, int], names: list[str]) -> onnx.ModelProto:
    """The model of a module in eval mode, for any batch size, with these output names."""
    example = torch.zeros(2, *planes)  # a batch of 1 would be treated as a constant
    with warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
        program = torch.onnx.export(
            module,
            (example,),
            dynamo=True,
            input_names=["planes"],
            output_names=names,
            dynamic_shapes=({0: "batch"},),
            verbose=False,
        )
    assert program is not None
    return _bare(program.model_proto)


def _bare(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without metadata about the exporting code, which contains local paths."""
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    del graph.value_info[:]
    model.producer_name = "rulezero"
    return model


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Silences a logger below errors: the exporter warns of every missing optional package."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
