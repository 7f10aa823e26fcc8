"""Thinks about the positions of a game on the page, and judges its choices afterwards."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable

import rulezero as rz
from rulezero.contest.analysis import faces
from rulezero.web.clients import Client
from rulezero.web.limits import (
    CHOICE_SECONDS,
    LIVE_SIMS,
    MOST_SIMS,
    OWNER_SECONDS,
    REVIEW_SIMS,
)
from rulezero.web.play import messages
from rulezero.web.play.review import judged_plies, sides_of
from rulezero.web.play.searching import Analysis, Order
from rulezero.web.play.thinker import Thinker
from rulezero.web.visitors import Visitor
from rulezero.web.wording import for_page

_JUDGE = "puct"  # with the hand-written heuristic
_STEP = 4  # positions of a review between two messages, at least
_MOST_STEPS = 50  # messages of a review of a long game


class Analyst:
    """Analyses of one game; `tell` sends messages to its pages."""

    def __init__(
        self,
        visitor: Visitor,
        client: Client,
        thinker: Thinker,
        game: rz.Game,
        start: str,
        tell: Callable[[messages.ToPage], None],
    ) -> None:
        self._visitor = visitor
        self._client = client
        self._thinker = thinker
        self._game = game
        self._start = start
        self._tell = tell

    async def analyse(
        self, state: rz.State, seed: int, sims: int | None
    ) -> AsyncGenerator[Analysis, None]:
        """Searches a position with more and more simulations, up to `sims`."""
        most = sims if self._visitor.is_owner else min(sims or MOST_SIMS, MOST_SIMS)
        stages = [each for each in LIVE_SIMS if most is None or each < most]
        stages += [] if most is None else [most]
        async for found in self._search(state, seed, tuple(stages)):
            yield found

    async def review(self, state: rz.State, seed: int) -> None:
        """Judges all choices that led to a state, and tells the pages about them step by step."""
        states = [state]
        while states[-1].before is not None:
            states.append(states[-1].before)
        states.reverse()
        found: dict[int, Analysis] = {}
        expected: dict[int, float] = {}  # values after choices that a die follows, by ply
        step = max(_STEP, len(states) // _MOST_STEPS)
        for number, each in enumerate(states):
            if each.is_over:
                continue
            if each.mover != rz.CHANCE:
                if (analysis := await self._judged(each, seed)) is not None:
                    found[number] = analysis
            elif number > 0 and (value := await self._expected(each, seed)) is not None:
                expected[number - 1] = value
            if number % step == step - 1:
                plies = judged_plies(states, found, expected)
                self._tell(messages.Reviewed(number, len(states), plies))
        plies = judged_plies(states, found, expected)
        sides = sides_of(plies, self._game)
        self._tell(messages.Reviewed(len(states), len(states), plies, sides))

    async def _judged(self, state: rz.State, seed: int) -> Analysis | None:
        """An analysis of a position of a finished game; None if its search failed."""
        found = None
        async for analysis in self._search(state, seed, (REVIEW_SIMS,)):
            found = analysis
        return found

    async def _expected(self, state: rz.State, seed: int) -> float | None:
        """Seat 0's value while a die is pending: the mean over its faces, by their chances."""
        total = 0.0
        for chance, leaf in faces(state):
            value = leaf.outcome
            if value is None:
                analysis = await self._judged(leaf, seed)
                value = None if analysis is None else analysis.value
            if value is None:
                return None
            total += chance * value
        return total

    async def _search(
        self, state: rz.State, seed: int, stages: tuple[int, ...]
    ) -> AsyncGenerator[Analysis, None]:
        seconds = OWNER_SECONDS if self._visitor.is_owner else 2 * CHOICE_SECONDS
        order = Order(
            number=0,
            kind="analyse",
            game=self._game.text,
            start=self._start,
            actions=state.actions,
            player=_JUDGE,
            seed=seed,
            seconds=seconds,
            stages=stages,
        )
        try:
            ticket = self._thinker.submit(order, self._visitor.name, self._client)
        except asyncio.QueueFull:
            self._tell(messages.BUSY)
            return
        async with contextlib.aclosing(self._thinker.answers(ticket)) as answers:
            async for answer in answers:
                if answer.error is not None:
                    self._tell(messages.Failed(for_page(answer.error)))
                elif answer.analysis is not None:
                    yield answer.analysis
