"""Checks whether a game's rules keep the laws that players and training rely on."""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from rulezero._core import CHANCE, Game, RulezeroError, State
from rulezero.games.laws import Laws, has_planes
from rulezero.games.load import AnyGame, load, rules_of
from rulezero.games.observed import Fault, Findings, observe, shown
from rulezero.games.view import title

# What people can type in `rulezero play` in place of a move.
COMMANDS = ("moves", "hint", "undo", "info", "board", "flip", "resign", "quit", "help")

_FROM_ONE_GAME = 12  # states examined per game
_REPLAYED = 3  # states per game from which the rest of it is played again
_FEW_GAMES = 10  # fewer games give no warnings
_ONE_SIDED = 0.9  # share of random games that one seat wins
_MANY_DECIDED = 20  # decided games of which each seat should win some
_OFTEN_CUT = 0.2  # share of random games that end at max_plies
_SECONDS_PER_SPEED = 0.2
_LONG = 60.0  # seconds for another process
_ELSEWHERE = 2  # games replayed there


class GameCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `check_game`."""

    game: str
    errors: tuple[Fault, ...]  # broken laws, one fault for each law and method
    warnings: tuple[Fault, ...]  # allowed, but rarely intended
    games: int  # played to the end
    positions: int  # examined
    lengths: tuple[int, ...]  # plies of each game
    results: tuple[int, int, int]  # games won by seat 0, drawn, won by seat 1
    cut: int  # games that were stopped at max_plies
    moves: float  # average number of legal actions
    plies_per_second: float  # of random play; 0 if there are errors
    planes_per_second: float
    sample: tuple[State, ...]  # a random game

    @property
    def is_sound(self) -> bool:
        """Whether no law is broken."""
        return not self.errors

    def __repr__(self) -> str:
        found = f"{len(self.errors)} errors, {len(self.warnings)} warnings"
        return f"<check of {title(self.game)}: {self.games} games, {found}>"

    __str__ = __repr__


def check_game(
    game: AnyGame,
    *,
    games: int = 100,
    seed: int = 0,
    seconds: float = 5.0,
    other_process: bool = True,
) -> GameCheck:
    """Plays random games and reports broken laws, and behaviour that is rarely intended.

    Stops after `games` games or after `seconds`, whichever comes first. With `other_process`, two
    games of a game in a Python file are also replayed in a new process, where sets have a
    different order.
    """
    game = load(game)
    rules = rules_of(game)
    findings = Findings(rules)
    watched, observed = (game, None) if rules is None else observe(rules, game, findings)
    laws = Laws(watched, findings, observed)
    laws.facts()
    laws.guard(laws.starts, range(seed, seed + 5))
    until = time.monotonic() + 0.8 * seconds
    played: list[list[State]] = []
    positions = 0
    for number in range(games):
        if number and time.monotonic() > until:
            break
        dice = _dice(seed, number)
        states: list[State] = []
        is_whole = laws.guard(_play, watched, seed + number, dice, states)
        positions += _examine(laws, states, dice, until if number else until + seconds)
        if not is_whole:
            if number >= _FEW_GAMES and not played:
                break  # every game ended with an error
            continue
        played.append(states)
        if rules is not None and number == 0:
            laws.strange_texts(states[len(states) // 2].text)
    if not findings.all(are_warnings=False):  # more games for the figures, not observed
        laws.guard(_play_on, game, seed, games, until + 0.2 * seconds, played)
    laws.guard(_warn, findings, watched, played, rules is not None)
    if other_process and game.text.startswith("python:") and played:
        _replay_elsewhere(findings, game, played[:_ELSEWHERE])
    errors = findings.all(are_warnings=False)
    speeds = (0.0, 0.0) if errors else _speeds(game, seed)
    lasts = [states[-1] for states in played]
    return GameCheck(
        game=game.text,
        errors=errors,
        warnings=findings.all(are_warnings=True),
        games=len(played),
        positions=positions,
        lengths=tuple(len(last.actions) for last in lasts),
        results=_results(lasts),
        cut=sum(not last.is_over for last in lasts),
        moves=_mean_moves(played),
        plies_per_second=speeds[0],
        planes_per_second=speeds[1],
        sample=tuple(played[0]) if played else (),
    )


def _play(game: Game, seed: int, dice: random.Random, into: list[State]) -> None:
    """Appends the states of a random game to a list; after an error, those before it."""
    state, first = game.start(seed), len(into)
    into.append(state)
    while not state.is_over and len(into) - first <= game.facts.max_plies:
        state = state.apply(dice.choices(state.legal, state.chances or None)[0])
        into.append(state)


def _play_on(game: Game, seed: int, games: int, until: float, into: list[list[State]]) -> None:
    """Appends random games to a list until there are enough or the time is over."""
    while len(into) < games and time.monotonic() < until:
        states: list[State] = []
        _play(game, seed + len(into), _dice(seed, len(into)), states)
        into.append(states)


def _dice(seed: int, number: int) -> random.Random:
    return random.Random(f"{seed} {number}")


def _examine(laws: Laws, states: list[State], dice: random.Random, until: float) -> int:
    """Examines some states of a game, also its first and last, and returns their number."""
    if not states:
        return 0
    inner = range(1, len(states) - 1)
    some = dice.sample(inner, min(_FROM_ONE_GAME, len(inner)))
    examined = 0
    for at in sorted({0, *some, len(states) - 1}):
        if examined and time.monotonic() > until:
            break
        laws.examine(states[at])
        examined += 1
    for at in dice.sample(range(len(states)), min(_REPLAYED, len(states))):
        laws.guard(laws.replays, states, at)
    return examined


def _results(lasts: Sequence[State]) -> tuple[int, int, int]:
    outcomes = [last.outcome for last in lasts if last.outcome is not None]
    won, lost = (sum(sign * outcome > 0 for outcome in outcomes) for sign in (1, -1))
    return won, len(outcomes) - won - lost, lost


def _mean_moves(played: Sequence[list[State]]) -> float:
    choices = [
        len(state.legal)
        for states in played
        for state in states
        if not state.is_over and state.mover != CHANCE
    ]
    return sum(choices) / max(len(choices), 1)


def _warn(findings: Findings, game: Game, played: list[list[State]], is_python: bool) -> None:
    """Warns of behaviour that is rarely intended, if there are enough games to judge."""
    if len(played) < _FEW_GAMES:
        return
    facts = game.facts
    lasts = [states[-1] for states in played]
    ended = [last for last in lasts if last.is_over]
    cut = len(lasts) - len(ended)
    method = "ending" if is_python else ""
    if not ended:
        words = f"ended none of {len(lasts)} random games within max_plies = {facts.max_plies}"
        findings.add("end", method, words)
        return

    def warn(law: str, method: str, words: str) -> None:
        findings.add(law, method if is_python else "", words, is_warning=True)

    if is_python and cut / len(lasts) > _OFTEN_CUT:
        words = f"{cut} of {len(lasts)} random games were stopped at max_plies = {facts.max_plies}"
        warn("end", "", f"{words} and count as drawn: raise max_plies, or let games end sooner")
    won, drawn, lost = _results(ended)
    for seat, wins in (0, won), (1, lost):
        if wins > _ONE_SIDED * len(lasts):
            name = facts.seat_names[seat]
            warn("results", "ending", f"lets {name} win {wins} of {len(lasts)} random games")
        elif not wins and won + lost >= _MANY_DECIDED:
            name = facts.seat_names[seat]
            warn("results", "ending", f"lets {name} win none of {won + lost} decided random games")
    if drawn == len(lasts):
        warn("results", "ending", f"says that all {drawn} random games are drawn")
    states = [state for states in played for state in states if not state.is_over]
    movers = Counter(state.mover for state in states)
    for seat in (0, 1):
        if not movers[seat]:
            warn("movers", "mover", f"never says that it is {facts.seat_names[seat]}'s turn")
    if facts.has_chance and not movers[CHANCE]:
        warn("movers", "mover", "never gives CHANCE, but has_chance is True")
    if all(len(state.legal) == 1 for state in states if state.mover != CHANCE):
        warn("choices", "legal", "never gives a choice: one legal action in every position")
    said = {state.say(action) for state in states[:500] if is_python for action in state.legal}
    for command in sorted(said.intersection(COMMANDS)):
        words = f"gives '{command}', which is a command of `rulezero play`"
        warn("move text", "say", f"{words}: give this move another text")
    looks = {state.planes().tobytes() for state in states[:500] if has_planes(state)}
    if is_python and len(looks) == 1:
        warn("planes", "encode", "gives the same planes for every position")


def _speeds(game: Game, seed: int) -> tuple[float, float]:
    """Plies of random play per second, and encoded positions per second."""
    dice = random.Random(seed)
    seen: list[State] = []
    begin = time.perf_counter()
    while time.perf_counter() - begin < _SECONDS_PER_SPEED:
        _play(game, seed, dice, seen)
    plies = len(seen) / (time.perf_counter() - begin)
    seen = [state for state in seen if has_planes(state)]
    begin, count = time.perf_counter(), 0
    while seen and time.perf_counter() - begin < _SECONDS_PER_SPEED:
        seen[count % len(seen)].planes()
        count += 1
    return plies, count / (time.perf_counter() - begin)


# --- another process -----------------------------------------------------------------------------

_Row = tuple[str, list[int], list[str]]  # text, legal actions and their texts


def rows(game: Game, start: str, actions: Sequence[int]) -> list[_Row]:
    """The text, legal actions and move texts at each state of a replayed game."""
    state = game.parse(start)
    found = []
    for action in (*actions, None):
        found.append((state.text, state.legal, [state.say(each) for each in state.legal]))
        if action is not None:
            state = state.apply(action)
    return found


def _replay_elsewhere(findings: Findings, game: Game, played: list[list[State]]) -> None:
    """Compares games with their replays in a process where texts have other hashes."""
    asked = [(states[0].text, states[-1].actions) for states in played]
    code = (
        "import json, sys; from rulezero.games.check import load, rows;"
        "game, asked = json.load(sys.stdin);"
        "json.dump([rows(load(game), *each) for each in asked], sys.stdout)"
    )
    try:
        mine = [rows(game, *each) for each in asked]
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps([game.text, asked]),
            capture_output=True,
            text=True,
            timeout=_LONG,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": "1" if _hash_seed() != "1" else "2"},
        )
    except (RulezeroError, subprocess.TimeoutExpired):
        return  # a broken law that was found before, or rules that are too slow
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it stopped"])[-1]
        findings.add("another process", "", f"cannot be replayed in another process: {said}")
        return
    for here, there in zip(mine, json.loads(done.stdout), strict=True):
        for row, other in zip(here, there, strict=True):
            for method, one, two in zip(("text", "legal", "say"), row, other, strict=True):
                if one != two:
                    words = f"gives {shown(one)} here and {shown(two)} in another process"
                    told = f"{words}: do not use the order of a set, hash(), time or random numbers"
                    findings.add("another process", method, told)
                    return


def _hash_seed() -> str:
    return os.environ.get("PYTHONHASHSEED", "")
