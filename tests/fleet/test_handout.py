"""Games of an order are handed out to the actors of a cluster without loss, and evenly."""

import random

import pytest

from rulezero.fleet.ray.handout import Handout
from rulezero.fleet.ray.messages import GameKey

WIDTH = 16


def keys(count: int) -> list[GameKey]:
    """The games of an order."""
    return [(0, index) for index in range(count)]


@pytest.mark.parametrize("seed", range(20))
def test_every_game_is_finished_once_whoever_dies(seed: int) -> None:
    """Actors of different speeds finish games and sometimes die; each game is finished once."""
    dice = random.Random(seed)
    actors, count = dice.randint(1, 9), dice.randint(1, 400)
    handout = Handout(keys(count), WIDTH)
    held: list[list[GameKey]] = [[] for _ in range(actors)]
    finished: list[GameKey] = []
    while handout.left:
        actor = dice.choices(range(actors), range(1, actors + 1))[0]
        held[actor] += handout.share(len(held[actor]), actors)
        if held[actor] and dice.random() < 0.02:
            handout.give_back(held[actor])
            held[actor] = []
        elif held[actor]:
            finished.append(held[actor].pop(0))
            handout.finish()
    assert sorted(finished) == keys(count)
    assert held == [[]] * actors


def test_actors_get_games_ahead_of_those_that_they_play() -> None:
    """While many games remain, an actor that finishes one has another one already."""
    handout = Handout(keys(1000), WIDTH)
    assert len(handout.share(0, 2)) == 2 * WIDTH
    assert len(handout.share(2 * WIDTH, 2)) == 0


def test_few_games_are_spread_over_all_actors() -> None:
    """No actor has more than its part, as others would be idle."""
    handout = Handout(keys(20), WIDTH)
    assert [len(handout.share(0, 3)) for _ in range(4)] == [7, 7, 6, 0]


def test_fewer_games_are_ahead_towards_the_end() -> None:
    """Two equal actors that finish one game each in turn have none ahead for their last games."""
    handout = Handout(keys(200), WIDTH)
    held = [0, 0]
    while handout.left > 2 * WIDTH:
        for actor in range(2):
            held[actor] += len(handout.share(held[actor], 2))
            handout.finish()
            held[actor] -= 1
    assert [each + len(handout.share(each, 2)) for each in held] == [WIDTH, WIDTH]
    assert handout.share(0, 2) == []


def test_games_of_the_dead_are_played_next() -> None:
    """They keep their order, so that the games of a task stay together."""
    handout = Handout(keys(40), 4)
    lost = handout.share(0, 2)
    handout.give_back(lost)
    assert handout.share(0, 2) == lost
