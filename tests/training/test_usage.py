"""How often EXCHANGE's abilities are used, and other figures over several games."""

import msgspec
import numpy as np
import pytest

from rulezero.data import Record
from rulezero.training.games.exchange import TARGETS, AbilityTracker, Shaped, Trackers, usage
from rulezero.training.games.figures import TARGET_BINS, Usage
from support import record_samples

ZERO = AbilityTracker()


def game(
    outcome: float, reason: str, trackers: Trackers, *, added: float = 0.0
) -> tuple[Record, Trackers, Shaped]:
    """A game with this end and these trackers; its targets are 0."""
    record = record_samples.made("exchange", outcome=outcome, end_reason=reason)
    value = np.zeros(record.plies, np.float32)
    return record, trackers, Shaped(value=value, added=value + np.float32(added))


def test_it_counts_games_and_sides() -> None:
    """Four games: a win with two Decrees, a draw with one by Black, a draw and a loss without."""
    two = AbilityTracker(rd_activations=2, rd_used=1, rd_wasted=1, actions=40, pawn_advances=7)
    one = AbilityTracker(rd_activations=1, rd_wasted=1, actions=41)
    found = usage(
        [
            game(1, "king", (two, ZERO), added=-0.5),
            game(0, "300 plies", (ZERO, one)),
            game(0, "repetition", (ZERO, ZERO)),
            game(-1, "king", (AbilityTracker(actions=1), AbilityTracker(actions=2))),
        ]
    )
    assert found.games == 4
    assert found.decree == 2 / 8
    assert found.decree_used == pytest.approx(1 / 3)
    assert found.pawn_advances == 1 / 8
    assert found.length == 84 / 4
    assert found.draws == 2 / 4
    assert found.draws_by_cause == {"300 plies": 1 / 4, "repetition": 1 / 4}
    assert found.rewards_added == pytest.approx(0.5 / 4)
    assert sum(found.targets) == found.targets[TARGET_BINS // 2] > 0  # all targets are 0
    assert msgspec.json.decode(msgspec.json.encode(found), type=Usage) == found


@pytest.mark.parametrize(
    ("field", "number"),
    [
        ("decree", "rd_activations"),
        ("interpose", "interpose_triggers"),
        ("consecration", "consecration_uses"),
        ("skirmish", "skirmish_uses"),
        ("overextend", "overextend_uses"),
        ("pawn_advances", "pawn_advances"),
        ("promotions", "pawn_promotions"),
    ],
)
def test_an_ability_is_used_or_not(field: str, number: str) -> None:
    """Using an ability once or nine times counts the same, and only for that ability."""
    for times in (1, 9):
        tracker = msgspec.structs.replace(ZERO, **{number: times})
        found = msgspec.structs.asdict(usage([game(1, "king", (ZERO, tracker))]))
        named = {name: found[name] for name in TARGETS if name not in ("draws", "length")}
        assert {name: share for name, share in named.items() if share} == {field: 0.5}


def test_no_games_are_no_error() -> None:
    """Without games, all figures are 0."""
    *figures, targets = msgspec.structs.astuple(usage([]))
    assert not any(figures)
    assert not any(targets)


def test_targets_are_about_usage() -> None:
    """Each target names a field of Usage, and its minimum is below its maximum."""
    assert set(TARGETS) <= set(Usage.__struct_fields__)
    assert all(least < most for least, most in TARGETS.values())
