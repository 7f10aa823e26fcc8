"""The laws that every game must keep, checked on one state after the other."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rulezero._core import (
    CHANCE,
    Game,
    GameError,
    MoveError,
    PositionError,
    RulezeroError,
    State,
    heuristic,
)
from rulezero.games.observed import Findings, shown
from rulezero.games.python_game import describe

_MOST_CHILDREN = 12  # children of a state that are compared
_NEAR = 1e-5  # values of the heuristic that count as equal
_STRANGE = ("", " ", "nonsense", "\x00", "9" * 1000)  # texts that are not positions
_LARGEST_SEED = (1 << 64) - 1

# A state's answers, by the name of the answer and of the method that gives it.
Answers = dict[tuple[str, str], Any]


class Laws:
    """Examines states of a game and records every law that they break."""

    def __init__(self, game: Game, findings: Findings, rules: Any = None) -> None:
        """`rules`: of a game in Python; None for the core's games, whose states have a history."""
        self._game, self._rules = game, rules
        self._findings = findings
        self._by_text: dict[str, Answers] = {}
        self._by_planes: dict[bytes, tuple[str, frozenset[int]]] = {}
        self._blame = re.compile(rf"{re.escape(game.facts.name)}\.(\w+)\(\) (.*)", re.DOTALL)

    def examine(self, state: State) -> None:
        """Checks every law on a state."""
        laws: list[Callable[[State], None]] = [
            self._text, self._moves, self._dice, self._slots, self._planes, self._screen,
            self._events, self._heuristic, self._round_trip,
        ]  # fmt: skip
        if self._rules is not None and self._game.has_mirror:
            laws.append(self._mirror)
        for law in laws:
            self.guard(law, state)

    def guard(self, deed: Callable[..., object], *arguments: Any) -> bool:
        """Calls a function; records an error of the rules, and returns whether there was none."""
        try:
            deed(*arguments)
        except RulezeroError as error:
            self.note(error)
            return False
        return True

    def note(self, error: RulezeroError) -> None:
        """Records an error that the rules raised, or that the core raised because of them."""
        found = self._blame.fullmatch(str(error))
        method, words = found.groups() if found else ("", str(error))
        self._findings.add("answers", method, words)

    # --- the game as a whole ---

    def facts(self) -> None:
        """Checks the facts, as far as that is possible without playing."""
        facts = self._game.facts
        squares = facts.planes[1] * facts.planes[2]
        layout, slots = facts.policy_layout, facts.slots
        if layout == "planes" and slots % squares:
            self._add(
                "facts", "", f"policy_layout is planes, but slots = {slots} is not a multiple of"
                f" the {squares} squares of planes = {facts.planes}",
            )  # fmt: skip
        if layout == "from_to" and slots < squares * squares:
            self._add(
                "facts", "", f"policy_layout is from_to, but slots = {slots} is less than"
                f" {squares} x {squares}, the pairs of squares of planes = {facts.planes}",
            )  # fmt: skip
        if squares == 1 and self._rules is not None:
            words = f"planes = {facts.planes} has one square: a net needs rows and columns"
            self._add("facts", "", words, is_warning=True)

    def starts(self, seeds: Iterable[int]) -> None:
        """Checks the starts of these seeds and of the largest seed."""
        self.guard(self._game.start, _LARGEST_SEED)
        texts = {self._game.start(seed).text for seed in seeds}
        is_random = self._game.facts.has_random_start
        if len(texts) > 1 and not is_random:
            one, other = sorted(texts)[:2]
            self._add(
                "start", "start", f"gives {shown(one)} for one seed and {shown(other)} for another,"
                " but has_random_start is False",
            )  # fmt: skip
        if len(texts) == 1 and is_random:
            words = "gives the same position for every seed, but has_random_start is True"
            self._add("start", "start", words, is_warning=True)

    def strange_texts(self, text: str) -> None:
        """Checks that parse() raises a ValueError for texts that are not positions."""
        for strange in (*_STRANGE, f"{text}?", text[:-1]):
            if strange != text:
                self.guard(self._strange_text, strange)

    def _strange_text(self, text: str) -> None:
        words = f"{shown(text)}, which is not a position"
        try:
            state = self._game.parse(text)
        except PositionError:
            return
        except GameError as error:
            found = self._blame.fullmatch(str(error))
            said = found[2] if found else str(error)
            self._add("bad text", "parse", f"{said} when given {words}: raise a ValueError")
            return
        try:
            told = state.text
            _ = state.legal
            if has_planes(state):
                state.planes()
        except RulezeroError as error:
            self._add("bad text", "parse", f"accepts {words}, and then {error}: raise a ValueError")
            return
        if text in ("nonsense", "") and told == text:
            self._add("bad text", "parse", f"accepts {words}: raise a ValueError", is_warning=True)

    def replays(self, states: list[State], at: int) -> None:
        """Checks that the rest of a game can be replayed from the text of its state `at`."""
        if self._rules is None:
            return
        state = self._game.parse(states[at].text)
        for later in states[at + 1 :]:
            action = later.actions[-1]
            if action not in state.legal:
                return  # the check of the round trip reports this
            state = state.apply(action)
            if state.text != later.text or state.is_over != later.is_over:
                words = (
                    f"leaves something out: from {shown(states[at].text)} the same"
                    f" {len(later.actions) - at} actions lead to {_ended(later)}, but from parse()"
                    f" of this text to {_ended(state)}"
                )
                self._add("round trip", "text", words)
                return

    # --- one state ---

    def _text(self, state: State) -> None:
        text = state.text
        if not text or text != text.strip() or not text.isprintable():
            words = f"gives {shown(text)}: it must be one line of printable text, without spaces"
            self._add("text", "text", f"{words} around it")

    def _moves(self, state: State) -> None:
        said: dict[str, int] = {}
        for action in state.legal:
            words = state.say(action)
            where = f"in {shown(state.text)}"
            if not words or words != words.strip() or not words.isprintable():
                told = f"gives {shown(words)} for action {action} {where}"
                self._add("move text", "say", f"{told}: it must be a printable word")
            elif words in said:
                told = f"gives {shown(words)} for action {said[words]} and for action {action}"
                self._add("move text", "say", f"{told} {where}: give each its own text")
            said.setdefault(words, action)
        for words, action in said.items():
            try:
                found = state.read(words)
            except MoveError as error:
                self._add(
                    "move text", "say", f"gives {shown(words)}, which cannot be read: {error}"
                )
                continue
            if found != action and words:
                told = f"gives {shown(words)} for action {action}, which read() reads as {found}"
                self._add("move text", "say", f"{told} in {shown(state.text)}")
        for action in state.legal:
            if not state.kind(action):
                self._add("kind", "kind", f"gives '' for action {action} in {shown(state.text)}")

    def _dice(self, state: State) -> None:
        if state.is_over or state.mover != CHANCE:
            return
        for action, chance in zip(state.legal, state.chances, strict=True):
            if not chance > 0:
                words = f"gives {chance:g} for action {action} in {shown(state.text)}"
                self._add("chances", "chances", f"{words}: leave impossible actions out of legal()")

    def _slots(self, state: State) -> None:
        if state.is_over or state.mover == CHANCE:
            return
        taken: dict[int, int] = {}
        for action in state.legal:
            slot = state.slot(action)
            if slot in taken and self._rules is not None:
                words = f"gives {slot} for action {taken[slot]} and for action {action}"
                told = f"{words} in {shown(state.text)}: a net cannot tell them apart"
                self._add("slots", "slot", told, is_warning=True)
            taken.setdefault(slot, action)

    def _planes(self, state: State) -> None:
        if not has_planes(state):
            return
        planes = state.planes()
        if not (np.isfinite(planes).all() and planes.min() >= 0 and planes.max() <= 1):
            self._add("planes", "encode", f"gives a number outside [0, 1] in {shown(state.text)}")
        if self._rules is None or state.is_over:
            return
        legal = frozenset(state.slot(action) for action in state.legal)
        text, others = self._by_planes.setdefault(planes.tobytes(), (state.text, legal))
        if others != legal:
            words = f"gives the same planes for {shown(text)} and {shown(state.text)}"
            told = f"{words}, whose legal actions differ: a net cannot tell them apart"
            self._add("planes", "encode", told, is_warning=True)

    def _screen(self, state: State) -> None:
        state.info()
        for row in state.cells():
            for cell in row:
                if not cell.man and cell.seat != -1:
                    words = f"gives ('', {cell.seat}) in {shown(state.text)}"
                    told = f"{words}: an empty square must be ('', -1)"
                    self._add("cells", "cells", told, is_warning=True)

    def _events(self, state: State) -> None:
        for name, number in state.events.items():
            if not np.isfinite(number):
                self._add("events", "events", f"gives {number} for {name} on {shown(state.text)}")

    def _heuristic(self, state: State) -> None:
        if self._rules is None:
            if self._game.facts.has_heuristic and not state.is_over and state.mover != CHANCE:
                heuristic(state)
            return
        value = self._judged(state)
        if value is not None and not -1 <= value <= 1:
            words = f"gives {value:g} in {shown(state.text)}, which is outside [-1, 1]"
            self._add("heuristic", "heuristic", words)

    def _judged(self, state: State) -> float | None:
        """The heuristic of rules in Python; None if it does not apply or gives no number."""
        if not self._game.facts.has_heuristic or state.is_over or state.mover == CHANCE:
            return None
        position = self._position(state)
        value = None if position is None else self._ask("heuristic", position)
        if position is not None and not isinstance(value, int | float | np.number):
            words = f"gives {shown(value)} in {shown(state.text)}: it must be a number in [-1, 1]"
            self._add("heuristic", "heuristic", words)
            return None
        return None if value is None else float(value)

    def _position(self, state: State) -> Any:
        """The position of rules in Python; None if its text cannot be read (reported elsewhere)."""
        try:
            return self._rules.parse(state.text)
        except Exception:
            return None

    def _answers(self, state: State) -> Answers:
        """The answers that must be equal for states with equal texts."""
        found: Answers = {
            ("ending", "ending"): (state.outcome, state.end_reason) if state.is_over else None,
            ("legal actions", "legal"): state.legal,
        }
        if not state.is_over:
            found["mover", "mover"] = state.mover
            found["chances", "chances"] = state.chances
        if self._rules is None:
            return found
        if has_planes(state):
            found["planes", "encode"] = state.planes().tobytes()
        for action in _some(state.legal):
            found[f"text after action {action}", "apply"] = state.apply(action).text
        return found

    def _round_trip(self, state: State) -> None:
        text = state.text
        try:
            parsed = self._game.parse(text)
        except PositionError as error:
            words = f"refuses {shown(text)}, which text() gave for a position of a game: {error}"
            self._add("round trip", "parse", words)
            return
        if parsed.text != text:
            words = f"does not give the position back: {shown(text)} became {shown(parsed.text)}"
            self._add("round trip", "parse", words)
        elif self._rules is None and state.is_over and not parsed.is_over and state.times >= 3:
            return  # drawn by repetition: a text has no history
        else:
            made = "in a game", "after parse()"
            answers = self._answers(state)
            self._compare("round trip", text, answers, self._answers(parsed), made)
            self._twins(state, answers)

    def _twins(self, state: State, answers: Answers) -> None:
        if self._rules is None and state.is_over:
            return  # its history may have ended it
        twin = self._by_text.setdefault(state.text, answers)
        made = "in one position", "in another"
        self._compare("equal texts", state.text, twin, answers, made)

    def _compare(
        self, law: str, text: str, one: Answers, other: Answers, made: tuple[str, str]
    ) -> None:
        for name, method in (*one, *other):
            first, second = one.get((name, method)), other.get((name, method))
            if first != second:
                what = "" if name == "planes" else ": "
                what = what and f"{what}{shown(first)} {made[0]}, {shown(second)} {made[1]}"
                words = f"leaves something out: positions with the text {shown(text)} differ in"
                words += f" {name}{what}"
                self._add(law, "text", f"{words} ({method}())")
                return

    def _mirror(self, state: State) -> None:
        position = self._position(state)
        image = None if position is None else self._ask("mirror", position)
        if image is None:
            return
        text, there_text = state.text, self._ask("text", image)
        try:
            mirrored = self._game.parse(there_text)
        except PositionError as error:
            words = f"gives {shown(there_text)} for {shown(text)}, which parse() refuses: {error}"
            self._add("mirror", "mirror", words)
            return
        back = self._ask("mirror", image)
        told = None if back is None else self._ask("text", back)
        if told != text:
            words = f"applied twice, gives {shown(told)} for {shown(text)}: it must change nothing"
            self._add("mirror", "mirror", words)
            return
        if (state.outcome, state.is_over or state.mover) != (
            mirrored.outcome,
            mirrored.is_over or mirrored.mover,
        ):
            words = f"gives {shown(mirrored.text)} for {shown(text)}, where the mover or the"
            self._add("mirror", "mirror", f"{words} ending is different")
            return
        there = {action: self._ask("mirror_action", position, action) for action in state.legal}
        if not all(isinstance(each, int) for each in there.values()):
            words = f"gives {shown([*there.values()])} for the legal actions of {shown(text)}"
            self._add("mirror", "mirror_action", f"{words}: they must be action numbers")
            return
        if sorted(there.values()) != sorted(mirrored.legal):
            words = f"gives {shown(sorted(there.values()))} for the legal actions of {shown(text)}"
            told = f"{words}, but {shown(sorted(mirrored.legal))} are legal in the mirror image"
            self._add("mirror", "mirror_action", told)
            return
        for action in _some(state.legal):
            after = self._ask("mirror", self._ask("parse", state.apply(action).text))
            other = mirrored.apply(there[action]).text
            if after is not None and self._ask("text", after) != other:
                words = f"gives {there[action]} for action {action} in {shown(text)}, leading to"
                told = f"{words} {shown(other)}, not the image {shown(self._ask('text', after))}"
                self._add("mirror", "mirror_action", told)
                return
        self._mirrored_heuristic(state, mirrored)

    def _mirrored_heuristic(self, state: State, mirrored: State) -> None:
        one, other = self._judged(state), self._judged(mirrored)
        if one is not None and other is not None and abs(one - other) > _NEAR:
            words = f"gives {one:g} in {shown(state.text)} and {other:g} in its mirror image"
            self._add("mirror", "heuristic", f"{words} {shown(mirrored.text)}", is_warning=True)

    def _ask(self, method: str, *arguments: Any) -> Any:
        """A method's answer; its exceptions become GameErrors, as when the core calls it."""
        try:
            return getattr(self._rules, method)(*arguments)
        except RulezeroError:
            raise
        except Exception as error:
            words = describe(error)
            raise GameError(f"{self._game.facts.name}.{method}() {words}") from error

    def _add(self, law: str, method: str, words: str, *, is_warning: bool = False) -> None:
        method = method if self._rules is not None else ""
        self._findings.add(law, method, words, is_warning=is_warning)


def has_planes(state: State) -> bool:
    """Whether a net can evaluate the state: not while the mover is chance."""
    return state.is_over or state.mover != CHANCE


def _some(actions: list[int]) -> list[int]:
    """A few of these actions, spread over the whole list."""
    return actions[:: 1 + len(actions) // (_MOST_CHILDREN + 1)]


def _ended(state: State) -> str:
    return f"{shown(state.text)}{', the end' if state.is_over else ''}"
