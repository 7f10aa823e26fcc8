"""Features of efficiently updatable nets: numbers, what they tell apart, and symmetries."""

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import rulezero as rz
from games.test_symmetry import (
    board_of,
    mirror_razzle,
    rows_of,
    swap_exchange,
    swap_razzle,
    turn_ranks,
)
from rulezero._core import features, heuristic
from support import record_samples, samples
from support.little_nnues import GAMES, states


@pytest.mark.sanitize
@pytest.mark.parametrize("text", GAMES)
def test_a_feature_is_a_number_of_the_games_space(text: str) -> None:
    """Features are numbers below facts.features, at most facts.feature_places of them, and the same
    number of them for both seats. Only in EXCHANGE, where men of a kind may have equal hit points,
    does a number occur twice. A pending die is a PositionError."""
    facts = samples.game(text).facts
    assert 0 < facts.feature_places < facts.features < 0xFFFF
    for state in samples.states(text):
        if state.mover == rz.CHANCE and not state.is_over:
            with pytest.raises(rz.PositionError, match="a die is pending"):
                state.features(0)
            continue
        views = [state.features(seat) for seat in (0, 1)]
        for on in views:
            assert len(on) <= facts.feature_places
            assert len(set(on)) == len(on) or text == "exchange"
            assert all(0 <= number < facts.features for number in on)
        assert len(views[0]) == len(views[1])
    with pytest.raises(rz.GameError, match="a seat is 0 or 1"):
        state.features(2)


def test_a_game_without_features() -> None:
    """Its states have no features, and replaying them is a GameError."""
    game = samples.game("connect4")
    assert game.facts.features == 0
    assert game.start().features(0) == []
    with pytest.raises(rz.GameError, match="connect4 has no features"):
        features(game, [], np.zeros(0, np.uint32), np.zeros(0, np.uint32))


@pytest.mark.parametrize("text", GAMES)
def test_only_the_position_counts(text: str) -> None:
    """A parsed position has the same features as in play, whatever its history."""
    for state in states(text)[::5]:
        parsed = state.game.parse(state.text)
        for seat in (0, 1):
            assert parsed.features(seat) == state.features(seat)


def changed_chess(text: str, dice: random.Random) -> Iterator[str]:
    """The position without a man, and without each right to castle."""
    rows, (_, side, rights, _, *rest) = rows_of(text), text.split(" ")
    men = [(r, f) for r in range(8) for f in range(8) if rows[r][f] not in ".kK"]
    if men:
        row, file = dice.choice(men)
        rows[row] = rows[row][:file] + "." + rows[row][file + 1 :]
        yield " ".join([board_of(rows), side, rights, "-", *rest])
    for right in rights.replace("-", ""):
        yield text.replace(f" {rights} ", f" {rights.replace(right, '') or '-'} ")


def changed_exchange(text: str, dice: random.Random) -> Iterator[str]:
    """The position with other hit points, charges, cooldowns and Decrees."""
    board, side, decree, quiet, ply, details = text.split(" ")
    known = [] if details == "-" else details.split(",")
    if known:
        at = dice.randrange(len(known))
        square, _, state = known[at].partition("=")
        hp, *tags = state.split(":")
        if int(hp) > 1:
            yield change(text, known, at, ":".join([f"{square}={int(hp) - 1}", *tags]))
        for tag in set(tags) - {"p"}:  # a promoted pawn is a queen like another
            rest = [each for each in tags if each != tag]
            yield change(text, known, at, ":".join([f"{square}={hp}", *rest]))
    first, second = map(int, decree.split("/"))
    for now in {(0, second), (first, 0), (2, second), (first, 1)} - {(first, second)}:
        yield " ".join([board, side, f"{now[0]}/{now[1]}", quiet, ply, details])


def change(text: str, details: list[str], at: int, detail: str) -> str:
    """The text of an EXCHANGE position with another detail."""
    return " ".join([*text.split(" ")[:5], ",".join([*details[:at], detail, *details[at + 1 :]])])


def changed_razzle(text: str, dice: random.Random) -> Iterator[str]:
    """The position with the ball passed, a man barred or free, another landing, or a chain."""
    board, side, landing, chain, turn = text.split(" ")
    for man, other in ("NT", "TN", "nt", "tn"):
        at = [place for place, letter in enumerate(board) if letter == man]
        if at:
            here = dice.choice(at)
            now = board[:here] + other + board[here + 1 :]
            yield " ".join([now, side, landing, chain, turn])
    for ball, man in ("BN", "bn"):
        if man in board:
            now = board.replace(ball, "*").replace(man, ball, 1).replace("*", man)
            yield " ".join([now, side, landing, chain, turn])
    yield " ".join([board, side, dice.choice("abcdefg") + dice.choice("12345678"), chain, turn])
    yield " ".join([board, side, "-", chain, turn])
    yield " ".join([board, side, landing, "p" if chain == "-" else "-", turn])


CHANGES: dict[str, Callable[[str, random.Random], Iterator[str]]] = {
    "chess": changed_chess,
    "random_chess": changed_chess,
    "monster": changed_chess,
    "exchange": changed_exchange,
    "razzle": changed_razzle,
}


def as_ruled(game: rz.Game, text: str) -> rz.State | None:
    """The position of a text; None if the rules do not allow it."""
    try:
        state = game.parse(text)
    except rz.PositionError:
        return None
    return state if state.mover != rz.CHANCE or state.is_over else None


@pytest.mark.parametrize("text", GAMES)
def test_what_counts_in_the_rules_changes_the_features(text: str) -> None:
    """Men, rights, hit points, charges, cooldowns, Decrees, balls, barred men, the square of the
    last landing and a begun chain: a change of one of them is seen by both seats."""
    game, dice, seen = samples.game(text), random.Random(0), 0
    for state in states(text)[::2]:
        for words in CHANGES[game.facts.name](state.text, dice):
            other = as_ruled(game, words)
            if other is None or other.text == state.text:
                continue
            for seat in (0, 1):
                assert other.features(seat) != state.features(seat), (state.text, words)
            seen += 1
    assert seen > 100


