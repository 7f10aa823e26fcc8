"""EXCHANGE's rewards, compared with a slow count from positions and with values by hand."""

import itertools
import math
import random
from collections import Counter

import msgspec
import pytest

import rulezero as rz
from reference import exchange_rewards
from rulezero.data import Record, pack
from rulezero.data.replay import follow, replay_of
from rulezero.errors import RunError
from rulezero.training.games.exchange import (
    AbilityTracker,
    RewardConfig,
    Shaped,
    Trackers,
    shaped,
    track,
)
from support import samples

CONFIG = RewardConfig()
ZERO = AbilityTracker()
FIXED = "exchange:dice=fixed:3"
GAMES = 200  # random games


def play(state: rz.State, dice: random.Random, loud: float, most: int = 700) -> list[rz.State]:
    """A random game in which the share `loud` of plies prefers strikes, heals and Decrees."""
    states = [state]
    while not state.is_over and len(states) <= most:
        actions = state.legal
        if state.mover != rz.CHANCE and dice.random() < loud:
            said = {action: state.say(action) for action in actions}
            wanted = dice.choice(["x", "x", "x", "+", "decree"])
            actions = [action for action in actions if wanted in said[action]] or actions
        state = state.apply(dice.choice(actions))
        states.append(state)
    return states


def go(text: str, *moves: str, game: str = "exchange") -> list[rz.State]:
    """The states of the game with these move texts."""
    states = [samples.game(game).parse(text)]
    for move in moves:
        state = states[-1]
        states.append(state.apply(next(a for a in state.legal if state.say(a) == move)))
    return states


def record_of(states: list[rz.State]) -> Record:
    """The record of a game without thoughts."""
    first, last = states[0], states[-1]
    actions, thoughts = pack(last.actions)
    return Record(
        game=first.game.text,
        version=first.game.facts.version,
        encoding=first.game.facts.encoding,
        start=first.text,
        actions=actions,
        outcome=last.outcome or 0.0,
        end_reason=last.end_reason or "cap",
        players=("random", "random"),
        thoughts=thoughts,
    )


def tracked(states: list[rz.State]) -> Trackers:
    """The trackers of both sides."""
    return track(replay_of(record_of(states), states[0].game))


def judged(
    states: list[rz.State], config: RewardConfig = CONFIG, trackers: Trackers | None = None
) -> Shaped:
    """The targets of a game, with its own trackers or the given ones."""
    record = record_of(states)
    replay = replay_of(record, states[0].game)
    return shaped(replay, trackers or track(replay), config, record.outcome)


def assert_same_numbers(states: list[rz.State]) -> Trackers:
    """Asserts that the trackers equal a slow count from positions exactly; returns them."""
    moves = [state.say(later.actions[-1]) for state, later in itertools.pairwise(states)]
    slow = exchange_rewards.count([state.text for state in states], moves)
    fast = tracked(states)
    assert tuple(msgspec.structs.asdict(tracker) for tracker in fast) == slow
    return fast


def test_trackers_agree_with_a_slow_count() -> None:
    """They agree in games with few and many strikes, from later positions, and unfinished ones."""
    dice = random.Random(0)
    seen: Counter[str] = Counter()
    for number in range(GAMES):
        game = samples.game(FIXED if number % 5 == 4 else "exchange")
        loud = dice.choice([0.3, 0.6, 0.9])
        states = play(game.start(seed=number), dice, loud, dice.choice([30, 150, 700]))
        if number % 3 == 2:
            middle = game.parse(dice.choice(states[:-1]).text)
            states = play(middle, dice, loud)
        fast = assert_same_numbers(states)
        for tracker in fast:
            seen.update({name: abs(n) for name, n in msgspec.structs.asdict(tracker).items()})
        seen["begins with a die"] += states[0].mover == rz.CHANCE
        seen["ends before a die"] += states[-1].mover == rz.CHANCE
        seen["won"] += states[-1].end_reason == "king"
        seen["late Decree"] += any(t.rd_activations > t.rd_used + t.rd_wasted for t in fast)
    assert all(seen[name] >= 3 for name in seen), seen


def test_a_game_without_plies_has_no_deeds() -> None:
    """A game without plies has no targets; one that stops before its first die has no deeds."""
    states = go("4k3/8/8/8/8/3p4/4P3/4K3 w 0/0 0 0 -", "e2xd3")
    assert tracked(states[:1]) == tracked(states) == (ZERO, ZERO)
    assert judged(states[:1]).value.shape == (0,)


