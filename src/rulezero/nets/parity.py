"""How close an int8 model is to the model it was made from, and how much faster."""

import platform
import statistics
import time
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero.nets.positions import Sample
from rulezero.nets.runtime import Floats, Runtime

_TIE = 0.9  # this share of the favourite's probability makes an action a favourite, too
_BATCH = 32
_ROUNDS = 7
_SECONDS = 0.03  # each round, each model

# CPU features that determine the speed of int8, and with VNNI its exactness.
_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")


class Parity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result of a comparison, and what it is valid for."""

    cpu: str
    onnxruntime: str  # version; its kernels determine the results
    net: str  # SHA-256 of the .onnx file
    int8: str  # SHA-256 of the .int8.onnx file
    agreement: float  # share of positions with the same favourite among the legal slots
    policy: float  # mean total variation between the two policies over the legal slots
    value: float  # mean absolute difference of the values
    worst_value: float  # largest absolute difference of the values
    speed: float  # int8's positions per second / the exact model's


def compare(exact: Runtime, quick: Runtime, sample: Sample) -> dict[str, float]:
    """The fields agreement, policy, value, worst_value and speed of a Parity.

    An untrained net's policy is almost flat, so that its favourite is random: the quick model's
    favourite counts as the same if its exact probability is at least 0.9 of the largest one.
    """
    one, other = _answers(exact, sample.planes), _answers(quick, sample.planes)
    agreed, apart = [], []
    for slots, wanted, got in zip(sample.legal, one[0], other[0], strict=True):
        exact_policy, quick_policy = softmax(wanted[slots]), softmax(got[slots])
        agreed.append(exact_policy[quick_policy.argmax()] >= _TIE * exact_policy.max())
        apart.append(np.abs(exact_policy - quick_policy).sum() / 2)
    values = np.abs(one[1] - other[1])
    return {
        "agreement": float(np.mean(agreed)),
        "policy": float(np.mean(apart)),
        "value": float(values.mean()),
        "worst_value": float(values.max()),
        "speed": _speed(exact, quick, sample.planes[:_BATCH]),
    }


def softmax(logits: Floats) -> npt.NDArray[np.float64]:
    """The probabilities from one position's logits."""
    powers = np.exp(logits.astype(np.float64) - logits.max())
    shares: npt.NDArray[np.float64] = powers / powers.sum()
    return shares


def cpu() -> str:
    """The name of this machine's CPU, with its features for int8."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        facts.setdefault(key.strip().lower(), value.strip())
    name = facts.get("model name") or platform.processor() or platform.machine()
    flags = {*facts.get("flags", "").split(), *facts.get("features", "").split()}
    return " ".join([name, *(flag for flag in _FLAGS if flag in flags)])


def _answers(runtime: Runtime, planes: Floats) -> tuple[Floats, Floats]:
    parts = [runtime.run(planes[at : at + _BATCH]) for at in range(0, len(planes), _BATCH)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _speed(exact: Runtime, quick: Runtime, planes: Floats) -> float:
    """The speed of quick divided by that of exact: the median of alternating rounds."""
    rounds = [_rate(quick, planes) / _rate(exact, planes) for _ in range(_ROUNDS)]
    return statistics.median(rounds)


def _rate(runtime: Runtime, planes: Floats) -> float:
    """Batches per second of this thread's CPU time, so that other processes do not matter."""
    clock = time.thread_time if hasattr(time, "thread_time") else time.perf_counter
    batches = 0
    begin = clock()
    while (spent := clock() - begin) < _SECONDS:
        runtime.run(planes)
        batches += 1
    return batches / spent
