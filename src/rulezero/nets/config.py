"""What a net is made of, and which policy head fits which game."""

from typing import Literal

import msgspec

from rulezero._core import Facts
from rulezero.nets.error import NetError

Head = Literal["flat", "planes", "from_to"]
Precision = Literal["fp32", "int8", "auto"]  # of what plays: see quantize.choose

# Whose slots are laid out as a head needs them (docs/planes.md); any other game has a flat head.
_LAYOUTS: dict[str, Head] = {
    "chess": "planes",
    "random_chess": "planes",
    "monster": "from_to",
    "exchange": "from_to",
    "razzle": "from_to",
}

_LIMITS = {  # sizes beyond these are a mistake, or somebody else's attempt to fill the memory
    "blocks": (0, 100),
    "channels": (1, 2048),
    "se": (0, 2048),
    "pooling": (0, 100),
    "policy_channels": (1, 2048),
    "key_channels": (1, 2048),
    "value_channels": (1, 2048),
    "value_hidden": (1, 8192),
}


class NetConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A residual tower and its heads."""

    blocks: int = 4  # residual blocks of two 3x3 convolutions
    channels: int = 64  # of the tower; multiples of 8 are fastest on a CPU
    se: int = 0  # squeeze-and-excitation in every block, over so many channels; 0: none
    pooling: int = 0  # each so-many-th block hears of the whole board (KataGo); 0: none does
    head: Literal["auto", "flat", "planes", "from_to"] = "auto"  # auto: the game's own
    policy_channels: int = 8  # of the flat head, before its linear layer
    key_channels: int = 32  # of the from_to head: length of a square's query and key
    value_channels: int = 8  # of the value head, before its linear layers
    value_hidden: int = 64  # width of the value head's hidden layer
    value: Literal["wdl", "tanh"] = "wdl"  # logits of the mover's win, draw, loss; or one value
    moves_left: bool = False  # a head that guesses how long the game goes on, for training alone
    dropout: float = 0.0  # share of what the heads' last layers see that is hidden, in training

    def __post_init__(self) -> None:
        for name, (least, most) in _LIMITS.items():
            size = getattr(self, name)
            if type(size) is not int or not least <= size <= most:
                raise NetError(f"{name} of a net must be from {least} to {most}, not {size!r}")
        if self.pooling > self.blocks:
            raise NetError(f"pooling {self.pooling} is in no block of a net that has {self.blocks}")
        if self.head not in ("auto", "flat", "planes", "from_to"):
            raise NetError(f"there is no policy head '{self.head}': auto, flat, planes or from_to")
        if self.value not in ("wdl", "tanh"):
            raise NetError(f"there is no value head '{self.value}': wdl or tanh")
        if not isinstance(self.moves_left, bool):
            raise NetError(f"moves_left of a net is true or false, not {self.moves_left!r}")
        if not (isinstance(self.dropout, int | float) and 0 <= self.dropout < 1):
            raise NetError(f"dropout of a net must be from 0 to below 1, not {self.dropout!r}")

    def for_game(self, facts: Facts) -> "NetConfig":
        """This config with the head that a game's net gets. NetError where none fits."""
        _, rows, columns = facts.planes
        if rows * columns == 1:
            raise NetError(
                f"{facts.name} is encoded as one flat vector of {facts.planes[0]} numbers, and a"
                f" tower needs a board: its planes must have rows and columns"
            )
        layout = _LAYOUTS.get(facts.name, "flat")
        head = layout if self.head == "auto" else self.head
        if head not in ("flat", layout):
            fitting = "flat" if layout == "flat" else f"flat or {layout}"
            raise NetError(f"the slots of {facts.name} are not laid out for {head}; use {fitting}")
        return msgspec.structs.replace(self, head=head)
