"""Evaluators: from planes to a policy and a value, the search's only interface to a net.

An evaluator's values are the mover's; everywhere else they are seat 0's.

A backend is a file of this folder that calls register(): `backend=onnx` in a player's text is
onnx.py. All of these files are imported to read a player's text, so a backend must import its
framework only when it opens a net.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from rulezero._core import Game, PlayerError
from rulezero.errors import among
from rulezero.nets.runtime import Floats
from rulezero.stats.wdl import wdl

DEFAULT = "onnx"  # the backend if a player's text names none
_MOST_BATCH = 4096


class Evaluation(NamedTuple):
    """An evaluator's outputs for a batch: contiguous arrays, which the caller may keep."""

    policy: Floats  # [B, slots] logits, also of illegal slots
    value: Floats  # [B] the mover's expected result, in [-1, 1]
    draw: Floats  # [B] probability of a draw; at most 1 - |value|


class Evaluator(Protocol):
    """An object that evaluates positions: a net of any framework, or anything else."""

    @property
    def identity(self) -> str:
        """A text for records; evaluators with equal texts must give equal outputs."""

    def evaluate(self, planes: Floats) -> Evaluation:
        """The outputs for a batch of planes, float32 [B, C, H, W] and contiguous.

        A position's output must depend only on its planes, not on the rest of the batch. An
        evaluator that computes batches of one size has this number as its attribute `batch`.
        """


class Options(NamedTuple):
    """The keys of a player's text for the computation of its net."""

    backend: str = DEFAULT
    precision: str = "fp32"
    device: str = ""  # "": the first of the backend's devices
    batch: int = 0  # positions that are computed at a time; 0: as many as suit the device
    compile: bool = False


class Backend(NamedTuple):
    """A library that computes nets."""

    # Opens a net that resolve() has found; NetError if this machine cannot.
    open: Callable[[Path, Options, Game | None], Evaluator]
    # NetError if this machine cannot open any net with these options.
    check: Callable[[Options], None]
    # The kind of device that would compute the net, such as cpu; NetError if it does not exist.
    device: Callable[[Options], str]
    precisions: dict[str, str]  # each with a short help text
    devices: tuple[str, ...]  # values of the key `device`; the first is the default
    keys: Mapping[str, str] = {}  # help texts of keys that not every backend has: batch, compile
    reads: str = ".onnx"  # suffix of the net's file that it reads, beside the card


_BACKENDS: dict[str, Backend] = {}


def register(name: str, backend: Backend) -> None:
    """Registers a backend under the name of its file."""
    _BACKENDS[name] = backend


@cache
def backends() -> dict[str, Backend]:
    """Every backend by its name."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(_BACKENDS.items()))


def read_options(keys: Mapping[str, str]) -> Options:
    """The options in a player's keys; PlayerError if they are unknown or incompatible."""
    options = Options(
        backend=keys.get("backend", DEFAULT),
        precision=keys.get("precision", "fp32"),
        device=keys.get("device", ""),
    )
    known = backends()
    if options.backend not in known:
        raise PlayerError(f"there is no backend={options.backend}{among(options.backend, known)}")
    backend = known[options.backend]
    if options.precision not in backend.precisions:
        others = [name for name in known if options.precision in known[name].precisions]
        raise PlayerError(
            f"there is no precision={options.precision} with backend={options.backend}, which has"
            f" {', '.join(backend.precisions)}"
            + (f"; backend={others[0]} has it" if others else "")
        )
    if "device" in keys and options.device not in backend.devices:
        others = [name for name in known if options.device in known[name].devices]
        raise PlayerError(
            f"there is no device={options.device} with backend={options.backend}, which has"
            f" {', '.join(backend.devices)}" + (f"; backend={others[0]} has it" if others else "")
        )
    for key in ("batch", "compile"):
        if key in keys and key not in backend.keys:
            others = [name for name in known if key in known[name].keys]
            raise PlayerError(
                f"backend={options.backend} has no key {key}: leave {key}={keys[key]} out, or add"
                f" backend={others[0]}"
            )
    return options._replace(
        batch=_batch_of(keys["batch"]) if "batch" in keys else 0,
        compile=_flag_of("compile", keys["compile"]) if "compile" in keys else False,
    )


def _batch_of(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_BATCH:
        raise PlayerError(f"batch={text}: give a whole number from 1 to {_MOST_BATCH}")
    return int(text)


def _flag_of(key: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise PlayerError(f"{key}={text}: give true or false")
    return text == "true"


def device_kind(options: Options) -> str:
    """The kind of device that would compute a net with these options: cpu, cuda, ...

    NetError if the device does not exist.
    """
    return backends()[options.backend].device(options)


def check_device(options: Options) -> None:
    """NetError if this machine lacks the device, or what else these options need."""
    backends()[options.backend].check(options)


def open_net(net: Path, options: Options, game: Game | None = None) -> Evaluator:
    """The evaluator of a net that resolve() has found; NetError if this machine has none.

    A game in a Python file must be given.
    """
    return backends()[options.backend].open(net, options, game)


def in_batches(planes: Floats, size: int, compute: Callable[[Floats], Evaluation]) -> Evaluation:
    """The outputs for planes, computed in batches of `size` rows; zeros fill up the last one.

    A library may round differently for another shape, so a fixed one makes a position's outputs
    independent of the positions that are computed with it.
    """
    parts = []
    for at in range(0, max(1, len(planes)), size):
        batch = planes[at : at + size]
        rows = len(batch)
        if rows < size:
            batch = np.zeros((size, *planes.shape[1:]), np.float32)
            batch[:rows] = planes[at:]
        parts.append(Evaluation(*(array[:rows] for array in compute(batch))))
    if len(parts) == 1:
        return parts[0]
    return Evaluation(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def chances(value: Floats, draw: Floats) -> Floats:
    """Probabilities of win, draw and loss [B, 3] from expected results and draws, [B] each."""
    return np.stack(wdl(value, draw), axis=1).clip(0)  # rounding may give numbers below 0
