"""The six sets of Connect Four positions, and the scores that define them."""

import random

import pytest

import rulezero as rz
from connect4_positions import mirrored
from connect4_sets import EACH, FEWER, make
from rulezero.endgame import connect4
from rulezero.endgame.connect4 import SETS, Set, judged, men_of, read_line, remaining

GAME = rz.load("connect4")


def after(columns: str) -> rz.State:
    return GAME.replay(GAME.start().text, [int(column) - 1 for column in columns])


@pytest.mark.parametrize(
    ("columns", "score"),
    [("44455554221", -15), ("4455", 18), ("2416615552", 4), ("75734233473735", 0), ("3737", 11)],
)
def test_published_scores(columns: str, score: int) -> None:
    """Scores of positions in the literature and in public test sets."""
    assert connect4.score(after(columns)) == score


def slow_score(state: rz.State, known: dict[str, int]) -> int:
    """The mover's score by plain search, without bounds."""
    if state.text not in known:
        best = -99
        for action in state.legal:
            then = state.apply(action)
            if then.end_reason == "four":
                found = 22 - (men_of(then) + 1) // 2
            else:
                found = 0 if then.is_over else -slow_score(then, known)
            best = max(best, found)
        known[state.text] = best
    return known[state.text]


def test_scores_agree_with_exhaustive_search() -> None:
    """300 positions with few empty squares; the sign is the value of the other solver."""
    dice = random.Random(2)
    count = 0
    while count < 300:
        state = GAME.start()
        while not state.is_over and men_of(state) < 29 + count % 12:
            state = state.apply(dice.choice(state.legal))
        if state.is_over:
            continue
        count += 1
        score = connect4.score(state)
        assert score == slow_score(state, {}), state.text
        sign = 1 if state.mover == 0 else -1
        assert (score > 0) - (score < 0) == sign * connect4.value(state)
    with pytest.raises(rz.GameError, match="the game is over"):
        connect4.score(after("1212121"))


@pytest.mark.parametrize(
    ("columns", "left"),
    [("4455", 3), ("3737", 17), ("75734233473735", 28), ("335662333565", 28)],
)
def test_moves_to_the_end(columns: str, left: int) -> None:
    """22 - |score| men of the winner, or a full board."""
    state = after(columns)
    assert remaining(state, connect4.score(state)) == left


@pytest.mark.parametrize("kind", list(SETS))
def test_each_set_is_what_it_says(kind: Set) -> None:
    """Numbers of moves played and left; no two positions are mirror images; values fit scores."""
    lines = (connect4.folder_of_sets() / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == FEWER.get(kind, EACH) == len(judged(kind))
    played, left = SETS[kind]
    texts: set[str] = set()
    for line, each in zip(lines, judged(kind), strict=True):
        columns, score, _ = line.split()
        assert len(columns) in played
        assert remaining(each.state, int(score)) in left
        assert each.moves is not None
        assert max(each.moves.values()) == each.best
        assert not texts & {each.state.text, mirrored(each.state.text)}
        texts.add(each.state.text)
    assert {each.best for each in judged(kind)} >= {-1, 1}


@pytest.mark.parametrize("kind", ["middle-medium", "middle-easy", "end-easy"])
def test_a_sample_is_solved_again(kind: Set) -> None:
    lines = (connect4.folder_of_sets() / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    for line in random.Random(1).sample(lines, 8):
        columns, score, signs = line.split()
        state = after(columns)
        assert connect4.score(state) == int(score)
        assert connect4.write_line(state, int(score), connect4.values(state)).endswith(signs)


def test_a_set_can_be_made_again() -> None:
    """The first positions of a set depend on the seed alone."""
    made = make("end-easy", each=20)
    assert made == make("end-easy", each=20, table=1)
    assert made != make("end-easy", each=20, seed=1)
    shipped = (connect4.folder_of_sets() / "end-easy.txt").read_text(encoding="utf-8")
    assert set(made) <= set(shipped.splitlines())


def test_a_value_that_is_not_known_is_solved() -> None:
    """Public files give only the score of a position."""
    line = (connect4.folder_of_sets() / "middle-medium.txt").read_text(encoding="utf-8")
    for each in line.splitlines()[:10]:
        known, bare = read_line(each), read_line(each.rsplit(" ", 1)[0])
        assert bare.moves is None
        assert {a: bare.value_of(a) for a in known.state.legal} == known.moves
