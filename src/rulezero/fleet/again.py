"""Plays games of a task again, to find out whether they were played as the task says.

A game depends on its task and its index alone, so on an equal machine it must come out equal. On
another machine the last bits of a net's outputs differ, a search may take another way, and the game
another course. There a game is retraced: its players think again about every choice of the record,
with the trees and random numbers that they had when they made it, and the thoughts are compared.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import CHANCE, Game, NetError, Played
from rulezero.data.columns import Numbers
from rulezero.data.record import Record, pack
from rulezero.data.replay import Replay, follow
from rulezero.data.thoughts import Columns
from rulezero.fleet.distances import (
    FLOAT,
    LEAST,
    ROUGH,
    Distances,
    Limits,
    Plies,
    beyond,
    distances_of,
)
from rulezero.play.evaluators import DEFAULT, Options
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.players import Player, read_player
from rulezero.play.table import Finished, Table
from rulezero.play.task import Beginning, Task, begin, check_task

Verdict = Literal["equal", "alike", "different", "undecided"]

_EXACT = ("random", "alphabeta", "scripted")  # kinds whose choices are equal on all machines
_INT8 = re.compile(r"\.int8#")  # in the identity of a net that was computed in int8
_WIDTH = 64


class Again(msgspec.Struct, frozen=True, kw_only=True):
    """What playing a game again has shown.

    equal      to the bit
    alike      within the differences of honest machines
    different  it was not played as the task says, or its machine computes wrongly
    undecided  the game says too little
    """

    verdict: Verdict
    reason: str = ""  # one line for people; "" if it is equal or alike
    distances: Distances | None = None  # None: nothing was measured


_STEP = 1 / 32767  # of values in records
_RESIGNED = 0.1  # a value may be this far from the one below which a player resigns


def play_again(
    task: Task, finished: Finished, nets: NetStore = PATHS, *, same_machine: bool
) -> Again:
    """What playing a game again shows about it; see `play_all_again`."""
    return play_all_again(task, [finished], nets, same_machine=same_machine)[0]


def play_all_again(
    task: Task, games: Sequence[Finished], nets: NetStore = PATHS, *, same_machine: bool
) -> list[Again]:
    """What playing some games of a task again shows about each of them.

    Their indices must differ, and their records must be valid (`check_many`). With `same_machine`,
    they were played with the instruction set and runtime of this process (protocol.Machine): they
    must be equal to the bit, unless a backend's outputs depend on the size of its batches (torch).
    It takes as long as playing them.
    """
    game = check_task(task)
    groups: dict[Task, list[Finished]] = {}
    for each in games:
        groups.setdefault(_as_claimed(task, each.record), []).append(each)
    found: dict[int, Again] = {}
    for claimed, group in groups.items():
        try:
            table = Table(claimed, game, nets=nets, width=_WIDTH)
            players = _players(claimed)
            is_equal = same_machine and all(each.options.backend == DEFAULT for each in players)
            if is_equal or all(map(_is_exact, players)):
                found |= _replayed(table, task, group)
            else:
                found |= _retraced(table, group)
        except NetError as error:
            reason = f"a net cannot be computed here as it was there: {error}"
            found |= {
                each.record.index: Again(verdict="undecided", reason=reason) for each in group
            }
    return [found[each.record.index] for each in games]


def _players(task: Task) -> list[Player]:
    return [read_player(text) for text in (task.a, task.b, task.judge) if text is not None]


def _as_claimed(task: Task, record: Record) -> Task:
    """The task with the precision that a record's nets had, where the task leaves the choice.

    With precision=auto, every machine decides by itself whether it computes in int8.
    """
    texts = []
    a_sits = record.index % 2 if task.swap else 0
    for text, seat in ((task.a, a_sits), (task.b, 1 - a_sits)):
        player = read_player(text)
        if player.net is not None and player.options == Options(precision="auto"):
            is_int8 = _INT8.search(record.nets[seat] or "") is not None
            player = player.changed(precision="int8" if is_int8 else "fp32")
        texts.append(player.text)
    return msgspec.structs.replace(task, a=texts[0], b=texts[1])


def _is_exact(player: Player) -> bool:
    return player.spec.name in _EXACT and player.net is None


def _replayed(table: Table, task: Task, games: Sequence[Finished]) -> dict[int, Again]:
    """Games compared with those that this machine plays, by index."""
    found = {}
    wanted = {each.record.index: each for each in games}
    names = (read_player(task.a).text, read_player(task.b).text)
    for made in table.play(iter(wanted)):
        assert isinstance(made, Finished)
        a_sits = made.record.index % 2 if task.swap else 0
        players = (names[a_sits], names[1 - a_sits])
        record = msgspec.structs.replace(made.record, players=players)
        again = msgspec.structs.replace(made, record=record)
        found[record.index] = _compared(table.game, wanted[record.index], again)
    return found


def _retraced(table: Table, games: Sequence[Finished]) -> dict[int, Again]:
    """Games whose players think again about the choices of the records, by index."""
    is_float = all(player.options == Options() for player in _players(table.task))
    limits = FLOAT if is_float else ROUGH
    found: dict[int, Again] = {}
    retraced: dict[int, _Retraced] = {}
    for each in games:
        index = each.record.index
        beginning = begin(table.task, table.game, index)
        if (reason := _wrong_beginning(each.record, beginning)) is not None:
            found[index] = _different(reason)
        else:
            table.retrace(each.record)
            retraced[index] = _Retraced(table, each, beginning)
    for played in table.session.run():
        found[played.index] = retraced[played.index].judged(played, limits)
    return found


def _different(reason: str, distances: Distances | None = None) -> Again:
    return Again(verdict="different", reason=reason, distances=distances)


def _compared(game: Game, finished: Finished, again: Finished) -> Again:
    """The comparison of a game with the same one, played by an equal machine."""
    one, other = finished.record, again.record
    if finished == again:
        return Again(verdict="equal")
    if one.start != other.start:
        return _different(_OTHER_START)
    state = game.parse(one.start)
    choices = zip(one.action_numbers().tolist(), other.action_numbers().tolist(), strict=False)
    for ply, (here, there) in enumerate(choices):
        if here != there:
            what = "the die falls on" if state.mover == CHANCE else "the player chooses"
            return _different(f"at ply {ply}, {what} {state.say(there)}, not {state.say(here)}")
        state = state.apply(here)
    if (one.plies, one.outcome, one.end_reason) != (other.plies, other.outcome, other.end_reason):
        return _different(
            f"it ends after {other.plies} plies, {other.outcome:g} ({other.end_reason}), not after"
            f" {one.plies}, {one.outcome:g} ({one.end_reason})"
        )
    if one.thoughts != other.thoughts:
        return _different("its choices are right, but its thoughts are not those of its players")
    if one == other:
        return _different("the note is not the judge's")
    wrong = [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]
    return _different(f"its field {wrong[0]} is not that of a game of the task")


_OTHER_START = "it does not begin with the start and the opening that the task gives it"


def _wrong_beginning(record: Record, beginning: Beginning) -> str | None:
    """What is wrong with the first plies of a game, which the task gives."""
    opening = beginning.script
    is_right = (
        record.start == beginning.start.text
        and record.opening == len(opening)
        and record.action_numbers()[: len(opening)].tolist() == opening
    )
    return None if is_right else _OTHER_START


class _Retraced:
    """A game whose players think again about the choices of its record."""

    def __init__(self, table: Table, finished: Finished, beginning: Beginning) -> None:
        self._table = table
        self._record = finished.record
        self._note = finished.note
        self._beginning = beginning
        first, second = beginning.a_sits, 1 - beginning.a_sits
        self._players = (table.players[first], table.players[second])  # by seat

    def judged(self, played: Played, limits: Limits) -> Again:
        """What the thoughts of the second time say about those of the record."""
        record = self._record
        if played.reason == "die":
            return _different(f"at ply {played.plies}, the die falls otherwise by the task's seed")
        replay = follow(self._table.game, record.start, record.action_numbers())
        mine, again = record.columns(), _columns(played.last.actions, played.thoughts())
        choices = np.array([_choice(played, ply) for ply in range(record.plies)], np.int64)
        is_chosen = (replay.movers >= 0) & (np.arange(record.plies) >= record.opening)
        is_exact = np.array([_is_exact(player) for player in self._players])[replay.movers]
        other = choices != mine.actions
        for ply in np.flatnonzero(is_chosen & is_exact).tolist():
            if other[ply] or mine.thought(ply) != again.thought(ply):
                name = self._players[replay.movers[ply]].spec.name
                return _different(f"at ply {ply}, {name} chooses or thinks otherwise everywhere")
        measured = is_chosen & ~is_exact
        distances = distances_of(mine, again, measured, other)
        reason = self._wrong_end(played, mine, replay) or beyond(distances, limits)
        if reason is None and self._table.task.judge is not None:
            if self._note is None or self._note.plies != record.plies:
                return _different("the judge's note is missing, or about another game", distances)
            note = self._note.columns(mine.actions)
            noted = _columns(mine.actions, played.notes())
            of_note = distances_of(note, noted, replay.movers >= 0, np.zeros_like(other))
            if (beyond_note := beyond(of_note, limits)) is not None:
                reason = f"the judge's note: {beyond_note}"
            distances = distances if measured.any() else of_note
        if reason is not None:
            return _different(reason, distances)
        if 0 < distances.thoughts < LEAST:
            few = f"it has only {distances.thoughts} thoughts to compare"
            return Again(verdict="undecided", reason=few, distances=distances)
        return Again(verdict="alike", distances=distances)

    def _wrong_end(self, played: Played, mine: Columns, replay: Replay) -> str | None:
        """What is wrong with an end that the rules do not give."""
        record, task = self._record, self._table.task
        if record.end_reason == "cap":
            facts = self._table.game.facts
            limit = len(self._beginning.script) if task.scripts else facts.max_plies
            if record.plies < limit:
                return f"it is stopped after {record.plies} plies, not after {limit}"
        elif not replay.last.is_over and record.end_reason != "resigned":
            return f"no game of a task ends by '{record.end_reason}'"
        rule = self._beginning.resign
        if rule is None:
            return "it is a game without resigning" if record.end_reason == "resigned" else None
        is_chosen = np.arange(record.plies) >= record.opening
        for seat in (0, 1):
            own = is_chosen & (replay.movers == seat)
            values = mine.value[own] * (1 - 2 * seat)
            if max(_runs(values < -rule.value - _STEP), default=0) >= rule.choices:
                return f"the player in seat {seat} does not resign where the task says it must"
            if record.end_reason == "resigned" and seat == replay.last.mover:
                before = [0, *_runs(values < -rule.value + _STEP)][-1]
                last = _last_value(played, seat)
                if record.outcome != 2 * seat - 1 or before < rule.choices - 1:
                    return f"the player in seat {seat} must not resign, by its own values"
                if last > -rule.value + _RESIGNED:
                    return f"the player in seat {seat} resigns where its value is {last:.3f}"
        return None


def _last_value(played: Played, seat: int) -> float:
    """The value, for the player in this seat, of the position in which it has resigned."""
    if played.reason == "resigned":
        return -1.0
    last = played.thought(played.plies - 1)
    return 1.0 if last is None or math.isnan(last.value) else last.value * (1 - 2 * seat)


def _runs(is_so: Plies) -> list[int]:
    """For each number, how many in a row are so up to it."""
    found: list[int] = []
    for each in is_so:
        found.append((found[-1] if found else 0) + 1 if each else 0)
    return found


def _columns(actions: list[int] | Numbers, thoughts: dict[str, npt.NDArray[Any]]) -> Columns:
    """The core's thoughts in the precision of records."""
    _, packed = pack(actions, **thoughts)
    return packed.columns(np.asarray(actions, np.uint32))


def _choice(played: Played, ply: int) -> int:
    """What the mover would choose; -1 for a die and in an opening."""
    thought = played.thought(ply)
    return -1 if thought is None else thought.action
