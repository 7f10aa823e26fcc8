"""The architecture of a net, and the policy heads that fit a game."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Discriminator, Field, StrictBool, Tag, model_validator

from rulezero._core import Facts, NetError
from rulezero.errors import among
from rulezero.settings import Settings, mistake, suggestion, whole

Head = Literal["auto", "flat", "planes", "from_to", "dense"]

# Value heads (see nets/heads.py), and whether each predicts draws. If so, its error is reported as
# the cross-entropy of win, draw and loss, otherwise as a squared error.
VALUE_HEADS = {"wdl": True, "tanh": False}

SIZES = {  # blocks and channels, by a recipe's net.size
    "tiny": (2, 32),
    "small": (3, 48),
    "medium": (4, 64),
    "large": (6, 96),
    "full": (12, 256),
}

# Sizes beyond these limits are a mistake, or an attempt to exhaust memory.
Channels = Annotated[int, whole(1, 2048)]
_WIDEST_HIDDEN = 8192  # neurons in a hidden layer
_MOST_HIDDEN = 8  # layers


def _layers(given: Any) -> Any:
    widths = given if isinstance(given, list | tuple) else [given]
    is_fine = all(type(width) is int and 1 <= width <= _WIDEST_HIDDEN for width in widths)
    if not is_fine or not 1 <= len(widths) <= _MOST_HIDDEN:
        width = f"a whole number from 1 to {_WIDEST_HIDDEN:,}"
        raise mistake("", f"give {width}, or a list of up to {_MOST_HIDDEN} of them")
    return given


class NetConfig(Settings):
    """A residual tower and its heads."""

    error: ClassVar[type[NetError]] = NetError

    blocks: Annotated[int, whole(0, 100)] = 4  # residual blocks of two 3x3 convolutions
    channels: Channels = 64  # of the tower; multiples of 8 are fastest on a CPU
    widths: tuple[Channels, ...] = ()  # of each block, if they are not all `channels`
    se: Annotated[int, whole(0, 2048)] = 0  # channels of squeeze-and-excitation; 0: none
    pooling: Annotated[int, whole(0, 100)] = 0  # every n-th block has global pooling; 0: none
    head: Head = "auto"  # auto: by the game's policy_layout
    policy_channels: Channels = 8  # of the flat and the dense head, after their first convolution
    key_channels: Channels = 32  # of the from_to head: length of a square's query and key
    value_channels: Channels = 8  # of the value head, before its linear layers; not if pooled
    value_pooled: StrictBool = False  # the value head's inputs are the channels' means, not squares
    # Width of the value head's hidden layer, or of each one.
    value_hidden: Annotated[int | tuple[int, ...], BeforeValidator(_layers)] = 64
    value: str = "wdl"  # a value head: wdl (logits of win, draw, loss) or tanh (one value)
    moves_left: StrictBool = False  # a head that predicts the remaining length; for training only
    dropout: float = Field(0.0, ge=0, lt=1)  # dropout after each layer of the value head

    @model_validator(mode="after")
    def _fits_together(self) -> "NetConfig":
        if self.pooling > self.blocks:
            raise mistake("", f"give at most {self.blocks}, the number of blocks", "pooling")
        if self.widths and len(self.widths) != self.blocks:
            wrong = f"has length {len(self.widths)} for {self.blocks} blocks"
            raise mistake(wrong, "give a width for each block", "widths")
        if self.value not in VALUE_HEADS:
            raise mistake("", suggestion(self.value, VALUE_HEADS), "value")
        return self

    @property
    def block_widths(self) -> tuple[int, ...]:
        """Channels of each block, first to last."""
        return self.widths or (self.channels,) * self.blocks

    @property
    def features(self) -> int:
        """The number of channels of the heads' input."""
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
        """This config with the policy head for a game; NetError if none fits."""
        _, rows, columns = facts.planes
        if rows * columns == 1:
            raise NetError(
                f"{facts.name} is encoded as one flat vector of {facts.planes[0]} numbers, but a"
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
        return self.model_copy(update={"head": head})


class ModuleConfig(Settings):
    """A user's torch module: rulezero plays with its ONNX file, but cannot build the module."""

    error: ClassVar[type[NetError]] = NetError

    kind: Literal["module"] = "module"
    module: str  # the name of its class
    has_draws: StrictBool  # whether it predicts draws


def _kind(given: Any) -> str:
    is_module = isinstance(given, ModuleConfig) or (isinstance(given, dict) and "kind" in given)
    return "module" if is_module else "tower"


AnyConfig = Annotated[
    Annotated[NetConfig, Tag("tower")] | Annotated[ModuleConfig, Tag("module")],
    Discriminator(_kind),
]


def sized(keys: Any) -> Any:
    """Keys of a NetConfig with `size` replaced by blocks and channels, unless these are given."""
    if not isinstance(keys, dict) or "size" not in keys:
        return keys
    rest = {key: value for key, value in keys.items() if key != "size"}
    size = str(keys["size"])
    if size not in SIZES:
        raise NetError(f"there is no net of size '{size}'{among(size, SIZES)}")
    blocks, channels = SIZES[size]
    return {"blocks": blocks, "channels": channels, **rest}
