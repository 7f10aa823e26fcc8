"""What a net is made of, and which policy head fits which game."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from rulezero._core import Facts, NetError
from rulezero.errors import among

Head = Literal["auto", "flat", "planes", "from_to", "dense"]

# Value heads (see nets/heads.py), and whether each predicts draws: if so its errors are reported
# as a cross-entropy of win, draw and loss, else as a squared error.
VALUE_HEADS = {"wdl": True, "tanh": False}

SIZES = {  # blocks and channels by a recipe's net.size
    "tiny": (2, 32),
    "small": (3, 48),
    "medium": (4, 64),
    "large": (6, 96),
    "full": (12, 256),
}

_LIMITS = {  # sizes beyond these are a mistake, or somebody else's attempt to fill the memory
    "blocks": (0, 100),
    "channels": (1, 2048),
    "se": (0, 2048),
    "pooling": (0, 100),
    "policy_channels": (1, 2048),
    "key_channels": (1, 2048),
    "value_channels": (1, 2048),
}
_WIDEST = 2048  # channels of a block
_WIDEST_HIDDEN = 8192  # numbers in a hidden layer
_MOST_HIDDEN = 8  # layers


class NetConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A residual tower and its heads."""

    blocks: int = 4  # residual blocks of two 3x3 convolutions
    channels: int = 64  # of the tower; multiples of 8 are fastest on a CPU
    widths: tuple[int, ...] = ()  # channels of each block, where they are not all `channels`
    se: int = 0  # squeeze-and-excitation in every block, over so many channels; 0: none
    pooling: int = 0  # each so-many-th block hears of the whole board (KataGo); 0: none does
    head: Head = "auto"  # auto: the game's own
    policy_channels: int = 8  # of the flat and the dense head, after their first convolution
    key_channels: int = 32  # of the from_to head: length of a square's query and key
    value_channels: int = 8  # of the value head, before its linear layers; unless it is pooled
    value_pooled: bool = False  # the value head sees each channel's mean, not every square
    value_hidden: int | tuple[int, ...] = 64  # width of its hidden layer, or of each one
    value: str = "wdl"  # a value head: wdl (logits of win, draw, loss) or tanh (one value)
    moves_left: bool = False  # a head that guesses how long the game goes on, for training alone
    dropout: float = 0.0  # share hidden in training after each hidden layer of the value head

    def __post_init__(self) -> None:
        for name, (least, most) in _LIMITS.items():
            size = getattr(self, name)
            if type(size) is not int or not least <= size <= most:
                raise NetError(f"{name} of a net must be from {least} to {most}, not {size!r}")
        if self.pooling > self.blocks:
            raise NetError(f"pooling {self.pooling} is in no block of a net that has {self.blocks}")
        _check_each("widths", self.widths, _WIDEST)
        if self.widths and len(self.widths) != self.blocks:
            raise NetError(f"widths of a net are {len(self.widths)} for {self.blocks} blocks")
        if self.head not in get_args(Head):
            raise NetError(f"there is no policy head '{self.head}': {', '.join(get_args(Head))}")
        if self.value not in VALUE_HEADS:
            raise NetError(f"there is no value head '{self.value}': {' or '.join(VALUE_HEADS)}")
        _check_each("value_hidden", self.hidden, _WIDEST_HIDDEN)
        if not 1 <= len(self.hidden) <= _MOST_HIDDEN:
            raise NetError(
                f"value_hidden of a net is 1 to {_MOST_HIDDEN} layers, not {len(self.hidden)}"
            )
        for name in ("value_pooled", "moves_left"):
            if not isinstance(getattr(self, name), bool):
                raise NetError(f"{name} of a net is true or false, not {getattr(self, name)!r}")
        if not (isinstance(self.dropout, int | float) and 0 <= self.dropout < 1):
            raise NetError(f"dropout of a net must be from 0 to below 1, not {self.dropout!r}")

    @property
    def block_widths(self) -> tuple[int, ...]:
        """Channels of each block, first to last."""
        return self.widths or (self.channels,) * self.blocks

    @property
    def features(self) -> int:
        """Channels that the heads see."""
        return self.widths[-1] if self.widths else self.channels

    @property
    def hidden(self) -> tuple[int, ...]:
        """Widths of the value head's hidden layers, first to last."""
        return self.value_hidden if isinstance(self.value_hidden, tuple) else (self.value_hidden,)

    @property
    def has_draws(self) -> bool:
        """Whether the value head predicts draws."""
        return VALUE_HEADS[self.value]

    def for_game(self, facts: Facts) -> "NetConfig":
        """This config with the head that a game's net gets. NetError where none fits."""
        _, rows, columns = facts.planes
        if rows * columns == 1:
            raise NetError(
                f"{facts.name} is encoded as one flat vector of {facts.planes[0]} numbers, and a"
                f" tower needs a board: its planes must have rows and columns"
            )
        layout = facts.policy_layout
        head = layout if self.head == "auto" else self.head
        is_whole = facts.slots % (rows * columns) == 0
        fitting = dict.fromkeys(("flat", layout, *(["dense"] if is_whole else [])))
        if head not in fitting:
            raise NetError(
                f"the slots of {facts.name} are not laid out for {head}; use {' or '.join(fitting)}"
            )
        return msgspec.structs.replace(self, head=head)


def sized(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a NetConfig, `size` replaced by its blocks and channels; those named outright win."""
    rest = {key: value for key, value in keys.items() if key != "size"}
    if "size" not in keys:
        return rest
    size = str(keys["size"])
    if size not in SIZES:
        raise NetError(f"there is no net of size '{size}'{among(size, SIZES)}")
    blocks, channels = SIZES[size]
    return {"blocks": blocks, "channels": channels, **rest}


def _check_each(name: str, widths: object, most: int) -> None:
    """NetError unless these are widths in a tuple, each at least 1."""
    if not isinstance(widths, tuple):
        raise NetError(f"{name} of a net must be a tuple of whole numbers, not {widths!r}")
    for width in widths:
        if type(width) is not int or not 1 <= width <= most:
            raise NetError(f"{name} of a net must be from 1 to {most}, not {width!r}")
