"""The help texts: what every verb shows, and that its examples are commands it accepts."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from rulezero.cli import app
from rulezero.cli.terminal.helptext import examples_of, prepare_help
from support.commands import run


def verbs(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb by its words, such as ("data", "export"), with its command."""
    below = getattr(command, "commands", {})
    if not below:
        yield path, command
    for word, each in below.items():
        yield from verbs(each, (*path, word))


VERBS = dict(verbs(typer.main.get_command(app)))


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_examples_are_commands_that_the_verb_accepts(path: tuple[str, ...]) -> None:
    """Each verb has two examples or more. They name it, fit a line, and have options it knows."""
    command = VERBS[path]
    examples = examples_of(command.help)
    assert len(examples) >= 2
    for example in examples:
        assert len(example) <= 76
        program, *words = shlex.split(example)
        assert program == "rulezero"
        assert tuple(words[: len(path)]) == path
        command.make_context(" ".join(path), words[len(path) :])  # refuses what it does not know


@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_every_option_says_what_it_does(path: tuple[str, ...]) -> None:
    """Each option and argument has a help text: a sentence that ends with a full stop."""
    for option in VERBS[path].params:
        if option.name == "help":
            continue
        words = getattr(option, "help", None)
        assert words, f"{option.name} has no help text"
        assert re.fullmatch(r"[-.A-Z0-9].*\.", words, re.DOTALL), f"{option.name}: {words}"


def test_help_shows_values_as_people_write_them(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither Python's types nor ranges stand in a help text, and examples keep their lines."""
    command = typer.main.get_command(app)
    prepare_help(command)
    for path in [(), *VERBS]:
        with pytest.raises(SystemExit):
            command.main([*path, "--help"], prog_name="rulezero")
        shown = capsys.readouterr().out
        assert "--help" in shown
        assert not re.search(r"<(bool|str|int|float|path|list)|range>|\[x>", shown), path
    lines = [line.strip() for line in run("match", "--help").stdout.splitlines()]
    for example in examples_of(VERBS[("match",)].help):
        assert f"$ {example}" in lines


def test_preparing_help_changes_only_words() -> None:
    """A command parses the same arguments, with the same ranges, after its help was prepared."""
    command = typer.main.get_command(app)
    prepare_help(command)
    match = dict(verbs(command))[("match",)]
    words = ["chess", "--a", "random", "--b", "random"]
    assert match.make_context("match", [*words, "--games", "3"]).params["games"] == 3
    with pytest.raises(typer.TyperException, match="greater than or equal to 1"):
        match.make_context("match", [*words, "--games", "0"])
