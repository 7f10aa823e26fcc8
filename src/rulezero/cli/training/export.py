"""`rulezero export`: a net's file for other programs."""

from pathlib import Path
from typing import Annotated

import typer

import rulezero as rz


def export(
    net: Annotated[
        str, typer.Argument(metavar="NET", help="Run's folder, RUN@12, or a checkpoint.")
    ],
    to: Annotated[
        str, typer.Option(metavar="onnx|safetensors|nn|nnue", help="Format of the file.")
    ] = "onnx",
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Output file (default: NAME.onnx in this folder)."),
    ] = None,
) -> None:
    """Write a net as one file for other programs: ONNX, safetensors weights, .nnue or .nn.

    Examples:
      rulezero export runs/first
      rulezero export runs/first@3 --to safetensors --out third.safetensors
    """
    path = rz.nets.resolve(net)
    is_one_file = path.suffix in rz.nets.ONE_FILE
    forms = (path.suffix[1:],) if is_one_file else ("onnx", "safetensors")
    if to not in forms:
        kind = f"a {path.suffix} file" if is_one_file else "a net with a policy"
        raise rz.NetError(f"{kind} is exported to {' or '.join(forms)}, not to '{to}'")
    default = path.name if is_one_file else f"{path.name}.{to}"
    target = Path(default if out is None else out)
    if target.is_dir():
        raise rz.NetError(f"'{target}' is a folder: name a file with --out")
    if target.exists():
        raise rz.NetError(f"'{target}' exists already: choose another name with --out")
    if not target.parent.is_dir():
        raise rz.NetError(f"there is no folder '{target.parent}' to write '{target.name}' into")
    if is_one_file:
        is_perceptron = path.suffix == rz.nets.PERCEPTRON
        features = (
            rz.nets.read_perceptron(path).sizes[0]
            if is_perceptron
            else rz.nets.read_nnue(path).features
        )
        size = rz.nets.copy(path, to, target)
        typer.echo(f"{target}: {features} features -> the mover's chance, {size:,} bytes")
        return
    card = rz.nets.read_card(path)
    rz.nets.copy(path, to, target)
    rows = "x".join(map(str, card.planes))
    typer.echo(f"{target}: planes [B, {rows}] -> policy logits [B, {card.slots}], value")
