"""`rulezero replay`: recorded games in the terminal, ply by ply."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import rulezero as rz
from rulezero.cli.terminal.bar import print_value
from rulezero.cli.terminal.options import Trusted
from rulezero.cli.terminal.records import OfGame, Selection, say_result
from rulezero.cli.terminal.screen import open_console, plain_table, print_pairs
from rulezero.cli.terminal.words import counted, say_shares


def replay(
    path: Annotated[
        Path, typer.Argument(metavar="STORE_OR_FILE", help="A store, a .jsonl or a .pgn file.")
    ],
    which: Annotated[
        str | None, typer.Argument(metavar="[RECORD]", help="A record's id or number in the list.")
    ] = None,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="Start after this ply; in a pipe, print only that one."),
    ] = None,
    as_list: Annotated[bool, typer.Option("--list", help="List the records.")] = False,
    game: OfGame = None,
    trusted: Trusted = False,
) -> None:
    """Step through a recorded game, or list the games of a store or a file."""
    console = open_console()
    if ply is not None and which is None:
        raise typer.BadParameter("name a record too: --list shows them", param_hint="'--ply'")
    selection = Selection(path, game=game, trusted=trusted)
    if as_list or which is None:
        table = _table(selection, console)
        if not table.row_count:
            raise selection.nothing()
        console.print(table)
        selection.warn()
        return
    try:
        record, notes = selection.look_up(which)
    finally:
        selection.warn()
    rules = rz.data.game_of(record.game, trusted=trusted)
    viewer = _Viewer(record, rules, list(rz.data.steps_of(record, notes, game=rules)), console)
    if ply is not None and ply > record.plies:
        raise rz.RecordError(f"the game has {record.plies} plies, not {ply}")
    viewer.introduce()
    if console.is_terminal and sys.stdin.isatty():
        viewer.turn_pages(ply or 0)
    else:
        for at in range(record.plies + 1) if ply is None else [ply]:
            viewer.show(at)


def _table(records: Iterable[rz.Record], console: Console) -> Table:
    who = "record", "game", "for", "first seat", "second seat"
    table = plain_table(console, ">number", *who, "result", ">plies", has_room=False)
    for number, record in enumerate(records, 1):
        table.add_row(
            str(number),
            record.id[:12],
            Text(record.game),
            record.purpose,
            *map(Text, record.players),
            Text(say_result(record)),
            str(record.plies),
        )
    return table


class _Viewer:
    """A recorded game on a screen."""

    def __init__(
        self, record: rz.Record, game: rz.Game, steps: list[rz.data.Step], console: Console
    ) -> None:
        self.record = record
        self.steps = steps
        self.console = console
        self.names = game.facts.seat_names
        self.is_flipped = False
        self.states = [step.state for step in steps]
        self.states.append(steps[-1].after if steps else game.parse(record.start))
        judges = list(dict.fromkeys(judge for step in steps for judge in step.notes))
        self.marks = [ply.mark for ply in rz.contest.losses(steps, judges[-1])] if judges else []

    def introduce(self) -> None:
        """Who played what, when it was and how it ended."""
        record = self.record
        facts = [("game", record.game), ("record", record.id)]
        for name, player, net in zip(self.names, record.players, record.nets, strict=True):
            facts.append((name, player if net is None else f"{player} ({net})"))
        facts.append(("result", f"{say_result(record)}, {counted(record.plies, 'ply')}"))
        if record.opening:
            facts.append(("opening", f"{counted(record.opening, 'ply')} drawn at random"))
        facts.append(("played", f"for {record.purpose} by {record.source}, seed {record.seed}"))
        print_pairs(self.console, facts)

    def show(self, at: int) -> None:
        """The board after some plies, its position as text, and what mover and judges thought."""
        step = self.steps[at - 1] if at else None
        words = "" if step is None else rz.view.say_ply(step.state, step.action, self.names)
        if self.marks and at > self.record.opening:
            words += self.marks[at - 1]
        title = f"ply {at}: {words}" if words else "start"
        self.console.print()
        self.console.print(
            rz.view.draw(self.states[at], title, is_flipped=self.is_flipped, names=self.names)
        )
        self.console.print(Text(self.states[at].text), soft_wrap=True)
        if step is None:
            return
        for who, thought in {"thought": step.thought, **step.notes}.items():
            if thought is not None:
                self.tell(who, step.state, thought)

    def tell(self, who: str, state: rz.State, thought: rz.data.Thought) -> None:
        """A thought: what it held best, and the value."""
        words = f"{who}: {say_shares(state, thought)}"
        if thought.sims:
            words += f" ({thought.sims} simulations)"
        self.console.print(Text(words), soft_wrap=True)
        print_value(self.console, thought, self.names)

    def turn_pages(self, at: int) -> None:
        """Asks where to go, until there is no answer."""
        last = len(self.steps)
        self.show(at)
        while True:
            try:
                word = input(f"{at} of {last}; Enter, back, a number, flip, quit: ").strip().lower()
            except (EOFError, KeyboardInterrupt):
                self.console.print()
                return
            if word in ("", "n", "next"):
                wanted = at + 1
            elif word in ("b", "back", "p", "prev"):
                wanted = at - 1
            elif word in ("f", "flip"):
                self.is_flipped = not self.is_flipped
                wanted = at
            elif word in ("q", "quit"):
                return
            elif word.isdecimal():
                wanted = int(word)
            else:
                shown = "".join(letter for letter in word if letter.isprintable())
                self.console.print(f"'{shown[:20]}' is no page", markup=False)
                continue
            if not 0 <= wanted <= last:
                self.console.print(f"the game has plies from 0 to {last}")
                continue
            at = wanted
            self.show(at)
