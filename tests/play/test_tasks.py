"""A task's records depend only on the task, not on pool size, cache or worker processes."""

import itertools
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero._core import Played
from rulezero.data.check import check
from rulezero.data.record import Record
from rulezero.data.replay import planes
from rulezero.fleet.local import run
from rulezero.nets.checkpoint import save
from rulezero.nets.tower import create
from rulezero.play.evaluators import Evaluation
from rulezero.play.judge import judging
from rulezero.play.players import Player
from rulezero.play.session import Session
from rulezero.play.table import Finished
from rulezero.play.task import Task, begin
from support import little_nets, samples
from support.evaluators import RandomEvaluator

_PLAYERS = {  # other games have the default in PLAYERS
    "chess": ("puct:sims=12,noise=0.25,temperature=1", "heuristic"),
    "monster": ("puct:sims=16,temperature=1,forced=2,noise=0.3", "ucb1:sims=20"),
    "random_chess": ("gumbel:sims=6", "oneply:temperature=1"),
    "exchange": ("gumbel:sims=8", "puct:sims=10,full_share=0.5,fast_sims=4,temperature=1"),
    "razzle": ("puct:sims=16,pass_quiescence=true,temperature=1", "gumbel:sims=4"),
    "connect4": ("ucb1:sims=20,eval=rollout,temperature=1", "puct:sims=20,temperature=0.5"),
    "tictactoe": ("puct:sims=20,eval=rollout", "random"),
}
PLAYERS = {
    game: _PLAYERS.get(game, ("puct:sims=12,temperature=1", "random"))
    for game in samples.GAMES
    if ":" not in game
}


def task(game: str, a: str, b: str, games: int = 12) -> Task:
    """A task with random openings in half of its games."""
    return Task(game=game, a=a, b=b, games=games, seed=7, opening=3, opening_share=0.5)


def records(games: Iterable[Finished]) -> list[Record]:
    """The records, sorted by index."""
    return sorted((game.record for game in games), key=lambda record: record.index)


def _other_net(game: str, folder: Path) -> Path:
    """An untrained net that differs from the one in little_nets."""
    loaded = samples.game(game)
    return save(folder / "other", create(loaded, little_nets.TINY, seed=2), loaded)


@pytest.mark.parametrize("game", PLAYERS)
def test_pool_sizes_change_nothing(game: str) -> None:
    """Pools of 1, 16 and 64 games give the same records, and all records are valid."""
    wanted = task(game, *PLAYERS[game], games=20 if game != "chess" else 8)
    alone = records(run(wanted, width=1))
    assert [record.index for record in alone] == list(range(wanted.games))
    for width in 16, 64:
        assert records(run(wanted, width=width)) == alone
    for record in alone:
        check(record, trusted=True)
    assert len({record.actions for record in alone}) > 2


@pytest.mark.parametrize("game", ["monster", "razzle", "exchange", "connect4"])
def test_pool_sizes_and_caches_change_nothing_with_nets(game: str, tmp_path: Path) -> None:
    """Two nets in one pool give the same records for any pool size, with and without a cache."""
    nets = [little_nets.net(game), _other_net(game, tmp_path)]
    wanted = task(
        game,
        f"puct:net={nets[0]},sims=8,noise=0.25,temperature=1",
        f"gumbel:net={nets[1]},sims=6",
        games=8,
    )
    alone = records(run(wanted, width=1, cache=0))
    assert all(None not in record.nets for record in alone)
    assert len({record.nets for record in alone}) == 2  # the players swap seats
    for width, cache in (16, 0), (64, 1 << 12), (3, 16):
        assert records(run(wanted, width=width, cache=cache)) == alone


LEAVES = [
    ("razzle", "puct:sims=16,leaves=4,pass_quiescence=true,temperature=1"),
    ("monster", "gumbel:sims=16,leaves=8"),
    ("connect4", "ucb1:sims=20,leaves=3,temperature=1"),
    ("connect4", "oneply:temperature=1"),
    ("tictactoe", "puct:sims=20,leaves=5,temperature=1"),
]


