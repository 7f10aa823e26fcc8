"""The scripted Black of Monster: the wins it announces are true, and it protects its king."""

import random
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.endgame import Tables
from rulezero.endgame.positions import draw

GAME = rz.load("monster")
MEN = ["KvKQQ", "KvKQQQ"]


def can_take_the_king(state: rz.State) -> bool:
    """Whether White, at the start of its turn, can end the game in this turn."""
    for action in state.legal:
        after = state.apply(action)
        if after.outcome == 1 or (
            not after.is_over and any(after.apply(second).outcome == 1 for second in after.legal)
        ):
            return True
    return False


@pytest.mark.parametrize("men", MEN)
def test_a_hunt_that_is_announced_is_a_win(tables: Tables, men: str) -> None:
    """An announced win is true, with the chosen move; most short wins are found."""
    dice = random.Random(0)
    turns = 4
    hunter = rz.player(f"scripted:hunt={turns},depth=1")
    short = found = quiet = 0
    while short < 60 or quiet < 200:
        state = GAME.parse(draw(men, dice))
        known = tables.probe(state)
        assert known is not None
        if known.distance == 1:
            continue
        thought = hunter.think(state)
        is_announced = thought.value == -1
        if known.value == -1 and known.distance <= turns:
            short += 1
            found += is_announced
        else:
            quiet += 1
            assert not is_announced, state.text
        if is_announced:
            after = tables.probe(state.apply(thought.action))
            assert after is not None
            assert after.value == -1
            assert after.distance <= turns - 1
    assert found > 0.9 * short


def test_where_nothing_is_announced_it_says_what_the_heuristic_does() -> None:
    """The script's points only choose moves; the reported value is the heuristic's."""
    state = GAME.start()
    for move in ("e2e4", "e4e5"):
        state = state.apply(state.read(move))
    thought = rz.player("scripted").think(state)
    wanted = rz.player("alphabeta:depth=1").think(state).raw_value
    assert thought.value == thought.raw_value == wanted
    assert wanted is not None
    assert abs(wanted) < 0.5  # unlike tanh of the script's points


def test_it_takes_the_king_without_tables(endgames: Path, tables: Tables) -> None:
    """Three queens usually win against the longest defence, and with tables always in time."""
    dice = random.Random(1)
    starts: dict[str, int] = {}
    while len(starts) < 12:
        text = draw("KvKQQQ", dice)
        known = tables.probe(GAME.parse(text))
        if known is not None and known.value == -1 and 4 <= known.distance <= 12:
            starts[text] = known.distance
    for black, least in (("scripted", 10), (f"scripted:tables={endgames}", 12)):
        result = rz.match(
            "monster",
            a=f"heuristic:tables={endgames}",
            b=black,
            games=len(starts),
            opening=0,
            starts=list(starts),
            swap=False,
        )
        won = [record for record in result.records if record.outcome == -1]
        assert len(won) >= least
        if "tables" in black:
            # The first turn is Black's; then come two plies of White for each of Black's.
            assert [(record.plies + 2) // 3 for record in won] == list(starts.values())


def test_it_wins_from_the_start() -> None:
    """It wins against a search that beats Black nearly always if Black also searches."""
    white = "puct:sims=100,temperature=1,temperature_turns=8"
    result = rz.match("monster", a=white, b="scripted", games=6, opening=0, swap=False)
    assert sum(record.outcome == -1 for record in result.records) >= 5


def test_it_never_leaves_its_king_to_be_taken() -> None:
    """It leaves its king to be captured only if all moves do, with few and with many men."""
    dice = random.Random(2)
    seat = rz.player("scripted:hunt=2,depth=2")
    asked = 0
    for men in ("KPvKQ", "KPPvKRN", "KQvKR", "KPPPPvKQRRBBNN", "KRPvKPPP", "KQQvKQ"):
        for _ in range(40):
            state = GAME.parse(draw(men, dice))
            if state.is_over:
                continue
            thought = seat.think(state)
            after = state.apply(thought.action)
            if after.is_over or not can_take_the_king(after):
                continue
            asked += 1
            for action in state.legal:
                other = state.apply(action)
                assert not other.is_over or other.outcome != -1
                assert other.is_over or can_take_the_king(other)
    assert asked > 5  # such positions occurred


def test_where_there_is_no_script() -> None:
    """Games and sides without a script raise a one-line error."""
    with pytest.raises(rz.PlayerError, match="has no script"):
        rz.player("scripted").think(rz.load("chess").start())
