"""Two loss terms for any game whose first planes are men: see docs/training.md.

    rulezero train connect4 --preset tiny --set hooks=terms.py \
        --set "fit.loss.extra={entropy: 0.01, men: 1.0}"
"""

from torch import Tensor, nn

import rulezero as rz
from rulezero.learn.losses import Examples, Said


@rz.loss_term("entropy")
def entropy(said: Said, examples: Examples) -> Tensor:
    """Minus the policy's entropy among legal moves, in nats: it keeps the policy from one move."""
    shares = said.policy.masked_fill(~examples.legal, -1e9).log_softmax(1)
    return (shares.exp() * shares).sum(1).mean()


class MenHead(nn.Module):
    """How full the board is, from the means of the tower's channels: [B]."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(channels, 16)
        self.full = nn.Linear(16, 1)

    def forward(self, features: Tensor) -> Tensor:
        seen: Tensor = self.hidden(features.mean((2, 3))).relu()
        full: Tensor = self.full(seen)
        return full[:, 0]


@rz.loss_term("men", head=lambda channels, facts: MenHead(channels))
def men(said: Said, examples: Examples) -> Tensor:
    """The squared error of the head: planes 0 and 1 of connect4 are the men of both sides."""
    rows, columns = examples.planes.shape[2:]
    full = examples.planes[:, :2].sum((1, 2, 3)) / (rows * columns)
    assert said.head is not None
    return (said.head - full).square().mean()