@pytest.mark.parametrize("has_judge", [False, True])
@pytest.mark.parametrize(("game", "text"), LEAVES)
def test_rounds_of_leaves_depend_on_nothing_else(game: str, text: str, has_judge: bool) -> None:
    """With several leaves per batch, one-ply players or a judge on the same net, neither the cache
    nor the distribution over batches changes a record or a note."""
    player = rz.player(text, evaluator=RandomEvaluator(samples.game(game).facts.slots))
    notes = "puct:sims=5,eval=hash" if has_judge else None
    wanted = Task(game=game, a=player.text, b=player.text, games=4, seed=4, opening=2, judge=notes)

    def play(width: int, cache: int) -> list[Finished]:
        games = run(wanted, width=width, cache=cache, players=(player, player))
        return sorted(games, key=lambda each: each.record.index)

    alone = play(1, 0)
    for width, cache in (1, 1 << 12), (3, 0), (4, 1 << 12), (64, 64):
        assert play(width, cache) == alone


def test_simulations_are_counted_as_they_are_done() -> None:
    """Simulations of unfinished searches are counted as well, and none is counted twice."""
    game = samples.game("connect4")
    player = rz.player("puct:sims=10", evaluator=RandomEvaluator(game.facts.slots))
    session = Session(game, [player], seed=0, width=1, cache=0)
    session.add(0, game.start(), most_plies=3)
    counted = [0]
    finished: list[Played] = []
    while not finished:
        finished = session.step()
        counted.append(session.pool.simulations)
    steps = {after - before for before, after in itertools.pairwise(counted)}
    assert steps <= {0, 1}
    thoughts = [finished[0].thought(ply) for ply in range(3)]
    assert counted[-1] == sum(thought.sims for thought in thoughts if thought is not None)


def test_questions_that_overflow_a_batch_are_all_answered() -> None:
    """oneply evaluates every move; with small batches it takes several steps."""
    game = samples.game("chess")
    evaluator = RandomEvaluator(game.facts.slots)
    session = Session(game, [rz.player("oneply", evaluator=evaluator)], seed=0, width=1, cache=0)
    session.add(0, game.start(), most_plies=1)
    steps = 0
    finished: list[Played] = []
    while not finished:
        finished = session.step()
        steps += 1
    assert steps > 2
    thought = finished[0].thought(0)
    assert thought is not None
    assert thought.sims == 20
    values = [
        float(evaluator.evaluate(game.start().apply(a).planes()[None]).value[0])
        for a in game.start().legal
    ]
    assert thought.value == pytest.approx(-min(values), abs=1e-6)  # for the other seat


