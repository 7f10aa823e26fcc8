"""`rulezero tour`: one random game of each kind, drawn as it goes."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import typer
from rich.columns import Columns
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.options import GameTexts
from rulezero.cli.terminal.screen import open_console, plain_table

_MOVES_SHOWN = 60


@dataclass(frozen=True)
class Played:
    """A finished (or stopped) game: every state from the start on."""

    game: rz.Game
    states: list[rz.State]

    @property
    def result(self) -> str:
        """How it ended, in words."""
        last = self.states[-1]
        return rz.view.caption(last) if last.is_over else f"stopped after {len(last.actions)} plies"


def tour(
    names: GameTexts = None,
    seed: Annotated[int, typer.Option(help="Another number, other games.")] = 0,
) -> None:
    """Play one random game of each kind and show how it went."""
    console = open_console()
    summary = plain_table(console, "game", ">plies", ">turns", ">choices", "result")
    for name in names or rz.games():
        played = _play(rz.load(name), seed)
        _show(console, played)
        states = played.states
        summary.add_row(
            played.game.text,
            str(len(states) - 1),
            str(_turns(states)),
            f"{sum(len(state.legal) for state in states) / max(len(states) - 1, 1):.1f}",
            played.result,
        )
    _print_rule(console, Text("summary", "bold"))
    console.print(summary)


def _play(game: rz.Game, seed: int) -> Played:
    """A game of uniformly random choices; dice fall as their chances say."""
    dice = random.Random(seed)
    state = game.start(seed=seed)
    states = [state]
    while not state.is_over and len(states) <= game.facts.max_plies:
        weights = state.chances or None
        state = state.apply(dice.choices(state.legal, weights)[0])
        states.append(state)
    return Played(game, states)


def _turns(states: list[rz.State]) -> int:
    """Runs of choices by one mover, a die between them not counted."""
    movers = [state.mover for state in states[:-1] if state.mover != rz.CHANCE]
    return sum(now != then for then, now in zip([None, *movers], movers, strict=False))


def _show(console: Console, played: Played) -> None:
    facts = played.game.facts
    sizes = (
        f"{facts.board[0]}x{facts.board[1]} board, {facts.actions} actions, "
        f"{facts.slots} policy slots, {'x'.join(map(str, facts.planes))} planes"
        f"{', dice' if facts.has_chance else ''}"
    )
    title = Text.assemble((played.game.text, "bold cyan"), ("  " + sizes, "dim"))
    _print_rule(console, title)
    boards = [rz.view.draw(state, _heading(state)) for state in _milestones(played.states)]
    console.print(Columns(boards, padding=(0, 1)))
    console.print()
    console.print(_moves(played.states))
    console.print(Text.assemble(("result ", "dim"), (played.result, "bold")))
    console.print()


def _print_rule(console: Console, title: Text) -> None:
    """The title with a line behind it, which a pipe does not need."""
    title.no_wrap, title.overflow = True, "ellipsis"
    console.print(Rule(title, align="left", style="dim") if console.is_terminal else title)


def _milestones(states: list[rz.State]) -> Iterator[rz.State]:
    """The start, the middle and the end."""
    yield states[0]
    if len(states) > 2:
        yield states[len(states) // 2]
    if len(states) > 1:
        yield states[-1]


def _heading(state: rz.State) -> str:
    plies = len(state.actions)
    return f"ply {plies}: {rz.view.last_words(state)}" if plies else "start"


def _moves(states: list[rz.State]) -> Text:
    """The first choices and the last ones, in words; a die stands in brackets behind its own."""
    words: list[str] = []
    for before, after in pairwise(states):
        said = before.say(after.actions[-1])
        if before.mover == rz.CHANCE and words:
            words[-1] += f"({said})"
        else:
            words.append(said)
    half = _MOVES_SHOWN // 2
    if len(words) > _MOVES_SHOWN:
        words = [*words[:half], "...", *words[-half:]]
    return Text.assemble(("moves  ", "dim"), " ".join(words))
