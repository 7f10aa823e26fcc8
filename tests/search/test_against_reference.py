"""The core's searches, compared with slow references (every visit) and with minimax."""

import numpy as np
import pytest

import rulezero as rz
from reference import hash_evaluator, little_games, minimax, puct
from reference.comparison import Gumbel, Puct, player, spots
from reference.little_games import Plan, mirrored, planned
from reference.tree import fair_dice
from support import samples

GAMES = [text for text in samples.GAMES if "planes=" not in text]
BOTH_SEATS = pytest.mark.parametrize("seat", [0, 1])
evaluate = hash_evaluator.evaluate

PUCT = [
    Puct(),
    Puct(c_puct=0.7, fpu=0.0, noise=0.25),
    Puct(c_puct=2.5, draw_value=0.4),
    Puct(c_growth=1.0, c_base=100.0),
    Puct(prior_temperature=1.8, noise=0.25),
    Puct(prior_temperature=0.4, draw_value=0.2),
    Puct(fpu=-1.0, fpu_is_fixed=True),
    Puct(fpu=0.5, fpu_is_fixed=True, draw_value=-0.6),
    Puct(c_puct=0.2, fpu=1.0, c_growth=0.5, c_base=10.0, draw_value=-0.3),
]

GUMBEL = [
    Gumbel(),
    Gumbel(considered=4, gumbel_scale=1.0),
    Gumbel(considered=3, rescale=False, draw_value=0.5),
    Gumbel(considered=1),
    Gumbel(considered=8, c_visit=10.0, c_scale=1.0),
    Gumbel(considered=2, gumbel_scale=0.5, c_scale=0.01, rescale=False),
    Gumbel(considered=64, c_scale=1.0, rescale=False, draw_value=-0.4),
]


def sizes(turn: int) -> tuple[int, ...]:
    """The numbers of simulations for state number `turn`; large ones are used in turn."""
    return (1, 2, 16, (50, 200)[turn % 2])


@pytest.mark.parametrize("text", GAMES)
def test_puct_agrees_with_the_reference(text: str) -> None:
    """Every visit, the move, the target and the value agree, with different settings in turn."""
    for turn, state in enumerate(spots(text)):
        for other, sims in enumerate(sizes(turn)):
            PUCT[(turn + other) % len(PUCT)].check(state, sims, seed=turn)


@pytest.mark.parametrize("text", GAMES)
def test_gumbel_agrees_with_the_reference(text: str) -> None:
    """Every visit, the move, the target and the value agree, with and without Gumbel noise."""
    for turn, state in enumerate(spots(text)):
        for other, sims in enumerate(sizes(turn)):
            GUMBEL[(turn + other) % len(GUMBEL)].check(state, sims, seed=turn)


def test_little_games_agree_with_the_reference() -> None:
    """Movers come in any order, and trees are so small that most are proven in the search."""
    proven = 0
    for seed in range(60):
        state = little_games.little_game(seed, has_chance=False).start()
        for other, sims in enumerate((3, 10, 30, 100)):
            root = PUCT[(seed + other) % len(PUCT)].check(state, sims)
            GUMBEL[(seed + other) % len(GUMBEL)].check(state, sims)
            proven += root.exact is not None
    assert proven > 60


def test_dice_agree_with_the_reference_on_average() -> None:
    """With different random dice, mean values and visits over many seeds agree."""
    runs, sims = 150, 24
    for number in (1, 7, 9, 12, 24):
        state = little_games.little_game(number, has_chance=True).start()
        ours, theirs = [], []
        for seed in range(runs):
            root = puct.search(state, sims, evaluate=evaluate, draw_face=fair_dice(seed))
            ours.append([root.value, *(root.child_visits[action] for action in state.legal)])
            thought = player("puct", {"sims": sims}, seed).think(state)
            theirs.append([thought.value, *(thought.visits.get(a, 0) for a in state.legal)])
        one, other = np.array(ours), np.array(theirs)  # [runs, 1 + moves]
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / runs)
        assert (abs(one.mean(axis=0) - other.mean(axis=0)) <= 5 * error + 1e-6).all(), number


