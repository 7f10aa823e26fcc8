"""Nets: towers and heads, checkpoints, export."""

import os

from rulezero.nets.card import PERCEPTRON, copy, game_of, read_card, read_perceptron, resolve

__all__ = ["PERCEPTRON", "copy", "game_of", "read_card", "read_perceptron", "resolve"]

# Torch's threads wait for each other by spinning. Where somebody else wants a core, that lasts as
# long as they have it, and a fit takes ten times its time. A short spin costs nothing on an idle
# machine. It is read once, when torch is imported: only from here.
os.environ.setdefault("GOMP_SPINCOUNT", "3000")
# ONNX Runtime otherwise notes the machine and the program in the user's cache, for its makers. It
# is read when onnxruntime is imported: only from here.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
