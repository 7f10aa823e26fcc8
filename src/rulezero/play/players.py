"""Players from texts such as `puct:net=runs/x,sims=200`, the same wherever one is named."""

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rulezero._core import GameError, PlayerError, State, player_kinds
from rulezero._core import Player as CorePlayer
from rulezero.errors import among
from rulezero.games import grammar
from rulezero.games.grammar import Spec, Value
from rulezero.plain import plain
from rulezero.play.engines import settings as engines
from rulezero.play.evaluators import DEFAULT, Evaluator, Options, backends, read_options

if TYPE_CHECKING:
    from rulezero.endgame.monster import Probe
    from rulezero.play.thought import Thought

_NET = "a checkpoint, a run folder (its best), RUN@latest, RUN@12"
_CORE_NET = "a .nnue or .nn file, or a run folder whose nets are such files"
_EVALS = ("heuristic", "rollout", "uniform", "hash")
_TABLES = "a folder of solved endgames"
_WEIGHTS = "a YAML file with weights of the heuristic; `rulezero games GAME` lists them"
_OUTSIDE = ("net", *Options._fields, "weights", "tables")  # keys that the core does not read


class Key(NamedTuple):
    """A key of a player's text."""

    name: str
    fallback: str  # its default value
    help: str


class Kind(NamedTuple):
    """A kind of player."""

    name: str
    help: str
    judges: bool  # whether it can have a net or another evaluator
    keys: tuple[Key, ...]


@cache
def kinds() -> dict[str, Kind]:
    """Every kind of player that a text can name, with its keys."""
    found = {}
    for name, text, judges, options in player_kinds():
        keys = [Key(*option) for option in options]
        if judges:
            known = f"without a net: {', '.join(_EVALS)}; rollout if a game has no heuristic"
            keys[:0] = [
                Key("net", "", _NET if name != "alphabeta" else _CORE_NET),
                *(_net_keys() if name != "alphabeta" else []),
                *([Key("eval", "heuristic", known)] if name != "policy" else []),
            ]
        if name == engines.NAME:
            keys = [Key(key, "", words) for key, words in engines.KEYS.items()]
        if name == "heuristic" or (judges and name != "policy"):
            keys.append(Key("weights", "", _WEIGHTS))
        if name not in ("random", "policy", "human", engines.NAME):
            keys.append(Key("tables", "", _TABLES))
        found[name] = Kind(name, text, judges, tuple(keys))
    return found


def _net_keys() -> list[Key]:
    """The keys for the computation of a net, with the choices of each backend."""

    def listed(offers: dict[str, str]) -> str:
        return ", ".join(f"{name} ({words})" if words else name for name, words in offers.items())

    known = backends()
    devices = [
        f"{name}: {', '.join(each.devices)} (default: {each.devices[0]})"
        for name, each in known.items()
    ]
    precisions = [f"{name}: {listed(backend.precisions)}" for name, backend in known.items()]

    def of(key: str) -> str:
        helps = {name: each.keys[key] for name, each in known.items() if key in each.keys}
        return "; ".join(f"backend={name}: {text}" for name, text in helps.items())

    return [
        Key("backend", DEFAULT, f"library that computes the net: {', '.join(known)}"),
        Key("precision", "fp32", f"number format of the net; {'; '.join(precisions)}"),
        Key("device", "", f"device that computes the net; {'; '.join(devices)}"),
        Key("batch", "", of("batch")),
        Key("compile", "false", of("compile")),
    ]


class Player:
    """A player: its text, and perhaps an evaluator object, which a text cannot name.

    Players are equal if their texts, seeds and evaluators are the same.
    """

    def __init__(self, spec: Spec, evaluator: Evaluator | None = None, seed: int = 0) -> None:
        self.spec = spec
        self.evaluator = evaluator
        self.seed = seed

    @property
    def text(self) -> str:
        """The player as one line, from which `read_player` makes an equal one."""
        return self.spec.text

    @property
    def is_human(self) -> bool:
        """Whether a person chooses for it."""
        return self.spec.name == "human"

    @property
    def engine(self) -> engines.EngineSettings | None:
        """The engine that plays for it; None unless it is a player `uci`."""
        is_engine = self.spec.name == engines.NAME
        return engines.read_engine(self.spec.options) if is_engine else None

    @property
    def net(self) -> str | None:
        """The text of its net, if it has one."""
        return self.spec.options.get("net")

    @property
    def options(self) -> Options:
        """The options for the computation of its net."""
        return read_options(self.spec.options)

    @property
    def core_options(self) -> dict[str, str]:
        """The keys of the text that the core reads."""
        if self.engine is not None:
            return {"time": repr(self.seconds)} if self.seconds else {}
        return {key: text for key, text in self.spec.options.items() if key not in _OUTSIDE}

    def has(self, key: str) -> bool:
        """Whether this kind of player has such a key."""
        return any(known.name == key for known in kinds()[self.spec.name].keys)

    def number(self, key: str) -> float:
        """The value of a numeric key, or its default; 0 if this kind does not have the key."""
        fallbacks = {known.name: known.fallback for known in kinds()[self.spec.name].keys}
        return float(self.spec.options.get(key, fallbacks.get(key, "0")))

    @property
    def seconds(self) -> float:
        """Its time limit per choice in seconds; 0: none."""
        return self.number("time") if self.engine is None else self.engine.seconds

    @property
    def mean_sims(self) -> float:
        """Mean simulations per choice, including fast searches; 0 for kinds without simulations."""
        share = self.number("full_share") if self.has("full_share") else 1
        return share * self.number("sims") + (1 - share) * self.number("fast_sims")

    def changed(self, **keys: str | None) -> "Player":
        """The same player with new values for keys; None removes a key."""
        options = {**self.spec.options, **keys}
        given = {key: text for key, text in options.items() if text is not None}
        text = Spec(self.spec.name, given).text
        return read_player(text, seed=self.seed, evaluator=self.evaluator)

    def within(self, seconds: float) -> "Player":
        """The same player with this time limit per choice; unchanged if it does not search."""
        if self.engine is not None:
            return self.changed(movetime=str(max(1, round(1000 * seconds))))
        return self.changed(time=str(plain(seconds))) if self.has("time") else self

    @property
    def can_be_timed(self) -> bool:
        """Whether `within` changes how long it thinks."""
        return self.has("time") or self.engine is not None

    def without_net(self) -> "Player":
        """The same player without its net, and without the keys for the net's computation."""
        return self.changed(net=None, **dict.fromkeys(Options._fields))

    def think(
        self,
        state: State,
        *,
        tree: int = 0,
        visits: int = 1,
        stop: Callable[[], bool] | None = None,
    ) -> "Thought":
        """The player's choice in a state, with its value, policy and simulations.

        With tree=2 the thought has two plies of the search tree, if the player has one; below the
        root's moves, only positions with at least this many `visits`. A search calls `stop` every
        few milliseconds, and ends early when it returns True.
        """
        from rulezero.play.session import think

        return think(self, state, tree=tree, visits=visits, stop=stop)

    def probe(self, state: State) -> "Probe | None":
        """The state's proven value in the player's tables; None without tables, or if unknown."""
        from rulezero.play.binding import solved_by

        tables = solved_by(self, state.game)
        return None if tables is None else tables.probe(state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Player):
            return NotImplemented
        return (self.text, self.seed) == (other.text, other.seed) and (
            self.evaluator is other.evaluator
        )

    def __hash__(self) -> int:
        return hash((self.text, self.seed))

    def __repr__(self) -> str:
        return f"<player {self.text}>"


