"""The choices of a game on the page: in full while pages show it, else as short as possible."""

import asyncio
from array import array
from collections.abc import Sequence

import numpy as np

import rulezero as rz
from rulezero.data.thoughts import Thought
from rulezero.web import shown

_STEP = 50  # choices that are replayed before others are served
_STATE_BYTES = 1_200  # of a position and its choice in words, about
_PAIR_BYTES = 120  # of an action with its share, in a thought


class History:
    """A game's choices and what players thought. A state keeps all those before it.

    So the states exist only while the history is awake. `state` and `plies` need that.
    """

    def __init__(
        self, game: rz.Game, start: str, actions: Sequence[int], opening: int | None
    ) -> None:
        """`opening` plies were chosen by no player (None: all)."""
        self.game = game
        self.start = start
        self.opening = len(actions) if opening is None else min(opening, len(actions))
        self.plies: list[shown.PlyShown] = []
        self.thoughts: list[Thought | None] = [None] * len(actions)
        self._actions = array("I", actions)  # while it sleeps
        self._state: rz.State | None = None
        self._thought_bytes = _bytes_of(self.thoughts)

    def __len__(self) -> int:
        return len(self.thoughts)

    @property
    def state(self) -> rz.State:
        """The state after all choices."""
        assert self._state is not None, "the history sleeps"
        return self._state

    @property
    def weight(self) -> int:
        """The number of bytes that it takes, about."""
        kept = len(self._actions) * self._actions.itemsize
        return kept + len(self.plies) * _STATE_BYTES + self._thought_bytes

    async def wake(self) -> None:
        """Replays the choices, in steps between which others are served. GameError."""
        if self._state is not None:
            return
        state, plies = self.game.parse(self.start), []
        for number, action in enumerate(self._actions):
            try:
                said = shown.ply(state, action, is_opening=number < self.opening)
                state = state.apply(action)
            except rz.MoveError:
                raise rz.GameError(
                    f"choice {number + 1} of this game is not legal: begin a new game"
                ) from None
            plies.append(said)
            if number % _STEP == _STEP - 1:
                await asyncio.sleep(0)
        self._state, self.plies, self._actions = state, plies, array("I")

    def sleep(self) -> None:
        """Keeps only the choices."""
        if self._state is not None:
            self._actions = array("I", self._state.actions)
            self._state, self.plies = None, []

    def apply(self, action: int, thought: Thought | None) -> None:
        """Adds a choice. GameError if it is not legal."""
        try:
            after = self.state.apply(action)
        except rz.MoveError:
            words = "this choice is not legal here: choose one that the board shows"
            raise rz.GameError(words) from None
        self.plies.append(shown.ply(self.state, action, is_opening=False))
        self.thoughts.append(thought)
        self._thought_bytes += _bytes_of([thought])
        self._state = after

    def roll(self, seed: int) -> int:
        """The face that the seed and the number of the ply give."""
        dice = np.random.default_rng([seed, len(self)])
        chances = self.state.chances
        return int(dice.choice(self.state.legal, p=np.array(chances) / sum(chances)))

    def go_back(self, state: rz.State) -> None:
        """Forgets the choices after an earlier state."""
        self._state = state
        kept = len(state.actions)
        del self.thoughts[kept:], self.plies[kept:]
        self.opening = min(self.opening, kept)
        self._thought_bytes = _bytes_of(self.thoughts)

    def at(self, ply: int) -> rz.State:
        """The state after the first plies. GameError if there are fewer."""
        made = len(self)
        if ply > made:
            raise rz.GameError(f"the game has {made} plies so far, not {ply}")
        state = self.state
        for _ in range(made - ply):
            assert state.before is not None
            state = state.before
        return state


def _bytes_of(thoughts: Sequence[Thought | None]) -> int:
    return sum(
        8 if each is None else 400 + _PAIR_BYTES * (len(each.shares) + len(each.target))
        for each in thoughts
    )
