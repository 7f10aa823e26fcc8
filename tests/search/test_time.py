"""Time limits: precision, what is played when the time is over, and fairness between games."""

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rulezero as rz
from rulezero.data.record import Purpose
from rulezero.fleet.local import LocalFleet
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation
from rulezero.play.session import Session
from rulezero.play.table import Table
from rulezero.play.task import Task, check_task
from support import samples
from support.evaluators import RandomEvaluator

LIMIT = 0.1
PRECISION = 0.003  # of the time on an idle core
BUSY = 0.02  # more on a machine that runs other tests: the caches are not its own
KINDS = ("puct", "gumbel", "ucb1", "alphabeta", "puct:eval=rollout", "alphabeta:eval=rollout")
CORE = Path(__file__).parents[2] / "cpp"


def limited(text: str, seconds: float = LIMIT) -> str:
    return f"{text}{',' if ':' in text else ':'}time={seconds}"


def quiet(game: str, plies: int = 6) -> rz.State:
    """A position early in a game, which no search solves in a tenth of a second."""
    dice = random.Random(1)
    state = samples.game(game).start(seed=1)
    while len(state.actions) < plies or state.mover == rz.CHANCE:
        state = state.apply(dice.choice(state.legal))
    return state


def seconds_of(session: Session) -> float:
    """The time that the games of a session take."""
    begin = time.perf_counter()
    while not session.pool.is_idle:
        session.step()
    return time.perf_counter() - begin


def seconds_without_core() -> float:
    """For how long this thread could not run so far, because other processes used the cores."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0


def check_precision(spent: Callable[[], float], early: float = PRECISION) -> None:
    """A search takes its time, leaving out how long it had to wait for a core."""
    for _ in range(3):
        waited = seconds_without_core()
        seconds = spent()
        assert seconds > LIMIT - early
        assert seconds - (seconds_without_core() - waited) < LIMIT + PRECISION + BUSY


@pytest.mark.parametrize("game", [game for game in samples.GAMES if game != "tictactoe"])
@pytest.mark.parametrize("text", [*KINDS, "scripted"])
def test_a_search_ends_when_its_time_is_over(game: str, text: str) -> None:
    """Every kind of search keeps its limit to 3 ms, in every game."""
    state = quiet(game)
    if text == "scripted" and not state.game.facts.has_script:
        return
    session = Session(state.game, [rz.player(limited(text))], seed=1)

    def spent() -> float:
        session.add(0, state, most_plies=1)
        return seconds_of(session)

    check_precision(spent)
    assert session.pool.simulations > 0


def test_a_deep_iteration_is_left() -> None:
    """The search ends in the middle of an iteration that would take seconds."""
    state = quiet("chess")
    session = Session(state.game, [rz.player("alphabeta:depth=12,time=0.1,table=64")], seed=1)

    def spent() -> float:
        session.add(0, state, most_plies=1)
        return seconds_of(session)

    check_precision(spent)
    thought = rz.player("alphabeta:time=0.1").think(state)
    assert thought.action in state.legal
    assert thought.line[0] == thought.action
    assert thought.sims > rz.player("alphabeta:depth=2").think(state).sims


@pytest.mark.parametrize("leaves", [1, 16])
@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_slow_nets_are_not_asked_too_late(kind: str, leaves: int) -> None:
    """A search does not begin an evaluation that would end after its time."""

    class Slow(RandomEvaluator):
        def evaluate(self, planes: Floats) -> Evaluation:
            time.sleep(0.004 * len(planes))
            return super().evaluate(planes)

    state = quiet("razzle")
    slow = Slow(state.game.facts.slots)
    player = rz.player(kind, evaluator=slow, time=LIMIT, leaves=leaves)
    session = Session(state.game, [player], seed=1, cache=0)

    def spent() -> float:
        session.add(0, state, most_plies=1)
        return seconds_of(session)

    check_precision(spent, early=0.02)


def test_the_time_alone_limits_a_search() -> None:
    """Without sims= and depth=, there is no limit but the time."""
    state = quiet("razzle")
    for text, usual in (("puct", 200), ("gumbel", 16), ("ucb1", 800)):
        assert rz.player(limited(text)).think(state).sims > 2 * usual
    deep = rz.player(limited("alphabeta", 0.5)).think(state)
    assert deep.sims > 2 * rz.player("alphabeta:depth=3").think(state).sims


@pytest.mark.parametrize(
    "text", ["puct:sims=50", "gumbel:sims=24", "ucb1:sims=60", "alphabeta:depth=2"]
)
def test_other_limits_hold_within_the_time(text: str) -> None:
    """A search that its sims or depth end is the same with and without a time limit."""
    state = quiet("chess")
    assert rz.player(limited(text, 60)).think(state) == rz.player(text).think(state)


def test_zero_is_no_limit() -> None:
    state = quiet("connect4")
    assert rz.player("puct:time=0").think(state) == rz.player("puct").think(state)
    assert rz.player("puct:time=0").seconds == 0


@pytest.mark.parametrize("text", ["puct", "gumbel", "ucb1", "alphabeta"])
def test_the_shortest_limit_still_gives_a_move(text: str) -> None:
    state = quiet("exchange")
    thought = rz.player(limited(text, 1e-9)).think(state)
    assert thought.action in state.legal


def test_gumbel_halves_by_time() -> None:
    """Most visits go to few moves, the considered ones have some, and the move has the most."""
    state = quiet("chess")
    thought = rz.player("gumbel:time=0.2,considered=8").think(state)
    visits = sorted(thought.visits.values(), reverse=True)
    assert len(visits) == 8
    assert visits[1] > 2 * visits[3] > 0  # each phase leaves the worse half behind
    assert thought.visits[thought.action] >= visits[0] - 1


def test_a_pool_plays_one_game_at_a_time() -> None:
    """With a time limit, no game's search takes the time of another one's."""
    game = samples.game("razzle")
    rows: list[int] = []

    class Spy(RandomEvaluator):
        def evaluate(self, planes: Floats) -> Evaluation:
            rows.append(len(planes))
            return super().evaluate(planes)

    player = rz.player("puct", evaluator=Spy(game.facts.slots), time=0.02)
    session = Session(game, [player], seed=1, width=8, cache=0)
    for index in range(4):
        session.add(index, quiet("razzle"), most_plies=2)
    assert seconds_of(session) > 0.9 * 4 * 2 * 0.02
    assert set(rows) == {1}
    task = Task(game="razzle", a="random", b="puct:time=0.1", games=10)
    assert Table(task, game, width=8).width == 1


def test_matches_keep_the_time_in_every_process() -> None:
    """Two processes play a match with time limits; both players have searched as long."""
    played = rz.match("connect4", "puct", "ucb1", 4, time=0.02, workers=2, seed=1)
    assert played.tally.games == 4
    assert (played.a, played.b) == ("puct:time=0.02", "ucb1:time=0.02")
    plies = sum(record.plies - record.opening for record in played.records)
    assert played.seconds > 0.3 * plies * 0.02 / 2  # wins at the end are seen at once
    assert all(record.columns().sims.max() > 200 for record in played.records)


def test_threads_refuse_time_limits() -> None:
    task = Task(game="connect4", a="puct:time=0.1", b="random", games=2)
    with pytest.raises(rz.GameError, match="threads=2: players with time= need worker processes"):
        list(LocalFleet(threads=2).run([task]))


def test_a_judge_waits_for_the_player(tmp_path: Path) -> None:
    """A judge that takes long does not use up the player's time."""
    state = quiet("razzle")
    player, judge = rz.player("ucb1:time=0.05"), rz.player("ucb1:sims=200000")
    session = Session(state.game, [player, judge], seed=1)
    session.add(0, state, judge=1, most_plies=1)
    (played,) = session.run()
    searched = played.thought(0)
    alone = player.think(state)
    assert searched is not None
    assert searched.sims > alone.sims / 3


