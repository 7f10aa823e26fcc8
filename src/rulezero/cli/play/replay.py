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
from rulezero.cli.terminal.keys import Keys
from rulezero.cli.terminal.options import Trusted
from rulezero.cli.terminal.records import OfGame, Selection, say_result
from rulezero.cli.terminal.screen import open_console, plain_table, print_pairs
from rulezero.cli.terminal.table import Table as Play
from rulezero.cli.terminal.table import prepare_input, seats_for
from rulezero.cli.terminal.words import counted, say_proof, say_shares, split_turns


def replay(
    path: Annotated[
        Path,
        typer.Argument(metavar="GAMES", help="Store, or a .jsonl or .pgn file, with the games."),
    ],
    which: Annotated[
        str | None,
        typer.Argument(metavar="RECORD", help="Number in the list, id of a record, or last."),
    ] = None,
    ply: Annotated[
        int | None,
        typer.Option(
            min=0, help="Start after this ply. If the output is a pipe, print this position only."
        ),
    ] = None,
    as_list: Annotated[bool, typer.Option("--list", help="List the games and stop.")] = False,
    tables: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Endgame tables: show the exact value of each position they have."
        ),
    ] = None,
    game: OfGame = None,
    trusted: Trusted = False,
) -> None:
    """Step through a recorded game and play it on, or list the games of a store or a file.

    Examples:
      rulezero replay games
      rulezero replay games 3
      rulezero replay their.pgn last --ply 20
    """
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
    steps = list(rz.data.steps_of(record, notes, game=rules))
    solved = None if tables is None else rz.endgame.open(tables)
    viewer = _Viewer(record, rules, steps, console, solved)
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
            *(
                Text(name or player)
                for name, player in zip(record.names, record.players, strict=True)
            ),
            Text(say_result(record)),
            str(record.plies),
        )
    return table


class _Viewer:
    """A recorded game on a screen."""

    def __init__(
        self,
        record: rz.Record,
        game: rz.Game,
        steps: list[rz.data.Step],
        console: Console,
        solved: rz.endgame.Tables | None = None,
    ) -> None:
        self.record = record
        self.game = game
        self.solved = solved
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
        seats = zip(self.names, record.players, record.nets, record.names, strict=True)
        for name, player, net, person in seats:
            words = player if net is None else f"{player} ({net})"
            facts.append((name, f"{person} ({words})" if person else words))
        facts.append(("result", f"{say_result(record)}, {counted(record.plies, 'ply')}"))
        if record.opening:
            how = "of an earlier game" if record.purpose == "human" else "drawn at random"
            facts.append(("opening", f"{counted(record.opening, 'ply')} {how}"))
        on = f" on {record.date}" if record.date else ""
        facts.append(("played", f"for {record.purpose} by {record.source}{on}, seed {record.seed}"))
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
        proof = None if self.solved is None else self.solved.probe(self.states[at])
        if proof is not None and not self.states[at].is_over:
            self.console.print(f"solved: {say_proof(proof, self.names)}")
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
        keys = Keys()
        self.show(at)
        with keys.listening():
            while True:
                prompt = (
                    f"{at} of {len(self.steps)}; arrows, Enter, back, a number, flip, play, quit: "
                )
                try:
                    word = keys.ask(prompt).strip().lower()
                except (EOFError, KeyboardInterrupt):
                    self.console.print()
                    return
                if word in ("q", "quit"):
                    return
                if word in ("p", "play"):
                    with keys.resting():
                        self.play_on(at)
                elif word in ("f", "flip"):
                    self.is_flipped = not self.is_flipped
                elif (wanted := self.page(word, at)) is not None:
                    at = wanted
                else:
                    continue
                self.show(at)

    def page(self, word: str, at: int) -> int | None:
        """Where a word or a key leads from a page; None, and a line that says why, if nowhere."""
        last = len(self.steps)
        ways = {
            **dict.fromkeys(("", "n", "next", "<right>"), at + 1),
            **dict.fromkeys(("b", "back", "prev", "<left>"), at - 1),
            **{"<up>": self.turn(at, -1), "<down>": self.turn(at, 1), "<home>": 0, "<end>": last},
        }
        wanted = int(word) if word.isdecimal() else ways.get(word)
        if wanted is None:
            words = f"'{word[:20]}' is no command: Enter or an arrow shows another ply"
            self.console.print(Text(words), soft_wrap=True)
        elif not 0 <= wanted <= last:
            if word.isdecimal():
                self.console.print(f"the game has plies from 0 to {last}")
            else:
                self.console.print(f"this is the {'start' if wanted < 0 else 'end'} of the game")
            return None
        return wanted

    def turn(self, at: int, by: int) -> int:
        """The end of the turn before the one that led here, or of the next one."""
        turns = split_turns([step.state.mover for step in self.steps])
        ends = [0, *(plies[-1] + 1 for plies in turns)]
        if by > 0:
            return next((end for end in ends if end > at), at + 1)
        return next((end for end in reversed(ends) if end < at), at - 1)

    def play_on(self, at: int) -> None:
        """Lets people play from a page on; the past counts, and what they play is not kept."""
        try:
            human, seats = seats_for(self.game, self.record, at)
            dialogue = rz.play.Dialogue.continuing(
                self.record, seats, game=self.game, plies=at, is_recorded=False
            )
        except rz.RulezeroError as error:
            self.console.print(Text(str(error), "red"), soft_wrap=True)
            return
        prepare_input()
        adviser = rz.play.opponent() if seats[1 - human].is_human else seats[1 - human]
        Play(
            dialogue,
            self.console,
            adviser=adviser,
            human=human,
            remarks=[
                "quit leads back here; this game is not kept, but `rulezero play --continue"
                f" GAMES {self.record.id[:12]} --ply {at} --save STORE` keeps one"
            ],
        ).play()
