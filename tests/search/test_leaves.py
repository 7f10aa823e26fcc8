"""Several pending leaves of one tree per net evaluation, compared with the slow references."""

import pytest

from reference import little_games, puct
from reference.comparison import Gumbel, Puct, player, spots
from reference.little_games import Plan, mirrored, planned, road
from reference.scripted_evaluator import said
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation
from support import samples
from support.evaluators import RandomEvaluator

GAMES = [text for text in samples.GAMES if "planes=" not in text]
BOTH_SEATS = pytest.mark.parametrize("seat", [0, 1])

PUCT = [
    Puct(leaves=4),
    Puct(leaves=1),
    Puct(leaves=2, virtual_loss=1.0, fpu=0.0),
    Puct(leaves=8, forced=2.0),
    Puct(leaves=16, virtual_loss=0.5, c_growth=1.0, c_base=50.0),
    Puct(leaves=3, virtual_loss=0.0, draw_value=0.4),
    Puct(leaves=64, virtual_loss=10.0, fpu=-1.0, fpu_is_fixed=True),
    Puct(leaves=5, forced=4.0, noise=0.5, draw_value=-0.4),
]
GUMBEL = [
    Gumbel(leaves=4),
    Gumbel(leaves=1, gumbel_scale=1.0),
    Gumbel(leaves=8, considered=4, gumbel_scale=1.0),
    Gumbel(leaves=3, considered=5, rescale=False, draw_value=0.4),
    Gumbel(leaves=16, considered=8, c_visit=10.0, c_scale=1.0),
    Gumbel(leaves=64, considered=2, c_scale=0.01, rescale=False),
    Gumbel(leaves=2, considered=1, draw_value=-0.4),
]


@pytest.mark.parametrize("text", GAMES)
def test_puct_with_leaves_agrees_with_the_reference(text: str) -> None:
    """Every visit, the move, the target and the value, with a net and settings that take turns."""
    net = RandomEvaluator(samples.game(text).facts.slots)
    for turn, state in enumerate(spots(text)):
        for other, sims in enumerate((5, 24, 100)):
            PUCT[(turn + other) % len(PUCT)].check(state, sims, evaluator=net, seed=turn)


@pytest.mark.parametrize("text", GAMES)
def test_gumbel_with_leaves_agrees_with_the_reference(text: str) -> None:
    """Every visit, the move, the target and the value, with a net and settings that take turns."""
    net = RandomEvaluator(samples.game(text).facts.slots)
    for turn, state in enumerate(spots(text)):
        for other, sims in enumerate((5, 24, 100)):
            GUMBEL[(turn + other) % len(GUMBEL)].check(state, sims, evaluator=net, seed=turn)


def test_leaves_agree_where_much_is_proven() -> None:
    """Nodes are proven while leaves below them are pending, with dice and any order of movers."""
    net = RandomEvaluator(little_games.ACTIONS)
    proven = 0
    for seed in range(90):
        state = little_games.little_game(seed, has_chance=seed % 3 == 0).start()
        for other, sims in enumerate((3, 10, 30, 100)):
            root = PUCT[(seed + other) % len(PUCT)].check(state, sims, evaluator=net, seed=seed)
            GUMBEL[(seed + other) % len(GUMBEL)].check(state, sims, evaluator=net, seed=seed)
            proven += root.exact is not None
    assert proven > 90


@pytest.mark.parametrize("search", ["puct", "gumbel", "ucb1"])
def test_what_the_core_judges_itself_does_not_wait(search: str) -> None:
    """Without a net, any number of leaves gives the same tree as one leaf."""
    for state in spots("monster"):
        one, many = (player(search, {"sims": 50, "leaves": n}).think(state) for n in (1, 8))
        assert one == many


# ------------------------------------------------------------------------------------- by hand

# Three long forced paths, whose places are worth .9, .7 and -.5; the root is worth .4.
FAN: Plan = (0, [road(9), road(9), road(9)])
WORTHS = {**dict.fromkeys(range(1, 11), 0.9), **dict.fromkeys(range(11, 21), 0.7)}
WORTHS |= dict.fromkeys(range(21, 31), -0.5)


@BOTH_SEATS
def test_rounds_worked_out_by_hand(seat: int) -> None:
    """Two leaves, a virtual loss of 1, c_puct = 1, fpu = 0: Q + P * sqrt(N) / (1 + n).

    N includes pending simulations, the mean W / N does not. Then come the scores of 0, 1 and 2;
    "waits" means pending, "come" that these values are backed up.

    1. N=1 mean .4      .4 + .5        .4 + .3       .4 + .2       0 waits
    2. N=2 mean .4     -1 + .354       .4 + .424     .4 + .283     1 waits: .9 and .7 come
    3. N=3 mean .667    .9 + .433      .7 + .260     .667 + .346   0, on to its only child, waits
    4. N=4 mean .667  -.05 + .333      .7 + .3       .667 + .4     2 waits: .9 and -.5 come
    5. N=5 mean .48     .9 + .373      .7 + .335    -.5 + .224     0 waits
    6. N=6 mean .48   .267 + .306      .7 + .367    -.5 + .245     1 waits: .9 and .7 come
    """
    sign = 1 if seat == 0 else -1
    words = {str(place): ([1.0], sign * worth) for place, worth in WORTHS.items()}
    told = said({"0": ([0.5, 0.3, 0.2], sign * 0.4), **words})
    state = planned("rounds", mirrored(FAN) if seat else FAN).start()
    rule = puct.Rule(c_puct=1, fpu=0, virtual_loss=1)
    order = [
        list(puct.search(state, sims, evaluate=told, rule=rule, leaves=2).child_visits.values())
        for sims in (2, 4, 6)
    ]
    assert order == [[1, 1, 0], [2, 1, 1], [3, 2, 1]]


class CountingEvaluator(RandomEvaluator):
    """A random evaluator that records the size of each batch."""

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self.batches: list[int] = []

    def evaluate(self, planes: Floats) -> Evaluation:
        """Reproducible random answers."""
        self.batches.append(len(planes))
        return super().evaluate(planes)


@pytest.mark.parametrize("search", ["puct", "gumbel", "ucb1"])
def test_a_round_ends_at_a_leaf_that_waits(search: str) -> None:
    """The root is evaluated alone; with a single path, each round has one leaf."""
    net = CountingEvaluator(little_games.ACTIONS)
    seat = player(search, {"sims": 8, "leaves": 8}, evaluator=net)
    seat.think(planned("one_way", road(20)).start())
    assert net.batches == [1] * 9


@pytest.mark.parametrize("search", ["puct", "ucb1"])
def test_a_round_is_full_or_the_budget_is_spent(search: str) -> None:
    """With many paths, all rounds are full, except the last one if fewer simulations are left."""
    game = samples.game("monster")
    net = CountingEvaluator(game.facts.slots)
    thought = player(search, {"sims": 19, "leaves": 4}, evaluator=net).think(game.start())
    assert net.batches == [1, 4, 4, 4, 4, 3]
    assert thought.sims == sum(thought.visits.values()) == 19
