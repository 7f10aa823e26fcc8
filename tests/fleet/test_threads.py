"""Threads that play with shared nets: the same games as ever, and no thread outlives its caller."""

import contextlib
import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero.fleet.choice import Orders, open_fleet
from rulezero.fleet.local import LocalFleet, Timeout, run, uses_gpu
from rulezero.fleet.threads import PlayingThreads
from rulezero.nets.checkpoint import save
from rulezero.nets.runtime import Floats
from rulezero.nets.tower import create
from rulezero.play.evaluators import Evaluation
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player
from rulezero.play.session import Request
from rulezero.play.shared import SharedEvaluators, Stopped
from rulezero.play.table import Finished
from rulezero.play.task import Task, check_task
from support import little_nets
from support.evaluators import RandomEvaluator, UniformEvaluator

NET = little_nets.net("connect4")


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """After every test, there are only the threads that were there before it."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def in_order(games: Iterable[tuple[int, Finished]]) -> list[tuple[int, Finished]]:
    """The games of a fleet, sorted by task and index."""
    return sorted(games, key=lambda game: (game[0], game[1].record.index))


@pytest.fixture(scope="module")
def other_net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained net of connect4 that differs from NET."""
    game = rz.load("connect4")
    tower = create(game, little_nets.TINY, seed=2)
    return save(tmp_path_factory.mktemp("nets") / "other", tower, game)


def tasks_of(nets: Sequence[Path], keys: str) -> list[Task]:
    """Tasks with one net, with two nets and a judge that has one, and without a net."""
    one, other = (f"net={net}{keys}" for net in nets)
    return [
        Task(
            game="connect4",
            a=f"puct:{one},sims=12,noise=0.25,temperature=1",
            b=f"puct:{one},sims=12,noise=0.25,temperature=1",
            games=9,
            seed=3,
            name="self-play",
        ),
        Task(
            game="connect4",
            a=f"puct:{one},sims=8,leaves=3,temperature=1",
            b=f"gumbel:{other},sims=8",
            games=6,
            opening=2,
            name="gate",
            judge=f"puct:{other},sims=5",
        ),
        Task(game="connect4", a="ucb1:sims=20", b="random", games=5, name="rating"),
    ]


@pytest.mark.parametrize(
    "keys", ["", ",backend=torch", ",backend=torch,batch=5", ",backend=torch,precision=bf16"]
)
def test_threads_change_nothing(keys: str, other_net: Path) -> None:
    """1, 2 and 4 threads give the same records and notes as one process and as two."""
    tasks = tasks_of((NET, other_net), keys)
    wanted = in_order(LocalFleet(workers=2, width=4).run(tasks))
    assert [game.note is None for _, game in wanted] == [True] * 9 + [False] * 6 + [True] * 5
    assert in_order(LocalFleet(workers=1, width=3).run(tasks)) == wanted
    for threads, width in (1, 64), (2, 3), (4, 1):
        assert in_order(LocalFleet(threads=threads, width=width).run(tasks)) == wanted


def test_games_that_are_done_are_not_played() -> None:
    """Threads leave out the games whose indices are given, and may have nothing to play."""
    tasks = [Task(game="connect4", a="random", b="random", games=4) for _ in range(2)]
    played = in_order(LocalFleet(threads=2).run(tasks, [{0, 2}, {3}]))
    assert [(at, game.record.index) for at, game in played] == [
        (0, 1),
        (0, 3),
        *((1, n) for n in range(3)),
    ]
    assert list(LocalFleet(threads=2).run(tasks, [range(4), range(4)])) == []


class Counting(RandomEvaluator):
    """An evaluator that notes the threads that call it, and the sizes of its batches."""

    def __init__(self, batch: int) -> None:
        super().__init__(7)
        self.batch = batch
        self.callers: set[int] = set()
        self.sizes: list[int] = []

    def evaluate(self, planes: Floats) -> Evaluation:
        """The random outputs."""
        self.callers.add(threading.get_ident())
        self.sizes.append(len(planes))
        return super().evaluate(planes)


def playing(evaluator: RandomEvaluator, task: Task, *, threads: int, width: int) -> PlayingThreads:
    """Threads that play a task between an evaluator and itself."""
    player = rz.player(task.a, evaluator=evaluator)
    return PlayingThreads(
        [task],
        [check_task(task)],
        [(0, index) for index in range(task.games)],
        threads=threads,
        nets=PATHS,
        width=width,
        cache=0,
        players=(player, player),
    )