DECREE_BOARD = "4k3/8/8/8/8/3p4/4P3/4K2R w 0/0 0 0 -"


@pytest.mark.parametrize(
    ("moves", "used", "wasted"),
    [
        ("decree", 0, 0),
        ("decree e8e7", 0, 0),
        ("decree e8e7 h1h2", 0, 1),
        ("decree e8e7 h1h2 e7e8 e1f1", 0, 1),
        ("decree e8e7 e2xd3", 1, 0),
        ("decree e8e7 h1h2 e7e8 e2xd3", 1, 0),
        ("decree e8e7 h1h2 e7e8 h2h1 e8e7 e2xd3", 0, 1),
        ("decree e8e7 decree", 0, 1),
        ("decree e8e7 decree e7e8 e2xd3", 1, 1),
        ("decree e8e7 h1h2 e7e8 decree e8e7 e2xd3", 1, 1),
        ("decree e8e7 e2xd3 e7e8 decree", 1, 0),
        ("decree d3xe2", 0, 0),
    ],
)
def test_a_decree_is_wasted_if_two_actions_do_no_damage(moves: str, used: int, wasted: int) -> None:
    """A Decree covers two of the side's actions, or fewer if another Decree or the end follows."""
    states = go(DECREE_BOARD, *moves.split(), game="exchange:dice=fixed:1")
    white, _ = assert_same_numbers(states)
    assert (white.rd_used, white.rd_wasted) == (used, wasted)
    assert white.rd_activations == moves.split().count("decree")


def test_a_decree_from_before_the_game_is_nobodys_waste() -> None:
    """A Decree given before the first position is never wasted; its strikes are still combos."""
    board = DECREE_BOARD.replace("0/0", "2/0")
    white, _ = assert_same_numbers(go(board, "h1h2", "e8e7", "h2h1", game=FIXED))
    assert (white.rd_activations, white.rd_wasted, white.rd_combo_attacks) == (0, 0, 0)
    white, _ = assert_same_numbers(go(board, "e2xd3", game=FIXED))
    assert (white.rd_used, white.rd_combo_attacks) == (0, 1)


def test_damage_counts_up_to_twice_with_the_ply_number() -> None:
    """The ply number is that of the position before the strike, counted from the start's text."""
    for ply, factor in [(0, 1.0), (40, 1.4), (100, 2.0), (250, 2.0)]:
        white, black = tracked(go(f"4k3/8/8/8/8/3r4/4P3/4K3 w 0/0 0 {ply} -", "e2xd3", game=FIXED))
        assert white.scaled_damage == 4 * factor
        assert black == ZERO
        assert white.calculate_total_reward(CONFIG) == pytest.approx(
            0.04 * factor + 0.02 + 0.05 * white.king_attack_opportunities
        )


def test_what_a_rook_absorbs_is_its_own_sides_deed() -> None:
    """A strike does 4 damage to a pawn; the adjacent rook takes 2 of it."""
    states = go("4k3/8/8/8/8/2rp4/4P3/4K3 w 0/0 0 0 -", "e2xd3", game=FIXED)
    white, black = tracked(states)
    assert (white.attacks, white.scaled_damage, white.interpose_triggers) == (1, 4, 0)
    assert (black.interpose_triggers, black.interpose_damage_blocked, black.actions) == (1, 2, 0)
    assert black.calculate_total_reward(CONFIG) == pytest.approx(0.04)


def test_overextends_that_cost_more_than_they_do_are_worth_nothing() -> None:
    """For 2 HP of its own, the queen takes a pawn's last HP (0 net) or 6 HP of a rook (4 net)."""
    board = "4k3/8/8/3p4/8/8/3R4/K2Q4 w 0/0 0 0 d5=1"
    states = go(board, "d1g1", "e8f8", "g1g5xd5", game=FIXED)
    white, _ = assert_same_numbers(states)
    assert (white.overextend_uses, white.overextend_net_damage) == (1, 0)
    board = board.replace("3p4", "3r4").replace(" d5=1", " -")
    white, _ = assert_same_numbers(go(board, "d1g1", "e8f8", "g1g5xd5", game=FIXED))
    assert (white.overextend_uses, white.overextend_net_damage) == (1, 4)


