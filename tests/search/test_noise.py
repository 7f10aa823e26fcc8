"""Dirichlet noise in the root's priors: its distribution, over many seeds."""

import functools

import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from reference.comparison import Puct, player, spots
from rulezero.nets.runtime import Floats
from rulezero.play.evaluators import Evaluation, Evaluator
from support import samples

Shares = npt.NDArray[np.float64]
_SIMS = 400
_SEEDS = 2000
_PRIORS = np.array([0.4, 0.2, 0.15, 0.1, 0.08, 0.05, 0.02])  # of Connect Four's columns


class FlatEvaluator:
    """An evaluator with the priors _PRIORS and the value 0 for every position."""

    identity = "flat"

    def evaluate(self, planes: Floats) -> Evaluation:
        """Logits of those priors; value 0."""
        rows = len(planes)
        logits = np.tile(np.log(_PRIORS).astype(np.float32), (rows, 1))
        return Evaluation(logits, np.zeros(rows, np.float32), np.zeros(rows, np.float32))


def root_priors(seat: rz.Player, state: rz.State, sims: int) -> Shares:
    """The priors that a search used, in the order of state.legal, each within 1 / sims.

    If every value is 0, the highest P / (1 + n) is chosen, so visits are proportional to priors
    (by D'Hondt's method).
    """
    visits = seat.think(state).visits
    counts = np.array([visits.get(action, 0) for action in state.legal])
    return np.asarray((counts + 0.5) / (sims + len(counts) / 2))


def noisy(
    keys: dict[str, object], seed: int, sims: int = _SIMS, evaluator: Evaluator | None = None
) -> rz.Player:
    """A PUCT player with these keys and an evaluator whose values are all 0."""
    source = {} if evaluator else {"eval": "uniform"}
    return player("puct", {**source, "sims": sims, "fpu": 0, **keys}, seed, evaluator)


@functools.cache
def draws(alpha: float, seeds: int = _SEEDS) -> Shares:
    """Draws of the noise itself at Connect Four's root, [seeds, moves]."""
    state = samples.game("connect4").start()
    keys: dict[str, object] = {"noise": 1, "alpha": alpha}
    return np.array([root_priors(noisy(keys, seed), state, _SIMS) for seed in range(seeds)])


def test_without_noise_priors_are_untouched() -> None:
    """Without noise, visits follow the priors for any seed and alpha."""
    for state in spots("connect4"):
        plain = player("puct", {"sims": 50}).think(state)
        keys = {"sims": 50, "noise": 0, "alpha": 0.03, "alpha_total": 10}
        assert player("puct", keys, seed=7).think(state) == plain
    state = samples.game("connect4").start()
    seen = root_priors(noisy({}, 0, evaluator=FlatEvaluator()), state, _SIMS)
    assert seen == pytest.approx(_PRIORS, abs=1 / _SIMS)


@pytest.mark.parametrize("temperature", [0.5, 2.0, 5.0])
def test_a_temperature_softens_the_priors(temperature: float) -> None:
    """Priors are proportional to P ** (1 / prior_temperature); surprise is relative to P itself."""
    state = samples.game("connect4").start()
    keys: dict[str, object] = {"prior_temperature": temperature}
    expected = _PRIORS ** (1 / temperature)
    seen = root_priors(noisy(keys, 0, evaluator=FlatEvaluator()), state, _SIMS)
    assert seen == pytest.approx(expected / expected.sum(), abs=1 / _SIMS)
    thought = noisy(keys, 0, evaluator=FlatEvaluator()).think(state)
    shares = np.array([thought.target.get(action, 0.0) for action in state.legal])
    tried = shares > 0
    nats = np.sum(shares[tried] * np.log(shares[tried] / _PRIORS[tried]))
    assert thought.surprise == pytest.approx(nats, abs=1e-3)


def test_the_priors_below_the_root_are_softened_too() -> None:
    """A reply that the net thinks impossible is refuted by value only if the search visits it."""
    state = samples.game("connect4").start()

    def least_replies(temperature: float) -> int:
        keys: dict[str, object] = {"prior_temperature": temperature}
        root = noisy(keys, 0, evaluator=FlatEvaluator()).think(state, tree=2).tree
        assert root is not None
        best = max(root.children, key=lambda child: child.visits)
        return min(child.visits for child in best.children)

    assert least_replies(1) < least_replies(3)


