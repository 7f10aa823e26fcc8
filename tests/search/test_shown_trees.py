"""Trees that `think` returns: visits, signs and targets."""

import pytest

import rulezero as rz
from rulezero.play.tree import TreeNode

STARTS = {
    "connect4": "7/7/7/7/OO5/XX5 x",
    "connect4 o": "7/7/7/7/OO5/XXX4 o",
    "monster": None,  # White moves twice a turn
}


def _state(name: str) -> rz.State:
    game = rz.load(name.partition(" ")[0])
    text = STARTS[name]
    return game.start() if text is None else game.parse(text)


def _all(node: TreeNode) -> list[TreeNode]:
    return [node, *(each for child in node.children for each in _all(child))]


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("player", ["puct:sims=120", "gumbel:sims=120", "ucb1:sims=120"])
def test_visits_and_values_add_up(player: str, name: str) -> None:
    """A node's visits are its own evaluation plus its children's; the root's is no simulation."""
    state = _state(name)
    thought = rz.player(player).think(state, tree=30)
    plain = rz.player(player).think(state)
    root = thought.tree
    assert root is not None
    assert plain.tree is None
    assert (plain.action, plain.visits, plain.shares) == (
        thought.action,
        thought.visits,
        thought.shares,
    )
    assert root.visits == thought.sims + 1
    assert sum(child.visits for child in root.children) == thought.sims
    assert root.value == pytest.approx(thought.value, abs=1e-6)
    assert sorted(child.action or 0 for child in root.children) == sorted(state.legal)
    visits = {child.action: child.visits for child in root.children if child.visits}
    assert visits == thought.visits
    for child in root.children:
        assert child.action is not None
        assert child.move == state.say(child.action)
        assert child.target == thought.target.get(child.action, 0.0)
        assert child.mover == state.apply(child.action).mover
    for node in _all(root):
        if node.children and node.proven is None:
            below = sum(child.visits for child in node.children)
            assert below in (node.visits, node.visits - 1)


@pytest.mark.parametrize("name", ["connect4", "connect4 o"])
def test_values_are_seat_0s_for_both_movers(name: str) -> None:
    """Values are seat 0's: a good move of seat 0 has a high value, one of seat 1 a low one."""
    winning = {"connect4": "7/7/7/7/OOO4/XXX4 x", "connect4 o": "7/7/7/X6/XX5/OOO3X o"}[name]
    state = rz.load("connect4").parse(winning)
    root = rz.player("puct:sims=200").think(state, tree=1).tree
    assert root is not None
    sign = 1 if state.mover == 0 else -1
    won = [child for child in root.children if child.proven == sign]
    assert [child.move for child in won] == ["d"]
    assert root.proven == sign
    assert won[0].target == 1


def test_a_second_move_belongs_to_the_same_mover() -> None:
    """In Monster, White's second half follows its first, so the sign is not turned there."""
    state = rz.load("monster").start()
    root = rz.player("puct:sims=400").think(state, tree=2, visits=5).tree
    assert root is not None
    best = max(root.children, key=lambda node: node.visits)
    assert (root.mover, best.mover) == (0, 0)
    assert best.children
    # The most visited second move is the best for White, and raises the mean of its parent.
    most = max(best.children, key=lambda node: node.visits)
    least = min(best.children, key=lambda node: node.visits)
    assert most.value is not None
    assert least.value is not None
    assert most.value >= least.value
    assert all(node.visits >= 5 for node in best.children)


def test_players_without_a_tree_have_none() -> None:
    """Players without a tree return None; a wrong depth raises a one-line error."""
    state = rz.load("connect4").start()
    for text in ("random", "alphabeta:depth=2", "oneply"):
        assert rz.player(text).think(state, tree=3).tree is None
    for wrong in (-1, 1.5, "2"):
        with pytest.raises(rz.PlayerError, match=r"tree=.*: give a whole number"):
            rz.player("puct:sims=5").think(state, tree=wrong)  # type: ignore[arg-type]
    root = rz.player("puct:sims=40").think(state, tree=1).tree
    assert root is not None
    assert all(child.children == () for child in root.children)
    assert repr(root) == f"<node at the root: 41 visits, value {root.value:+.3f}, 7 children>"
