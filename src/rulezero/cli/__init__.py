"""The command line: one file per verb, each a thin face over the Python interface."""

import errno
import io
import os
import signal
import sys
import warnings
from typing import Annotated

import typer

import rulezero as rz
from rulezero.cli.fleet import serve, token, worker
from rulezero.cli.games import bench, check, games, perft, solve, tour
from rulezero.cli.play import analyse, match, play, players, replay
from rulezero.cli.results import diagnose, ladder, mistakes, rate, report
from rulezero.cli.terminal.flags import with_flags
from rulezero.cli.terminal.helptext import prepare_help
from rulezero.cli.terminal.misuse import say_misuse
from rulezero.cli.training import cost, data, export, fit, generate, imports, judge, train

app = typer.Typer(
    name="rulezero",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_PLAY, _TRAIN, _JUDGE = "Look and play", "Train", "Measure results"
_GAMES, _STORED = "Check games, solve endgames", "Recorded games"
_FLEET = "Play on several machines"

app.command("games", rich_help_panel=_PLAY)(games.games)
app.command("tour", rich_help_panel=_PLAY)(tour.tour)
app.command("players", rich_help_panel=_PLAY)(players.players)
app.command("play", rich_help_panel=_PLAY)(play.play)
app.command("serve", rich_help_panel=_PLAY)(serve.serve)
app.command("match", rich_help_panel=_PLAY)(match.match)
app.command("train", rich_help_panel=_TRAIN)(with_flags(train.train))
app.command("cost", rich_help_panel=_TRAIN)(cost.cost)
app.command("generate", rich_help_panel=_TRAIN)(generate.generate)
app.command("fit", rich_help_panel=_TRAIN)(with_flags(fit.fit, fit.FLAGS))
app.command("export", rich_help_panel=_TRAIN)(export.export)
app.command("worker", rich_help_panel=_FLEET)(worker.worker)
app.add_typer(token.app, name="token", rich_help_panel=_FLEET)
app.command("report", rich_help_panel=_JUDGE)(report.report)
app.command("rate", rich_help_panel=_JUDGE)(rate.rate)
app.command("ladder", rich_help_panel=_JUDGE)(ladder.ladder)
app.command("mistakes", rich_help_panel=_JUDGE)(mistakes.mistakes)
app.command("diagnose", rich_help_panel=_JUDGE)(diagnose.diagnose)
app.command("bench", rich_help_panel=_JUDGE)(bench.bench)
app.command("replay", rich_help_panel=_STORED)(replay.replay)
app.command("analyse", rich_help_panel=_STORED)(analyse.analyse)
app.command("judge", rich_help_panel=_STORED)(judge.judge)
app.command("import", rich_help_panel=_STORED)(imports.import_games)
app.add_typer(data.app, name="data", rich_help_panel=_STORED)
app.add_typer(check.app, name="check", rich_help_panel=_GAMES)
app.command("perft", rich_help_panel=_GAMES)(perft.perft)
app.command("solve", rich_help_panel=_GAMES)(solve.solve)


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
    """Train, rate and play AlphaZero agents for board games that bend the rules.

    Examples:
      rulezero play monster
      rulezero train razzle --preset tiny --out runs/first
      rulezero report runs/first
    """


def main() -> None:
    """Runs the command line; what is wrong with an input is one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a symbol that a terminal lacks is a '?'
    warnings.formatwarning = lambda message, *_, **__: f"rulezero: warning: {message}\n"
    try:
        try:
            if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
                # Until here Ctrl-C just ended the process; now there is something to tidy up.
                signal.signal(signal.SIGINT, signal.default_int_handler)
            verbs = typer.main.get_command(app)
            if {"-h", "--help"} & set(sys.argv):
                prepare_help(verbs)
            sys.exit(verbs(standalone_mode=False))
        finally:
            if sys.stdout:  # None where the shell has closed it
                sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has gone; nothing may be written any more, at the exit neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)  # as a shell tells a broken pipe
    except typer.TyperException as error:
        message = say_misuse(error)
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
