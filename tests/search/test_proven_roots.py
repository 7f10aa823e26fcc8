"""Roots whose value is proven: the moves that may be played, and the policy targets."""

import collections

import pytest

import rulezero as rz
from reference import hash_evaluator, little_games, minimax
from reference.comparison import Gumbel, Puct, player
from reference.little_games import Plan, mirrored, planned, road
from support import samples

BOTH_SEATS = pytest.mark.parametrize("seat", [0, 1])
SEARCHES = pytest.mark.parametrize("search", ["puct", "gumbel", "ucb1"])
_SIMS = 3000

# Each explores enough to find proofs.
KEYS: dict[str, dict[str, object]] = {
    "puct": {"sims": _SIMS, "c_puct": 8},
    "gumbel": {"sims": _SIMS, "c_visit": 50, "c_scale": 0.001, "rescale": False},
    "ucb1": {"sims": _SIMS},
}

# The mover loses with 0 and draws with 1 and 2; below, it loses with all of them.
DRAWN: Plan = (0, [(1, [-1.0, 1.0]), (1, [0.0, 1.0]), (0, [0.0, -1.0])])
LOST: Plan = (0, [-1.0, (1, [-1.0, 1.0]), (1, [(0, [-1.0]), (0, [-1.0, -1.0])])])


def begun(name: str, plan: Plan, seat: int, chances: tuple[float, ...] = ()) -> rz.State:
    """The first state of a plan, in which this seat moves."""
    return planned(f"{name}_{seat}", mirrored(plan) if seat else plan, chances).start()


def share(visits: dict[int, int]) -> dict[int, float]:
    """Visits as shares that sum to 1."""
    return {action: count / sum(visits.values()) for action, count in visits.items()}


@BOTH_SEATS
@SEARCHES
def test_a_drawn_root_plays_and_teaches_a_draw(search: str, seat: int) -> None:
    """The most visited drawn move is played. The target is the visits of the drawn moves; with
    Gumbel it is the improved policy over all moves."""
    thought = player(search, KEYS[search]).think(begun("drawn", DRAWN, seat))
    assert thought.sims < _SIMS
    assert (thought.value, thought.draw) == (0, 1)
    assert thought.visits[0] > 0
    drawn = {action: thought.visits[action] for action in (1, 2)}
    assert drawn[thought.action] == max(drawn.values())
    if search == "gumbel":
        assert set(thought.target) == {0, 1, 2}
        assert sum(thought.target.values()) == pytest.approx(1)
    else:
        assert thought.target == pytest.approx(share(drawn))


@BOTH_SEATS
@SEARCHES
def test_a_lost_root_plays_and_teaches_what_it_looked_at_most(search: str, seat: int) -> None:
    """All moves lose, so the visits of all moves count."""
    thought = player(search, KEYS[search]).think(begun("lost", LOST, seat))
    assert thought.sims < _SIMS
    assert (thought.value, thought.draw) == (-1 if seat == 0 else 1, 0)
    assert set(thought.visits) == {0, 1, 2}
    assert thought.visits[thought.action] == max(thought.visits.values())
    if search == "gumbel":
        assert set(thought.target) == {0, 1, 2}
    else:
        assert thought.target == pytest.approx(share(thought.visits))


@BOTH_SEATS
@pytest.mark.parametrize("draw_value", [-0.5, 0.5])
@SEARCHES
def test_contempt_does_not_hide_what_is_proven(search: str, draw_value: float, seat: int) -> None:
    """A draw is reported as 0, is better than a loss, and is not played if there is a win."""
    keys = {**KEYS[search], "draw_value": draw_value}
    thought = player(search, keys).think(begun("drawn", DRAWN, seat))
    assert thought.value == pytest.approx(0, abs=1e-6)
    assert thought.action in (1, 2)
    won: Plan = (0, [0.0, (1, [1.0, (0, [0.0, 1.0])])])
    thought = player(search, keys).think(begun("won", won, seat))
    assert thought.value == (1 if seat == 0 else -1)
    assert thought.target == {1: 1.0}


@BOTH_SEATS
@pytest.mark.parametrize("draw_value", [-0.4, 0.0, 0.4])
def test_contempt_decides_between_a_draw_and_a_die(draw_value: float, seat: int) -> None:
    """The die wins or loses, and is worth 0 like the draw. With contempt one of them is better.

    The better one is then the whole target; without contempt, both are, by their visits.
    """
    plan: Plan = (0, [0.0, (rz.CHANCE, [1.0, -1.0]), -1.0])
    keys = {"sims": _SIMS, "c_puct": 8, "draw_value": draw_value}
    thought = player("puct", keys).think(begun("taste", plan, seat, (0.5, 0.5)))
    assert thought.sims < _SIMS
    assert thought.value == pytest.approx(0, abs=1e-6)
    if draw_value:
        best = 0 if draw_value > 0 else 1
        assert (thought.action, thought.target) == (best, {best: 1.0})
    else:
        assert thought.target == pytest.approx(share({a: thought.visits[a] for a in (0, 1)}))


