"""The one evaluator that needs torch: a GPU's, and the reference for all others."""

from pathlib import Path

import torch

from rulezero._core import Game
from rulezero.nets.card import read_card, resolve
from rulezero.nets.checkpoint import load
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import value_and_draw
from rulezero.play.evaluators import Evaluation


class TorchEvaluator:
    """A net in torch, on the GPU if there is one.

    On a GPU, and in torch's CPU kernels too, answers may differ in the last bits with the size
    of the batch.
    """

    def __init__(
        self, net: str | Path, device: str | None = None, game: Game | None = None
    ) -> None:
        path = resolve(net)
        self.card = read_card(path)
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.identity = f"{path.name}.{self.device.type}#{self.card.weights[:12]}"
        self._tower = load(path, game).to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    @torch.inference_mode()
    def evaluate(self, planes: Floats) -> Evaluation:
        """The net's judgement of a batch."""
        batch = torch.from_numpy(planes).to(self.device, memory_format=torch.channels_last)
        said = self._tower(batch)
        answers = said.policy, *value_and_draw(said.value)
        return Evaluation(*(answer.contiguous().cpu().numpy() for answer in answers))