def test_hurry_ends_a_search_with_a_limit() -> None:
    state = quiet("chess")
    begin = time.perf_counter()
    thought = rz.player("puct:time=60").think(state, stop=lambda: time.perf_counter() - begin > 0.2)
    assert thought.action in state.legal
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize("purpose", ["self-play", "bootstrap", "gate"])
def test_training_refuses_time_limits(purpose: Purpose) -> None:
    task = Task(game="connect4", a="puct:time=0.1", b="random", games=2, purpose=purpose)
    with pytest.raises(rz.PlayerError, match=r"'puct:time=0.1': a run must be the same"):
        check_task(task)


@pytest.mark.parametrize(
    "change",
    ["selfplay.a=puct:net=best,time=1", "gate.player=puct:net=candidate,time=1",
     "anchor.opponent=ucb1:time=1"],
)  # fmt: skip
def test_recipes_refuse_time_limits(change: str) -> None:
    """One line names the key and the player."""
    key, _, text = change.partition("=")
    with pytest.raises(rz.RunError) as caught:
        rz.config.load("connect4", "tiny", [change])
    assert key in str(caught.value)
    assert text in str(caught.value)
    assert "leave time= out" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_players_that_do_not_search_have_no_limit() -> None:
    with pytest.raises(rz.PlayerError, match="oneply has no key 'time'"):
        rz.player("oneply:time=1")
    with pytest.raises(rz.PlayerError, match="neither 'random' nor 'heuristic' searches"):
        rz.match("connect4", "random", "heuristic", 2, time=0.1)
    assert rz.player("random").within(1).text == "random"
    with pytest.raises(rz.PlayerError, match="time is '-1'; give a number from 0"):
        rz.player("puct:time=-1")


def test_the_core_has_one_door_to_the_clock() -> None:
    """Only clock.h reads the clock, as searches should depend on seeds."""
    pattern = re.compile(r"<chrono>|<ctime>|time\.h|clock_gettime|gettimeofday")
    readers = {
        path.relative_to(CORE).as_posix()
        for path in CORE.rglob("*")
        if path.suffix in (".h", ".cpp") and pattern.search(path.read_text(encoding="utf-8"))
    }
    assert readers == {"search/clock.h"}


def test_random_numbers_do_not_depend_on_the_time() -> None:
    """What is drawn with a limit is keyed as without one: noise, dice, ties."""
    state = quiet("chess")
    first = rz.player("gumbel:sims=16,gumbel_scale=1,time=60", seed=3).think(state)
    again = rz.player("gumbel:sims=16,gumbel_scale=1", seed=3).think(state)
    np.testing.assert_equal(first.shares, again.shares)
