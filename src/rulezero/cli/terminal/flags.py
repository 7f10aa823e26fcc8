"""A recipe's short names as options of a verb."""

import inspect
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal

import typer

import rulezero as rz

_PANEL = "Short names for {}"
_SWITCHES = "Switches for how a recipe learns"
_VALUES: dict[Any, str] = {int: "N", float: "X", str: "NET"}


def with_flags(
    verb: Callable[..., None], names: Collection[str] | None = None
) -> Callable[..., None]:
    """The verb, with an option for each flag, or for some; it gets them as `given`, a dict."""
    flags = [flag for flag in rz.flags.FLAGS if names is None or flag.parameter in names]
    own = [
        parameter
        for parameter in inspect.signature(verb, eval_str=True).parameters.values()
        if parameter.name != "given"
    ]

    def command(**options: Any) -> None:
        verb(given={flag.parameter: options.pop(flag.parameter) for flag in flags}, **options)

    command.__doc__ = verb.__doc__
    parameters = [*own, *(_option(flag) for flag in flags)]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _option(flag: rz.flags.Flag) -> inspect.Parameter:
    is_switch = flag.kind is rz.flags.Switch
    kind: Any = Literal[flag.kind] if isinstance(flag.kind, tuple) else flag.kind
    kind = bool if is_switch else kind
    about = typer.Option(
        f"--{flag.name}/--no-{flag.name}" if is_switch else f"--{flag.name}",
        help=flag.help,
        rich_help_panel=_SWITCHES if is_switch else _PANEL.format(flag.group),
        metavar=flag.value or _VALUES.get(kind, None if kind is bool else "WORD"),
        show_default=False,
    )
    return inspect.Parameter(
        flag.parameter,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[kind | None, about],
    )
