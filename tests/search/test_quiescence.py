"""Alpha-beta with a net at its leaves, and beyond its depth: compared with a slow search."""

import functools
from pathlib import Path

import pytest

import rulezero as rz
from reference import nnue
from reference.alphabeta import Judge, Minimax, TooManyError, by_hash, by_heuristic
from support import samples
from support.little_nnues import GAMES, net, states

JUDGES: dict[str, Judge] = {"hash": by_hash, "heuristic": by_heuristic}


def chosen(text: str, about: int) -> tuple[rz.State, ...]:
    """About `about` positions of random play."""
    found = states(text)
    return found[:: max(1, len(found) // about) | 1]  # an odd step, for movers of both seats


def best_of(state: rz.State, values: dict[int, float]) -> float:
    """The value of the mover's best choice, for seat 0."""
    return max(values.values()) if state.mover == 0 else min(values.values())


@pytest.mark.parametrize("text", GAMES)
def test_a_net_judges_the_leaves(text: str, tmp_path: Path) -> None:
    """Value and choice are those of minimax over the net's values, which a reference computes."""
    made = net(text)
    (tmp_path / "net.nnue").write_bytes(nnue.write(made))

    @functools.cache
    def judge(state: rz.State) -> float:
        value = nnue.evaluate(made, state)
        return value if state.mover == 0 else -value

    seen: list[tuple[int, int]] = []
    for number, state in enumerate(chosen(text, 16)):
        for depth in (1, 2, 3):
            try:
                values = Minimax(judge, budget=700).children(state, depth)
            except TooManyError:
                break
            player = rz.player("alphabeta", net=f"{tmp_path}/net.nnue", depth=depth, seed=number)
            thought, best = player.think(state), best_of(state, values)
            assert thought.value == pytest.approx(min(max(best, -1), 1), abs=2e-5), state.text
            assert values[thought.action] == pytest.approx(best, abs=4e-5), state.text
            assert thought.raw_value == pytest.approx(judge(state), abs=1e-5)
            seen.append((depth, state.mover))
    assert {seat for _, seat in seen} == {0, 1}
    assert max(seen)[0] >= 2 or text == "exchange"


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("text", ["chess", "monster", "razzle", "exchange"])
def test_only_quiet_positions_are_judged(text: str, judge: str) -> None:
    """Beyond the depth, the mover stands pat or captures; a mover in check has one more ply."""
    extended = captures = compared = 0
    for state in chosen(text, 20):
        for quiescence in (1, 2, 4):
            for depth in (1, 2):
                slow = Minimax(JUDGES[judge], quiescence, budget=1500)
                try:
                    values = slow.children(state, depth)
                except TooManyError:
                    break
                player = rz.player("alphabeta", depth=depth, quiescence=quiescence, eval=judge)
                thought, best = player.think(state), best_of(state, values)
                where = (state.text, quiescence, depth)
                assert thought.value == pytest.approx(min(max(best, -1), 1), abs=1e-6), where
                assert values[thought.action] == pytest.approx(best, abs=1e-6), where
                extended += slow.extended
                captures += slow.captures
                compared += 1
    assert compared >= 12
    assert captures > 100
    assert extended > 20 or text in ("razzle", "exchange")  # which have no check


def test_a_net_judges_quiet_positions(tmp_path: Path) -> None:
    """The same with a net, whose sums go back and forth with the captures."""
    made = net("chess")
    (tmp_path / "net.nnue").write_bytes(nnue.write(made))
    for state in chosen("chess", 12):
        slow = Minimax(lambda at: nnue.evaluate(made, at) * (1 - 2 * at.mover), 4, budget=1500)
        try:
            values = slow.children(state, 1)
        except TooManyError:
            continue
        player = rz.player("alphabeta", net=f"{tmp_path}/net.nnue", depth=1, quiescence=4)
        assert player.think(state).value == pytest.approx(best_of(state, values), abs=2e-5)


def test_a_defended_man_is_not_won() -> None:
    """Taking a defended pawn with the queen looks good at depth 1, but not with quiescence."""
    state = samples.game("chess").parse("7k/2p5/3p4/8/8/8/3Q4/7K w - - 0 1")
    taken, calm = (rz.player("alphabeta", depth=1, quiescence=n).think(state) for n in (0, 2))
    assert state.say(taken.action) == "d2d6"
    assert state.say(calm.action) != "d2d6"


@pytest.mark.parametrize("text", GAMES)
def test_thoughts_do_not_depend_on_earlier_ones(text: str, tmp_path: Path) -> None:
    """In a game, a player with a net and all options thinks as a new player does."""
    (tmp_path / "net.nnue").write_bytes(nnue.write(net(text)))
    player = rz.player(
        "alphabeta",
        net=f"{tmp_path}/net.nnue",
        depth=1 if text == "exchange" else 2,
        quiescence=1,
        reductions=True,
    )
    record = rz.match(text, a=player, b=player, games=1, seed=3).records[0]
    state = rz.load(text).parse(record.start)
    for ply, action in enumerate(record.action_numbers()[:40]):
        if thought := record.thought(ply):
            fresh = player.think(state)
            assert (thought.action, thought.sims) == (fresh.action, fresh.sims)
            assert thought.value == pytest.approx(fresh.value, abs=4e-5)  # records round it
        state = state.apply(int(action))


@pytest.mark.parametrize("kind", ["oneply", "puct:sims=30", "ucb1:sims=30"])
def test_other_players_use_the_net(kind: str, tmp_path: Path) -> None:
    """A search's raw value is the net's for seat 0, and choices depend on the net."""
    text = "razzle"
    choices = set()
    for seed in range(3):
        made = net(text, seed=seed)
        path = tmp_path / f"{seed}.nnue"
        path.write_bytes(nnue.write(made))
        player = rz.player(kind, net=str(path))
        thoughts = [player.think(state) for state in chosen(text, 12)]
        for state, thought in zip(chosen(text, 12), thoughts, strict=True):
            value = nnue.evaluate(made, state) * (1 - 2 * state.mover)
            if kind != "oneply":
                assert thought.raw_value == pytest.approx(value, abs=1e-5)
        choices.add(tuple(thought.action for thought in thoughts))
    assert len(choices) == 3