class Failing(RandomEvaluator):
    """An evaluator that raises KeyboardInterrupt after three calls."""

    answers = 3

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Raises KeyboardInterrupt from the fourth call on."""
        self.answers -= 1
        if self.answers < 0:
            raise KeyboardInterrupt
        return super().evaluate(planes)


def test_a_pool_that_broke_off_says_so() -> None:
    """After an error in the evaluator or the rules, the pool refuses to continue."""
    game = samples.game("connect4")
    session = Session(game, [rz.player("puct:sims=20,leaves=2", evaluator=Failing(7))], seed=0)
    session.add(0, game.start())
    with pytest.raises(KeyboardInterrupt):
        list(session.run())
    for _ in range(3):
        with pytest.raises(rz.GameError, match=r"apply|has stopped this pool"):
            session.step()

    wrong = Session(game, [rz.player("random")], seed=0)
    wrong.add(0, game.start(), script=[0] * 7)
    with pytest.raises(rz.MoveError):
        list(wrong.run())
    with pytest.raises(rz.GameError, match="has stopped this pool"):
        wrong.step()


@pytest.mark.sanitize
def test_a_session_refuses_what_it_cannot_play() -> None:
    """Unknown players and judges, states of other games, humans and wrong shapes raise."""
    game = samples.game("connect4")
    session = Session(game, [rz.player("random")], seed=0)
    for players, third in ((0, 5), -1), ((-1, 0), -1), ((0, 0), 1):
        with pytest.raises(rz.GameError, match="there is no player"):
            session.add(0, game.start(), players, judge=third)
    with pytest.raises(rz.GameError, match="cannot be played"):
        session.add(0, samples.game("chess").start())

    class Crooked(RandomEvaluator):
        def evaluate(self, planes: np.ndarray) -> Evaluation:
            answers = super().evaluate(planes)
            return Evaluation(answers.policy.T, answers.value, answers.draw)

    with pytest.raises(rz.NetError, match="shapes"):
        rz.player("puct:sims=4", evaluator=Crooked(7)).think(game.start())
    session = Session(game, [rz.player("human")], seed=0)
    session.add(0, game.start())
    with pytest.raises(rz.GameError, match="human"):
        list(session.run())


@pytest.mark.parametrize("wrong", ["policy", "value", "draw", "far"])
def test_an_evaluator_that_says_nothing_sensible_is_refused(wrong: str) -> None:
    """NaN or out-of-range outputs raise NetError; a diverged net must not seem to play."""

    class Mad(RandomEvaluator):
        def evaluate(self, planes: np.ndarray) -> Evaluation:
            answer = super().evaluate(planes)
            if wrong == "far":
                answer.value[-1] = 5
            else:
                getattr(answer, wrong)[-1] = np.nan
            return answer

    with pytest.raises(rz.NetError, match="damaged or has diverged"):
        rz.player("puct:sims=30", evaluator=Mad(7)).think(samples.game("connect4").start())


def test_raw_values_are_the_evaluators_own() -> None:
    """raw_value is the evaluator's, even if a reused tree has proven the position since."""
    text = "puct:sims=200,eval=uniform"
    wanted = Task(game="connect4", a=text, b=text, games=6, opening=12)
    for record in records(run(wanted)):
        columns = record.columns()
        raw = columns.raw_value[columns.has_thought]
        assert (np.abs(raw) < 1e-4).all()
        assert (np.abs(columns.value[columns.has_thought]) == 1).any()


def test_workers_change_nothing() -> None:
    """One process and two give the same records, with and without nets."""
    net = little_nets.net("razzle")
    for wanted in [
        task("razzle", f"puct:net={net},sims=8,temperature=1", "gumbel:sims=8"),
        task("exchange", *PLAYERS["exchange"], games=6),
    ]:
        assert records(run(wanted, workers=2, width=4)) == records(run(wanted, width=64))


def test_pairs_open_alike_with_seats_swapped() -> None:
    """Games 2n and 2n + 1 have the same start and opening, with a in seat 0 and then in seat 1."""
    wanted = Task(game="random_chess", a="random", b="heuristic", games=8, opening=4)
    played = records(run(wanted))
    for first, second in zip(played[::2], played[1::2], strict=True):
        assert first.start == second.start
        assert first.opening == second.opening == 4
        opening = [record.columns().actions[:4].tolist() for record in (first, second)]
        assert opening[0] == opening[1]
        assert first.players == ("random", "heuristic")
        assert second.players == ("heuristic", "random")
    assert len({record.start for record in played}) == 4