def test_four_combos_against_one() -> None:
    """Four attacks under Decree earn 0.45 more than one; nine earn no more than four."""
    only = RewardConfig(attack_reward=0, damage_reward=0, king_attack_opportunity_reward=0)
    four, one, nine = (AbilityTracker(rd_combo_attacks=attacks) for attacks in (4, 1, 9))
    worth = four.calculate_total_reward(only) - one.calculate_total_reward(only)
    assert worth == pytest.approx(0.45)
    assert nine.calculate_total_reward(only) == pytest.approx(0.6)
    assert four.calculate_total_reward(RewardConfig(combo_bonus=False)) == 0
    added = 0.5 * math.tanh(0.45 / 3)
    assert judged(DRAWN, trackers=(four, one)).value[0] == pytest.approx(added / 1.5)


@pytest.mark.parametrize(("moves", "penalty"), [(0, 0), (1, 0.02), (5, 0.32), (10, 1), (150, 1)])
def test_shuffling_costs_twice_as_much_with_every_move(moves: int, penalty: float) -> None:
    """Five quiet moves cost 0.32; ten or more cost 1, as much as a loss."""
    reward = AbilityTracker(quiet_streak=moves).calculate_total_reward(CONFIG)
    assert reward == pytest.approx(-penalty)


def test_every_deed_has_its_price() -> None:
    """The reward for one of each count in a tracker."""
    prices = {
        "rd_activations": 0.05,
        "rd_combo_attacks": 0.15,
        "rd_wasted": -0.10,
        "interpose_damage_blocked": 0.02,
        "consecration_efficiency": 0.10,
        "skirmish_uses": 0.03,
        "overextend_net_damage": 0.05,
        "pawn_advances": 0.02,
        "pawn_promotions": 0.20,
        "king_proximity_delta": 0.02,
        "king_attack_opportunities": 0.05,
        "attacks": 0.02,
        "scaled_damage": 0.01,
        "quiet_streak": -0.02,
    }
    for name in AbilityTracker.__struct_fields__:
        reward = AbilityTracker(**{name: 1}).calculate_total_reward(CONFIG)
        assert reward == pytest.approx(prices.get(name, 0)), name
    assert AbilityTracker(king_proximity_delta=-3).calculate_total_reward(CONFIG) < 0


def won(ply: int) -> list[rz.State]:
    """A game that White's king wins at this ply number by striking the black king."""
    board = f"8/8/8/8/8/8/4k3/R3K3 w 0/0 0 {ply - 1} e2=1"
    return go(board, "e1xe2", game=FIXED)


def lost(ply: int) -> list[rz.State]:
    """A game that Black's king wins at this ply number by striking the white king."""
    return go(f"8/8/8/8/8/8/4k3/R3K3 b 0/0 0 {ply - 1} e1=1", "e2xe1", game=FIXED)


DRAWN = go("4k3/8/8/8/8/8/8/R3K3 w 0/0 0 298 -", "a1a2", "e8d8", game=FIXED)
NOBODY: Trackers = (ZERO, ZERO)
BUSY = AbilityTracker(king_attack_opportunities=300)
IDLE = AbilityTracker(quiet_streak=150)


@pytest.mark.parametrize(("ply", "bonus"), [(1, 0.49), (10, 0.4), (25, 0.25), (50, 0), (120, 0)])
def test_early_wins_are_worth_more(ply: int, bonus: float) -> None:
    """The bonus falls linearly from 0.5 at ply 0 to 0 at ply 50; the loser loses as much."""
    assert judged(won(ply), trackers=NOBODY).value[0] == pytest.approx((1 + bonus) / 1.5)
    assert judged(lost(ply), trackers=NOBODY).value[0] == pytest.approx(-(1 + bonus) / 1.5)


def test_a_win_never_reads_as_a_loss() -> None:
    """Whatever the loser has done, a win's target is above 0.3; no target leaves [-1, 1]."""
    for ply in (1, 30, 200):
        for trackers in [(ZERO, BUSY), (IDLE, BUSY), (IDLE, ZERO), (BUSY, IDLE)]:
            assert 0.3 < judged(won(ply), trackers=trackers).value[0] <= 1
            assert -1 <= judged(lost(ply), trackers=trackers[::-1]).value[0] < -0.3
    for limit in (1, 1.5):
        with pytest.raises(RunError):
            RewardConfig(shaped_limit=limit)


