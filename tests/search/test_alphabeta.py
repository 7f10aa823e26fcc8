"""Alpha-beta, compared with exhaustive search in every game, with and without a history."""

import functools
import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from reference import hash_evaluator
from support import samples
from support.evaluators import UniformEvaluator

GAMES = [
    "chess",
    "connect4",
    "exchange",
    "exchange:dice=fixed:3",
    "monster",
    "random_chess:pieces=standard+custom",
    "razzle",
]


class TooManyError(Exception):
    """The tree is too big to be searched to the end."""


class Exhaustive:
    """Minimax and expectation over whole trees, without bounds, table or move ordering."""

    def __init__(self, root: rz.State, draw_value: float, budget: int) -> None:
        self.root = root
        self.contempt = draw_value if root.mover == 0 else -draw_value
        self.budget = budget

    def children(self, depth: int) -> dict[int, float]:
        """Seat 0's value of every choice, looking `depth` plies ahead."""
        return {a: self.value(self.root.apply(a), depth - 1, 1) for a in self.root.legal}

    def value(self, state: rz.State, left: int, plies: int) -> float:
        """Seat 0's value; a win is slightly above 1, and higher if it is sooner."""
        self.budget -= 1
        if self.budget < 0:
            raise TooManyError
        if state.is_over:
            outcome = state.outcome or 0.0
            if abs(outcome) < 1:
                return self.bounded(outcome + self.contempt * (outcome == 0))
            return outcome * (1 + (128 - plies) * 2.0**-40)
        if state.mover == rz.CHANCE:
            faces = zip(state.chances, state.legal, strict=True)
            return sum(p * self.value(state.apply(face), left, plies) for p, face in faces)
        if left == 0:
            draw = hash_evaluator.word(state.key, 0) / 2
            value = (2 * hash_evaluator.word(state.key, 1) - 1) * (1 - draw)
            return self.bounded(float(np.float32(value)) + self.contempt * float(np.float32(draw)))
        values = [self.value(state.apply(a), left - 1, plies + 1) for a in state.legal]
        return max(values) if state.mover == 0 else min(values)

    @staticmethod
    def bounded(value: float) -> float:
        """The value of a draw or an evaluation, clamped so that it never counts as a win."""
        surest = 1 - 2.0**-20
        return min(max(value, -surest), surest)


def think(state: rz.State, depth: int, draw_value: float = 0, judge: str = "hash") -> rz.Thought:
    """The thought of alpha-beta about a state."""
    return rz.player("alphabeta", depth=depth, draw_value=draw_value, eval=judge).think(state)


def agree(state: rz.State, draw_value: float, budget: int, deepest: int = 12) -> int:
    """Checks one state at every depth that the budget allows; returns the deepest one.

    Among wins of equal probability, the search need not find the soonest.
    """
    slack = 1e-9 if state.game.facts.has_chance else 1e-14
    for depth in range(1, deepest + 1):
        try:
            values = Exhaustive(state, draw_value, budget).children(depth)
        except TooManyError:
            return depth - 1
        best = max(values.values()) if state.mover == 0 else min(values.values())
        thought = think(state, depth, draw_value)
        where = (state.text, state.actions, depth, draw_value)
        assert thought.value == pytest.approx(min(max(best, -1), 1), abs=1e-6), where
        assert values[thought.action] == pytest.approx(best, abs=slack), where
        assert thought.shares == {thought.action: 1.0}, where
        assert_line(state, thought, depth)
    return deepest


def assert_line(state: rz.State, thought: rz.Thought, depth: int) -> None:
    """Asserts that the line is legal, begins with the choice, and is at most `depth` long."""
    assert thought.line[0] == thought.action
    assert len(thought.line) <= depth
    for action in thought.line:
        assert state.mover != rz.CHANCE
        state = state.apply(action)