@BOTH_SEATS
@SEARCHES
def test_a_move_that_is_not_lost_is_chosen_without_a_visit(search: str, seat: int) -> None:
    """The root is not proven, and the only visited move is lost. The first other move is played
    and is the whole target, except with Gumbel's policy."""
    found = 0
    for lost in range(3):
        plan: Plan = (0, [-1.0 if way == lost else road(3) for way in range(3)])
        state = begun(f"but_{lost}", plan, seat)
        for seed in range(10):
            thought = player(search, {**KEYS[search], "sims": 1}, seed).think(state)
            if set(thought.visits) != {lost}:
                continue
            found += 1
            assert thought.action != lost
            if search == "puct":
                assert thought.action == next(a for a in by_prior(state) if a != lost)
            if search != "gumbel":
                assert thought.target == {thought.action: 1.0}
    assert found > 0


@BOTH_SEATS
def test_temperature_draws_among_what_keeps_the_proof(seat: int) -> None:
    """At a drawn root, all drawn moves are sometimes drawn, and the lost one never."""
    state = begun("drawn", DRAWN, seat)
    drawn = collections.Counter(
        player("puct", {**KEYS["puct"], "temperature": 2}, seed).think(state).action
        for seed in range(60)
    )
    assert set(drawn) == {1, 2}
    assert min(drawn.values()) > 10


def tic_tac_toe() -> list[rz.State]:
    """Different states of random play with at most six empty squares."""
    found = {
        state.text: state
        for seed in range(80)
        for state in samples.played("tictactoe", seed)[3:]
        if not state.is_over
    }
    return list(found.values())


def little() -> list[rz.State]:
    """Random games, with dice and movers in any order."""
    return [little_games.little_game(seed, seed % 4 == 0).start() for seed in range(120)]


def by_prior(state: rz.State) -> list[int]:
    """The legal actions in the order of the tree."""
    priors = dict(zip(state.legal, hash_evaluator.evaluate(state)[0], strict=True))
    return sorted(state.legal, key=lambda action: -priors[action])


@SEARCHES
def test_proven_roots_keep_what_minimax_says(search: str) -> None:
    """The value is minimax's. The move is the most visited one that keeps the value, and the first
    of equals by prior. The target is these moves' visits, or only the chosen move if it wins."""
    seen: collections.Counter[tuple[int, float]] = collections.Counter()
    for state in [*tic_tac_toe(), *little()]:
        thought = player(search, KEYS[search]).think(state)
        if thought.sims == _SIMS:
            continue
        value, sign = minimax.solve(state), 1 if state.mover == 0 else -1
        seen[state.mover, sign * value] += 1
        best = minimax.best_actions(state)
        assert thought.value == pytest.approx(value, abs=1e-6)
        if value == sign:
            assert thought.action in best
            assert thought.target == {thought.action: 1.0}
            continue
        kept = {a: n for a, n in thought.visits.items() if a in best}
        assert kept[thought.action] == max(kept.values())
        if search != "gumbel":
            assert thought.target == pytest.approx(share(kept))
        if search == "puct":
            first = max((a for a in by_prior(state) if a in best), key=lambda a: kept[a])
            assert thought.action == first
    assert min(seen[mover, worth] for mover in (0, 1) for worth in (-1, 0, 1)) >= 5


def test_proven_roots_agree_with_the_reference() -> None:
    """Every visit, the move, the target and the value agree, for drawn and lost roots."""
    puct = Puct(c_puct=8.0), Puct(c_puct=8.0, draw_value=0.5), Puct(c_puct=8.0, draw_value=-0.5)
    gumbel = Gumbel(c_scale=0.001, rescale=False), Gumbel(c_scale=0.01, draw_value=-0.5)
    seen: collections.Counter[tuple[str, int, float]] = collections.Counter()
    for turn, state in enumerate([*tic_tac_toe()[::3], *little()]):
        for settings in (puct[turn % len(puct)], gumbel[turn % len(gumbel)]):
            root = settings.check(state, 150, seed=turn)
            if root.exact:
                seen[type(settings).__name__, state.mover, root.sign * root.exact.plain] += 1
    wanted = [(s, m, w) for s in ("Puct", "Gumbel") for m in (0, 1) for w in (-1, 0)]
    assert min(seen[each] for each in wanted) >= 3
