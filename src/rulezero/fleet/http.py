"""`--fleet http`: games are played by workers of any machine, which a server hands them to.

Without `server=`, this process starts a server and workers itself, in the run's folder.
"""

import contextlib
import secrets
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from rulezero._core import Game, game_options
from rulezero.data.record import Record
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.fleet.canaries import canaries
from rulezero.fleet.choice import FleetKind, Orders, check_devices
from rulezero.fleet.client import TOKEN, Client, read_address, read_token
from rulezero.fleet.hosted import Hosted, check_server
from rulezero.fleet.nets import nets_of, pack_net
from rulezero.fleet.protocol import FleetError, NetBundle, TaskOrder, unpack
from rulezero.fleet.server.inspection import refuse_files
from rulezero.games import grammar
from rulezero.games.load import load
from rulezero.play.evaluators import Options
from rulezero.play.nets import NetStore
from rulezero.play.players import read_player
from rulezero.play.table import Finished
from rulezero.play.task import Task, check_task

_WAIT = 15.0  # seconds that the server may wait for games
_QUICK_WAIT = 2.0  # the same while this process looks after the workers, too
_LONELY_SECONDS = 30.0  # without a game: then it looks whether there are workers
_BEHIND = (1 << 31) - 1  # behind all games of a task
_LOST = 404  # the server does not know a task: its data are new


def _tell(line: str) -> None:
    if line:
        print(f"rulezero: {line}", file=sys.stderr, flush=True)


class HttpFleet:
    """Plays tasks by the workers of a server.

    `job` names the run at the server, which keeps its games: those that were finished while this
    process did not run are not played again. `tell` gets lines for people.
    """

    def __init__(
        self,
        client: Client,
        nets: NetStore,
        job: str,
        hosted: Hosted | None = None,
        tell: Callable[[str], None] = _tell,
    ) -> None:
        self._client = client
        self._nets = nets
        self._job = job
        self.hosted = hosted
        self._tell = tell
        self.found: set[str] = set()  # the ids of records that the server had before
        self._sent: dict[tuple[object, ...], str] = {}  # digests by nets and how they are computed

    def run(
        self, tasks: Sequence[Task], done: Sequence[Collection[int]] = ()
    ) -> Generator[tuple[int, Finished], None, None]:
        """Yields the games of tasks as they finish, each with the number of its task.

        `done` has, for each task, the indices of games that are not played. The server may be
        restarted meanwhile.
        """
        games = [check_task(task) for task in tasks]
        seen = [set(done[number]) if done else set() for number in range(len(tasks))]
        open_orders = {
            number: self._order(task, seen[number])
            for number, task in enumerate(tasks)
            if len(seen[number]) < task.games
        }
        try:
            known = {number: self._put(order) for number, order in open_orders.items()}
            for number, order in list(open_orders.items()):
                for finished in self._games(order, seen[number], known[number]):
                    _check(finished.record, order.task, games[number])
                    yield number, finished
                del open_orders[number]
        finally:
            for order in open_orders.values():
                with contextlib.suppress(FleetError):
                    self._client.cancel(order.id)

    def withdrawn(self) -> frozenset[str]:
        """The ids of records that nets are not to learn from any more."""
        return self._client.withdrawn(self._job)

    def _order(self, task: Task, done: Iterable[int]) -> TaskOrder:
        nets = {name: self._send(name, task) for name in nets_of([task])}
        return TaskOrder(job=self._job, task=task, nets=nets, done=_ranges(done))

    def _send(self, net: str, task: Task) -> str:
        """Sends a net of a task, if the server does not have it; returns its digest."""
        packed = pack_net(net, nets_of([task])[net], self._nets)
        ways = _ways(net, task)
        key = (packed.digest, *ways)
        if key not in self._sent:
            tests = [canary for way in ways for canary in canaries(net, dict(way), self._nets)]
            bundle = NetBundle(net=packed, canaries=tests)
            self._client.put_net(bundle)
            self._sent[key] = bundle.digest
        return self._sent[key]

    def _put(self, order: TaskOrder) -> int:
        """Orders a task; returns how many of its games the server has.

        The server may be a new one that does not have its nets.
        """
        try:
            self._client.put_order(order)
        except FleetError as error:
            if not order.nets or error.status not in (404, 409, 422):
                raise
            self._sent.clear()
            self._order(order.task, ())
            self._client.put_order(order)
        return self._client.deliveries(order.id, _BEHIND, 0).state.finished

    def _games(self, order: TaskOrder, seen: set[int], known: int) -> Iterator[Finished]:
        """The games of a task that are not in `seen`, which gets their indices.

        The first `known` games were finished before they were ordered.
        """
        after, since, has_warned = 0, time.monotonic(), False
        while len(seen) < order.task.games:
            if self.hosted is not None:
                self.hosted.check()
            wait = _WAIT if self.hosted is None else _QUICK_WAIT
            try:
                delivery = self._client.deliveries(order.id, after, wait)
            except FleetError as error:
                if error.status != _LOST:
                    raise
                order = self._order(order.task, seen)
                known = self._put(order)
                after = 0
                continue
            if delivery.games:
                since, has_warned = time.monotonic(), False
            elif not has_warned and time.monotonic() > since + _LONELY_SECONDS:
                has_warned = self._warn_of_no_workers()
            for place, packed in enumerate(delivery.games, after):
                finished = unpack(packed)
                if place < known:
                    self.found.add(finished.record.id)
                if finished.record.index not in seen:
                    seen.add(finished.record.index)
                    yield finished
            after = delivery.next

    def _warn_of_no_workers(self) -> bool:
        """Says so if no worker asks for games; returns whether it does."""
        if self.hosted is not None or self._client.workers(_LONELY_SECONDS):
            return False
        self._tell(
            f"no worker has asked for games for {_LONELY_SECONDS:g} s: start one with `rulezero"
            f" worker --server {self._client.server}`"
        )
        return True


