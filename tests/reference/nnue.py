"""A slow efficiently updatable net, written from the comment in cpp/eval/nnue.h."""

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import rulezero as rz
from rulezero._core import heuristic

Shorts = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float32]

SUREST = 0.999  # estimates stay inside (-1, 1) by this much


@dataclass(frozen=True)
class Net:
    """The content of a .nnue file."""

    game: str
    version: int
    features: int
    places: int
    width: int
    phases: int
    most: int
    unit: int
    factor: float
    columns: Shorts  # [features, width]
    biases: Shorts  # [width]
    outputs: Shorts  # [phases, 2, width]
    output_biases: Floats  # [phases]
    trust: Floats  # [phases]


def read(file: bytes) -> Net:
    """The net in the bytes of a .nnue file, which must be in order."""
    magic, version, size = struct.unpack_from("<4sII", file)
    assert (magic, version) == (b"RZNN", 1)
    name, at = file[12 : 12 + size].decode(), 12 + size
    head = struct.unpack_from("<7If", file, at)
    _, features, _, width, phases, *_ = head
    at += 32

    def numbers(kind: str, *shape: int) -> npt.NDArray[Any]:
        nonlocal at
        found = np.frombuffer(file, kind, math.prod(shape), at).reshape(shape)
        at += found.nbytes
        return found

    columns = numbers("<i2", features, width)
    biases = numbers("<i2", width)
    outputs = numbers("<i2", phases, 2, width)
    floats = numbers("<f4", 2, phases)
    net = Net(*(name, *head, columns, biases, outputs, *floats))
    assert at == len(file)
    return net


def write(net: Net) -> bytes:
    """The .nnue file of a net."""
    name = net.game.encode()
    head = (net.version, net.features, net.places, net.width, net.phases, net.most, net.unit)
    return b"".join(
        [
            struct.pack(f"<4sII{len(name)}s", b"RZNN", 1, len(name), name),
            struct.pack("<7If", *head, net.factor),
            *(each.astype("<i2").tobytes() for each in (net.columns, net.biases, net.outputs)),
            *(each.astype("<f4").tobytes() for each in (net.output_biases, net.trust)),
        ]
    )


def phase_of(net: Net, features_on: int) -> int:
    """Which output weights a position with this number of features uses."""
    return min(features_on, net.most) * net.phases // (net.most + 1)


def evaluate(net: Net, state: rz.State) -> float:
    """The value for the mover."""
    views = [state.features(seat) for seat in (state.mover, 1 - state.mover)]
    phase = phase_of(net, len(views[0]))
    total = 0
    for view, weights in zip(views, net.outputs[phase].astype(np.int64), strict=True):
        sums = net.columns[view].astype(np.int64).sum(axis=0) + net.biases
        total += int((weights * np.clip(sums, 0, net.unit) ** 2).sum())
    known = heuristic(state) * (1 if state.mover == 0 else -1)
    learned = net.factor * total + float(net.output_biases[phase])
    value = math.tanh(learned + float(net.trust[phase]) * math.atanh(known))
    return min(max(value, -SUREST), SUREST)
