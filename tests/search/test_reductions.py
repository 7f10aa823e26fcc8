"""Late move reductions and random moves of alpha-beta."""

from collections import Counter

import numpy as np
import pytest

import rulezero as rz
from support import samples

GAMES = ["chess", "monster", "razzle"]


def both(
    state: rz.State, depth: int, quiescence: int = 0, judge: str = "heuristic"
) -> tuple[rz.Thought, rz.Thought]:
    """The thoughts without and with reductions."""
    plain, reduced = (
        rz.player(
            "alphabeta", depth=depth, reductions=reductions, quiescence=quiescence, eval=judge
        ).think(state)
        for reductions in (False, True)
    )
    return plain, reduced


@pytest.mark.parametrize("judge", ["hash", "heuristic"])
@pytest.mark.parametrize("text", [*GAMES, "connect4", "exchange"])
def test_nothing_is_reduced_near_the_leaves(text: str, judge: str) -> None:
    """At depths 1 and 2 the value is that of the plain search, with and without quiescence."""
    found = [s for s in samples.states(text) if not s.is_over and s.mover != rz.CHANCE]
    for state in found[:: len(found) // 20 | 1]:
        for depth in (1,) if text == "exchange" else (1, 2):
            for quiescence in (0, 2):
                plain, reduced = both(state, depth, quiescence, judge)
                where = (state.text, depth, quiescence)
                assert reduced.value == pytest.approx(plain.value, abs=1e-6), where
                if not state.game.facts.has_chance:
                    assert reduced.action == plain.action, where


def test_reductions_save_much_and_change_little() -> None:
    """Fewer positions are judged, and most values stay near those of the plain search."""
    for text, depth in (("chess", 4), ("monster", 5), ("razzle", 4), ("connect4", 6)):
        found = [s for s in samples.states(text) if not s.is_over]
        gaps, sims, same, fewer = [], np.zeros(2), 0, 0
        for state in found[:: len(found) // 16 | 1]:
            plain, reduced = both(state, depth)
            assert plain.value is not None
            assert reduced.value is not None
            gaps.append(abs(plain.value - reduced.value))
            sims += plain.sims, reduced.sims
            same += plain.action == reduced.action
            fewer += reduced.sims <= plain.sims
        assert np.mean(np.array(gaps) < 0.05) > 0.7, (text, gaps)
        assert same / len(gaps) > 0.5, text
        assert sims[1] < 0.9 * sims[0], (text, sims)
        assert fewer / len(gaps) > 0.7, text


@pytest.mark.parametrize(
    ("game", "text", "plies", "outcome"),
    [
        ("chess", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1, 1),
        ("chess", "r6k/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1, -1),
        ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3, 1),
        ("chess", "8/7k/8/8/8/8/R7/1R5K w - - 0 1", 3, 1),
        ("connect4", "7/7/7/7/3O3/2XX1O1 x", 3, 1),
        ("monster", "4k3/8/4K3/8/8/8/8/8 w - - 0 9", 2, 1),
        ("monster", "4k3/8/8/8/4r3/8/8/4K3 b - - 0 9", 1, -1),
        ("razzle", "1nnb2N/6N/n1n4/7/7/7/7/1NN3B w - - 0", 2, 1),
        ("exchange:dice=fixed:3", "k7/8/8/8/8/8/8/R6K w 0/0 0 0 a8=5", 3, 1),
    ],
)
def test_forced_wins_are_found_in_the_same_depth(
    game: str, text: str, plies: int, outcome: int
) -> None:
    """A win within three plies is found at the depth at which the plain search finds it."""
    state = rz.load(game).parse(text)
    for quiescence in (0, 2):
        player = rz.player(
            "alphabeta:reductions=true,eval=heuristic", depth=plies + 1, quiescence=quiescence
        )
        assert player.think(state).value == outcome


# --- random moves --------------------------------------------------------------------------------


def test_a_share_of_the_moves_is_random() -> None:
    """Some moves are drawn uniformly; the thought's value, weights and line are those of the
    search, and without the key nothing is drawn."""
    state = samples.game("chess").start()
    plain = rz.player("alphabeta:depth=2").think(state)
    for share in (0.0, 0.3, 1.0):
        drawn: Counter[int] = Counter()
        for seed in range(600):
            thought = rz.player("alphabeta:depth=2", explore=share, seed=seed).think(state)
            drawn[thought.action] += 1
            assert (thought.value, thought.raw_value) == (plain.value, plain.raw_value)
            assert (thought.shares, thought.sims) == (plain.shares, plain.sims)
            assert thought.line == plain.line
        others = 600 - drawn[plain.action]
        wanted = share * (1 - 1 / len(state.legal))
        assert abs(others / 600 - wanted) <= 4 * (wanted * (1 - wanted) / 600) ** 0.5
        if share == 1:
            assert set(drawn) == set(state.legal)
            assert max(drawn.values()) < 60


@pytest.mark.parametrize("text", ["razzle", "monster", "exchange"])
def test_random_moves_repeat_with_the_seed(text: str) -> None:
    """The same seed gives the same games for pools of 1, 16 and 64; another seed other games."""
    keys = "depth=1" if text == "exchange" else "depth=2,quiescence=1"
    player = f"alphabeta:{keys},explore=0.3"

    def games(width: int, seed: int = 5) -> list[list[int]]:
        played = rz.match(text, player, player, 6, seed=seed, opening=2, width=width)
        return [record.action_numbers().tolist() for record in played.records]

    alone = games(1)
    assert games(16) == games(64) == alone
    assert games(16, seed=6) != alone
    plain = rz.match(text, f"alphabeta:{keys}", f"alphabeta:{keys}", 6, seed=5, opening=2)
    assert [record.action_numbers().tolist() for record in plain.records] != alone


def test_the_recorded_thought_is_the_searchs() -> None:
    """In records, the value of a ply with a random move is that of the search, too."""
    player = "alphabeta:depth=2,explore=0.5"
    record = rz.match("razzle", player, player, 2, seed=1).records[0]
    state, seen = rz.load("razzle").parse(record.start), 0
    for ply, action in enumerate(record.action_numbers()[:80].tolist()):
        if thought := record.thought(ply):
            plain = rz.player("alphabeta:depth=2").think(state)
            assert thought.value == pytest.approx(plain.value, abs=4e-5)
            assert thought.shares.keys() == {plain.action}
            seen += action != plain.action
        state = state.apply(action)
    assert seen > 10


@pytest.mark.parametrize("key", ["explore=1.5", "explore=-0.1", "quiescence=33", "reductions=2"])
def test_values_out_of_range_are_refused(key: str) -> None:
    """A key outside its range is a one-line PlayerError."""
    with pytest.raises(rz.PlayerError, match=key.split("=")[0]) as error:
        rz.player(f"alphabeta:{key}").think(samples.game("connect4").start())
    assert "\n" not in str(error.value)
