"""The protocol UCI: what an engine is asked, and what it answers."""

import math
import time
from typing import NamedTuple

from rulezero._core import MoveError, PlayerError, State
from rulezero.errors import among
from rulezero.play.engines.process import EngineFailure, EngineProcess
from rulezero.play.engines.settings import EngineSettings

_PATIENCE = 10.0  # seconds for an engine to start, and to get ready
_ELO = 400.0  # centipawns: the value is the expected score of such an Elo difference
_MOST_NODES = (1 << 32) - 1
_LONGEST_LINE = 16  # plies
_960 = "UCI_Chess960"


class EngineMove(NamedTuple):
    """An engine's answer."""

    action: int
    value: float | None  # seat 0's, in [-1, 1]; None: it has not said
    nodes: int
    line: list[int]  # expected actions, its own first


class Engine:
    """A UCI engine for one kind of game, which answers one question at a time."""

    def __init__(self, settings: EngineSettings, variant: str) -> None:
        """Starts it; PlayerError if it is not a UCI engine, or has no such options."""
        self.settings = settings
        self.variant = variant
        self._process = EngineProcess(settings.command)
        self._state: State | None = None  # that it thinks about
        self._until = 0.0
        self._is_stopped = False
        self._info: dict[str, list[str]] = {}
        try:
            self._set_up(self._introduction())
        except EngineFailure as failure:
            self.close()
            raise PlayerError(f"the engine '{settings.name}' {failure}") from None
        except BaseException:
            self.close()
            raise

    @property
    def output(self) -> int:
        """The number of the file that becomes readable when it says something."""
        return self._process.output

    def close(self) -> None:
        """Ends its process."""
        self._process.close()

    def begin(self) -> None:
        """Prepares it for a new game; EngineFailure."""
        self._process.send("ucinewgame")
        self._get_ready()

    def ask(self, state: State) -> None:
        """Lets it think about a state; EngineFailure."""
        start = state
        while start.before is not None:
            start = start.before
        moves, at = [], start
        for action in state.actions:
            moves.append(at.say(action))
            at = at.apply(action)
        words = f" moves {' '.join(moves)}" if moves else ""
        self._state = state
        self._info = {}
        self._is_stopped = False
        self._process.send(f"position fen {start.text}{words}")
        limits = " ".join(f"{name} {number}" for name, number in self.settings.limits)
        self._until = time.monotonic() + self.settings.seconds + self.settings.patience
        self._process.send(f"go {limits}")

    def stop(self) -> None:
        """Asks it to move now."""
        if self._state is not None and not self._is_stopped:
            self._is_stopped = True
            self._process.send("stop")

    def answer(self) -> EngineMove | None:
        """Its move, or None if it still thinks; EngineFailure if it fails."""
        for line in self._process.lines():
            name, *words = line.split() or [""]
            if name == "info":
                self._listen(words)
            elif name == "bestmove":
                return self._read_move(words)
        if time.monotonic() > self._until:
            raise EngineFailure(
                f"gave no move within {self.settings.seconds + self.settings.patience:g} s"
            )
        return None

    def _introduction(self) -> dict[str, str]:
        """The types of its options by name, as it lists them."""
        types: dict[str, str] = {}
        self._process.send("uci")
        until = time.monotonic() + _PATIENCE
        while lines := self._process.wait(until):
            for line in lines:
                if line == "uciok":
                    return types
                if line.startswith("option name ") and " type " in line:
                    name, _, rest = line.removeprefix("option name ").partition(" type ")
                    types[name.strip()] = rest.split()[0] if rest.split() else ""
            if time.monotonic() > until:
                break
        raise EngineFailure(f"did not answer 'uci' within {_PATIENCE:g} s: is it a UCI engine?")

    def _set_up(self, types: dict[str, str]) -> None:
        by_name = {name.lower(): name for name in types}
        for given, text in self.settings.options:
            name = by_name.get(given.lower())
            if name is None:
                known = among(given, sorted(types) or ["none"])
                raise PlayerError(f"'{self.settings.name}' has no option '{given}'{known}")
            value = "" if types[name] == "button" else f" value {text}"
            self._process.send(f"setoption name {name}{value}")
        if self.variant == "chess960":
            if _960 not in types:
                raise PlayerError(f"'{self.settings.name}' cannot play Chess960")
            self._process.send(f"setoption name {_960} value true")
        self._get_ready()

    def _get_ready(self) -> None:
        self._process.send("isready")
        until = time.monotonic() + _PATIENCE
        while lines := self._process.wait(until):
            if "readyok" in lines:
                return
            if time.monotonic() > until:
                break
        raise EngineFailure(f"was not ready within {_PATIENCE:g} s")

    def _listen(self, words: list[str]) -> None:
        """Keeps the newest numbers of an info line."""
        if "string" in words or "lowerbound" in words or "upperbound" in words:
            return
        if "multipv" in words and words[words.index("multipv") + 1 :][:1] != ["1"]:
            return
        for name, size in (("nodes", 1), ("score", 2), ("pv", _LONGEST_LINE)):
            if name in words:
                at = words.index(name) + 1
                self._info[name] = words[at : at + size]

    def _read_move(self, words: list[str]) -> EngineMove:
        state, self._state = self._state, None
        if state is None:
            raise EngineFailure("gave a move that it was not asked for")
        moves = {state.say(action): action for action in state.legal}
        if not words or words[0] in ("(none)", "0000"):
            raise EngineFailure(f"gave no move in {state.text}")
        action = moves.get(words[0])
        if action is None:
            move = "".join(letter if letter.isprintable() else "?" for letter in words[0][:20])
            raise EngineFailure(f"played '{move}', which is not legal, in {state.text}")
        return EngineMove(action, self._value(state), self._nodes(), self._line(state, action))

    def _value(self, state: State) -> float | None:
        kind, text = [*self._info.get("score", []), "", ""][:2]
        try:
            number = int(text[:12])
        except ValueError:
            return None
        sign = 1 if state.mover == 0 else -1
        if kind == "mate":
            return float(sign if number > 0 else -sign)
        return sign * math.tanh(number * math.log(10) / (2 * _ELO)) if kind == "cp" else None

    def _nodes(self) -> int:
        text = "".join(self._info.get("nodes", []))[:20]
        return min(int(text), _MOST_NODES) if text.isascii() and text.isdecimal() else 0

    def _line(self, state: State, action: int) -> list[int]:
        """The expected line, as far as it is legal and begins with the move."""
        line = [action]
        words = self._info.get("pv", [])
        if words[:1] != [state.say(action)]:
            return line
        for word in words[1:]:
            state = state.apply(line[-1])
            try:
                line.append(state.read(word))
            except MoveError:
                break
        return line