def self_play(games: int) -> Task:
    """Games of a player that has no net of its own."""
    text = "puct:sims=10,temperature=1"
    return Task(game="connect4", a=text, b=text, games=games, seed=1)


def test_one_thread_computes_the_batches_of_all() -> None:
    """The evaluator is called by one thread, not the caller's, and never with too many rows."""
    evaluator = Counting(batch=16)
    threads = playing(evaluator, self_play(60), threads=3, width=20)
    played = in_order(threads.play())
    assert played == in_order(playing(Counting(64), self_play(60), threads=1, width=1).play())
    assert len(evaluator.callers - {threading.get_ident()}) == len(evaluator.callers) == 1
    assert max(evaluator.sizes) == 16
    assert sum(evaluator.sizes) == threads.shared.rows
    assert len(evaluator.sizes) == threads.shared.batches


def test_the_width_grows_until_batches_are_full() -> None:
    """Threads that begin with one game each play more of them, as far as these fill batches."""
    evaluator = Counting(batch=32)
    threads = playing(evaluator, self_play(400), threads=2, width=1)
    assert len(list(threads.play())) == 400
    assert 16 <= threads.shared.width <= 2 * 2 * 32
    assert max(evaluator.sizes) == 32
    wide = playing(Counting(batch=4), self_play(40), threads=2, width=30)
    assert len(list(wide.play())) == 40
    assert wide.shared.width == 30  # it is already larger than these batches need


class Failing(RandomEvaluator):
    """An evaluator that raises an error, or gives a wrong answer, after some batches."""

    def __init__(self, error: BaseException | None) -> None:
        super().__init__(7)
        self._error = error
        self._calls = itertools.count()

    def evaluate(self, planes: Floats) -> Evaluation:
        """The random outputs of the first five batches."""
        if next(self._calls) < 5:
            return super().evaluate(planes)
        if self._error is not None:
            raise self._error
        return super().evaluate(planes[:1])


@pytest.mark.parametrize(
    ("error", "seen", "words"),
    [
        (ValueError("no"), ValueError, "no"),
        (KeyboardInterrupt("stop"), KeyboardInterrupt, "stop"),
        (None, rz.NetError, r"must answer \d+ positions"),
    ],
)
@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_of_an_evaluator_ends_all_threads(
    error: BaseException | None, seen: type[BaseException], words: str, threads: int
) -> None:
    """The caller gets the error itself."""
    with pytest.raises(seen, match=words):
        list(playing(Failing(error), self_play(40), threads=threads, width=4).play())


def test_an_error_in_one_thread_ends_the_others(tmp_path: Path) -> None:
    """A net that cannot be opened, and rules that raise an error, end the games of all threads."""
    lost = Task(game="connect4", a=f"puct:net={tmp_path}/lost", b="random", games=8)
    long = Task(game="connect4", a="ucb1:sims=50", b="random", games=500)
    with pytest.raises(rz.NetError, match="there is no net"):
        list(LocalFleet(threads=2).run([long, lost]))
    wrong = Task(
        game="connect4",
        a="random",
        b="random",
        games=1,
        starts=("7/7/7/7/7/7 x",),
        scripts=((0,) * 7,),
        judge="heuristic",
    )
    with pytest.raises(rz.MoveError):
        list(LocalFleet(threads=3).run([long, wrong, long]))


@pytest.mark.parametrize("finished", [0, 1, 5])
def test_closing_ends_all_threads(finished: int) -> None:
    """A caller that stops after some games leaves no thread behind."""
    games = playing(RandomEvaluator(7), self_play(100_000), threads=4, width=8).play()
    assert len(list(itertools.islice(games, finished))) == finished
    games.close()  # type: ignore[attr-defined]


def test_threads_wait_for_a_slow_caller() -> None:
    """Finished games do not pile up, and threads that wait to give one end, too."""
    task = Task(game="connect4", a="policy", b="policy", games=100_000, opening=8)
    threads = playing(RandomEvaluator(7), task, threads=2, width=64)
    games = threads.play()
    next(games)
    while not threads._made.full():
        threading.Event().wait(0.01)
    assert len(list(itertools.islice(games, 1000))) == 1000
    games.close()  # type: ignore[attr-defined]


