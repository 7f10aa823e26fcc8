"""Search errors that do not crash: starved moves, wrong contempt, wrong use of noise."""

import collections
import functools

import numpy as np
import pytest

import rulezero as rz
from reference import hash_evaluator
from reference.tree import wins_by_sight
from rulezero.play.evaluators import Evaluation
from support import samples
from support.evaluators import RandomEvaluator, UniformEvaluator

# Black hardly ever captures a king in random play of Monster.
BLACK_WINS = [
    "4k3/8/8/8/8/8/4r3/4K3 b - - 0 1",
    "4k3/8/8/3q4/8/8/3P4/3K4 b - - 0 1",
    "rnbqkb1r/pppppppp/8/8/6n1/5K2/2PPPP2/8 b kq - 0 3",
]


def winners(state: rz.State) -> set[int]:
    """The moves that win at once, with every face of a die."""

    def wins(after: rz.State) -> bool:
        if after.mover == rz.CHANCE and not after.is_over:
            return all(wins(after.apply(face)) for face in after.legal)
        return after.outcome == (1 if state.mover == 0 else -1)

    return {action for action in state.legal if wins(state.apply(action))}


@functools.cache
def winning_states(text: str) -> tuple[rz.State, ...]:
    """States of random play with a certain win in one, for both seats."""
    found: dict[int, list[rz.State]] = {0: [], 1: []}
    if text == "monster":
        found[1] = [state for state in map(samples.game(text).parse, BLACK_WINS) if winners(state)]
    for seed in range(400):
        for state in samples.played(text, seed)[:-1]:
            if state.mover == rz.CHANCE or len(state.legal) > 50 or len(found[state.mover]) == 4:
                continue
            if winners(state):
                found[state.mover].append(state)
        if all(len(states) == 4 for states in found.values()):
            break
    return (*found[0], *found[1])


@pytest.mark.parametrize("player", ["puct:sims=50", "ucb1:sims=50", "oneply", "heuristic"])
@pytest.mark.parametrize("text", [game for game in samples.GAMES if "planes=" not in game])
def test_a_win_in_one_is_found(text: str, player: str) -> None:
    """A win in one is found with 50 simulations, for both seats, with any evaluator."""
    states = winning_states(text)
    assert {state.mover for state in states} == {0, 1}
    for state in states:
        for judge in ["uniform", "hash"] if ":" in player else [""]:
            seat = rz.player(f"{player},eval={judge}" if judge else player)
            if not judge and text == "tictactoe":
                continue  # it has no heuristic
            thought = seat.think(state)
            assert thought.action in winners(state), (state, seat, thought)
            if ":" in player:
                assert thought.value == (1 if state.mover == 0 else -1)
                assert thought.target == {thought.action: 1.0}


@pytest.mark.parametrize("leaves", [1, 8, 64])
@pytest.mark.parametrize("sims", [16, 80, 200])
def test_no_starvation_in_monster(sims: int, leaves: int) -> None:
    """Every simulation reaches a child of the root, and no child is starved."""
    game = samples.game("monster")
    evaluator = RandomEvaluator(game.facts.slots)
    states = [s for s in samples.states("monster") if not s.is_over][:60]
    assert {state.mover for state in states} == {0, 1}
    for kind in ["puct", "gumbel", "ucb1"]:
        stop = "" if kind == "gumbel" else ",early_stop=false"
        seat = rz.player(f"{kind}:sims={sims},leaves={leaves}{stop}", evaluator=evaluator)
        for state in states:
            thought = seat.think(state)
            if abs(thought.value or 0) == 1:  # proven: nothing more to search
                continue
            assert sum(thought.visits.values()) == thought.sims == sims
            if kind == "ucb1" and sims >= len(state.legal):
                assert len(thought.visits) == len(state.legal)
            if kind == "gumbel":
                assert len(thought.visits) == min(len(state.legal), 16)


@pytest.mark.parametrize("leaves", [1, 8])
@pytest.mark.parametrize("sims", [16, 80, 200])
def test_a_flat_tree_is_shared_evenly(sims: int, leaves: int) -> None:
    """With a uniform evaluator, all moves get about equal visits."""
    game = samples.game("monster")
    state = game.start()
    evaluator = UniformEvaluator(game.facts.slots)
    visits = rz.player(f"puct:sims={sims},leaves={leaves}", evaluator=evaluator).think(state).visits
    share = sims // len(state.legal)
    assert len(visits) == len(state.legal)
    assert all(share - leaves <= count <= share + leaves for count in visits.values())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("kind", ["puct", "ucb1"])
