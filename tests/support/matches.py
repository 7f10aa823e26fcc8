"""Simulated matches: results drawn at random from known strengths."""

import numpy as np

from rulezero.stats.tally import Counts, GameResult, Tally


def chances(elo: float, draws: float) -> list[float]:
    """Probabilities to lose, draw and win; `draws` is the share of draws between equals."""
    score = 1 / (1 + 10 ** (-elo / 400))
    drawn = 2 * draws * min(score, 1 - score)
    return [1 - score - drawn / 2, drawn, score - drawn / 2]


def counts(rng: np.random.Generator, elo: float, games: int, draws: float = 0.4) -> Counts:
    """Random results of a player with this Elo difference."""
    lost, drawn, won = (int(n) for n in rng.multinomial(games, chances(elo, draws)))
    return Counts(wins=won, draws=drawn, losses=lost)


def tally(
    rng: np.random.Generator,
    elo: float,
    games: int,
    draws: float = 0.4,
    advantage: float = 0.0,
) -> Tally:
    """Random results of a player with this Elo difference: `games` from each seat, no pairs."""
    return Tally(
        by_seat=(
            counts(rng, elo + advantage, games, draws),
            counts(rng, elo - advantage, games, draws),
        )
    )


def opened(
    rng: np.random.Generator,
    elo: float,
    pairs: int,
    openings: float,
    draws: float = 0.4,
) -> Tally:
    """Pairs of games from openings that favour seat 0 by a normal deviate times `openings`."""
    games = []
    for number, favour in enumerate(rng.normal(0, openings, pairs)):
        for seat, sign in ((0, 1), (1, -1)):
            result = int(rng.choice(3, p=chances(elo + sign * favour, draws))) - 1
            games.append(GameResult(seat, sign * result, "mate", 40, number))
    return Tally.of(games)


def expected_score(elo: float, openings: float) -> float:
    """The expected score with openings as in `opened`."""
    favours = openings * np.linspace(-8, 8, 4001)
    weights = np.exp(-(np.linspace(-8, 8, 4001) ** 2) / 2)
    return float(weights @ (1 / (1 + 10 ** (-(elo + favours) / 400))) / weights.sum())


def pentanomial(elo: float, draws: float) -> list[float]:
    """Probabilities [5] of a pair's points if its games are independent."""
    game = chances(elo, draws)
    return [float(x) for x in np.convolve(game, game)]
