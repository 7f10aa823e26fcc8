"""A game in Python and five lines of YAML: no loss in 200 games against exact minimax.

Both are those of docs/add_a_game.md, word for word.
"""

import re
import sys
from pathlib import Path

import rulezero as rz
from proof import RUNS, effort, kept, listed, table, trained, write
from rulezero.config import read

PAGE = Path("docs") / "add_a_game.md"
AGENT = "puct:net={net},sims=64"
MINIMAX = "alphabeta:depth=9,eval=uniform,random_ties=true"
GAMES = 200


def block(language: str) -> str:
    """The first block of the page in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def main() -> int:
    """Trains, plays, writes; 1 if a game was lost."""
    RUNS.mkdir(exist_ok=True)
    game, recipe = RUNS / "tictactoe.py", RUNS / "tictactoe.yaml"
    game.write_text(block("python"))
    recipe.write_text(block("yaml").replace("file=tictactoe.py", f"file={game}"))
    run = trained("proof_tictactoe", str(recipe))

    def play() -> dict[str, int]:
        found = rz.match(
            read(run.config()).game, a=AGENT.format(net=run.path), b=MINIMAX, games=GAMES, opening=0
        )
        lines = {tuple(record.action_numbers()) for record in found.records}
        counts = found.tally.counts
        return {
            "won": counts.wins,
            "drawn": counts.draws,
            "lost": counts.losses,
            "different": len(lines),
        }

    found = kept(run.path, "against_minimax", play)
    write(
        "tictactoe",
        "make proof-tictactoe",
        f"The game and the recipe of [add_a_game.md](add_a_game.md). `puct:sims=64` with the final"
        f" net against `{MINIMAX}`:\n\n"
        + table(
            ["games", "won", "drawn", "lost", "different games"],
            [[str(GAMES), *(str(found[key]) for key in ("won", "drawn", "lost", "different"))]],
        )
        + "\n\n"
        + listed(effort(run)),
    )
    return 0 if found["lost"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
