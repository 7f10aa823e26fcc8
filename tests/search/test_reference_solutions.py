"""The hash evaluator, and small games whose solutions the references converge to."""

import itertools

import pytest

import rulezero as rz
from reference import gumbel, hash_evaluator, little_games, minimax, puct
from reference.little_games import Plan, planned
from reference.tree import fair_dice
from support import samples


def test_scatter_is_splitmix64() -> None:
    """The first numbers of SplitMix64 from seed 0, as its author published them."""
    golden = 0x9E3779B97F4A7C15
    numbers = [hash_evaluator.scatter(n * golden % 2**64) for n in (1, 2, 3)]
    assert numbers == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert hash_evaluator.word(0, 0) == 0xE220A8 / 2**24
    assert hash_evaluator.word(2**64 - golden, 1) == 0xE220A8 / 2**24


@pytest.mark.parametrize("text", ["chess", "exchange:dice=fixed:3", "tictactoe"])
def test_hash_judgements_are_fit_for_a_search(text: str) -> None:
    """Priors sum to 1, |value| + draw is at most 1, all float32, and values vary."""
    values = []
    for state in samples.played(text)[:-1]:
        priors, value, draw = hash_evaluator.evaluate(state)
        assert {array.dtype.name for array in (priors, value, draw)} == {"float32"}
        assert len(priors) == len(state.legal)
        assert priors.min() > 0
        assert priors.sum() == pytest.approx(1, abs=1e-5)
        assert 0 <= draw < 0.5
        assert abs(value) <= 1 - draw
        values.append(float(value))
    assert min(values) < 0 < max(values)


def test_minimax_by_hand() -> None:
    """Each mover takes its best value, a die its expectation, and recurring positions are refused.

    Seat 0 chooses at the root between: seat 1's choice of {1, 0}, worth 0; a die of 1 and of seat
    0's choice of {-1, 0}, worth .5; and -1.
    """
    plan: Plan = (0, [(1, [1.0, 0.0]), (rz.CHANCE, [1.0, (0, [-1.0, 0.0])]), -1.0])
    state = planned("by_hand", plan, [0.5, 0.5]).start()
    assert minimax.solve(state) == 0.5
    assert minimax.best_actions(state) == {1}
    assert minimax.best_actions(state, within=0.5) == {0, 1}
    assert minimax.solve(state.apply(0)) == 0
    assert minimax.solve(samples.game("tictactoe").start()) == 0
    assert minimax.solve(samples.game("tictactoe").parse("xx-oo----")) == 1

    back = little_games.Place(0, ((0, 0),))
    circle = [little_games.Place(0, ((0, 1), (1, 2))), back, little_games.Place(outcome=1.0)]
    with pytest.raises(ValueError, match="come twice"):
        minimax.solve(rz.load(little_games.LittleGame("circle", circle)).start())


@pytest.mark.parametrize("has_chance", [False, True])
def test_little_games_are_random_and_small(has_chance: bool) -> None:
    """They fulfil the contract that a search relies on, with movers in every order."""
    repeats = 0
    for seed in range(40):
        game = little_games.little_game(seed, has_chance)
        assert game.facts.has_chance == has_chance
        assert rz.load(game.text).start().legal == game.start().legal
        assert game.start().mover in (0, 1)
        minimax.solve(game.start())
        for attempt in range(5):
            states = samples.play(game, attempt)
            assert states[-1].is_over
            assert states[-1].outcome in (-1, 0, 1)
            assert len(states) <= 7
            for state in states[:-1]:
                assert 1 <= len(state.legal) <= 4
                assert game.parse(state.text).key == state.key
                assert sum(state.chances) == (1 if state.mover == rz.CHANCE else 0)
            movers = [state.mover for state in states[:-1] if state.mover != rz.CHANCE]
            repeats += sum(a == b for a, b in itertools.pairwise(movers))
    assert repeats > 100


# --------------------------------------------------------------------------------- convergence


@pytest.mark.parametrize(("draw_value", "c_puct"), [(0.0, 1.5), (0.5, 3.0), (-0.5, 3.0)])
def test_puct_converges_to_minimax(draw_value: float, c_puct: float) -> None:
    """With many simulations, which proofs cut short, it finds the value and a best move.

    With contempt it takes longer to look beyond a draw.
    """
    for seed in range(30):
        state = little_games.little_game(seed, has_chance=False).start()
        root = puct.search(
            state,
            2000,
            evaluate=hash_evaluator.evaluate,
            rule=puct.Rule(c_puct=c_puct),
            draw_value=draw_value,
        )
        assert root.value == pytest.approx(minimax.solve(state), abs=0.05), seed
        assert puct.move(root) in minimax.best_actions(state), seed


def test_gumbel_converges_to_minimax_where_values_weigh_little() -> None:
    """With mctx's weights it keeps to the moves it tries first; with small ones it finds proofs."""
    settings = gumbel.Settings(c_scale=0.01, rescale=False)
    proven = 0
    for seed in range(30):
        state = little_games.little_game(seed, has_chance=False).start()
        thought = gumbel.search(state, 3000, evaluate=hash_evaluator.evaluate, settings=settings)
        assert thought.action in minimax.best_actions(state), seed
        if thought.root.exact:
            proven += 1
            assert thought.root.value == minimax.solve(state), seed
    assert proven >= 25


def test_puct_converges_to_expectimax() -> None:
    """With dice it takes longer, and a proof is rare."""
    for seed in range(30):
        state = little_games.little_game(seed, has_chance=True).start()
        root = puct.search(state, 2000, evaluate=hash_evaluator.evaluate, draw_face=fair_dice(seed))
        assert root.value == pytest.approx(minimax.solve(state), abs=0.15), seed
        assert puct.move(root) in minimax.best_actions(state, within=0.1), seed
