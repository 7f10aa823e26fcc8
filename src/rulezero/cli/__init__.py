"""The command line: one file per verb, each a thin face over the Python interface."""

import errno
import io
import os
import signal
import sys
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.games import bench, check, games, perft, solve, tour
from rulezero.cli.play import analyse, match, play, players, replay
from rulezero.cli.results import diagnose, rate, report
from rulezero.cli.terminal.flags import with_flags
from rulezero.cli.terminal.helptext import hide_types_of_flags
from rulezero.cli.training import cost, data, export, fit, generate, imports, judge, train

app = typer.Typer(
    name="rulezero",
    help="AlphaZero for games that bend the rules.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("games")(games.games)
app.command("perft")(perft.perft)
app.command("tour")(tour.tour)
app.command("players")(players.players)
app.command("match")(match.match)
app.command("play")(play.play)
app.command("replay")(replay.replay)
app.command("analyse")(analyse.analyse)
app.command("import")(imports.import_games)
app.command("train")(with_flags(train.train))
app.command("cost")(cost.cost)
app.command("rate")(rate.rate)
app.command("report")(report.report)
app.command("diagnose")(diagnose.diagnose)
app.command("generate")(generate.generate)
app.command("fit")(with_flags(fit.fit, fit.FLAGS))
app.command("judge")(judge.judge)
app.command("export")(export.export)
app.command("solve")(solve.solve)
app.command("bench")(bench.bench)
app.add_typer(check.app, name="check")
app.add_typer(data.app, name="data")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"rulezero {rz.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """AlphaZero for games that bend the rules."""


def main() -> None:
    """Runs the command line; what is wrong with an input is one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a symbol that a terminal lacks is a '?'
    try:
        try:
            if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
                # Until here Ctrl-C just ended the process; now there is something to tidy up.
                signal.signal(signal.SIGINT, signal.default_int_handler)
            verbs = typer.main.get_command(app)
            if {"-h", "--help"} & set(sys.argv):
                hide_types_of_flags(verbs)
            sys.exit(verbs(standalone_mode=False))
        finally:
            if sys.stdout:  # None where the shell has closed it
                sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has gone; nothing may be written any more, at the exit neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)  # as a shell tells a broken pipe
    except typer.TyperException as error:
        message = error.format_message().rstrip(".")
        if not message:  # no verb was given: its help has been shown
            sys.exit(2)
        context: typer.Context | None = getattr(error, "ctx", None)
        command = context.command_path if context else "rulezero"
        _fail(f"{message}; see {command} --help")
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)  # as a shell tells Ctrl-C
    except rz.RulezeroError as error:
        _fail(str(error))
    except OSError as error:
        words = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        _fail(f"{words}; make room and try again: nothing is lost" if full else words)


def _fail(message: str) -> None:
    print(f"rulezero: error: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