def test_starts_come_in_turn() -> None:
    """Each pair of games takes the next start position."""
    starts = ("7/7/7/7/7/3X3 o", "7/7/7/7/7/2OX3 x")
    wanted = Task(game="connect4", a="random", b="random", games=8, starts=starts)
    assert [record.start for record in records(run(wanted))] == [
        starts[index // 2 % 2] for index in range(8)
    ]


def test_an_opening_never_ends_the_game() -> None:
    """No opening ends the game, although most random games are over after 16 plies."""
    game = samples.game("connect4")
    wanted = Task(game="connect4", a="random", b="random", games=40, opening=16)
    for index in range(40):
        beginning = begin(wanted, game, index)
        state = game.replay(beginning.start.text, beginning.script)
        assert not state.is_over
        assert len(state.actions) == 16


@pytest.mark.parametrize("game", PLAYERS)
def test_planes_of_play_are_planes_of_the_record(game: str) -> None:
    """The planes given to the evaluator in play equal the record's planes, byte for byte."""
    seen: list[bytes] = []

    class Spy(RandomEvaluator):
        def evaluate(self, planes: np.ndarray) -> Evaluation:
            seen.extend(row.tobytes() for row in planes)
            return super().evaluate(planes)

    player = rz.player("policy:temperature=1", evaluator=Spy(samples.game(game).facts.slots))
    wanted = Task(game=game, a=player.text, b=player.text, games=2, seed=3)
    played = records(run(wanted, players=(player, player), width=1, cache=0))
    made: list[bytes] = []
    for record in played:
        chosen = np.flatnonzero(record.columns().has_thought)
        made.extend(row.tobytes() for row in planes(record, chosen))
    assert len(made) >= 10
    assert made == seen


def test_each_net_judges_its_own_player_only() -> None:
    """Each evaluator gets only positions in which its own player is to move."""
    game = samples.game("connect4")

    class Watcher(RandomEvaluator):
        def __init__(self, seed: int) -> None:
            super().__init__(game.facts.slots, seed)
            self.rows = 0

        def evaluate(self, planes: np.ndarray) -> Evaluation:
            self.rows += len(planes)
            self.movers = {*getattr(self, "movers", set()), *(int(row[2, 0, 0]) for row in planes)}
            return super().evaluate(planes)

    one, other = Watcher(1), Watcher(2)
    a = rz.player("policy:temperature=1", evaluator=one)
    b = rz.player("policy:temperature=0.9", evaluator=other)
    wanted = Task(game="connect4", a=a.text, b=b.text, games=10, swap=False)
    played = records(run(wanted, players=(a, b), cache=0))
    assert one.movers == {1}  # plane 2 is 1 if seat 0 is to move
    assert other.movers == {0}
    assert one.rows + other.rows == sum(record.plies for record in played)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("razzle", "puct:sims=30,eval=hash,early_stop=false,reuse=false"),
        ("monster", "puct:sims=24,eval=hash,early_stop=false,reuse=false,forced=2,draw_value=-0.3"),
        ("connect4", "gumbel:sims=16,eval=hash,gumbel_scale=0"),
    ],
)
def test_a_judge_comments_without_moving(game: str, text: str) -> None:
    """The judge's notes equal its thoughts outside of the game, for all plies, also of openings.
    The games are the same with and without a judge."""
    plain = Task(game=game, a="random", b="heuristic", games=4, seed=1, opening=2)
    with_notes = list(run(msgspec.structs.replace(plain, judge=text)))
    assert records(with_notes) == records(run(plain))
    for finished in with_notes:
        assert finished.note is not None
        actions = finished.record.columns().actions
        notes = finished.note.columns(actions)
        assert notes.has_thought.all()
        state = samples.game(game).parse(finished.record.start)
        for ply, action in enumerate(actions.tolist()):
            note, alone = notes.thought(ply), rz.player(text).think(state)
            assert note is not None
            assert note.shares == pytest.approx(alone.shares, abs=1e-4)
            assert note.target == pytest.approx(alone.target, abs=1e-4)
            assert note.value == pytest.approx(alone.value, abs=1e-4)
            assert note.draw == pytest.approx(alone.draw, abs=1e-4)
            assert note.raw_value == pytest.approx(alone.raw_value, abs=1e-4)
            assert note.sims == alone.sims
            state = state.apply(action)


def test_a_kept_tree_keeps_its_visits() -> None:
    """With reuse, a search begins with exactly the visits that the last one gave the position."""
    wanted = Task(game="chess", a="puct:sims=40,eval=hash", b="puct:sims=40,eval=hash", games=1)
    (record,) = records(run(wanted))
    columns = record.columns()
    kept = 0
    for ply in range(1, 40):
        before, now = columns.thought(ply - 1), columns.thought(ply)
        assert before is not None
        assert now is not None
        weights = slice(int(columns.offsets[ply - 1]), int(columns.offsets[ply]))
        visits = dict(
            zip(columns.pair_actions[weights], columns.pair_weights[weights], strict=True)
        )
        after = columns.pair_weights[columns.offsets[ply] : columns.offsets[ply + 1]].sum()
        if abs(now.value or 0) < 1 and abs(before.value or 0) < 1:
            assert after == 40 + visits[before.action] - 1
            kept += int(visits[before.action]) - 1
    assert kept > 100


