"""The messages between a server of games, its workers and its trainer.

Bodies are msgpack, except for the answers that people read, which are JSON. Every error is JSON,
too: {"error": "one line that says what is wrong and what to do"}.

| route | scope | body | answer |
|---|---|---|---|
| GET /healthz, GET /metrics | none | | JSON; Prometheus text |
| GET /v1/hello | any | | Hello |
| GET /v1/status | any | | JSON: workers, tasks, games per second, flags |
| POST /v1/leases | worker | LeaseRequest | LeaseAnswer |
| POST /v1/leases/{id}/progress | worker | ProgressReport | Renewal |
| DELETE /v1/leases/{id}?reason= | worker | | 204; its games are given to others |
| POST /v1/games | worker | Upload | Receipt, with 422 if a game is refused |
| GET /v1/nets/{sha256} | worker, trainer | | NetBundle; HEAD asks whether it is there |
| PUT /v1/nets/{sha256} | trainer | NetBundle | 204 |
| PUT /v1/tasks/{id} | trainer | TaskOrder | TaskState |
| GET /v1/tasks/{id}/games?after=0&wait=0 | trainer | | Delivery |
| DELETE /v1/tasks/{id} | trainer | | 204; no more games of it are played |
| GET /v1/withdrawn?job= | trainer | | Withdrawn |
| GET, POST /v1/tokens; DELETE /v1/tokens/{id} | admin | JSON | JSON |
| POST /v1/tokens/{id}/withdraw, /v1/tokens/{id}/flag | admin | JSON | JSON |

Requests carry `Authorization: Bearer TOKEN` and the handshake `Rulezero: PROTOCOL VERSION`, such as
`Rulezero: 1 0.9.0`; another protocol is answered with 426. GET /v1/status needs no handshake. A
busy server answers 503 or 429 with `Retry-After`.
"""

from typing import Annotated, TypeVar

import msgspec
import zstandard
from msgspec import Meta

from rulezero._core import RulezeroError
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.shard import compress, decompress
from rulezero.data.thoughts import Thoughts
from rulezero.fleet.nets import PackedNet
from rulezero.nets.card import digest
from rulezero.play.table import Finished
from rulezero.play.task import Task
from rulezero.version import __version__

PROTOCOL = 1
HANDSHAKE = f"{PROTOCOL} {__version__}"  # the value of the header `Rulezero`

MOST_GAMES = 256  # in an upload, a delivery or a lease
MOST_BYTES = 8 << 20  # of a body, except for nets
MOST_NET_BYTES = 1 << 30
MOST_UNPACKED = 64 << 20  # bytes of an upload's games

Id = Annotated[str, Meta(pattern=r"^[0-9a-f]{8,64}\Z")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[ -~]*\Z")]
Ranges = Annotated[list[tuple[int, int]], Meta(max_length=MOST_GAMES)]  # first index, number

Message = TypeVar("Message", bound=msgspec.Struct)


class FleetError(RulezeroError):
    """Raised when a server, or the way to it, does not do what was asked."""

    def __init__(self, message: str, status: int = 0, pause: float = 0) -> None:
        super().__init__(message)
        self.status = status  # of the server's answer; 0 if there was none
        self.pause = pause  # seconds after which a busy server may be asked again


class _Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message."""


class Machine(_Form, frozen=True):
    """What the last bits of a net's outputs depend on. Equal machines play equal games."""

    instructions: Name  # of the processor, such as "x86_64 avx512 vnni"
    runtime: Name  # such as "onnxruntime 1.26.0"


class Hello(_Form, frozen=True):
    """A server introduces itself."""

    protocol: int
    version: str
    scopes: list[str]  # of the token
    token: str  # its name


class LeaseRequest(_Form, frozen=True):
    """A worker asks for games."""

    worker: Name  # a name of the process, for people
    machine: Machine
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)]  # wanted; it may get fewer
    wait: Annotated[float, Meta(ge=0, le=30)] = 0  # seconds to wait if there are none


class Lease(_Form, frozen=True):
    """Games of one task, for one worker. Another one gets them if it makes no progress."""

    id: Id
    task_id: Id
    task: Task
    nets: dict[str, Sha256]  # by the names in the task's players: the digests of their bundles
    games: Ranges
    seconds: float  # without progress, it ends after this time