def test_a_waiting_leaf_is_a_loss_for_whoever_chose_it(kind: str, seat: int) -> None:
    """Eight pending leaves of a flat tree are eight different children, for either mover. With a
    virtual win instead of a virtual loss, all would be the same child."""
    game = samples.game("razzle")
    state = game.start()
    if seat == 1:
        state = state.apply(state.legal[0])
    assert state.mover == seat
    assert len(state.legal) > 8
    evaluator = UniformEvaluator(game.facts.slots)
    thought = rz.player(f"{kind}:sims=8,leaves=8", evaluator=evaluator).think(state)
    assert list(thought.visits.values()) == [1] * 8


class SmoothEvaluator:
    """An evaluator that, like a net, gives similar answers for similar positions."""

    identity = "smooth"

    def __init__(self, game: rz.Game) -> None:
        dice = np.random.default_rng(0)
        inputs = int(np.prod(game.facts.planes))
        self._hidden = dice.normal(0, 0.3, (inputs, 8)).astype(np.float32)
        self._policy = dice.normal(0, 0.3, (8, game.facts.slots)).astype(np.float32)
        self._value = dice.normal(0, 0.1, 8).astype(np.float32)

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Logits that are linear in the planes, and the tanh of a linear value."""
        hidden = planes.reshape(len(planes), -1) @ self._hidden
        value = np.tanh(hidden @ self._value)
        return Evaluation(hidden @ self._policy, value, np.zeros_like(value))


@pytest.mark.parametrize("text", ["monster", "razzle"])
def test_batched_leaves_agree_in_law(text: str) -> None:
    """Several leaves per batch give nearly the same values and choices as one leaf.

    Virtual losses spread the visits more with more pending leaves; few leaves change little.
    """
    evaluator = SmoothEvaluator(samples.game(text))
    states = [state for state in samples.states(text) if not state.is_over][::25]

    def think(state: rz.State, leaves: int) -> rz.Thought:
        keys = f"puct:sims=300,leaves={leaves},early_stop=false"
        return rz.player(keys, evaluator=evaluator).think(state)

    alone = [think(state, 1) for state in states]
    for leaves, most in (4, 0.15), (64, 0.5):
        distances, values, choices = [], [], []
        for state, one in zip(states, alone, strict=True):
            many = think(state, leaves)
            moves = set(one.shares) | set(many.shares)
            gaps = [abs(one.shares.get(a, 0) - many.shares.get(a, 0)) for a in moves]
            distances.append(sum(gaps) / 2)
            values.append(abs((one.value or 0) - (many.value or 0)))
            best = sorted(one.visits, key=lambda a: one.visits[a])[-2:]
            choices.append(many.action in best or not best)
        assert np.mean(distances) < most
        assert np.mean(values) < 0.06
        assert np.mean(choices) >= 0.75


def test_a_dead_draw_is_the_same_for_both_movers() -> None:
    """Contempt affects the choice of the root's mover, but never the reported value."""
    for text in ["7/7/7/7/7/7 x", "7/7/7/7/7/3X3 o"]:
        state = samples.game("connect4").parse(text)
        values = []
        for draw_value in [-0.5, 0, 0.5]:
            evaluator = DrawnEvaluator(state.game.facts.slots)
            seat = rz.player(f"puct:sims=60,draw_value={draw_value}", evaluator=evaluator)
            thought = seat.think(state)
            values.append(thought.value)
            assert thought.draw == pytest.approx(1)
        assert values == pytest.approx([0, 0, 0], abs=1e-6)


class DrawnEvaluator:
    """An evaluator that predicts a certain draw for every position."""

    identity = "drawn"

    def __init__(self, slots: int) -> None:
        self._slots = slots

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        """Equal logits, and a certain draw for each position."""
        rows = len(planes)
        return Evaluation(
            np.zeros((rows, self._slots), np.float32),
            np.zeros(rows, np.float32),
            np.ones(rows, np.float32),
        )


def best_end(state: rz.State, mover: int, depth: int, first: bool = True) -> float:
    """The mover's best value among the ends of the current turn, as seat 0's hash value."""
    if state.outcome is not None:
        return state.outcome
    if not first and (state.mover != mover or depth == 0):
        return float(hash_evaluator.evaluate(state)[1])
    ends = [best_end(state.apply(a), mover, depth - 1, False) for a in state.legal]
    return max(ends) if mover == 0 else min(ends)


