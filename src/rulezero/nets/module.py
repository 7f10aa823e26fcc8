"""Saves a user's torch module as a net that the whole package can play with.

Torch is imported when a net is saved or loaded, not by `import rulezero`.
"""

import contextlib
import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rulezero._core import Game, NetError
from rulezero.games.load import AnyGame, load
from rulezero.games.python_game import describe
from rulezero.nets.card import read_card, read_part, resolve, without_suffix
from rulezero.nets.config import ModuleConfig
from rulezero.nets.positions import sample
from rulezero.nets.runtime import Floats, Runtime

if TYPE_CHECKING:
    from torch import nn

    AnyModule = TypeVar("AnyModule", bound=nn.Module)

_POSITIONS = 16  # positions on which the ONNX file is compared with the module
_NEAR = 1e-3  # absolute and relative tolerance for logits, values and probabilities
_WANTED = (
    "a value: [B, 3] logits of the mover's win, draw and loss, or [B] in [-1, 1], or two of [B],"
    " the value and the probability of a draw"
)


def save_net(
    path: str | Path,
    module: "nn.Module",
    game: AnyGame,
    metadata: Mapping[str, Any] | None = None,
) -> Path:
    """Saves a torch module as a net for players, matches and reports; returns its path.

    The module maps planes [B, C, H, W] to a tuple: policy logits [B, slots] and a value, which is
    [B, 3] logits of the mover's win, draw and loss, or [B] or [B, 1] in [-1, 1], or two of these,
    the value and the probability of a draw. The module is exported in eval mode; its own mode does
    not change. Its ONNX file is compared with it on positions of random games. NetError says what
    is wrong.
    """
    rules, net = load(game), without_suffix(path)
    if not net.name or "," in str(net) or not str(net).isprintable():
        raise NetError(f"'{path}' is not a name for a net: give a printable one without commas")
    try:
        import torch
        from torch import nn

        from rulezero.nets import checkpoint, export
        from rulezero.nets.tower import Tower
    except ImportError as error:
        raise NetError(
            f"saving a net needs torch: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    if isinstance(module, Tower):
        return checkpoint.save(net, module, rules, metadata)
    if not isinstance(module, nn.Module):
        raise NetError(f"a net must be a torch.nn.Module, not {module!r:.60}")
    name = type(module).__name__
    for key, tensor in module.state_dict().items():
        if not isinstance(tensor, torch.Tensor):
            raise NetError(f"{name} keeps {key!r} in its state, not a tensor: leave it out")
        if not tensor.isfinite().all():
            raise NetError(f"{name} has a weight that is not finite: {key}")
    with _evaluating(module) as quiet, torch.inference_mode():
        planes = sample(rules, _POSITIONS, seed=0).planes
        has_draws = _check_answers(quiet, planes, rules)
        playing = export.Playing(quiet)
        wanted = [each.numpy() for each in playing(torch.from_numpy(planes))]
        _check_numbers(name, *wanted)
    with _evaluating(module) as quiet:
        onnx = export.module_to_onnx(export.Playing(quiet), rules.facts.planes)
    _check_parity(name, Runtime(onnx, f"{net}.onnx"), planes, wanted)
    config = ModuleConfig(module=name, has_draws=has_draws)
    return checkpoint.write(net, module, onnx, rules, config, metadata)


def load_weights(path: str | Path, module: "AnyModule") -> "AnyModule":
    """Loads the weights of a net into a module of the class that was saved, and returns it.

    `path` is a checkpoint, a run folder (its best net), RUN@latest or RUN@12.
    """
    import safetensors.torch

    net = resolve(path)
    weights = read_part(net, ".safetensors", read_card(net).weights)
    try:
        module.load_state_dict(safetensors.torch.load(weights))
    except Exception as error:  # safetensors and torch raise different errors
        said = " ".join(str(error).split())
        raise NetError(
            f"'{net}.safetensors' does not hold the weights of {type(module).__name__}: {said:.200}"
        ) from error
    return module


@contextlib.contextmanager
def _evaluating(module: "nn.Module") -> "Iterator[nn.Module]":
    """The module in eval mode, in float32 on the CPU; afterwards its modes are restored."""
    import torch

    tensors = [*module.parameters(), *module.buffers()]
    kinds = {tensor.dtype for tensor in tensors if tensor.is_floating_point()}
    if kinds - {torch.float32} or any(tensor.device.type != "cpu" for tensor in tensors):
        yield copy.deepcopy(module).cpu().float().eval()
        return
    modes = [(part, part.training) for part in module.modules()]
    try:
        yield module.eval()
    finally:
        for part, mode in modes:
            part.training = mode


def _check_answers(module: "nn.Module", planes: Floats, game: Game) -> bool:
    """Whether a module predicts draws; NetError unless its outputs have the right shapes."""
    import torch

    name, slots, size = type(module).__name__, game.facts.slots, len(planes)
    try:
        said = module(torch.from_numpy(planes))
    except Exception as error:  # any error of the user's module
        given = f"planes {list(planes.shape)} of {game.text}"
        raise NetError(f"{name} {describe(error)}, when it is given {given}") from error
    parts = list(said) if isinstance(said, tuple | list) else [said]
    are_tensors = all(isinstance(part, torch.Tensor) for part in parts)
    shapes = [tuple(part.shape) for part in parts] if are_tensors else []
    number = [(size,), (size, 1)]
    is_fine = shapes[:1] == [(size, slots)] and (
        (len(shapes) == 2 and shapes[1] in [*number, (size, 3)])
        or (len(shapes) == 3 and shapes[1] in number and shapes[2] in number)
    )
    if not is_fine:
        kinds = [str(list(shape)) for shape in shapes] or [type(part).__name__ for part in parts]
        what = f"a tuple of {', '.join(kinds)}" if len(kinds) > 1 else kinds[0]
        raise NetError(
            f"{name} answers {size} positions of {game.facts.name} with {what}; it must be a tuple"
            f" of policy logits [B, {slots}] and {_WANTED}"
        )
    return len(shapes) == 3 or shapes[1] == (size, 3)


def _check_numbers(name: str, policy: Floats, value: Floats, draw: Floats) -> None:
    """Raises NetError unless a module's outputs are numbers in their ranges."""
    for what, array in (("policy", policy), ("value", value), ("draw", draw)):
        if not np.isfinite(array).all():
            raise NetError(f"{name} answers with a {what} that is not finite")
    if np.abs(value).max() > 1 + _NEAR:
        raise NetError(
            f"{name} answers with a value of {value[np.abs(value).argmax()]:.3g}: the mover's value"
            " is in [-1, 1], so end it with torch.tanh"
        )
    if draw.min() < -_NEAR or (draw + np.abs(value)).max() > 1 + _NEAR:
        raise NetError(f"{name} answers with a probability of a draw outside [0, 1 - |value|]")


def _check_parity(name: str, runtime: Runtime, planes: Floats, wanted: list[Floats]) -> None:
    """Raises NetError unless the ONNX model gives the module's outputs, in any batch."""
    alone = [runtime.run(planes[at : at + 1]) for at in range(len(planes))]
    found = {
        "": runtime.run(planes),
        " alone": [np.concatenate(arrays) for arrays in zip(*alone, strict=True)],
    }
    for how, arrays in found.items():
        for what, one, other in zip(("policy", "value", "draw"), wanted, arrays, strict=True):
            if not np.allclose(one, other, _NEAR, _NEAR):
                apart = f"{what} differs by {np.abs(one - other).max():.3g}"
                if how:
                    raise NetError(
                        f"{name} cannot play: its answer to a position depends on the other"
                        f" positions of the batch ({apart})"
                    )
                raise NetError(f"the ONNX file of {name} gives different outputs ({apart})")
