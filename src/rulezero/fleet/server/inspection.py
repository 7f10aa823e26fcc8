"""Decides which tasks a server offers, and which games it takes. Nothing is believed unchecked."""

import functools
import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import zstandard

from rulezero._core import Game, RulezeroError, game_options
from rulezero.data.check import check_many
from rulezero.data.columns import RecordError
from rulezero.data.record import Record
from rulezero.data.replay import Replay, follow
from rulezero.data.shard import decompress
from rulezero.data.thoughts import Thoughts
from rulezero.fleet.nets import PackedNet, nets_of
from rulezero.fleet.protocol import MOST_UNPACKED, FleetError, NetBundle, TaskOrder, open_pair
from rulezero.fleet.server.limits import FRAME_SLACK, MOST_TASK_GAMES
from rulezero.games import grammar
from rulezero.games.load import load
from rulezero.games.pieces import SHIPPED
from rulezero.nets.card import LARGEST_CARD, ONE_FILE, Card
from rulezero.play.evaluators import backends
from rulezero.play.players import read_player
from rulezero.play.task import FORMAT, Task, begin, check_task

_FILES = ("tables", "weights")  # keys of players that name files
_NET_NAME = re.compile(r"[ -~]{1,1000}\Z")
_ROUNDING = 1e-4  # of a recorded value
_IDENTITY = re.compile(r"#([0-9a-f]{12})\Z")


class NetIdentity(NamedTuple):
    """What records may say about a net."""

    name: str  # of its file
    digests: frozenset[str]  # the first digits of the SHA-256 of its parts; none: a perceptron


class Unpacked(NamedTuple):
    """A game of an upload, read but not yet checked."""

    frame: bytes  # the record, as it came
    record: Record
    id: str  # of the record
    note: Thoughts | None
    content: bytes  # a digest of both


def check_order(order: TaskOrder, nets: dict[str, NetIdentity]) -> Game:
    """The game of a task that may be offered to workers; FleetError says why one is refused.

    `nets` are those on the server, by digest. A task must not make a server or a worker read a
    file that it names, nor run code.
    """
    task = order.task
    if task.format != FORMAT:
        raise FleetError(f"a task of format {task.format}; this server reads format {FORMAT}")
    if task.games > MOST_TASK_GAMES:
        raise FleetError(f"a task has {task.games:,} games; a server takes {MOST_TASK_GAMES:,}")
    for first, number in order.done:
        if not 0 <= first < first + number <= task.games:
            raise FleetError(f"games {first} to {first + number - 1} are not games of the task")
    refuse_files(task)
    named = set(nets_of([task]))
    if named != set(order.nets):
        raise FleetError(
            f"the task names the nets {sorted(named)}, but the order gives {sorted(order.nets)}"
        )
    for name, sha256 in order.nets.items():
        if not _NET_NAME.match(name):
            raise FleetError(f"{name[:60]!a} cannot be the name of a net")
        if sha256 not in nets:
            raise FleetError(f"the net {sha256} is not on this server: upload it first")
    return check_task(task)


def refuse_files(task: Task) -> None:
    """FleetError if a task names a file, except for its nets, or rules that are not built in."""
    spec = grammar.read(task.game)
    if spec.name not in game_options():
        raise FleetError(
            f"'{task.game[:100]}' is not a built-in game; only those are played for others"
        )
    for item in grammar.split_items("pieces", spec.options.get("pieces", "standard")):
        if item not in SHIPPED:
            raise FleetError(
                f"'{task.game[:100]}' would read a file of pieces; the sets that come with rulezero"
                f" are {' and '.join(SHIPPED)}"
            )
    for text in filter(None, (task.a, task.b, task.judge)):
        if read_player(text).engine is not None:
            raise FleetError(f"'{text[:100]}' would start a program: a fleet plays no engines")
        for key in _FILES:
            if key in read_player(text).spec.options:
                raise FleetError(
                    f"'{text[:100]}' would read a file: players of a fleet have no {key}="
                )


