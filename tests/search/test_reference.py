"""The PUCT reference itself, on trees computed by hand: choices, proofs and contempt."""

import pytest

import rulezero as rz
from reference import gumbel, hash_evaluator, puct
from reference.little_games import Plan, mirrored, planned, road
from reference.scripted_evaluator import said
from reference.tree import Node, fair_dice
from support import samples

SEATS = pytest.mark.parametrize("seat", [0, 1])
EAGER = puct.Rule(c_puct=1, fpu=0)


def below(node: Node) -> list[tuple[str, int]]:
    """Text and visits of the children, in their order."""
    return [(child.state.text, child.visits) for child in node.children]


# ---------------------------------------------------------------------------------------- puct

# Places: the root 0 is seat 0's; 1 is seat 1's, with the children 2 and 4; 6 is seat 0's again,
# with the children 7 and 9. Each of these four children has one move, to a draw.
STEPS: Plan = (0, [(1, [road(1), road(1)]), (0, [road(1), road(1)])])
STEPS_SAID: dict[str, tuple[list[float], float]] = {
    "0": ([0.5, 0.5], 0.0),
    "1": ([0.75, 0.25], 0.5),
    "2": ([1.0], -0.5),
    "4": ([1.0], 0.75),
    "6": ([0.25, 0.75], 0.25),
    "7": ([1.0], 1.0),
    "9": ([1.0], -0.25),
}


def test_puct_steps_worked_out_by_hand() -> None:
    """c_puct = 1 and fpu = 0, so a child's score is Q + P * sqrt(N) / (1 + n).

    Root: N, W; then the scores of 1 and 6. Q of an unvisited child is the node's mean.

    1. N=1 W=0     1: 0+.5      = .5    6: 0+.5       = .5    the first: 1 is judged, .5
    2. N=2 W=.5    1: .5+.354   = .854  6: .25+.707   = .957  6 is judged, .25
    3. N=3 W=.75   1: .5+.433   = .933  6: .25+.433   = .683  1; there seat 1 chooses, mean -.5:
       2: -.5+.75 = .25, 4: -.5+.25 = -.25; 2 is judged, -.5
    4. N=4 W=.25   1: 0+.333    = .333  6: .25+.5     = .75   6; seat 0 again, mean .25:
       9: .25+.75 = 1, 7: .25+.25 = .5; 9 is judged, -.25
    5. N=5 W=0     1: 0+.373    = .373  6: 0+.373     = .373  the first: 1, mean 0:
       2: .5+.530 = 1.030, 4: 0+.354 = .354; 2 has one move, to the draw 3, so 2 is proven: 0
    6. N=6 W=0     1: 0+.306    = .306  6: 0+.408     = .408  6, mean 0:
       9: -.25+.530 = .280, 7: 0+.354 = .354; 7 is judged, 1
    7. N=7 W=1     1: 0+.331    = .331  6: .333+.331  = .664  6, mean .333:
       9: -.25+.650 = .400, 7: 1+.217 = 1.217; 7 has one move, to the draw 8
    """
    state = planned("steps", STEPS).start()
    told = said(STEPS_SAID)
    order = [
        list(puct.search(state, sims, evaluate=told, rule=EAGER).child_visits.values())
        for sims in range(8)
    ]
    assert order == [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [3, 2], [3, 3], [3, 4]]

    root = puct.search(state, 7, evaluate=told, rule=EAGER)
    assert (root.visits, root.felt, root.value) == (8, 1.0, 0.125)
    first, second = root.children
    assert below(first) == [("2", 2), ("4", 0)]
    assert below(second) == [("9", 1), ("7", 2)]  # by prior, not in the rules' order
    assert (first.felt, second.felt) == (0.0, 1.0)
    assert puct.move(root) == 1
    assert puct.policy(root) == {0: 3 / 7, 1: 4 / 7}


def test_puct_is_the_same_for_both_seats() -> None:
    """Swapping the seats and the signs of values changes only the sign of the result."""
    turned = {place: (priors, -value) for place, (priors, value) in STEPS_SAID.items()}
    here = planned("steps", STEPS).start()
    there = planned("steps_mirrored", mirrored(STEPS)).start()
    for sims in (1, 2, 5, 9, 20):
        one = puct.search(here, sims, evaluate=said(STEPS_SAID))
        other = puct.search(there, sims, evaluate=said(turned))
        assert below(one) == below(other)
        assert one.value == -other.value


