"""The Gumbel reference itself, on cases computed by hand."""

from math import exp

import pytest

from reference import gumbel, hash_evaluator
from reference.little_games import Plan, mirrored, planned, road
from reference.scripted_evaluator import said
from support import samples

SEATS = pytest.mark.parametrize("seat", [0, 1])


@pytest.mark.parametrize(
    ("m", "sims", "sequence", "visits"),
    [
        # ceil(log2 4) = 2: 4 are in for 16 // 8 = 2 rounds, 2 for 16 // 4 = 4.
        (4, 16, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [6, 6, 2, 2]),
        # ceil(log2 16) = 4: 16 // 64 = 0, so one round, and that is all there is time for.
        (16, 16, [0] * 16, [1] * 16),
        # ceil(log2 3) = 2: 3 are in for 10 // 6 = 1 round, 2 for 10 // 4 = 2, and 2 again.
        (3, 10, [0, 0, 0, 1, 1, 2, 2, 3, 3, 4], [5, 4, 1]),
        (1, 5, [0, 1, 2, 3, 4], [5]),
        # ceil(log2 5) = 3: 5 are in for 20 // 15 = 1 round, 2 for 20 // 6 = 3, and 2 again, twice.
        (5, 20, [0] * 5 + [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8], [9, 8, 1, 1, 1]),
        (16, 3, [0, 0, 0], [1, 1, 1]),
    ],
)
def test_gumbel_visits_worked_out_by_hand(
    m: int, sims: int, sequence: list[int], visits: list[int]
) -> None:
    """The sequence itself, and the visits it leaves on the root moves of a real game."""
    assert gumbel.visit_sequence(m, sims) == sequence
    state = samples.game("chess").start()
    thought = gumbel.search(state, sims, evaluate=hash_evaluator.evaluate, considered=m)
    counts = sorted(thought.visits.values(), reverse=True)
    assert counts == visits + [0] * (len(state.legal) - len(visits))
    assert thought.visits[thought.action] == visits[0]
    assert sum(thought.policy.values()) == pytest.approx(1)


# Two long forced paths: place 1 is worth .6, all others .2.
PAIR: Plan = (0, [road(9), road(9)])


@SEATS
@pytest.mark.parametrize(("rescale", "odds"), [(False, 3 * exp(1.02)), (True, 3 * exp(5.1))])
def test_gumbel_policy_worked_out_by_hand(seat: int, rescale: bool, odds: float) -> None:
    """After one simulation, to 1: the other child counts (.2 + 1 * .6) / (1 + 1) = .4.

    The scale is (50 + 1) * .1 = 5.1, so sigma is 3.06 and 2.04, or 5.1 and 0 if it is rescaled.
    The priors .75 and .25 add 3 to 1.
    """
    sign = 1 if seat == 0 else -1
    told = said({"0": ([0.75, 0.25], 0.2 * sign), "1": ([1.0], 0.6 * sign)}, value=0.2 * sign)
    state = planned("pair", mirrored(PAIR) if seat else PAIR).start()
    settings = gumbel.Settings(c_visit=50, c_scale=0.1, rescale=rescale)
    thought = gumbel.search(state, 1, evaluate=told, settings=settings)
    assert thought.visits == {0: 1, 1: 0}
    assert thought.policy[0] / thought.policy[1] == pytest.approx(odds, rel=1e-6)


@SEATS
def test_gumbel_inside_worked_out_by_hand(seat: int) -> None:
    """Root 0 has one move, to 1, where the other seat chooses; to it, 1 is worth .6.

    Simulation 1 judges 1. Not rescaled, then, with priors .6 (2) and .4 (12) at 1:

    2. nothing visited: all count .6, the shares are the priors: .6 - 0 against .4 - 0, so 2,
       which is worth .2 to the one who chose it
    3. 2 has .2, 12 the mixed (.6 + 1 * .2) / 2 = .4; scale 5.1, sigma 1.02 and 2.04;
       shares .6 : .4 * e^1.02 = .6 : 1.109, .351 and .649; .351 - 1/2 against .649 - 0, so 12,
       which is worth -.5 to the one who chose it
    4. 2 has .2, 12 has -.5; scale 5.1, sigma 1.02 and -2.55; shares .6 : .4 * e^-3.57, .982 and
       .018; .982 - 1/3 against .018 - 1/3, so 2
    """
    sign = 1 if seat == 0 else -1
    plan: Plan = (1, [(0, [road(9), road(9)])])
    words = {
        "1": ([0.6, 0.4], 0.6 * sign),
        "2": ([1.0], 0.2 * sign),
        "12": ([1.0], -0.5 * sign),
    }
    told = said(words, value=0.2 * sign)
    state = planned("inside", mirrored(plan) if seat else plan).start()
    settings = gumbel.Settings(c_visit=50, c_scale=0.1, rescale=False)
    visits = []
    for sims in (2, 3, 4):
        thought = gumbel.search(state, sims, evaluate=told, settings=settings)
        visits.append([child.visits for child in thought.root.children[0].children])
    assert visits == [[1, 0], [1, 1], [2, 1]]


def test_gumbel_draws_decide_who_is_considered() -> None:
    """Draws are in the order of state.legal, whatever the order of the priors."""
    state = samples.game("connect4").start()
    for favourite in state.legal:
        draws = [9.0 * (action == favourite) for action in state.legal]
        thought = gumbel.search(
            state, 2, evaluate=hash_evaluator.evaluate, considered=1, gumbels=draws
        )
        assert thought.visits[favourite] == 2
        assert thought.action == favourite