def _ways(net: str, task: Task) -> list[tuple[tuple[str, str], ...]]:
    """How the players of a task compute a net: the keys backend, precision and device."""
    players = [read_player(text) for text in (task.a, task.b, task.judge) if text is not None]
    given = [player.spec.options for player in players if player.net == net]
    return sorted(
        {tuple((key, keys[key]) for key in Options._fields if key in keys) for keys in given}
    )


def _check(record: Record, task: Task, game: Game) -> None:
    """FleetError unless a record is one of the task's. The server has replayed it."""
    found = (record.task, record.purpose, record.game, record.seed, record.iteration, record.source)
    wanted = (task.name, task.purpose, game.text, task.seed, task.iteration, task.source)
    players = {read_player(text).text for text in (task.a, task.b)}
    if found != wanted or {*record.players} != players or record.index >= task.games:
        raise FleetError(
            f"the server delivered a game of '{record.task[:100]}' for the task '{task.name}'"
        )


def _ranges(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Indices as ranges: the first and the number of each."""
    found: list[tuple[int, int]] = []
    for index in sorted(indices):
        first, number = found[-1] if found else (-1, 0)
        if index == first + number and found:
            found[-1] = (first, number + 1)
        else:
            found.append((index, 1))
    return found


def job_of(folder: Path) -> str:
    """The id of a run at servers, which stays the same when the run is resumed."""
    path = folder / "job"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, secrets.token_hex(16).encode() + b"\n")
    return path.read_text(encoding="ascii").strip()


def _open(orders: Orders, options: Mapping[str, str]) -> AbstractContextManager[HttpFleet]:
    _check_tasks(orders.tasks)
    check_devices(orders.tasks)  # this process computes a few outputs of each net, too
    if "server" in options:
        return _with_server(orders, _connected(orders, options))
    if "token" in options:
        raise RunError("the fleet http needs token= only with server=: leave it out")
    host, port = options.get("host", "127.0.0.1"), _port(options.get("port", "0"))
    check_server(orders.folder / "fleet", host, port)
    return _hosted(orders, host, port)


@contextlib.contextmanager
def _hosted(orders: Orders, host: str, port: int) -> Iterator[HttpFleet]:
    folder = orders.folder / "fleet"
    with Hosted(
        folder, workers=orders.workers, width=orders.width, host=host, port=port, tell=_tell
    ) as hosted:
        yield HttpFleet(hosted.client, orders.nets, job_of(folder), hosted)


@contextlib.contextmanager
def _with_server(orders: Orders, client: Client) -> Iterator[HttpFleet]:
    with contextlib.closing(client):
        yield HttpFleet(client, orders.nets, job_of(orders.folder / "fleet"))


def _connected(orders: Orders, options: Mapping[str, str]) -> Client:
    """The client of a server that accepts this trainer."""
    for key in ("host", "port"):
        if key in options:
            raise RunError(f"the fleet http has {key}= only without server=: leave one out")
    if orders.workers:
        raise RunError(
            f"workers={orders.workers}: with server=, workers are started by `rulezero worker`;"
            " leave the number out"
        )
    server = read_address(options["server"])
    client = Client(server, _secret(options.get("token", "")), on_trouble=_tell)
    with contextlib.ExitStack() as stack:
        stack.callback(client.close)
        hello = client.hello()
        if "trainer" not in hello.scopes:
            raise RunError(
                f"the token '{hello.token}' is not for trainers: make one with `rulezero token new"
                " NAME --scope trainer`"
            )
        stack.pop_all()
    return client


def _check_tasks(tasks: Sequence[Task]) -> None:
    """RunError for tasks that servers refuse, as they would run or read files of the trainer."""
    for task in tasks:
        text = load(task.game).text
        if grammar.read(text).name not in game_options():
            raise RunError(
                f"the game '{task.game}' is in Python, and the fleet http plays only built-in"
                " games: use --fleet local or --fleet ray"
            )
        try:
            refuse_files(msgspec.structs.replace(task, game=text))
        except FleetError as error:
            raise RunError(f"the fleet http: {error}; use --fleet local or --fleet ray") from error


def _secret(text: str) -> str:
    """The token of the key token=, which must be the name of a file."""
    if text and not text.startswith("@"):
        raise RunError(
            f"a token must not stand in a command or a file of settings: give token=@FILE, or set"
            f" the variable {TOKEN}"
        )
    return read_token(text, "token=@FILE in --fleet")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) < 1 << 16):
        raise RunError(f"port={text}: give a number from 0 to 65535; 0 chooses a free one")
    return int(text)


KIND = FleetKind(
    open=_open,
    keys={
        "server": "the address of a server (default: this process starts one, and workers)",
        "token": "@FILE with a token of scope trainer (default: the variable RULEZERO_TOKEN)",
        "host": "the address where the own server listens (default: 127.0.0.1, this machine only)",
        "port": "the port of the own server (default: a free one)",
    },
)