def choices(text: str, about: int) -> list[rz.State]:
    """About `about` states of random games in which a player chooses."""
    states = [s for s in samples.states(text) if not s.is_over and s.mover != rz.CHANCE]
    return states[:: max(1, len(states) // about)]


def shuffled(state: rz.State, plies: int, seed: int) -> rz.State:
    """The state after this many random plies, which often return to earlier positions."""
    dice = random.Random(seed)
    seen = {state.key}
    for _ in range(plies):
        nexts = [state.apply(action) for action in state.legal]
        going = [s for s in nexts if not s.is_over]
        known = [s for s in going if s.key in seen]
        if not going:
            break
        state = dice.choice(known if known and dice.random() < 0.7 else going)
        seen.add(state.key)
    return state


@pytest.mark.sanitize
@pytest.mark.parametrize("text", GAMES)
def test_it_agrees_with_exhaustive_search(text: str) -> None:
    """Value and choice agree for any order of movers, with averages over dice."""
    depths = [agree(state, 0, 3000) for state in choices(text, 36)]
    assert len(depths) >= 24
    assert max(depths) >= 2


@pytest.mark.parametrize("text", GAMES)
def test_it_agrees_with_exhaustive_search_farther_ahead(text: str) -> None:
    """The same with fewer and larger trees."""
    assert max(agree(state, 0, 40000) for state in choices(text, 4)) >= 3


@dataclass(frozen=True)
class House:
    """A position of the game below."""

    street: int
    number: int
    mover: int
    outcome: float | None
    steps: list[int]
    chances: list[float]


@functools.cache
def house(street: int, number: int) -> House:
    """The house at this address, whose content is random but determined by the address."""
    dice = random.Random(f"{street}/{number}")
    mover = dice.choice([0, 0, 1, 1, rz.CHANCE] if number > 0 and street % 2 else [0, 1])
    is_end = number >= 18 or (number > 0 and dice.random() < 0.15)
    outcome = dice.choice([1, -1, 0, 0.5]) if is_end else None
    steps = dice.sample(range(1, 5), dice.randint(1, 4))
    eighths = Counter(steps + dice.choices(steps, k=8 - len(steps)))
    return House(street, number, mover, outcome, steps, [eighths[step] / 8 for step in steps])


class EvenStreets(rz.PythonGame[House]):
    """Each action moves one to four houses along a street; the seed is the street's number.

    Movers come in any order, and paths of different lengths lead to the same house.
    """

    name = "even_streets"
    actions = slots = 5
    planes = (1, 1, 1)
    board = (1, 1)
    max_plies = 20

    def start(self, seed: int) -> House:
        return house(2 * seed, 0)

    def parse(self, text: str) -> House:
        street, number = text.split()
        return house(int(street), int(number))

    def text(self, position: House) -> str:
        return f"{position.street} {position.number}"

    def mover(self, position: House) -> int:
        return position.mover

    def ending(self, position: House) -> tuple[float, str] | None:
        return None if position.outcome is None else (position.outcome, "home")

    def legal(self, position: House) -> list[int]:
        return position.steps

    def chances(self, position: House) -> list[float]:
        return position.chances

    def apply(self, position: House, action: int) -> House:
        return house(position.street, position.number + action)

    def encode(self, position: House) -> npt.NDArray[np.float32]:
        return np.zeros(self.planes, dtype=np.float32)


class OddStreets(EvenStreets):
    """The same with uneven dice among the movers."""

    name = "odd_streets"
    has_chance = True

    def start(self, seed: int) -> House:
        return house(2 * seed + 1, 0)


@pytest.mark.parametrize("rules", [EvenStreets, OddStreets])
def test_movers_may_follow_each_other_in_any_order(rules: type[EvenStreets]) -> None:
    """Random small games agree with exhaustive search."""
    game = rz.load(rules)
    for seed in range(1300):
        agree(game.start(seed), seed % 5 / 4 - 0.5, 400, 5)


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("draw_value", [-0.5, 0.99])
def test_a_draw_is_worth_what_the_mover_at_the_root_says(text: str, draw_value: float) -> None:
    """Contempt is the root mover's, at leaves and at the end of the game."""
    for state in choices(text, 12):
        agree(state, draw_value, 2000)


# Positions with few men, which move back and forth, far from the ply limit or close to it.
CRAMPED = [
    ("chess", "k7/p7/P7/8/8/7p/7P/7K w - - {} 60", [0, 88, 93]),
    ("chess", "kb6/1p6/1P6/8/8/1p6/1P6/KB6 w - - {} 60", [0, 90]),
    ("chess", "n1k5/2p5/2P5/8/8/2p5/2P5/N1K5 b - - {} 60", [0, 91]),
    ("chess", "6k1/4P2p/4P2P/8/8/8/8/K1N5 b - - {} 60", [0, 80]),
    ("random_chess", "k7/p7/P7/8/8/7p/7P/7K w - - {} 60", [0, 90]),
    ("monster", "k7/p7/P7/8/8/7p/7P/7K w - - 0 {}", [1, 74]),
    ("razzle", "1nnbnn1/7/7/7/7/7/7/1NNBNN1 w - - {}", [0, 195]),
    ("exchange:dice=fixed:3", "k7/8/8/8/8/8/p7/7K w 0/0 0 {} -", [0, 295]),
    ("exchange", "k7/8/8/8/8/8/p7/7K w 0/0 0 {} -", [0, 296]),
]
BOARDS = [(game, text.format(count)) for game, text, counts in CRAMPED for count in counts]


@pytest.mark.parametrize(("game", "text"), BOARDS)
@pytest.mark.parametrize(("plies", "seed"), [(0, 0), (4, 1), (7, 2), (12, 3), (16, 20)])
def test_the_past_counts(game: str, text: str, plies: int, seed: int) -> None:
    """Third occurrences and limits are found, by whatever path the search reaches them."""
    state = shuffled(rz.load(game).parse(text), plies, seed)
    if state.mover != rz.CHANCE:
        agree(state, 0.5, 12000)


@pytest.mark.parametrize(
    ("text", "plies", "seed", "depth", "draw_value"),
    [
        ("6k1/4P2p/4P2P/8/8/8/8/K7 b - - 0 60", 8, 11, 6, -0.99),
        ("6k1/4P2p/4P2P/8/8/8/8/K1N5 b - - 0 60", 8, 17, 6, -0.99),
        ("k7/p7/P7/8/8/7p/7P/7K w - - 90 60", 4, 0, 7, 0),
        ("k7/p7/P7/8/8/7p/7P/7K w - - 90 60", 4, 4, 7, -0.99),
    ],
)
def test_the_table_minds_the_past(
    text: str, plies: int, seed: int, depth: int, draw_value: float
) -> None:
    """In these searches, a transposition table by key alone gave wrong values when tried."""
    state = shuffled(rz.load("chess").parse(text), plies, seed)
    assert agree(state, draw_value, 100_000, depth) == depth


@pytest.mark.parametrize(("rook", "is_sought"), [("R", False), ("r", True)])
def test_the_third_time_is_for_those_who_are_losing(rook: str, is_sought: bool) -> None:
    """White avoids a repetition when a rook up, and seeks it when a rook down."""
    state = rz.load("chess").parse(f"7k/8/8/8/8/{rook}7/8/5K2 w - - 0 1")
    for move in ["f1g1", *["h8g8", "g1h1", "g8h8", "h1g1"] * 2][:-1]:
        state = state.apply(state.read(move))
    thought = think(state, 4, judge="heuristic")
    assert (state.say(thought.action) == "h1g1") == is_sought
    assert (thought.value == 0) == is_sought


@pytest.mark.parametrize(
    ("game", "text", "plies", "outcome"),
    [
        ("chess", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1, 1),
        ("chess", "r6k/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1, -1),
        ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3, 1),
        ("chess", "8/7k/8/8/8/8/R7/1R5K w - - 0 1", 3, 1),
        ("chess", "8/6k1/8/8/8/8/R7/1R5K b - - 0 1", 8, 1),
        ("connect4", "7/7/7/7/OOO4/XXX4 x", 1, 1),
        ("connect4", "7/7/7/7/3O3/2XX1O1 x", 3, 1),
        ("monster", "4k3/8/4K3/8/8/8/8/8 w - - 0 9", 2, 1),
        ("monster", "4k3/8/8/8/4r3/8/8/4K3 b - - 0 9", 1, -1),
        ("razzle", "1nnb2N/6B/n1n4/7/7/7/7/1NN1N2 w - - 0", 1, 1),
        ("razzle", "1nnb2N/6N/n1n4/7/7/7/7/1NN3B w - - 0", 2, 1),
        ("exchange:dice=fixed:3", "k7/8/8/8/8/8/8/R6K w 0/0 0 0 a8=5", 3, 1),
        ("exchange", "k7/8/8/8/8/8/8/R6K w 0/0 0 0 a8=3", 3, 1),
    ],
)
def test_wins_are_short_and_losses_long(game: str, text: str, plies: int, outcome: int) -> None:
    """The winner wins as soon as possible and the loser as late as possible, at any depth."""
    state = rz.load(game).parse(text)
    if plies > 1:
        assert think(state, plies - 1, judge="heuristic").value not in (1, -1)
    dice = random.Random(0)
    chosen = 0
    while not state.is_over:
        if state.mover == rz.CHANCE:
            state = state.apply(dice.choice(state.legal))
            continue
        thought = think(state, plies + 1, judge="heuristic")
        assert thought.value == outcome
        state = state.apply(thought.action)
        chosen += 1
    assert state.outcome == outcome
    assert chosen == plies


def test_a_net_is_not_asked() -> None:
    """Alpha-beta refuses a net, which is too slow for its number of positions."""
    state = rz.load("connect4").start()
    with pytest.raises(rz.PlayerError, match="eval=heuristic"):
        rz.player("alphabeta", evaluator=UniformEvaluator(7)).think(state)


@pytest.mark.parametrize("text", GAMES)
def test_a_mind_that_has_thought_before_thinks_alike(text: str) -> None:
    """Searches of earlier positions of a game do not change later results."""
    seat = rz.player("alphabeta:depth=2,eval=hash")
    record = rz.match(text, a=seat, b=seat, games=1, seed=3).records[0]
    state = rz.load(text).parse(record.start)
    for ply, action in enumerate(record.action_numbers()[:60]):
        if thought := record.thought(ply):
            fresh = seat.think(state)
            assert (thought.action, thought.sims) == (fresh.action, fresh.sims)
        state = state.apply(action)


class Indifferent(Exhaustive):
    """The same for eval=uniform: unfinished positions have the value 0."""

    def value(self, state: rz.State, left: int, plies: int) -> float:
        """Seat 0's value; 0 at the search depth."""
        if left == 0 and not state.is_over and state.mover != rz.CHANCE:
            return 0.0
        return super().value(state, left, plies)


@pytest.mark.parametrize("text", ["chess", "connect4", "monster", "razzle"])
def test_ties_are_drawn_from_all_the_best_moves(text: str) -> None:
    """Only best moves are tied, and each of them has the same share."""
    ties = 0
    for seed, state in enumerate(choices(text, 24)):
        for depth in (1, 2, 3):
            try:
                values = Indifferent(state, 0, 4000).children(depth)
            except TooManyError:
                break
            best = max(values.values()) if state.mover == 0 else min(values.values())
            equals = {action for action, value in values.items() if value == best}
            player = rz.player("alphabeta:eval=uniform,random_ties=true", depth=depth, seed=seed)
            thought = player.think(state)
            assert set(thought.shares) == equals, (state.text, depth)
            assert set(thought.shares.values()) == {1 / len(equals)}
            assert thought.action in equals
            assert_line(state, thought, depth)
            ties += len(equals) > 1
    assert ties >= 10


def test_each_of_two_equal_moves_is_drawn() -> None:
    """With random_ties both are drawn about equally often, by seed; without it, the first."""
    state = rz.load("connect4").parse("7/7/7/7/1OOO3/1XXX3 x")  # a1 and e1 make four

    def choice(text: str, seed: int) -> str:
        return state.say(rz.player(text, seed=seed).think(state).action)

    drawn = [choice("alphabeta:random_ties=true", seed) for seed in range(100)]
    assert drawn == [choice("alphabeta:random_ties=true", seed) for seed in range(100)]
    assert set(drawn) == {"a", "e"}
    assert 30 <= drawn.count("a") <= 70
    assert {choice("alphabeta", seed) for seed in range(10)} == {"a"}