class LeaseAnswer(_Form, frozen=True):
    """A lease, or None if there are no games now; ask again after `retry` seconds."""

    lease: Lease | None = None
    retry: float = 0


class ProgressReport(_Form, frozen=True):
    """What a worker has done for a lease so far; the lease is renewed if it has grown."""

    steps: Annotated[int, Meta(ge=0)]  # of its games, in any unit


class Renewal(_Form, frozen=True):
    """The answer to a report of progress."""

    seconds: float  # until the lease ends
    is_wanted: bool  # False: play no more games of it


class Upload(_Form, frozen=True):
    """Finished games of a lease."""

    lease: Id
    games: Annotated[list[bytes], Meta(min_length=1, max_length=MOST_GAMES)]  # as `pack` gives


class Refusal(_Form, frozen=True):
    """Why a game of an upload was refused."""

    number: int  # in the upload, from 0
    reason: str


class Receipt(_Form, frozen=True):
    """What became of an upload. What is accepted or known is safe on the server's disk."""

    accepted: int
    known: int  # games that the server had
    refused: list[Refusal]


class Canary(_Form, frozen=True):
    """A position with a net's outputs, which every machine must reproduce to play with it."""

    game: Name
    options: dict[str, str]  # of the net in a player's text: backend, precision, device
    start: str
    actions: list[int]
    shares: list[float]  # the policy over the legal actions, in their order
    value: float  # of the mover


class NetBundle(_Form, frozen=True):
    """A net with its canaries."""

    net: PackedNet
    canaries: list[Canary] = []

    @property
    def digest(self) -> str:
        """SHA-256 of the message."""
        return digest(encode(self))


class TaskOrder(_Form, frozen=True):
    """A trainer wants the games of a task."""

    job: Id  # which run they are for; the server keeps the games of each job apart
    task: Task
    nets: dict[str, Sha256]  # as in Lease
    done: list[tuple[int, int]] = []  # games that the trainer has, as ranges: they are not played

    @property
    def id(self) -> str:
        """Identifies the order, whichever of its games are done."""
        return digest(encode(msgspec.structs.replace(self, done=[])))[:32]


class TaskState(_Form, frozen=True):
    """How far a task is."""

    games: int
    finished: int


class Delivery(_Form, frozen=True):
    """Games of a task in the order in which they came."""

    games: list[bytes]  # as `pack` gives
    next: int  # the `after` of the next request
    state: TaskState


class Withdrawn(_Form, frozen=True):
    """The records of a job that nets are no longer to learn from."""

    records: list[str]  # their ids


def encode(message: msgspec.Struct) -> bytes:
    """The bytes of a message: the same for equal messages."""
    return msgspec.msgpack.encode(message, order="sorted")


def decode(body: bytes, form: type[Message]) -> Message:
    """The message of a body; FleetError says what is wrong with it."""
    try:
        return msgspec.msgpack.decode(body, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FleetError(f"the body is not a message {form.__name__}: {error}") from error


def pack(finished: Finished) -> bytes:
    """A finished game: its record and the judge's thoughts, each as one zstandard frame.

    The record's frame is what a store holds, so that a server need not compress it again.
    """
    note = None if finished.note is None else compress(msgspec.msgpack.encode(finished.note))
    return msgspec.msgpack.encode((compress(msgspec.msgpack.encode(finished.record)), note))


def unpack(packed: bytes) -> Finished:
    """The finished game of `pack`; FleetError says what is wrong with it.

    Sizes are checked before anything is decompressed.
    """
    tool = zstandard.ZstdDecompressor()
    try:
        frame, note = open_pair(packed)
        thoughts = None if note is None else _read_thoughts(decompress(note, tool))
        return Finished(record=_read_record(decompress(frame, tool)), note=thoughts)
    except (msgspec.DecodeError, RecordError) as error:
        raise FleetError(f"not a packed game: {error}") from error


open_pair = msgspec.msgpack.Decoder(tuple[bytes, bytes | None]).decode
_read_record = msgspec.msgpack.Decoder(Record).decode
_read_thoughts = msgspec.msgpack.Decoder(Thoughts).decode