# Three long forced paths; all places but the root are worth .1.
FAN: Plan = (0, [road(9), road(9), road(9)])
FAN_SAID: dict[str, tuple[list[float], float]] = {"0": ([0.5, 0.3, 0.2], 0.0)}


@pytest.mark.parametrize(
    ("c_puct", "c_growth", "c_base", "fpu", "fpu_is_fixed", "second"),
    [
        # The first simulation goes to 0, worth .1. The second has N=2 and W=.1. If c_puct is 1, the
        # score of 0 is .1 + .5*1.414/2 = .454, and that of 1 is Q + .3*1.414 = Q + .424; Q is
        (1, 0, 1, 0, False, 1),  # the mean, .05, which makes .474
        (1, 0, 1, 0.02, False, 1),  # .05 - .02 * sqrt(.5) = .036, which makes .460
        (1, 0, 1, 0.04, False, 0),  # .05 - .04 * sqrt(.5) = .022, which makes .446
        (1, 0, 1, 0.04, True, 1),  # .04, which makes .464
        (1, 0, 1, 0.02, True, 0),  # .02, which makes .444
        # If c_puct is 0, only Q decides: .1 against the mean;
        (0, 0, 1, 0, False, 0),
        # with growth, c is ln((1 + 2 + 1) / 1) = 1.386: .1 + .490 against .05 + .588,
        (0, 1, 1, 0, False, 1),
        # or ln((1 + 2 + 19652) / 19652) = .00015.
        (0, 1, 19652, 0, False, 0),
    ],
)
def test_puct_settings_decide_the_second_simulation(
    c_puct: float, c_growth: float, c_base: float, fpu: float, fpu_is_fixed: bool, second: int
) -> None:
    """First play urgency and the growth of c_puct, worked out by hand, for either seat."""
    for plan, value in (FAN, 0.1), (mirrored(FAN), -0.1):
        root = puct.search(
            planned("fan", plan).start(),
            2,
            evaluate=said(FAN_SAID, value=value),
            rule=puct.Rule(c_puct, c_growth, c_base, fpu, fpu_is_fixed),
        )
        assert list(root.child_visits.values()) == ([2, 0, 0] if second == 0 else [1, 1, 0])


@pytest.mark.parametrize("text", ["chess", "monster", "connect4", "razzle"])
def test_every_simulation_is_counted_once(text: str) -> None:
    """A node's visits are its own evaluation and one for each simulation through it."""
    state = samples.game(text).start()

    def check(node: Node) -> None:
        if node.children and not node.exact:
            assert node.visits == 1 + sum(child.visits for child in node.children)
        for child in node.children:
            check(child)

    root = puct.search(state, 60, evaluate=hash_evaluator.evaluate)
    assert root.visits == 61
    check(root)
    thought = gumbel.search(state, 60, evaluate=hash_evaluator.evaluate)
    assert sum(thought.visits.values()) == 60
    check(thought.root)


# -------------------------------------------------------------------------------------- proofs


def test_proofs_worked_out_by_hand() -> None:
    """Root 0 has the children 1 and 4. At 1, seat 1 ends the game at 2 (lost) or 3 (drawn); at 4,
    seat 0 ends it at 5 (drawn) or 6 (lost). c_puct = 1, fpu = 0, and all values are 0.

    1. N=1   1: .6    4: .4     1 is judged
    2. N=2   1: .424  4: .566   4 is judged
    3. N=3   1: .520  4: .346   1, and there 2, the first: a win for seat 1, so 1 is proven lost
    4. N=4   1 is not chosen    4, and there 5, the first: drawn, and 6 may be better
    5. N=5   1 is not chosen    4, where 5: .5*1.414/2 = .354, 6: 0+.5*1.414 = .707; 6 is lost,
       so 4 is proven, drawn, and with it the root: the search ends
    """
    state = planned("proofs", (0, [(1, [-1.0, 0.0]), (0, [0.0, -1.0])])).start()
    told = said({"0": ([0.6, 0.4], 0.0)})
    for sims in (5, 6, 100):
        root = puct.search(state, sims, evaluate=told, rule=EAGER)
        assert root.child_visits == {0: 2, 1: 3}
        assert (root.exact, root.value, root.felt) == ((0.0, 0.0), 0.0, -2.0)
    lost, drawn = root.children
    assert (lost.exact, drawn.exact) == ((-1.0, -1.0), (0.0, 0.0))
    assert below(lost) == [("2", 1), ("3", 0)]
    assert puct.move(root) == 1
    assert puct.policy(root) == {0: 0, 1: 1}  # 0 is lost
    assert puct.search(state, 4, evaluate=told, rule=EAGER).exact is None


