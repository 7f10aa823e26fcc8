"""Boards as plain HTML, for notebooks that are read or exported without Python."""

import html
from collections.abc import Iterable, Sequence

import msgspec

from rulezero._core import CHANCE, State
from rulezero.games.picture import svg
from rulezero.games.view import plain
from rulezero.web import shown

Wdl = tuple[float, float, float]
Shares = Sequence[tuple[str, float]]  # moves in words, each with its share of the policy

_SIZE = 360  # pixels
_MOST_PLIES = 400  # in the list of moves
_FACE = "font:14px/1.5 system-ui,sans-serif"
_COLOURS = ("#f4ecd8", "#9aa3af", "#3c4048")  # of seat 0, a draw and seat 1


class Still(msgspec.Struct, frozen=True):
    """A picture in HTML, which a notebook shows as the output of a cell."""

    html: str
    text: str  # where HTML cannot be shown

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def still(
    state: State,
    caption: str,
    *,
    plies: Iterable[shown.PlyShown] = (),
    is_flipped: bool = False,
    title: str = "",
    value: tuple[float, Wdl] | None = None,
    shares: Shares = (),
    lines: Sequence[str] = (),
) -> Still:
    """A board with its value (seat 0's), the best moves, the moves so far, and other lines."""
    seats = state.game.facts.seat_names
    parts = [f"<strong>{html.escape(_capital(caption))}</strong>"]
    if value is not None:
        parts.append(_value(*value, seats))
    parts += [_bar(say, share) for say, share in shares]
    parts += [f'<div style="opacity:.75">{html.escape(line)}</div>' for line in lines]
    if words := _moves(plies):
        style = "margin-top:8px;max-height:260px;overflow:auto"
        parts.append(f'<div style="{style}">{html.escape(words)}</div>')
    heading = f'<div style="font-weight:600">{html.escape(title)}</div>' if title else ""
    side = f'<div style="flex:1 1 260px;min-width:0">{heading}{"".join(parts)}</div>'
    drawn = svg(state, is_flipped=is_flipped, since=_last_turn(state), size=_SIZE)
    return Still(
        f'<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start;{_FACE}">'
        f"<div>{drawn}</div>{side}</div>",
        f"{plain(state, title, unicode=False)}",
    )


def _last_turn(state: State) -> State | None:
    """The state before the last turn; its changes are marked."""
    last = state.before
    while last is not None and last.mover == CHANCE:
        last = last.before
    return None if last is None else shown.turn_start(last)


def _value(value: float, wdl: Wdl, seats: tuple[str, str]) -> str:
    first, second = seats
    words = f"{first} wins {wdl[0]:.0%}, draw {wdl[1]:.0%}, {second} wins {wdl[2]:.0%}"
    bars = "".join(
        f'<i style="flex:{max(share, 0):.3f} 0 0;background:{colour}"></i>'
        for share, colour in zip(wdl, _COLOURS, strict=True)
    )
    frame = "display:flex;height:14px;border:1px solid #8888;border-radius:4px;overflow:hidden"
    return (
        f'<div style="{frame};margin:6px 0 2px">{bars}</div>'
        f"<div>{html.escape(words)} (value {value:+.2f} for {html.escape(first)})</div>"
    )


def _bar(say: str, share: float) -> str:
    track = "flex:1;height:9px;border-radius:4px;background:#8883"
    filled = f"width:{100 * share:.1f}%;height:9px;border-radius:4px;background:#2563c9"
    return (
        '<div style="display:flex;gap:8px;align-items:center">'
        f'<span style="width:90px">{html.escape(say)}</span>'
        f'<span style="{track}"><span style="display:block;{filled}"></span></span>'
        f'<span style="width:44px;text-align:right">{share:.0%}</span></div>'
    )


def _moves(plies: Iterable[shown.PlyShown]) -> str:
    every = list(plies)
    words = [f"{ply.number} {ply.say}" if ply.number else _said(ply) for ply in every]
    left = [f"... {len(every) - _MOST_PLIES} plies before"] if len(every) > _MOST_PLIES else []
    return " ".join([*left, *words[-_MOST_PLIES:]])


def _said(ply: shown.PlyShown) -> str:
    return f"({ply.say})" if ply.mover < 0 else ply.say


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
