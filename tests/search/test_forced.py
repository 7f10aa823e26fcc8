"""Forced playouts at PUCT's root, and targets without them, compared with the reference."""

import pytest

from reference import little_games, puct
from reference.comparison import Puct, player, spots
from reference.little_games import Plan, mirrored, planned, road
from reference.scripted_evaluator import said
from rulezero.play.session import Session
from rulezero.play.thought import thought_of
from support import samples

GAMES = [text for text in samples.GAMES if "planes=" not in text]
FORCED = [
    Puct(forced=2.0),
    Puct(forced=2.0, noise=0.25, alpha=0.3),
    Puct(forced=0.5, c_puct=0.7),
    Puct(forced=10.0, fpu=0.0, draw_value=-0.4),
    Puct(forced=4.0, c_growth=1.0, c_base=50.0, noise=0.5, alpha=1.5),
    Puct(forced=1.0, fpu=-1.0, fpu_is_fixed=True),
    Puct(forced=100.0, noise=0.9, alpha=0.1, fpu=1.0, fpu_is_fixed=True),
]

# Three long forced paths, whose places are worth .9, .8 and -.5.
FAN: Plan = (0, [road(9), road(9), road(9)])
WORTHS = {**dict.fromkeys(range(1, 11), 0.9), **dict.fromkeys(range(11, 21), 0.8)}
WORTHS |= dict.fromkeys(range(21, 31), -0.5)


@pytest.mark.parametrize("seat", [0, 1])
def test_forced_playouts_worked_out_by_hand(seat: int) -> None:
    """k = 2, c_puct = 1, and an unvisited child is worth 1. A visited child is forced if it has
    less than sqrt(P * 2 * (N - 1)) visits. Otherwise the score is Q + P * sqrt(N) / (1 + n).

    N: bounds of 0 (P = .5), 1 (P = .3) and 2 (P = .2); scores if none is forced; chosen child

    1.                              1.5          1.3          1.2           0
    2. 1.00                         .9 + .354    1 + .424     1 + .283      1
    3. 1.41, n = 1                                                          0
    4. 1.73, n = 2; 1.34, n = 1                                             1
    5. 2.00, 1.55                   .9 + .373    .8 + .224    1 + .447      2
    6. 2.24, n = 2                                                          0
    7. 2.45, n = 3; 1.90, n = 2; 1.55, n = 1                                2
    8. 2.65, n = 3; 2.05, n = 2                                             1
    9. 2.83, 2.19, 1.79             .9 + .375    .8 + .225    -.5 + .2      0

    At the end N = 10, and the best score is .9 + .5 * 3.162 / 5 = 1.216. Of the 3 visits of 1, at
    most 2.32 are removed: without one its score is .8 + .949 / 3 = 1.116, without two it would be
    .8 + .949 / 2 = 1.274. Of the 2 visits of 2, at most 1.90 are removed: without one its score
    is -.184, and the remaining single visit is removed too.
    """
    sign = 1 if seat == 0 else -1
    words = {str(place): ([1.0], sign * worth) for place, worth in WORTHS.items()}
    told = said({"0": ([0.5, 0.3, 0.2], 0.0), **words})
    state = planned("forced_fan", mirrored(FAN) if seat else FAN).start()
    rule = puct.Rule(c_puct=1, fpu=1, fpu_is_fixed=True, forced=2)
    order = [
        list(puct.search(state, sims, evaluate=told, rule=rule).child_visits.values())
        for sims in range(1, 10)
    ]
    assert order == [
        [1, 0, 0], [1, 1, 0], [2, 1, 0], [2, 2, 0], [2, 2, 1], [3, 2, 1], [3, 2, 2], [3, 3, 2],
        [4, 3, 2],
    ]  # fmt: skip
    root = puct.search(state, 9, evaluate=told, rule=rule)
    assert puct.unforced_visits(root, rule) == {0: 4, 1: 2, 2: 0}
    assert puct.policy(root, rule) == {0: 4 / 6, 1: 2 / 6, 2: 0}


@pytest.mark.parametrize("text", GAMES)
def test_forced_playouts_agree_with_the_reference(text: str) -> None:
    """Every visit, the move, the value, and the target without forced visits agree."""
    pruned = 0
    for turn, state in enumerate(spots(text)):
        for other, sims in enumerate((8, 40, 120)):
            settings = FORCED[(turn + other) % len(FORCED)]
            root = settings.check(state, sims, seed=turn)
            pruned += puct.policy(root, puct.Rule(forced=settings.forced)) != puct.policy(root)
    assert pruned > 20


def test_forced_playouts_agree_where_much_is_proven() -> None:
    """Lost children are neither forced nor in the target; at a proven root only the best count."""
    proven = 0
    for seed in range(60):
        state = little_games.little_game(seed, has_chance=seed % 3 == 0).start()
        for other, sims in enumerate((3, 10, 30, 100)):
            root = FORCED[(seed + other) % len(FORCED)].check(state, sims, seed=seed)
            proven += root.exact is not None
    assert proven > 60


def test_a_fast_choice_forces_nothing() -> None:
    """A fast search uses neither forced playouts nor noise, and gives no policy target."""
    keys = {"full_share": 0, "fast_sims": 60, "sims": 9, "forced": 50, "noise": 0.9}
    for state in spots("connect4"):
        session = Session(state.game, [player("puct", keys)], seed=0)
        session.add(0, state, most_plies=1)
        (played,) = session.run()
        fast, plain = thought_of(played, 0), player("puct", {"sims": 60}).think(state)
        assert (fast.action, fast.value, fast.sims) == (plain.action, plain.value, plain.sims)
        assert fast.target == {}
