"""Writes docs/players.md, which lists every kind of player with its keys: `make golden`."""

import rulezero as rz
from rulezero.play.players import Kind, kinds
from support.documents import ROOT

PAGE = ROOT / "docs" / "players.md"

_HEAD = """# Players

A player is one line of text: `name`, or `name:key=value,key=value`. It is the same on the command
line (`rulezero match chess --a puct:sims=200 --b heuristic`), in Python
(`rz.player("puct:sims=200")` or `rz.player("puct", sims=200)`), in recipes and in records.
`rulezero players puct` prints one of these tables; [search.md](search.md) says precisely what the
keys do.

`make golden` writes this page from the program's own descriptions, and a test compares the two.
"""

_WEIGHTS = """## Weights of the heuristic

Players without a net evaluate positions with the hand-written heuristic (`eval=heuristic`). In some
games its weights can be changed with a YAML file. Save this as `mine.yaml`:

```yaml
white_pawn: 0.25
blocked_pawn: 0.04
```

```console
$ rulezero match monster --a alphabeta:weights=mine.yaml --b alphabeta --games 20
```

Weights that are not in the file keep their defaults. An unknown name, or a number out of range, is
an error that gives the line. Each worker process reads the file when the player begins to play.
Records contain its path in the player's text, and in `nets` its name with a digest of all weights
(`mine.yaml#1f0c9a2b3d4e`), which shows whether two files of the same name had the same weights.
`rulezero games GAME` prints the weights of a game.
"""


def page() -> str:
    """The text of docs/players.md."""
    games = [rz.load(name).facts for name in sorted(rz.game_options())]
    weights = [_weights(facts) for facts in games if facts.weights]
    return "\n".join([_HEAD, *map(_section, kinds().values()), _WEIGHTS, *weights])


def _weights(facts: rz.Facts) -> str:
    lines = [f"### Weights of {facts.name}", "", "| weight | default | range | meaning |"]
    lines.append("|---|---|---|---|")
    for each in facts.weights:
        span = f"{each.low:g} to {each.high:g}"
        lines.append(f"| `{each.name}` | `{each.fallback:g}` | {span} | {each.help} |")
    return "\n".join([*lines, ""])


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
