"""Custom loss terms, with or without a head, registered by name and chosen in a recipe.

    hooks: my_terms.py                 # a Python file that registers them
    fit: {loss: {extra: {entropy: 0.01}}}

A run names that file by a hash of its content, as it does with a game's file. Resuming the run
executes exactly this content, and only if this user has run it before. Nothing here needs torch.
"""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rulezero._core import Facts, GameError
from rulezero.errors import RunError, among
from rulezero.games import grammar, sources
from rulezero.games.grammar import Spec
from rulezero.learn.fit import PARTS

if TYPE_CHECKING:
    from torch import Tensor, nn

    from rulezero.learn.losses import Examples, Said

    Loss = Callable[[Said, Examples], Tensor]
    AnyLoss = TypeVar("AnyLoss", bound=Loss)
    # Makes a head from the tower's number of channels and the game's facts. The head maps features
    # [B, channels, rows, columns] to the tensor that its loss reads.
    Builder = Callable[[int, Facts], nn.Module]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Term(NamedTuple):
    """A custom part of the loss."""

    name: str
    loss: "Loss"  # maps the net's outputs and the examples to a mean over the batch
    head: "Builder | None" = None


_registered: dict[str, Term] = {}


def loss_term(name: str, head: "Builder | None" = None) -> "Callable[[AnyLoss], AnyLoss]":
    """Registers a function as a term of the loss, for the recipe's key fit.loss.extra.

    The function is called with the net's outputs and the examples of a batch, and returns a tensor
    with one number. `head(channels, facts)` makes a torch module that reads the tower's features
    [B, channels, rows, columns]; it is trained and saved with the net, and its output is
    `said.head`. Registering a name again replaces the earlier term.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RunError(
            f"{name!r:.60} cannot be the name of a loss term: use lower-case letters, digits and"
            " '_', such as 'entropy'"
        )
    if name in PARTS:
        raise RunError(f"the loss already has a part '{name}': choose another name")
    if head is not None and not callable(head):
        raise RunError(
            f"the head of '{name}' must be a function of (channels, facts), not {head!r:.60}"
        )

    def register(loss: "AnyLoss") -> "AnyLoss":
        _registered[name] = Term(name, loss, head)
        return loss

    return register


def chosen(hooks: str | None, names: Iterable[str]) -> list[Term]:
    """The terms of these names, after running the file `hooks`. RunError if a name is unknown."""
    if hooks is not None:
        run_hooks(hooks)
    for name in names:
        if name not in _registered:
            raise RunError(
                f"fit.loss.extra: there is no loss term '{name}'{among(name, _registered)};"
                " register it with rz.loss_term, or name the Python file that does: hooks=FILE"
            )
    return [_registered[name] for name in names]


def refuse_unshared(hooks: str | None, names: Collection[str], processes: int) -> None:
    """Raises RunError if a fit with several processes has terms that only this process knows."""
    if processes > 1 and names and hooks is None:
        raise RunError(
            f"fit.processes={processes}: the other processes do not know the loss term"
            f" '{next(iter(names))}', which is registered only in this one: put it into a Python"
            " file and name that, hooks=FILE, or use fit.processes=1"
        )


def run_hooks(text: str) -> str:
    """Runs the file of loss terms that a text names; returns a text with the hash of its content.

    A text with a hash runs that content, but only if it has been run on this machine before.
    """
    spec = _spec(text)
    file, before = spec.options["file"], dict(_registered)
    try:
        if "sha" in spec.options:
            if not sources.known(spec.options["sha"]):
                raise RunError(
                    f"the loss terms '{text}' have not been run on this machine: if you trust them,"
                    f" name their file once, hooks=FOLDER/{file}"
                )
            found = sources.run_known(file, spec.options["sha"])
        else:
            path = Path(file).expanduser()
            if not path.is_file():
                where = "" if path.is_absolute() else f" in {Path.cwd()}"
                raise RunError(f"hooks: there is no file '{path}'{where}")
            found = sources.run(path)
    except GameError as error:
        raise RunError(f"hooks: {error}") from error
    if all(_registered[name] is before.get(name) for name in _registered):
        raise RunError(f"hooks: '{file}' registers no loss term: see rz.loss_term")
    sources.keep(found)
    return Spec("python", {"file": found.file, "sha": found.sha}).text


def files_of(hooks: str | None) -> dict[str, bytes]:
    """The files of loss terms that a text with a hash names."""
    return {} if hooks is None else sources.known(_spec(hooks).options.get("sha", ""))


def names_a_path(hooks: str) -> bool:
    """Whether a text names a path instead of a hash; never run a path from an untrusted source."""
    return "sha" not in _spec(hooks).options


def _spec(text: str) -> Spec:
    try:
        is_path = text.endswith(".py") and not text.startswith("python:")
        spec = Spec("python", {"file": text}) if is_path else grammar.read(text)
    except GameError as error:
        raise RunError(f"hooks: {error}") from error
    if spec.name != "python" or {"file"} != spec.options.keys() - {"sha"}:
        raise RunError(f"hooks='{text:.60}' is not a Python file: its name must end in .py")
    return spec
