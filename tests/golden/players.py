"""Writes docs/players.md, which lists every kind of player with its keys: `make golden`."""

from rulezero.play.players import Kind, kinds
from support.documents import ROOT

PAGE = ROOT / "docs" / "players.md"

_HEAD = """# Players

Who plays, as one line of text: `name`, or `name:key=value,key=value`. It is the same on the command
line (`rulezero match chess --a puct:sims=200 --b heuristic`), in Python
(`rz.player("puct:sims=200")` or `rz.player("puct", sims=200)`), in recipes and in records.
`rulezero players puct` prints one of these tables; [search.md](search.md) says precisely what the
keys do.

This page is written by `make golden` from what the program itself knows, and a test compares them.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *map(_section, kinds().values())])


def _section(kind: Kind) -> str:
    lines = [f"## {kind.name}", "", f"{kind.help[0].upper()}{kind.help[1:]}.", ""]
    if kind.keys:
        lines += ["| key | default | meaning |", "|---|---|---|"]
        for key in kind.keys:
            fallback = f"`{key.fallback}`" if key.fallback else ""
            lines.append(f"| `{key.name}` | {fallback} | {key.help.replace('|', '&#124;')} |")
    else:
        lines.append("It has no keys.")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
