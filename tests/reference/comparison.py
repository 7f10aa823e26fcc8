"""Compares the core's searches with the reference searches, with the same settings for both."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pytest

import rulezero as rz
from reference import gumbel, hash_evaluator, keyed_random, puct
from reference.net_evaluator import asked
from reference.tree import Evaluate, Node
from rulezero.play.evaluators import Evaluator
from support import samples

# Turns off what the references do not have: temperature, tree reuse and early stopping.
PLAIN: dict[str, dict[str, object]] = {
    "puct": {"temperature": 0, "reuse": False, "early_stop": False},
    "gumbel": {"gumbel_scale": 0},
    "ucb1": {"reuse": False, "early_stop": False},
}


def player(
    search: str, options: Mapping[str, object], seed: int = 0, evaluator: Evaluator | None = None
) -> rz.Player:
    """The core's player with these options, and this evaluator or else the hash evaluator."""
    source = {} if evaluator else {"eval": "hash"}
    settings = {**source, **PLAIN[search], **options}
    words = [f"{key}={str(value).lower()}" for key, value in settings.items()]
    return rz.player(f"{search}:{','.join(words)}", seed=seed, evaluator=evaluator)


@dataclass(frozen=True)
class Puct(puct.Rule):
    """Settings, for the core and for the reference."""

    leaves: int = 1
    draw_value: float = 0.0
    noise: float = 0.0
    alpha: float = 0.3

    def check(
        self, state: rz.State, sims: int, *, evaluator: Evaluator | None = None, seed: int = 0
    ) -> Node:
        """The reference's root, after the core's thought has been compared with it."""
        thought = player("puct", {"sims": sims, **asdict(self)}, seed, evaluator).think(state)
        evaluate = _judge(evaluator)
        root = puct.search(
            state,
            sims,
            evaluate=evaluate,
            rule=self,
            leaves=self.leaves,
            draw_value=self.draw_value,
            draw_face=keyed_random.dice(state, seed),
            noise=self.noise,
            draws=_beside_legal(keyed_random.dirichlet(state, seed, self.alpha), state, evaluate),
        )
        about = f"{self}, {sims} sims, seed {seed}, {state!r}"
        check_shares(thought, root.child_visits, puct.policy(root, self), about)
        assert thought.action == puct.move(root), about
        assert thought.value == pytest.approx(root.value, abs=1e-5), about
        return root


@dataclass(frozen=True)
class Gumbel:
    """Settings, for the core and for the reference."""

    considered: int = 16
    gumbel_scale: float = 0.0
    c_visit: float = 50.0
    c_scale: float = 0.1
    rescale: bool = True
    leaves: int = 1
    draw_value: float = 0.0

    def check(
        self, state: rz.State, sims: int, *, evaluator: Evaluator | None = None, seed: int = 0
    ) -> Node:
        """The reference's root, after the core's thought has been compared with it."""
        thought = player("gumbel", {"sims": sims, **asdict(self)}, seed, evaluator).think(state)
        evaluate = _judge(evaluator)
        draws = _beside_legal(keyed_random.gumbels(state, seed), state, evaluate)
        expected = gumbel.search(
            state,
            sims,
            evaluate=evaluate,
            considered=self.considered,
            gumbels=[self.gumbel_scale * draw for draw in draws],
            settings=gumbel.Settings(self.c_visit, self.c_scale, self.rescale),
            draw_value=self.draw_value,
            draw_face=keyed_random.dice(state, seed),
            leaves=self.leaves,
        )
        about = f"{self}, {sims} sims, seed {seed}, {state!r}"
        check_shares(thought, expected.visits, expected.policy, about)
        assert thought.action == expected.action, about
        assert thought.value == pytest.approx(expected.root.value, abs=1e-5), about
        return expected.root


def _judge(evaluator: Evaluator | None) -> Evaluate:
    """The reference's version of an evaluator; None stands for the hash evaluator."""
    return asked(evaluator) if evaluator else hash_evaluator.evaluate


def _beside_legal(draws: Sequence[float], state: rz.State, evaluate: Evaluate) -> list[float]:
    """Reorders draws for moves sorted by prior, highest first, into the order of state.legal."""
    order = np.argsort(-evaluate(state)[0], kind="stable")
    beside = np.empty(len(order))
    beside[order] = draws
    return [float(draw) for draw in beside]


def check_shares(
    thought: rz.Thought, visits: dict[int, int], policy: dict[int, float], about: str
) -> None:
    """Asserts equal visits and nearly equal policies; missing actions count as 0."""
    assert {action: thought.visits.get(action, 0) for action in visits} == visits, about
    assert set(thought.visits) <= set(visits), about
    assert set(thought.target) <= set(policy), about
    shares = {action: thought.target.get(action, 0.0) for action in policy}
    assert shares == pytest.approx(policy, abs=1e-5), about


@functools.cache
def spots(text: str, about: int = 24) -> tuple[rz.State, ...]:
    """About `about` states of four random games, including the last four choices of each."""
    found: list[rz.State] = []
    for seed in range(4):
        played = samples.played(text, seed)
        states = [state for state in played if not state.is_over and state.mover != rz.CHANCE]
        step = max(1, len(states) * 4 // max(4, about - 16))
        found += [*states[:-4:step], *states[-4:]]
    return tuple(found)
