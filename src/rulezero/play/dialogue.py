"""A game with people: they choose for human seats; players and dice answer."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from rulezero._core import CoreThought, Game, GameError, NetError, Played, PlayerError, State
from rulezero.data.columns import PlyColumn
from rulezero.data.record import Record, record_from
from rulezero.data.thoughts import PLY_COLUMNS, Columns, Thought, Thoughts, pack
from rulezero.nets.card import NNUE, resolve
from rulezero.play.players import Player, read_player
from rulezero.play.session import Session, Stop
from rulezero.play.thought import read_core

SIMS = 400  # simulations per choice of the default opponent
_OF_NNUE = "alphabeta:quiescence=4,reductions=true"  # the opponent with such a net ...
_SECONDS = 1.0  # ... and its time per choice


class Ply(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A choice and its mover's thought."""

    state: State  # before it
    action: int
    core: CoreThought | None = None
    kept: Columns | None = None  # the thoughts of a record that the game continues
    number: int = 0  # the ply's number in these

    @property
    def after(self) -> State:
        """The state it led to."""
        return self.state.apply(self.action)

    @property
    def thought(self) -> Thought | None:
        """The mover's thought; None for people, dice and openings."""
        if self.kept is not None:
            return self.kept.thought(self.number)
        return None if self.core is None else read_core(self.core)


def opponent(
    text: str | None = None,
    *,
    net: str | Path | None = None,
    sims: int | None = None,
    time: float | None = None,
) -> Player:
    """The opponent of a person: the player of a text, or the usual player of a net or without one.

    That is PUCT, or alpha-beta for an efficiently updatable net. `time` is its time limit per move
    in seconds.
    """
    keys: dict[str, Any] = {}
    if net is not None:
        keys["net"] = str(net)
    if net is not None and text is None and _is_updatable(net):
        text, time = _OF_NNUE, _SECONDS if time is None else time
    if sims is not None or (text is None and time is None):
        keys["sims"] = SIMS if sims is None else sims
    player = read_player("puct" if text is None else text, **keys)
    if time is not None and not player.can_be_timed:
        raise PlayerError(f"time={time}: '{player.text}' does not search; leave time out")
    return player if time is None else player.within(time)


def _is_updatable(net: str | Path) -> bool:
    with contextlib.suppress(NetError):  # the player says what is wrong with its net
        return resolve(net).suffix == NNUE
    return False