def test_fast_choices_are_no_policy_target() -> None:
    """With playout caps, only moves searched with all simulations are policy targets."""
    text = "puct:sims=40,fast_sims=8,full_share=0.3,noise=0.25,eval=hash,reuse=false"
    wanted = Task(game="razzle", a=text, b=text, games=4, opening=2)
    full = fast = 0
    for record in records(run(wanted)):
        columns = record.columns()
        chosen = columns.has_thought & (np.abs(columns.value) < 1)
        full += int((chosen & (columns.sims == 40)).sum())
        fast += int((chosen & (columns.sims == 8)).sum())
        assert (columns.has_policy[chosen] == (columns.sims[chosen] == 40)).all()
    assert 0.2 < full / (full + fast) < 0.4


def test_temperature_falls_after_its_turns() -> None:
    """After three turns of either seat (not plies), the best move is played."""
    hot = "puct:sims=16,eval=hash,temperature=1,temperature_turns=3,reuse=false"
    wanted = Task(game="monster", a=hot, b=hot, games=12, seed=5)
    early: list[bool] = []
    later: list[bool] = []
    for record in records(run(wanted)):
        columns = record.columns()
        state = samples.game("monster").parse(record.start)
        turns, last = 0, state.mover
        for ply, action in enumerate(columns.actions.tolist()):
            turns += state.mover != last
            last = state.mover
            thought = columns.thought(ply)
            assert thought is not None
            is_open = abs(thought.value or 0) < 1 and action in thought.shares
            if turns >= 3 and is_open:  # not if the result was proven
                best = max(thought.shares.values())
                later.append(thought.shares[action] == best)
            elif is_open:
                early.append(thought.shares[action] == max(thought.shares.values()))
            state = state.apply(action)
    assert np.mean(early) < 0.8
    assert np.mean(later) > 0.9  # shares include proven losses, which are not chosen
    assert len(later) > 100


def test_bad_tasks_are_refused_at_once() -> None:
    """A wrong task raises a one-line error."""
    good = {"game": "connect4", "a": "random", "b": "random", "games": 2}
    for key, value, words in [
        ("game", "conect4", "did you mean 'connect4'"),
        ("a", "pukt:sims=3", "did you mean 'puct'"),
        ("a", "puct:simz=3", "did you mean 'sims'"),
        ("a", "puct:sims=0", "give a whole number from 1"),
        ("a", "puct:sims=2.5", "sims is '2.5'; give a whole number"),
        ("b", "puct:net=nowhere", "there is no net 'nowhere'"),
        ("b", "puct:eval=magic", "known: heuristic"),
        ("games", 0, "games"),
        ("seed", 1 << 64, "a seed is"),
        ("starts", ("7/7/7 x",), "rows"),
        ("opening", -1, "opening"),
        ("judge", "nobody", "there is no player 'nobody'"),
    ]:
        with pytest.raises(rz.RulezeroError) as caught:
            list(run(Task(**{**good, key: value})))  # type: ignore[arg-type]
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_player_with_an_evaluator_of_its_own_stays_in_this_process() -> None:
    """A custom evaluator cannot be sent to workers; the error says to use workers=1."""
    player: Player = rz.player("puct:sims=4", evaluator=RandomEvaluator(7))
    wanted = Task(game="connect4", a=player.text, b="random", games=4)
    with pytest.raises(rz.GameError, match="workers=1"):
        list(run(wanted, workers=2, players=(player, rz.player("random"))))


def test_stored_games_can_be_judged_later() -> None:
    """Judging records gives the same notes as judging in play, whatever the batches."""
    by = "puct:sims=20,eval=hash,reuse=false"
    wanted = Task(game="exchange", a="random", b="heuristic", games=5, seed=2, judge=by)
    played = list(run(wanted))
    games = records(played)
    later = list(run(judging(games, by, seed=2)))
    in_play = {game.record.index: game.note for game in played}
    assert {game.record.index: game.note for game in later} == in_play
    assert [game.record.actions for game in later] == [
        games[game.record.index].actions for game in later
    ]
    few = {game.record.index: game.note for game in run(judging(games[:3], by, seed=2), width=2)}
    assert few == {index: in_play[index] for index in range(3)}
    for wrong in {"starts": wanted.starts}, {"games": 4}:
        with pytest.raises(rz.GameError, match="needs one start and one script per game"):
            list(run(msgspec.structs.replace(judging(games, by), **wrong)))
