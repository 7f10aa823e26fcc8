"""`rulezero tour`: one random game of each kind, drawn as it goes."""

import random
from itertools import groupby, pairwise
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


def tour(
    names: GameTexts = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Play and draw one random game of each kind.

    Examples:
      rulezero tour
      rulezero tour exchange razzle --seed 3
    """
    console = open_console()
    summary = plain_table(console, "game", ">plies", ">turns", ">choices", "result")
    for name in names or rz.game_names():
        states = _play(rz.load(name), seed)
        _show(console, states)
        summary.add_row(
            states[0].game.text,
            str(len(states) - 1),
            str(_turns(states)),
            f"{sum(len(state.legal) for state in states) / max(len(states) - 1, 1):.1f}",
            _result(states[-1]),
        )
    _print_rule(console, Text("summary", "bold"))
    console.print(summary)


def _play(game: rz.Game, seed: int) -> list[rz.State]:
    """The states of a game of uniformly random choices; dice fall as their chances say."""
    dice = random.Random(seed)
    state = game.start(seed=seed)
    states = [state]
    while not state.is_over and len(states) <= game.facts.max_plies:
        weights = state.chances or None
        state = state.apply(dice.choices(state.legal, weights)[0])
        states.append(state)
    return states


def _turns(states: list[rz.State]) -> int:
    """Runs of choices by one mover, a die between them not counted."""
    movers = [state.mover for state in states[:-1] if state.mover != rz.CHANCE]
    return sum(1 for _ in groupby(movers))


def _result(last: rz.State) -> str:
    return rz.view.caption(last) if last.is_over else f"stopped after {len(last.actions)} plies"


def _show(console: Console, states: list[rz.State]) -> None:
    game = states[0].game
    facts = game.facts
    sizes = (
        f"{facts.board[0]}x{facts.board[1]} board, {facts.actions} actions, "
        f"{facts.slots} policy slots, {'x'.join(map(str, facts.planes))} planes"
        f"{', dice' if facts.has_chance else ''}"
    )
    heading = Text.assemble((rz.view.title(game.text), "bold cyan"), ("  " + sizes, "dim"))
    _print_rule(console, heading)
    shown = [states[at] for at in sorted({0, len(states) // 2, len(states) - 1})]
    boards = [rz.view.draw(state, _heading(state)) for state in shown]
    console.print(Columns(boards, padding=(0, 1)))
    console.print()
    console.print(_moves(states))
    console.print(Text.assemble(("result ", "dim"), (_result(states[-1]), "bold")))
    console.print()


def _print_rule(console: Console, heading: Text) -> None:
    """The heading with a line behind it, which a pipe does not need."""
    heading.no_wrap, heading.overflow = True, "ellipsis"
    console.print(Rule(heading, align="left", style="dim") if console.is_terminal else heading)


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