class Dialogue:
    """One game in which people choose for the seats that are human.

    `choose` makes a person's choice; `advance` lets players and dice move until a person must
    choose again. The choices of players and dice depend only on the position, its history and the
    seed: after a choice is taken back and repeated, they are the same.
    """

    def __init__(
        self,
        game: Game,
        players: tuple[Player, Player],
        *,
        start: State | None = None,
        seed: int = 0,
        is_recorded: bool = True,
        names: tuple[str | None, str | None] = (None, None),
        date: str | None = None,
    ) -> None:
        """A game from a start; the plies before it are the opening, which no player chose.

        `is_recorded`: whether its thoughts will be used for training. `names` of people, by seat,
        and the `date` (2026.11.18) are for the record.
        """
        self.game = game
        self.players = players
        self.seed = seed
        self.names = names
        self.date = date
        self.state = game.start(seed=seed) if start is None else start
        self.plies = _past(self.state)
        self.outcome: float | None = None  # seat 0's, once the game is over
        self.end_reason: str | None = None
        if self.state.is_over:
            raise GameError(f"the game is over in this position: {self.state.end_reason}")
        self._start = self.plies[0].state if self.plies else self.state
        self._opening = len(self.plies)  # first plies that the players did not choose
        self._is_recorded = is_recorded
        self._distinct = list(dict.fromkeys(players))
        self._numbers = (self._distinct.index(players[0]), self._distinct.index(players[1]))
        self._session = Session(game, self._distinct, seed=seed, width=1)

    @classmethod
    def continuing(
        cls,
        record: Record,
        players: tuple[Player, Player],
        *,
        game: Game,
        plies: int | None = None,
        seed: int | None = None,
        is_recorded: bool = True,
        names: tuple[str | None, str | None] = (None, None),
        date: str | None = None,
    ) -> "Dialogue":
        """The game of a record, continued after all its plies, or after the first `plies`.

        With the players of the record it is the same game: thoughts, date and seed are kept. With
        others it is a new game, whose opening are the plies so far. People keep their names.
        """
        wanted = record.plies if plies is None else plies
        if not 0 <= wanted <= record.plies:
            raise GameError(f"give a ply from 0 to {record.plies}, not {wanted}")
        actions = record.action_numbers().tolist()[:wanted]
        is_same = record.players == tuple(player.text for player in players)
        first, second = (
            new or (old if player.is_human else None)
            for new, old, player in zip(names, record.names, players, strict=True)
        )
        names = first, second
        if is_same:
            date = record.date or date
        found = cls(
            game,
            players,
            start=game.replay(record.start, actions),
            seed=(record.seed if is_same else 0) if seed is None else seed,
            is_recorded=is_recorded,
            names=names,
            date=date,
        )
        if is_same:
            found._opening = min(record.opening, wanted)
            columns = record.columns()
            found.plies = [
                msgspec.structs.replace(ply, kept=columns, number=number)
                for number, ply in enumerate(found.plies)
            ]
        return found

    @property
    def is_over(self) -> bool:
        """Whether the game was ended, by the rules or by a person."""
        return self.end_reason is not None

    @property
    def is_asking(self) -> bool:
        """Whether a person must choose now."""
        return not self.is_over and not self.state.is_over and self._is_human(self.state)

    def advance(self, stop: Stop | None = None) -> list[Ply]:
        """Lets players and dice move until a person must choose or the game ends; their plies.

        Each time that `stop` returns True, the current search ends and its player moves at once.
        """
        if self.is_over:
            return []
        left = self.game.facts.max_plies - len(self.plies)
        self._session.add(
            0,
            self.state,
            self._numbers,
            most_plies=max(0, left),
            is_recorded=self._is_recorded,
        )
        try:
            played = self._finish(stop)
        except BaseException:
            # The old session has an unfinished game.
            self._session = Session(self.game, self._distinct, seed=self.seed, width=1)
            raise
        if played.reason != "parked":
            self.outcome, self.end_reason = played.outcome, played.reason
        new = played.last.actions[len(played.last.actions) - played.plies :]
        return [self._add(action, played.thought(at)) for at, action in enumerate(new)]

    def _finish(self, stop: Stop | None) -> Played:
        finished: list[Played] = []
        while not finished:
            finished = self._session.step()
            if stop is not None and stop():
                self._session.hurry()
            if self._session.pool.parked():
                self._session.pool.stop(0, 0.0, "parked")
                finished = self._session.pool.take_finished()
        return finished[0]

    def choose(self, action: int) -> Ply:
        """Makes a person's choice; MoveError if it is not legal."""
        if not self.is_asking:
            raise GameError("no human is to move: call advance() first")
        return self._add(action)

    def undo(self) -> list[Ply]:
        """Takes back the plies from the last choice of a person on; returns them, [] if none."""
        asked = [at for at, ply in enumerate(self.plies) if self._is_human(ply.state)]
        if not asked:
            return []
        kept, taken = self.plies[: asked[-1]], self.plies[asked[-1] :]
        self.plies, self.state = kept, taken[0].state
        self._opening = min(self._opening, len(kept))
        self.outcome = self.end_reason = None
        return taken

    def resign(self) -> None:
        """Ends the game: the human to move loses."""
        if not self.is_asking:
            raise GameError("no human is to move: call advance() before resigning")
        self.outcome, self.end_reason = 1.0 if self.state.mover == 1 else -1.0, "resigned"

    def interrupt(self) -> None:
        """Ends a game that is not over, without a result."""
        if not self.is_over:
            self.outcome, self.end_reason = 0.0, "interrupted"

    def record(self) -> Record:
        """The record of the finished game, with the players' thoughts."""
        if self.outcome is None or self.end_reason is None:
            raise GameError("the game is not over")
        identities = [self._session.identities[player] for player in self._numbers]
        return record_from(
            self._start,
            _packed(self.plies),
            outcome=self.outcome,
            end_reason=self.end_reason,
            players=(self.players[0].text, self.players[1].text),
            nets=(identities[0], identities[1]),
            seed=self.seed,
            purpose="human",
            source="human",
            opening=self._opening,
            names=self.names,
            date=self.date,
        )

    def _is_human(self, state: State) -> bool:
        return state.mover in (0, 1) and self.players[state.mover].is_human

    def _add(self, action: int, core: CoreThought | None = None) -> Ply:
        ply = Ply(state=self.state, action=action, core=core)
        self.state = ply.after
        self.plies.append(ply)
        return ply


def _past(state: State) -> list[Ply]:
    """The plies that led to a state."""
    plies: list[Ply] = []
    for action in reversed(state.actions):
        assert state.before is not None
        state = state.before
        plies.append(Ply(state=state, action=action))
    return plies[::-1]


def _packed(plies: list[Ply]) -> tuple[bytes, Thoughts]:
    """Choices and thoughts in the form of a record."""
    pairs = [_pairs(ply) for ply in plies]
    return pack(
        [ply.action for ply in plies],
        **{column.name: [_number(ply, column) for ply in plies] for column in PLY_COLUMNS},
        counts=[len(actions) for actions, _, _ in pairs],
        pair_actions=[action for actions, _, _ in pairs for action in actions],
        pair_weights=[weight for _, weights, _ in pairs for weight in weights],
        pair_targets=[target for _, _, targets in pairs for target in targets],
    )


def _number(ply: Ply, column: PlyColumn) -> Any:
    """The number of a column at a ply."""
    if ply.kept is not None:
        return getattr(ply.kept, column.name)[ply.number]
    return column.missing if ply.core is None else getattr(ply.core, column.name)


def _pairs(ply: Ply) -> tuple[Sequence[int], Sequence[float], Sequence[float]]:
    """Actions, weights and targets of a ply's policy."""
    if ply.kept is not None:
        return ply.kept.pairs(ply.number)
    if ply.core is None:
        return (), (), ()
    return ply.core.actions, ply.core.weights, ply.core.target or ply.core.weights