@pytest.mark.parametrize("depth", [1, 2, 10])
@pytest.mark.parametrize("text", ["razzle", "monster"])
def test_a_turn_under_way_is_judged_by_its_best_end(text: str, depth: int) -> None:
    """With pass quiescence, the first leaf has the value of the best end of its mover's turn."""
    seen: collections.Counter[int] = collections.Counter()
    for state in samples.states(text, 1200):
        if state.is_over:
            continue
        keys = f"eval=hash,sims=1,early_stop=false,reuse=false,pass_quiescence_max_depth={depth}"
        thought = rz.player(f"puct:{keys},pass_quiescence=true").think(state)
        if not thought.visits:  # a win in one
            continue
        (action,) = thought.visits
        leaf = state.apply(action)
        if leaf.is_over or leaf.mover != state.mover or wins_by_sight(leaf):
            continue
        assert thought.value is not None
        assert thought.raw_value is not None
        value = 2 * thought.value - thought.raw_value
        assert value == pytest.approx(best_end(leaf, leaf.mover, depth), abs=1e-5)
        seen[leaf.mover] += 1
    assert seen[0] > 5
    assert text == "monster" or seen[1] > 5  # only White moves twice in Monster


def test_noise_moves_the_priors_and_depends_on_the_seed() -> None:
    """With root noise, visits differ between seeds, and are the same for the same seed."""
    state = samples.game("chess").start()
    keys = "puct:eval=uniform,sims=60,noise=0.5,alpha=0.2,early_stop=false"
    visits = [rz.player(keys, seed=seed).think(state).visits for seed in [1, 1, 2]]
    assert visits[0] == visits[1] != visits[2]
    calm = rz.player("puct:eval=uniform,sims=60,early_stop=false", seed=1).think(state).visits
    assert max(visits[0].values()) > max(calm.values())


def test_forced_playouts_are_pruned_from_the_target() -> None:
    """`visits` include forced playouts; the target never has more visits."""
    game = samples.game("razzle")
    differ = 0
    for state in samples.states("razzle")[::20]:
        if state.is_over:
            continue
        keys = "puct:eval=hash,sims=200,noise=0.25,forced=2,early_stop=false"
        thought = rz.player(keys).think(state)
        if not thought.visits or abs(thought.value or 0) == 1:
            continue
        total = sum(thought.visits.values())
        most = max(thought.visits, key=lambda action: thought.visits[action])
        assert thought.shares[most] == thought.visits[most] / total
        assert thought.target[most] >= thought.shares[most]
        assert set(thought.target) <= set(thought.shares)
        differ += thought.target != thought.shares
    assert differ > 3
    assert game.facts.name == "razzle"


def test_temperature_draws_by_visits() -> None:
    """At temperature 1 moves are drawn in proportion to visits; at 0 the most visited is played."""
    state = samples.game("razzle").start()
    drawn: collections.Counter[int] = collections.Counter()
    thought = None
    for seed in range(400):
        keys = "puct:eval=hash,sims=30,early_stop=false,temperature=1"
        thought = rz.player(keys, seed=seed).think(state)
        drawn[thought.action] += 1
    assert thought is not None
    for action, share in thought.shares.items():
        assert drawn[action] / 400 == pytest.approx(share, abs=0.09)
    cold = {rz.player("puct:eval=hash,sims=30", seed=s).think(state).action for s in range(20)}
    assert cold == {max(thought.visits, key=lambda a: thought.visits[a])}


def test_early_stop_changes_no_clear_choice() -> None:
    """A search that stops early makes the same choice with fewer simulations."""
    saved = 0
    for state in samples.states("monster")[::10]:
        if state.is_over:
            continue
        whole = rz.player("puct:sims=300,early_stop=false").think(state)
        early = rz.player("puct:sims=300").think(state)
        assert early.sims <= whole.sims
        assert early.sims >= 90 or abs(early.value or 0) == 1
        if abs(early.value or 0) < 0.95:
            assert early.action == whole.action
        saved += early.sims < whole.sims
    assert saved > 0


def test_a_full_tree_goes_on_without_growing() -> None:
    """A search with a tree limit of one MiB still completes all its simulations."""
    for text in ["chess", "exchange"]:
        state = samples.game(text).start()
        for judge in ["hash", "uniform"]:
            keys = f"puct:eval={judge},sims=20000,memory=1,early_stop=false"
            thought = rz.player(keys).think(state)
            assert sum(thought.visits.values()) == 20000