def test_no_thread_has_to_wait_for_another() -> None:
    """An incomplete batch is computed although another thread could still add positions to it;
    stopping ends a thread that waits for an answer."""
    shared = SharedEvaluators(threads=2, width=1)
    evaluating = threading.Thread(target=shared.run)
    evaluating.start()
    planes = np.zeros((3, 3, 6, 7), np.float32)
    evaluator = UniformEvaluator(7)
    both = shared.compute([Request(evaluator, planes, 7), Request(Counting(2), planes, 7)])
    assert [answer.policy.shape for answer in both] == [(3, 7), (3, 7)]
    shared.stop()
    evaluating.join()
    with pytest.raises(Stopped):
        shared.compute([])


def test_full_batches_of_one_net_do_not_keep_another_waiting() -> None:
    """Batches are computed by age, so a net with few positions gets its turn."""
    shared = SharedEvaluators(threads=3, width=1)
    planes = np.zeros((4, 3, 6, 7), np.float32)
    busy, rare = Counting(4), Counting(64)
    turns = 0

    def keep_busy() -> None:
        nonlocal turns
        with contextlib.suppress(Stopped):
            while True:
                shared.compute([Request(busy, planes, 7)])
                turns += 1

    threads = [threading.Thread(target=shared.run)]
    threads += [threading.Thread(target=keep_busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    while turns < 10:
        threading.Event().wait(0.001)
    shared.compute([Request(rare, planes, 7)])
    assert rare.sizes == [4]
    shared.stop()
    for thread in threads:
        thread.join()


def test_a_text_names_the_number_of_threads(tmp_path: Path) -> None:
    """`local:threads=2` plays in threads; wrong numbers and keys are one line."""
    task = Task(game="connect4", a=f"policy:net={NET},temperature=1", b="random", games=4)
    orders = Orders(NetStore(), tmp_path)
    played = {}
    for text, workers in (("local", 1), ("local:threads=0", 1), ("local:threads=2", 0)):
        with open_fleet(text, orders._replace(workers=workers)) as fleet:
            played[text] = in_order(fleet.run([task]))
    assert played["local"] == played["local:threads=0"] == played["local:threads=2"]
    for text, words in [
        ("local:threads=two", "threads=two: give a whole number from 0 to 256"),
        ("local:threads=-1", "threads=-1: give a whole number"),
        ("local:threads=1000", "threads=1000: give 0"),
        ("local:thread=2", "has no key 'thread' \\(did you mean 'threads'"),
    ]:
        with pytest.raises(rz.RulezeroError, match=words), open_fleet(text, orders):
            pass
    with pytest.raises(rz.RunError, match="workers=3: with threads=2"):
        open_fleet("local:threads=2", orders._replace(workers=3))
    with pytest.raises(rz.GameError, match="time limit need worker processes"):
        LocalFleet(threads=2, timeout=Timeout(1, lambda *_: None))


def test_threads_are_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads are the default if the net of a player or of the judge runs on a GPU."""
    plain = Task(game="connect4", a=f"puct:net={NET}", b="ucb1", games=1)
    torch_net = f"puct:net={NET},backend=torch"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)

    def uses(a: str, judge: str | None = None) -> bool:
        return uses_gpu([plain, Task(game="connect4", a=a, b="random", games=1, judge=judge)])

    assert not uses(torch_net)
    assert not uses(f"{torch_net},device=cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert uses(torch_net)
    assert uses(f"{torch_net},device=cuda")
    assert uses("random", judge=torch_net)
    assert uses(f"puct:net={NET},device=cuda")
    assert not uses(f"{torch_net},device=cpu")
    assert not uses("ucb1")


def test_threads_play_with_players_of_their_own() -> None:
    """Evaluator objects, which a text cannot name, may be shared by threads."""
    player: Player = rz.player("puct:sims=12,temperature=1", evaluator=RandomEvaluator(7))
    task = Task(game="connect4", a=player.text, b=player.text, games=12)
    alone = in_order(enumerate(run(task, players=(player, player))))
    shared = in_order(enumerate(run(task, players=(player, player), threads=3)))
    assert sorted(game.record.id for _, game in alone) == sorted(g.record.id for _, g in shared)
