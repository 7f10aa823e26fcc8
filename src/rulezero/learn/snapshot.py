"""A learner's state in one file, to resume from: weights, optimisers, numbers of steps."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.nets.card import digest

_FILE = "learner.safetensors"
_NO_LEARNER = (
    "the run cannot be resumed; start a new run, or fit a net to its games with `rulezero fit`"
)

Parts = Mapping[str, nn.Module | torch.optim.Optimizer]


def save(folder: Path, parts: Parts, counts: Mapping[str, float]) -> str:
    """Writes parts and counts by their names; returns the SHA-256 of the file."""
    tensors = {
        f"{name}.{key}": tensor.detach().cpu().contiguous()
        for name, part in parts.items()
        for key, tensor in _tensors(part).items()
    }
    written: bytes = safetensors.torch.save(tensors, {"learner": json.dumps(counts)})
    write_whole(folder / _FILE, written)
    return digest(written)


def load(folder: Path, wanted: str, parts: Parts) -> dict[str, Any]:
    """Restores the parts; returns the counts. RunError if the file's SHA-256 is not `wanted`."""
    path = folder / _FILE
    try:
        if digest(path.read_bytes()) != wanted:
            raise RunError(f"'{path}' is damaged: {_NO_LEARNER}")
    except OSError as error:
        raise RunError(f"'{path}' cannot be read ({error.strerror}): {_NO_LEARNER}") from error
    with safetensors.safe_open(path, "pt") as file:
        counts: dict[str, Any] = json.loads(file.metadata()["learner"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    for name, part in parts.items():
        begin = f"{name}."
        own = {key: tensor for key, tensor in tensors.items() if key.startswith(begin)}
        _bring_back(part, {key.removeprefix(begin): tensor for key, tensor in own.items()})
    return counts


def _tensors(part: nn.Module | torch.optim.Optimizer) -> dict[str, Tensor]:
    if isinstance(part, nn.Module):
        return part.state_dict()
    return {
        f"{number}.{name}": tensor
        for number, state in part.state_dict()["state"].items()
        for name, tensor in state.items()
        if isinstance(tensor, Tensor)
    }


def _bring_back(part: nn.Module | torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    if isinstance(part, nn.Module):
        part.load_state_dict(tensors)
        return
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = tensor
    part.load_state_dict({**part.state_dict(), "state": state})