# ------------------------------------------------------------------------------- whole solutions


def nearby(state: rz.State) -> list[rz.State]:
    """A state and its successors in which a player chooses, to test both seats."""
    after = [state.apply(action) for action in state.legal]
    return [state, *(s for s in after if not s.is_over and s.mover != rz.CHANCE)]


# Each explores enough to find proofs, which Gumbel with mctx's default weights does not.
SOLVERS: dict[str, dict[str, object]] = {
    "puct": {"sims": 6000, "c_puct": 8},
    "puct that likes draws": {"sims": 6000, "c_puct": 8, "draw_value": 0.5},
    "puct that shuns draws": {"sims": 6000, "c_puct": 8, "draw_value": -0.5},
    "gumbel": {"sims": 6000, "c_visit": 50, "c_scale": 0.001, "rescale": False},
    "ucb1": {"sims": 6000},
}


@pytest.mark.parametrize("name", SOLVERS)
def test_little_games_are_played_best(name: str) -> None:
    """The move is one of minimax's best, for either seat, and the value is close."""
    seat = player(name.split()[0], SOLVERS[name])
    asked = {0: 0, 1: 0}
    for seed in range(30):
        for state in nearby(little_games.little_game(seed, has_chance=False).start()):
            thought = seat.think(state)
            assert thought.action in minimax.best_actions(state), (seed, state.text)
            asked[state.mover] += 1
            if name != "gumbel":  # which visits unproven moves by their priors
                assert thought.value == pytest.approx(minimax.solve(state), abs=0.1), seed
    assert min(asked.values()) > 20


def test_little_games_with_dice_are_played_well() -> None:
    """Few positions are proven, so the move may lose a little; the value is close."""
    seat = player("puct", {"sims": 4000})
    for seed in range(40):
        state = little_games.little_game(seed, has_chance=True).start()
        thought = seat.think(state)
        assert thought.action in minimax.best_actions(state, within=0.1), seed
        assert thought.value == pytest.approx(minimax.solve(state), abs=0.15), seed


@BOTH_SEATS
@pytest.mark.parametrize("draw_value", [-0.9, 0.9])
@pytest.mark.parametrize("name", ["puct", "gumbel"])
def test_a_draw_is_never_preferred_to_a_win(name: str, draw_value: float, seat: int) -> None:
    """Neither the root's mover prefers a draw to a win, nor, in its search, the opponent."""
    own: Plan = (0, [0.0, (0, [1.0, 0.0])])
    other: Plan = (0, [(1, [0.0, -1.0]), (1, [0.0, 1.0])])
    for plan, value in (own, 1), (other, 0):
        state = planned("contempt", mirrored(plan) if seat else plan).start()
        thought = player(name, {**SOLVERS[name], "draw_value": draw_value}).think(state)
        assert thought.action == 1
        assert thought.value == pytest.approx(value if seat == 0 else -value, abs=1e-6)


@BOTH_SEATS
@pytest.mark.parametrize("draw_value", [-0.3, 0.3])
def test_contempt_is_the_root_movers(draw_value: float, seat: int) -> None:
    """With a draw, or a die between win and loss, draw_value decides, for either seat.

    Both moves are soon proven; the better one is played, even if the die has more visits.
    """
    plan: Plan = (0, [0.0, (rz.CHANCE, [1.0, -1.0])])
    state = planned("taste", mirrored(plan) if seat else plan, [0.5, 0.5]).start()
    thought = player("puct", {"sims": 300, "draw_value": draw_value}).think(state)
    assert thought.action == (0 if draw_value > 0 else 1)
    assert thought.value == pytest.approx(0, abs=1e-6)


def test_a_thought_can_be_had_again() -> None:
    """The same player, seed and position give the same thought."""
    state = spots("monster")[3]
    one, again = (player("puct", {"sims": 64}).think(state) for _ in range(2))
    assert (one.action, one.visits, one.value) == (again.action, again.visits, again.value)
