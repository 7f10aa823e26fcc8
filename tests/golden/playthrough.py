"""Playthroughs: a random game as text, with every public answer at every state.

`python -m golden.playthrough` in tests/ (`make golden`) regenerates them. It refuses to change the
playthrough of a game whose rules version and encoding version are unchanged, unless called with
--force.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import rulezero as rz
from support import samples

FOLDER = Path(__file__).parent / "playthroughs"
_SEEDS = 64  # number of random games, of which the shortest one is shown
_PLIES = 40  # minimum length of the game shown, if a game has it
_FEW_CHANNELS = 20  # up to this number of planes, their sums are shown after the digest


def path_of(text: str) -> Path:
    """The path of a game's playthrough."""
    return FOLDER / f"{samples.file_name(text)}.txt"


def write(game: rz.Game, seed: int, actions: Iterable[int]) -> str:
    """The playthrough of these actions from the seed's start."""
    return "\n".join([*_header(game, seed), *_states(game.start(seed=seed), actions), ""])


def rewrite(game: rz.Game, playthrough: str) -> str:
    """The playthrough of the same seed and actions with the present rules."""
    try:
        return write(game, int(read_header(playthrough, "seed")), read_actions(playthrough))
    except rz.RulezeroError as error:
        return f"the game cannot be played any more: {error}"


def read_header(playthrough: str, name: str) -> str:
    """The value of a header line such as "rules version"."""
    found = re.search(rf"^{name}: (.*)$", playthrough, re.MULTILINE)
    if found is None:
        raise ValueError(f"the playthrough has no line '{name}:'")
    return found[1]


def read_actions(playthrough: str) -> list[int]:
    """The actions of a playthrough."""
    return [int(number) for number in re.findall(r"^chose: \S+ = (\d+)$", playthrough, re.M)]


def versions(playthrough: str) -> tuple[int, int]:
    """The rules version and the encoding version in a playthrough's header."""
    return (
        int(read_header(playthrough, "rules version")),
        int(read_header(playthrough, "encoding version")),
    )


def _header(game: rz.Game, seed: int) -> Iterator[str]:
    facts = game.facts
    yield f"game: {game.text}"
    yield f"rules version: {facts.version}"
    yield f"encoding version: {facts.encoding}"
    yield f"seed: {seed}"
    yield f"actions: {facts.actions}"
    yield f"slots: {facts.slots}"
    yield f"planes: {facts.planes}"
    yield f"board: {facts.board}"
    yield f"max plies: {facts.max_plies}"
    yield f"has chance: {facts.has_chance}"
    yield f"events: {' '.join(facts.events) or '-'}"


def _states(state: rz.State, actions: Iterable[int]) -> Iterator[str]:
    yield from _answers(state)
    for action in actions:
        yield f"chose: {state.say(action)} = {action}"
        state = state.apply(action)
        yield from _answers(state)


def _answers(state: rz.State) -> Iterator[str]:
    yield ""
    yield f"ply: {len(state.actions)}"
    yield f"text: {state.text}"
    yield from _board(state)
    yield f"key: {state.key:016x} (times {state.times})"
    events = {name: value for name, value in state.events.items() if value}
    if events:
        yield "events: " + " ".join(f"{name}={value:g}" for name, value in events.items())
    is_die = not state.is_over and state.mover == rz.CHANCE
    if not is_die:
        yield f"planes: {_planes(state)}"
    if state.is_over:
        yield f"over: outcome {state.outcome:g}, {state.end_reason}"
        return
    yield f"mover: {'chance' if is_die else state.mover}"
    if is_die:
        yield "chances: " + " ".join(f"{chance:.6g}" for chance in state.chances)
    yield "legal: " + " ".join(_choice(state, action, is_die) for action in state.legal)


def _board(state: rz.State) -> Iterator[str]:
    """The rows of the board; each man has its seat and, after a colon, its note."""
    board = [
        [f"{cell.man}{cell.seat}:{cell.note}".rstrip(":") if cell.man else "." for cell in row]
        for row in state.cells()
    ]
    width = max(len(square) for row in board for square in row)
    for row in board:
        yield "  " + " ".join(square.ljust(width) for square in row).rstrip()


def _choice(state: rz.State, action: int, is_die: bool) -> str:
    """An action as move text, SAN if the game has it, number and slot."""
    said = state.say(action)
    try:
        san = f"|{state.say(action, san=True)}"
    except rz.GameError:
        san = ""
    return f"{said}{san}={action}" + ("" if is_die else f"@{state.slot(action)}")


def _planes(state: rz.State) -> str:
    planes = state.planes()  # [channels, rows, columns]
    digest = hashlib.sha256(planes.tobytes()).hexdigest()[:16]
    if len(planes) > _FEW_CHANNELS:
        return digest
    return digest + " sums " + " ".join(f"{plane.sum():g}" for plane in planes)


def _chosen_game(game: rz.Game) -> tuple[int, list[int]]:
    """Seed and actions of the shortest random game with at least _PLIES plies, or the longest."""
    games = [(seed, samples.play(game, seed)[-1].actions) for seed in range(_SEEDS)]
    long_enough = [(seed, actions) for seed, actions in games if len(actions) >= _PLIES]
    if long_enough:
        return min(long_enough, key=lambda found: len(found[1]))
    return max(games, key=lambda found: len(found[1]))


def _renew(text: str, force: bool) -> str:
    """Writes a game's playthrough, unless it changed without a new version; returns a verdict."""
    game = rz.load(text)
    path = path_of(text)
    new = write(game, *_chosen_game(game))
    if path.exists():
        old = path.read_text(encoding="utf-8")
        if rewrite(game, old) == old:
            return "unchanged"
        if versions(new) <= versions(old) and not force:
            return "REFUSED: its answers changed, so raise its rules version or encoding first"
    path.write_text(new, encoding="utf-8")
    return "written"


def main(arguments: Sequence[str]) -> int:
    """Regenerates every playthrough; returns 1 if one was refused."""
    parser = argparse.ArgumentParser(description="Write the playthroughs anew.")
    parser.add_argument("--force", action="store_true", help="also where no version was raised")
    force = parser.parse_args(arguments).force
    FOLDER.mkdir(exist_ok=True)
    verdicts = {text: _renew(text, force) for text in samples.GAMES}
    for text, verdict in verdicts.items():
        print(f"{text}: {verdict}")
    return int(any(verdict.startswith("REFUSED") for verdict in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