def test_targets_are_zero_sum() -> None:
    """If the sides swap their results and deeds, the target changes its sign."""
    dice = random.Random(3)
    for _ in range(20):
        some, other = (
            AbilityTracker(pawn_advances=dice.randrange(20), skirmish_uses=dice.randrange(20))
            for _ in range(2)
        )
        for here, there in [(won(20), lost(20)), (DRAWN, DRAWN)]:
            value = judged(here, trackers=(some, other)).value[0]
            assert value == pytest.approx(-judged(there, trackers=(other, some)).value[0])
    assert not judged(DRAWN, trackers=NOBODY).value.any()


def test_every_difference_counts() -> None:
    """0.5 * tanh(difference / 3) is added to the result: 0.16 for 1 point, below 0.5 for 6."""
    for points in (0.02, 1.0, 2.3, 6.0):
        deeds = AbilityTracker(pawn_advances=round(points / 0.02))
        added = 0.5 * math.tanh(points / 3)
        found = judged(DRAWN, trackers=(deeds, ZERO))
        assert found.added.tolist() == pytest.approx([added, added])
        assert found.value.tolist() == pytest.approx([added / 1.5] * 2)
        assert judged(DRAWN, trackers=(ZERO, deeds)).added.tolist() == pytest.approx([-added] * 2)


def test_older_runs_keep_their_hard_cut() -> None:
    """A config with every key but shaped_scale is of an older run, which clipped differences."""
    cut = RewardConfig(shaped_scale=None)
    far = AbilityTracker(pawn_advances=26)
    assert judged(DRAWN, cut, trackers=(far, ZERO)).value.tolist() == pytest.approx([1 / 3] * 2)
    older = CONFIG.model_dump()
    del older["shaped_scale"], older["shaped_over"]
    assert RewardConfig.model_validate(older) == cut
    assert RewardConfig(shaped_limit=0.4).shaped_scale == 3


def test_rewards_of_the_rest_are_those_still_to_come() -> None:
    """shaped_over=rest gives each ply the rewards from there on; dice get the previous ply's."""
    rest = RewardConfig(shaped_over="rest")
    has_dice = False
    for seed in range(6):
        states = play(samples.game("exchange").start(), random.Random(seed), 0.5)
        record = record_of(states)
        replay = replay_of(record)
        found = shaped(replay, track(replay), rest, record.outcome).added
        for ply, state in enumerate(states[:-1]):
            if state.mover == rz.CHANCE:
                has_dice = True
                assert found[ply] == found[ply - 1]
                continue
            actions = record.action_numbers()[ply:]
            later = follow(state.game, state.text, actions)
            white, black = (each.calculate_total_reward(rest) for each in track(later))
            assert found[ply] == pytest.approx(rest.bounded(white - black), abs=1e-6)
        whole = shaped(replay, track(replay), CONFIG, record.outcome).added
        assert len(set(whole.tolist())) == 1
        assert found[0] == whole[0]
        assert len(set(found.tolist())) > 5
    assert has_dice


def test_draw_target_says_two_things_of_one_game() -> None:
    """A known trap: within one drawn game, seat 0's target is -0.5 on its plies, 0.5 on others."""
    literal = RewardConfig(draw_target=-0.5)
    found = judged(DRAWN, literal, trackers=(BUSY, ZERO))
    assert found.value.tolist() == [-0.5, 0.5]
    assert not found.added.any()
    assert judged(won(20), literal).value.tolist() == judged(won(20)).value.tolist()
    states = go("4k3/8/8/8/8/3p4/4P3/4K3 w 0/0 0 299 -", "e2xd3", "2")
    assert judged(states, literal).value.tolist() == [-0.5, 0]  # a die has no mover


def test_learners_may_be_told_another_result() -> None:
    """The targets are computed from a given result instead of the game's own."""
    told = shaped(replay_of(record_of(DRAWN)), NOBODY, CONFIG, result=-1)
    assert told.value.tolist() == pytest.approx([-1 / 1.5] * 2)


def test_the_bonus_of_strikes_under_decree_matters() -> None:
    """Without the bonus, the targets of more than half of the games with a Decree change."""
    plain, without = CONFIG, RewardConfig(combo_bonus=False)
    decrees = changed = 0
    for seed in range(60):
        states = play(samples.game("exchange").start(), random.Random(seed), 0.7)
        replay = replay_of(record_of(states))
        trackers = track(replay)
        if any(tracker.rd_activations for tracker in trackers):
            decrees += 1
            first, second = (
                shaped(replay, trackers, config, 1.0).value[0] for config in (plain, without)
            )
            changed += first != second
    assert decrees > 30
    assert changed > decrees / 2