def check_net(bundle: NetBundle) -> NetIdentity:
    """What records may say about a net; FleetError if it is not one that players could use."""
    packed = bundle.net
    suffixes = set(packed.parts)
    if packed.name.endswith(ONE_FILE):
        if suffixes != {""}:
            raise FleetError(f"the net '{packed.name}' has the parts {sorted(suffixes)}")
        return NetIdentity(packed.name, frozenset())
    reads = {backend.reads for backend in backends().values()}
    if not {".json"} < suffixes <= reads | {".json"}:
        raise FleetError(f"the net '{packed.name}' has the parts {sorted(suffixes)}")
    card = _card(packed)
    for suffix, wanted in ((".onnx", card.onnx), (".safetensors", card.weights)):
        part = packed.parts.get(suffix)
        if part is not None and hashlib.sha256(part).hexdigest() != wanted:
            raise FleetError(f"the net '{packed.name}': {suffix} is not the file its card names")
    return NetIdentity(packed.name, frozenset({card.onnx[:12], card.weights[:12]}))


def _card(packed: PackedNet) -> Card:
    data = packed.parts[".json"]
    if len(data) > LARGEST_CARD:
        raise FleetError(f"the card of the net '{packed.name}' is larger than 1 MiB")
    try:
        return Card(**msgspec.json.decode(data, type=dict[str, object]))
    except (msgspec.DecodeError, RulezeroError, UnicodeDecodeError, RecursionError) as error:
        raise FleetError(f"the net '{packed.name}' has no valid card: {error}") from error


class Opener:
    """Reads the games of one upload, which together must not be too large."""

    def __init__(self) -> None:
        self._tool = zstandard.ZstdDecompressor()
        self._left = MOST_UNPACKED

    def open(self, packed: bytes) -> Unpacked:
        """A game, with all sizes checked before it is decompressed; FleetError if it is not one."""
        try:
            frame, noted = open_pair(packed)
            data = self._decompress(frame)
            record = _read_record(data)
            if msgspec.msgpack.encode(record) != data:
                raise FleetError("the record is not in the form that rulezero writes")
            thoughts = None if noted is None else self._decompress(noted)
            note = None if thoughts is None else _read_thoughts(thoughts)
            if thoughts is not None and msgspec.msgpack.encode(note) != thoughts:
                raise FleetError("the note is not in the form that rulezero writes")
        except (msgspec.DecodeError, zstandard.ZstdError, RecordError, ValueError) as error:
            raise FleetError(f"not a finished game: {one_line(error)}") from error
        digest = hashlib.sha256(len(data).to_bytes(8, "little") + data + (thoughts or b""))
        return Unpacked(frame, record, record.id, note, digest.digest()[:16])

    def _decompress(self, frame: bytes) -> bytes:
        size = zstandard.frame_content_size(frame)
        if size < 0 or size > self._left:
            raise RecordError(
                "a frame gives no size"
                if size < 0
                else f"the games of an upload have more than {MOST_UNPACKED} bytes"
            )
        if len(frame) > size + FRAME_SLACK:
            raise RecordError("a frame is longer than its content")
        self._left -= size
        return decompress(frame, self._tool)


def refusal(given: Unpacked, order: TaskOrder, game: Game, nets: dict[str, NetIdentity]) -> str:
    """Why a game is not one of the task; "" if it may be.

    `nets` are those of the order, by the names in the task's players.
    """
    task, record = order.task, given.record
    wanted = _expected(task)
    beginning = begin(task, game, record.index)
    players = _by_seat(beginning.a_sits, (read_player(task.a).text, read_player(task.b).text))
    for name, found, right in (
        ("game", record.game, game.text),
        ("rules version", record.version, game.facts.version),
        ("encoder version", record.encoding, game.facts.encoding),
        ("players", record.players, players),
        ("start", record.start, beginning.start.text),
        ("opening", record.opening, len(beginning.script)),
        *((name, getattr(record, name), value) for name, value in wanted),
    ):
        if found != right:
            return f"its {name} is {_short(found)}, but the task's is {_short(right)}"
    for text, identity in zip(
        _by_seat(beginning.a_sits, (task.a, task.b)), record.nets, strict=True
    ):
        if not _fits(identity, text, nets):
            return f"it names the net {_short(identity)}, which '{text[:100]}' does not have"
    actions = record.action_numbers()
    if actions[: len(beginning.script)].tolist() != beginning.script:
        return "it does not begin with the opening of the task"
    if record.end_reason in ("claimed", "interrupted", "forfeit"):
        return f"a game of a task cannot end as '{record.end_reason}'"
    if record.end_reason == "resigned" and beginning.resign is None:
        return "a player resigned, which the task does not allow in this game"
    longest = len(beginning.script) if task.scripts else game.facts.max_plies
    if record.end_reason == "cap" and record.plies != longest:
        return f"it was stopped after {record.plies} plies, not after {longest}"
    if record.plies > longest:
        return f"it has {record.plies} plies; the limit is {longest}"
    if given.note is None and task.judge is not None:
        return "the judge's note is missing"
    if given.note is not None and task.judge is None:
        return "it has a note, but the task has no judge"
    return ""