def test_a_half_made_turn_is_seen() -> None:
    """In Monster, the position between White's two moves differs from the one after both."""
    game, seen = samples.game("monster"), 0
    for state in states("monster"):
        words = state.text.split(" ")
        halves = [state.apply(action) for action in state.legal[:3]]
        for half in halves:
            if half.is_over or half.mover != 0 or state.mover != 0:
                continue
            board, _, rights, *_ = half.text.split(" ")
            after = as_ruled(game, " ".join([board, "b", rights, "-", "0", words[-1]]))
            if after is not None and not after.is_over:
                assert [half.features(seat) for seat in (0, 1)] != [
                    after.features(seat) for seat in (0, 1)
                ]
                assert len(half.features(0)) == len(after.features(0)) + 1
                seen += 1
    assert seen > 50


def swap_chess(text: str) -> str:
    """The text with the colours swapped and the board upside down."""
    _, side, rights, square, *counters = text.split(" ")
    board = board_of(rows_of(text)[::-1]).swapcase()
    rights = "".join(sorted(rights.swapcase(), key=str.islower))
    square = turn_ranks(square) if square != "-" else square
    return " ".join([board, "wb"[side == "w"], rights, square, *counters])


@pytest.mark.parametrize(
    ("text", "swap"),
    [
        ("chess", swap_chess),
        ("random_chess", swap_chess),
        ("random_chess:pieces=standard+custom", swap_chess),
        ("exchange", swap_exchange),
        ("razzle", swap_razzle),
    ],
)
def test_seats_see_alike(text: str, swap: Callable[[str], str]) -> None:
    """With the colours swapped and the board upside down, each seat sees what the other saw."""
    game, seen = samples.game(text), 0
    for state in states(text):
        if "{" in state.text:  # a man whose symbol is not a letter
            continue
        other = game.parse(swap(state.text))
        for seat in (0, 1):
            assert sorted(other.features(1 - seat)) == sorted(state.features(seat)), state.text
        seen += state.features(0) != state.features(1)
    assert seen > 100


def mirror_chess(text: str) -> str:
    """The text with mirrored files and without rights to castle."""
    _, side, *_ = text.split(" ")
    return f"{board_of([row[::-1] for row in rows_of(text)])} {side} - - 0 9"


def mirror_exchange(text: str) -> str:
    """The text with mirrored files."""
    board, *middle, details = text.split(" ")
    names = str.maketrans("abcdefgh", "hgfedcba")
    parts = [] if details == "-" else details.split(",")
    parts = sorted(
        (each[:1].translate(names) + each[1:] for each in parts), key=lambda each: (each[1], each)
    )
    board = board_of([row[::-1] for row in rows_of(board)])
    return " ".join([board, *middle, ",".join(parts) or "-"])


@pytest.mark.parametrize(
    ("text", "mirror"),
    [
        ("chess", mirror_chess),
        ("random_chess:pieces=standard+custom", mirror_chess),
        ("monster", mirror_chess),
        ("exchange", mirror_exchange),
        ("razzle", mirror_razzle),
    ],
)
def test_left_and_right_are_alike(text: str, mirror: Callable[[str], str]) -> None:
    """The mirrored position has the same features; chess and Monster without rights to castle, and
    Razzle unless the seat's ball is on the middle file, where nothing tells left from right."""
    game, seen = samples.game(text), 0
    for state in states(text):
        here = state
        if mirror is mirror_chess:
            if "{" in state.text or (text == "monster" and is_half_made(state)):
                continue
            here = game.parse(mirror(mirror(state.text)))
        there = game.parse(mirror(here.text))
        for seat in (0, 1):
            if text == "razzle" and ball_file(here.text, seat) == 3:
                continue
            assert sorted(there.features(seat)) == sorted(here.features(seat)), here.text
            seen += 1
    assert seen > 100


def is_half_made(state: rz.State) -> bool:
    """Whether White has made one of two moves of a turn."""
    return state.text.endswith(" +")


def ball_file(text: str, seat: int) -> int:
    """The file of a seat's ball, 0 to 6."""
    return next(row.index("Bb"[seat]) for row in rows_of(text) if "Bb"[seat] in row)


@pytest.mark.parametrize("text", ["chess", "exchange", "monster", "razzle"])
def test_replayed_features_are_those_of_play(text: str) -> None:
    """The features and heuristics of chosen plies, in any order, are those of the states."""
    plays = [samples.played(text, seed) for seed in (0, 1, 2)]
    records = [record_samples.of(list(each)) for each in plays]
    game, dice = samples.game(text), random.Random(1)
    chosen = [
        (number, ply)
        for number, play in enumerate(plays)
        for ply, state in enumerate(play)
        if state.mover != rz.CHANCE and not state.is_over
    ]
    dice.shuffle(chosen)
    chosen = chosen[:200]
    numbers, begins, counts, values = features(
        game,
        [(each.start, each.action_numbers()) for each in records],
        np.array([ply for _, ply in chosen], np.uint32),
        np.array([number for number, _ in chosen], np.uint32),
    )
    for row, (number, ply) in enumerate(chosen):
        state = plays[number][ply]
        begin, (first, second) = begins[row], counts[row].astype(int)
        views = numbers[begin : begin + first + second].tolist()
        assert views[:first] == state.features(state.mover)
        assert views[first:] == state.features(1 - state.mover)
        assert values[row] == np.float32(heuristic(state) * (1 - 2 * state.mover))