@SEATS
def test_a_win_is_taken_at_once(seat: int) -> None:
    """A win in one is found before any simulation, is played, and is the whole target."""
    plan: Plan = (0, [(0, [road(30), road(30)]), (1, [road(30), road(30)]), 1.0])
    state = planned("win", mirrored(plan) if seat else plan).start()
    told = said({"0": ([0.6, 0.3, 0.1], 0.0)}, value=0.3 if seat == 0 else -0.3)
    root = puct.search(state, 500, evaluate=told)
    assert root.value == (1 if seat == 0 else -1)
    assert root.child_visits == {0: 0, 1: 0, 2: 0}
    assert puct.move(root) == 2
    assert puct.policy(root) == {0: 0, 1: 0, 2: 1}

    thought = gumbel.search(state, 500, evaluate=told)
    assert thought.visits == {0: 0, 1: 0, 2: 0}
    assert thought.action == 2
    assert thought.policy == {0: 0, 1: 0, 2: 1}


@SEATS
def test_a_proven_win_ends_the_search(seat: int) -> None:
    """A proven win is played even if other moves have more visits, and is the whole target."""
    deep: Plan = (0, [(0, [road(30), road(30)]), (1, [road(30), road(30)]), (1, [1.0, 1.0])])
    state = planned("deep_win", mirrored(deep) if seat else deep).start()
    told = said({"0": ([0.6, 0.3, 0.1], 0.0)}, value=0.3 if seat == 0 else -0.3)
    root = puct.search(state, 500, evaluate=told)
    assert root.visits < 100
    assert root.value == (1 if seat == 0 else -1)
    assert 0 < root.child_visits[2] < root.child_visits[0]
    assert puct.move(root) == 2
    assert puct.policy(root) == {0: 0, 1: 0, 2: 1}

    thought = gumbel.search(state, 500, evaluate=told)
    assert thought.action == 2
    assert thought.policy == {0: 0, 1: 0, 2: 1}


@SEATS
def test_the_same_mover_twice_does_not_turn_the_sign(seat: int) -> None:
    """One seat makes two plies in a row and wins; the sign is not turned between them."""
    plan: Plan = (0, [(0, [-1.0, 1.0]), (1, [-1.0, 1.0])])
    root = puct.search(
        planned("twice", mirrored(plan) if seat else plan).start(), 50, evaluate=said({})
    )
    assert root.value == (1 if seat == 0 else -1)
    assert puct.move(root) == 0
    assert root.children[1].exact is None or root.is_lost(root.children[1])


@SEATS
def test_a_lost_move_is_played_only_if_all_are(seat: int) -> None:
    """A move without a visit is better than one that is proven lost."""
    plan: Plan = (0, [-1.0, road(5), road(5)])
    state = planned("better", mirrored(plan) if seat else plan).start()
    told = said({"0": ([0.8, 0.1, 0.1], 0.0)})
    root = puct.search(state, 1, evaluate=told)
    assert root.child_visits == {0: 1, 1: 0, 2: 0}
    assert puct.move(root) == 1
    assert gumbel.search(state, 1, evaluate=told).action == 1

    plan = (0, [-1.0, -1.0])
    root = puct.search(
        planned("doomed", mirrored(plan) if seat else plan).start(), 9, evaluate=said({})
    )
    assert root.child_visits == {0: 1, 1: 1}
    assert puct.move(root) == 0
    assert root.value == (-1 if seat == 0 else 1)