def verify(games: Sequence[Unpacked], task: Task, game: Game) -> list[str]:
    """What is wrong with each game by the rules; "" if nothing is. The core replays them."""
    found = check_many([each.record for each in games], game=game)
    noted = [number for number, each in enumerate(games) if each.note is not None]
    notes = [
        msgspec.structs.replace(games[number].record, thoughts=games[number].note)
        for number in noted
    ]
    for number, fault in zip(noted, check_many(notes, game=game), strict=True):
        found[number] = found[number] or fault
    for number, each in enumerate(games):
        if not found[number] and each.record.end_reason == "resigned":
            replay = follow(game, each.record.start, each.record.action_numbers())
            if not _follows(each.record, task, replay):
                found[number] = "a player resigned whose values do not allow it"
    return ["" if fault is None else one_line(fault) for fault in found]


def _follows(record: Record, task: Task, replay: Replay) -> bool:
    """Whether a resignation follows from the values of the player who resigned.

    The value of the last choice, in place of which it resigned, is not in the record.
    """
    assert task.resign is not None
    loser = 0 if record.outcome < 0 else 1
    own = np.flatnonzero(replay.movers == loser)
    own = own[own >= record.opening]
    needed = task.resign.choices - 1
    if replay.last.mover != loser or len(own) < needed:
        return False
    values = record.columns().value[own[len(own) - needed :]] * (1 - 2 * loser)
    return bool((values < _ROUNDING - task.resign.value).all())


def one_line(error: object) -> str:
    """The message of an error in one printable line of moderate length."""
    words = " ".join(str(error).split())
    return "".join(letter if letter.isprintable() else "?" for letter in words)[:500]


@functools.lru_cache(maxsize=256)
def built_in(text: str) -> Game:
    """A built-in game, cached."""
    return load(text)


def _expected(task: Task) -> list[tuple[str, object]]:
    """The fields of a task that its records have, too."""
    return [
        ("task", task.name),
        ("seed", task.seed),
        ("purpose", task.purpose),
        ("source", task.source),
        ("iteration", task.iteration),
        ("forced_result", task.forced_result),
        ("is_given", False),
        ("names", (None, None)),
        ("date", None),
    ]


def _fits(identity: str | None, text: str, nets: dict[str, NetIdentity]) -> bool:
    """Whether a record may name this net for a player.

    It is the net's file name and a digest of a part; between them, a backend may say how it
    computes the net. The digest of a net that a machine has quantised is its own.
    """
    net = read_player(text).net
    if net is None or identity is None:
        return net is None and identity is None
    known = nets[net]
    if not known.digests:
        return identity == known.name
    found = _IDENTITY.search(identity)
    if found is None or not identity.startswith(known.name):
        return False
    how = identity[len(known.name) : found.start()]
    return how == ".int8" or (found[1] in known.digests and (not how or how.startswith(".")))


def _by_seat(a_sits: int, pair: tuple[str, str]) -> tuple[str, str]:
    return pair if a_sits == 0 else (pair[1], pair[0])


def _short(value: object) -> str:
    text = one_line(repr(value))
    return text if len(text) <= 80 else f"{text[:77]}..."


_read_record = msgspec.msgpack.Decoder(Record).decode
_read_thoughts = msgspec.msgpack.Decoder(Thoughts).decode