@pytest.mark.parametrize("noise", [0.25, 0.75])
def test_noise_is_mixed_into_the_priors(noise: float) -> None:
    """The mean over seeds is (1 - noise) * prior + noise / moves, within five standard errors."""
    state = samples.game("connect4").start()
    keys: dict[str, object] = {"noise": noise, "alpha": 1}
    sims = 100
    mixed = np.array([
        root_priors(noisy(keys, seed, sims, FlatEvaluator()), state, sims) for seed in range(200)
    ])  # fmt: skip
    expected = (1 - noise) * _PRIORS + noise / len(_PRIORS)
    error = mixed.std(axis=0) / np.sqrt(len(mixed))
    assert (abs(mixed.mean(axis=0) - expected) <= 5 * error + 0.5 / sims).all()
    least = (1 - noise) * _PRIORS
    assert (mixed >= least - 1 / sims).all()
    assert (mixed <= least + noise + 1 / sims).all()


@pytest.mark.parametrize("alpha", [0.03, 0.3, 1, 3, 30])
def test_alpha_is_the_concentration(alpha: float) -> None:
    """Means, variances and covariances are those of Dirichlet's distribution over m moves: 1 / m,
    (m - 1) / (m * m * (m * alpha + 1)) and -1 / (m * m * (m * alpha + 1)). The tolerance is a fifth
    over all moves, and a half for each."""
    shares = draws(alpha)
    moves = shares.shape[1]
    variance = (moves - 1) / (moves * moves * (moves * alpha + 1))
    error = np.sqrt(variance / len(shares))
    assert shares.mean(axis=0) == pytest.approx(np.full(moves, 1 / moves), abs=5 * error)
    covariances = np.cov(shares.T)
    assert np.diag(covariances).mean() == pytest.approx(variance, rel=0.2)
    assert np.diag(covariances) == pytest.approx(np.full(moves, variance), rel=0.5)
    apart = covariances[~np.eye(moves, dtype=bool)]
    assert apart.mean() == pytest.approx(-variance / (moves - 1), rel=0.2)


@pytest.mark.parametrize("alpha", [0.03, 0.3, 1, 3])
def test_draws_are_distributed_as_dirichlets(alpha: float) -> None:
    """The distributions of a move's share, and of the highest share, agree with NumPy's."""
    ours = draws(alpha)
    theirs = np.random.default_rng(0).dirichlet([alpha] * ours.shape[1], 20_000)
    for one, other in (ours, theirs), (ours.max(axis=1), theirs.max(axis=1)):
        for bound in (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9):
            assert np.mean(one < bound) == pytest.approx(np.mean(other < bound), abs=0.05), bound


def test_draws_of_seeds_have_nothing_to_do_with_each_other() -> None:
    """The noise of successive seeds is uncorrelated."""
    shares = draws(1.0)
    assert len({tuple(row) for row in shares}) == len(shares)
    for lag in (1, 2, 16):
        pairs = np.corrcoef(shares[:-lag].ravel(), shares[lag:].ravel())
        assert abs(pairs[0, 1]) < 0.04


@pytest.mark.parametrize("text", ["chess", "connect4", "monster"])
def test_alpha_total_is_shared_by_the_moves(text: str) -> None:
    """alpha_total overrides alpha, with alpha = alpha_total / moves."""
    for seed, state in enumerate(spots(text)[:6]):
        shared = {"sims": 60, "noise": 0.5, "alpha": 50, "alpha_total": 10}
        alone = {"sims": 60, "noise": 0.5, "alpha": 10 / len(state.legal)}
        one, other = (player("puct", keys, seed).think(state) for keys in (shared, alone))
        assert one == other


def test_noise_depends_on_the_seed_and_the_ply() -> None:
    """The same seed and ply give the same noise; another seed or ply gives another noise."""
    first = samples.game("connect4").start()
    second = first.apply(3)
    keys: dict[str, object] = {"noise": 1, "alpha": 1}
    here, again, elsewhere, later = (
        root_priors(noisy(keys, seed), state, _SIMS)
        for seed, state in ((1, first), (1, first), (2, first), (1, second))
    )
    assert (here == again).all()
    assert abs(here - elsewhere).max() > 0.05
    assert abs(here - later).max() > 0.05


@pytest.mark.parametrize("text", ["chess", "monster", "connect4", "exchange"])
def test_noise_agrees_with_the_reference(text: str) -> None:
    """Noise changes only the root's priors, not the order of children: every visit agrees."""
    for turn, state in enumerate(spots(text)):
        Puct(noise=(0.25, 0.6)[turn % 2], alpha=(0.3, 2.0)[turn % 2]).check(state, 60, seed=turn)