def test_a_die_is_proven_by_all_its_faces() -> None:
    """A die gets its expectation; if all faces win it is exactly 1, despite rounded chances."""
    die: Plan = (rz.CHANCE, [1.0, 0.0, -1.0])
    state = planned("die", (0, [die, road(1)]), [0.7, 0.2, 0.1]).start()
    root = puct.search(state, 500, evaluate=said({}), draw_face=fair_dice(0))
    assert root.value == pytest.approx(0.6)
    assert puct.move(root) == 0

    sure: Plan = (rz.CHANCE, [1.0, 1.0, 1.0])
    chances = [0.7, 0.2, 0.1]
    assert sum(chances) != 1
    root = puct.search(
        planned("sure", (0, [sure, road(30)]), chances).start(),
        500,
        evaluate=said({}),
        draw_face=fair_dice(0),
    )
    assert root.value == 1
    assert puct.policy(root) == {0: 1, 1: 0}


def test_a_proven_root_plays_its_best_move() -> None:
    """The best move is played even if the other one has more visits: a die of .5, and a draw."""
    die: Plan = (rz.CHANCE, [1.0, 0.0])
    state = planned("patience", (1, [die, 0.0]), [0.5, 0.5]).start()
    root = puct.search(state, 500, evaluate=said({"0": ([0.9, 0.1], 0.0)}), draw_face=fair_dice(0))
    assert root.exact == (0.0, 0.0)
    assert root.child_visits[0] > root.child_visits[1]
    assert puct.move(root) == 1


def test_dice_fall_anew_on_every_visit() -> None:
    """Each simulation draws a face of the die by its chances, and continues there."""
    die: Plan = (rz.CHANCE, [road(200), road(200)])
    state = planned("dice", (0, [die]), [0.75, 0.25]).start()
    root = puct.search(state, 200, evaluate=said({}), draw_face=fair_dice(0))
    (node,) = root.children
    assert node.visits == 200 == sum(child.visits for child in node.children)
    assert node.children[0].visits == pytest.approx(150, abs=24)
    assert node.judged is None


# ------------------------------------------------------------------------------------ contempt


@SEATS
@pytest.mark.parametrize("draw_value", [-0.4, 0.0, 0.4])
def test_contempt_is_the_root_movers(seat: int, draw_value: float) -> None:
    """draw_value applies to the root's mover, and with the opposite sign to the other seat."""
    own: Plan = (0, [0.0, road(200)])  # a draw, or a long path worth 0 without a draw
    state = planned("own", mirrored(own) if seat else own).start()
    root = puct.search(state, 200, evaluate=said({}), draw_value=draw_value)
    drawn, open_ = root.children
    assert root.value == 0
    assert root.q(drawn) == draw_value
    if draw_value:
        assert (drawn.visits > open_.visits) == (draw_value > 0)

    other: Plan = (0, [(1, [0.0, road(200)])])
    state = planned("other", mirrored(other) if seat else other).start()
    root = puct.search(state, 200, evaluate=said({}), draw_value=draw_value)
    (node,) = root.children
    drawn, open_ = node.children
    assert root.value == 0
    assert node.q(drawn) == -draw_value
    if draw_value:
        assert (drawn.visits > open_.visits) == (draw_value < 0)


@SEATS
def test_contempt_reads_the_draw_probability(seat: int) -> None:
    """A leaf backs up v + s * c * d; the reported value has no contempt."""
    state = planned("leaf", mirrored(FAN) if seat else FAN).start()
    root = puct.search(state, 3, evaluate=said({}, draw=0.5, value=0.25), draw_value=-0.5)
    tilt = -0.25 if seat == 0 else 0.25
    assert root.visits == 4
    assert root.felt == 4 * (0.25 + tilt)
    assert root.value == 0.25


@SEATS
@pytest.mark.parametrize("draw_value", [-0.9, 0.9])
def test_a_win_is_better_than_a_draw_under_contempt(seat: int, draw_value: float) -> None:
    """The root's mover prefers a win to a draw, and so does the opponent in its search."""
    own: Plan = (0, [0.0, (0, [1.0, 0.0])])
    other: Plan = (0, [(1, [0.0, -1.0]), (1, [0.0, 1.0])])
    for plan, value, action in (own, 1, 1), (other, 0, 1):
        state = planned("contempt", mirrored(plan) if seat else plan).start()
        root = puct.search(state, 100, evaluate=said({}), draw_value=draw_value)
        assert root.exact
        assert root.value == (value if seat == 0 else -value)
        assert puct.move(root) == action
        settings = gumbel.Settings(c_scale=0.01, rescale=False)
        thought = gumbel.search(
            state, 100, evaluate=said({}), draw_value=draw_value, settings=settings
        )
        assert thought.action == action
