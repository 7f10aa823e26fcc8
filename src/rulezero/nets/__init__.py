"""Nets: towers and heads, checkpoints, export to ONNX."""

import os

from rulezero.nets.card import (
    ONE_FILE,
    PERCEPTRON,
    copy,
    game_of,
    read_card,
    read_nnue,
    read_perceptron,
    resolve,
)

__all__ = [
    "ONE_FILE",
    "PERCEPTRON",
    "copy",
    "game_of",
    "read_card",
    "read_nnue",
    "read_perceptron",
    "resolve",
]

# Torch's threads wait for each other by spinning. If another process uses one of the cores, they
# spin as long as it does, and a fit takes ten times as long. A short spin costs nothing on an idle
# machine. Torch reads the variable when it is imported, which happens only after this module.
os.environ.setdefault("GOMP_SPINCOUNT", "3000")
# ONNX Runtime otherwise records the machine and the program in the user's cache as telemetry. It
# reads the variable when it is imported, which happens only after this module.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