def read_player(
    text: "str | Player", *, seed: int = 0, evaluator: Evaluator | None = None, **keys: Value
) -> Player:
    """The player of a text, such as "puct:net=runs/x,sims=200".

    Keys may also be keywords: read_player("puct", sims=200). `evaluator` is any object of the
    Evaluator protocol, used instead of a net. Unknown names raise PlayerError, which suggests the
    nearest known one.
    """
    if isinstance(text, Player):
        if keys or evaluator is not None:
            raise PlayerError(f"{text!r} is a player already; use changed() for other keys")
        return text
    if not isinstance(text, str):
        raise PlayerError(f"a player must be a text such as 'puct:sims=200', not {text!r}")
    try:
        spec = grammar.read(text).extended(keys)
    except GameError as error:
        raise PlayerError(str(error)) from error
    if spec.name not in kinds():
        raise PlayerError(f"there is no player '{spec.name}'{among(spec.name, kinds())}")
    kind = kinds()[spec.name]
    known = [key.name for key in kind.keys]
    for name in spec.options:
        is_engines = spec.name == engines.NAME and name.startswith(engines.OPTION)
        if name not in known and not is_engines:
            raise PlayerError(f"{spec.name} has no key '{name}'{among(name, known)}")
    read_options(spec.options)
    has_net = "net" in spec.options or evaluator is not None
    if evaluator is not None and ("net" in spec.options or not kind.judges):
        raise PlayerError(f"'{text}' cannot have an evaluator: leave evaluator= out")
    is_evaluator = hasattr(evaluator, "evaluate") and hasattr(evaluator, "identity")
    if evaluator is not None and not is_evaluator:
        raise PlayerError(f"{evaluator!r} is not an evaluator: it needs evaluate() and identity")
    if has_net and "eval" in spec.options:
        raise PlayerError(f"'{spec.text}' has net= and eval=: leave one out")
    judge = spec.options.get("eval", "heuristic")
    if judge not in _EVALS:
        raise PlayerError(f"there is no eval={judge}{among(judge, _EVALS)}")
    if "weights" in spec.options and (has_net or judge != "heuristic"):
        raise PlayerError(f"'{spec.text}': only the heuristic uses weights=, leave it out")
    seed = plain(seed)
    if not isinstance(seed, int) or not 0 <= seed < 1 << 64:
        raise PlayerError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}")
    if spec.name != engines.NAME:  # whose keys are the engine's own texts
        options = {key: _canonical(key, given) for key, given in spec.options.items()}
        spec = Spec(spec.name, options)
    made = Player(spec, evaluator, seed)
    _ = made.engine  # raises an error if a key of an engine is wrong
    CorePlayer(spec.name, made.core_options)  # raises an error if a number is out of range
    return made


def are_timed(players: Iterable[Player | str | None]) -> bool:
    """Whether any of these players has a time limit.

    Then games must be played one at a time, as a limit must not count the searches of other games.
    """
    return any(each is not None and read_player(each).seconds > 0 for each in players)


def _canonical(key: str, text: str) -> str:
    """A number in its shortest form, so that equal players have equal texts."""
    try:
        number = float(text)
    except ValueError:
        return text
    if key in (*_OUTSIDE, "eval") or not math.isfinite(number):
        return text
    return str(int(number)) if number.is_integer() else repr(number)


def seat_number(text: str) -> int:
    """0 or 1, from "0", "1", "white" or "black"."""
    numbers = {"0": 0, "1": 1, "white": 0, "black": 1}
    if text.lower() not in numbers:
        raise PlayerError(f"'{text}' is not a seat: give 0, 1, white or black")
    return numbers[text.lower()]
