"""A game in Python and a dozen lines of YAML: no loss against exact minimax, whatever the seed.

Both are those of docs/add_a_game.md, word for word.
"""

import re
import sys
from functools import partial
from pathlib import Path

import rulezero as rz
from proof import RUNS, effort, judged, kept, listed, table, trained, write
from rulezero.training.run import Run

PAGE = Path("docs") / "add_a_game.md"
AGENT = "puct:net={net},sims=64"
MINIMAX = "alphabeta:depth=9,eval=uniform,random_ties=true"
GAMES = 200
SEEDS = range(10)


def block(language: str) -> str:
    """The first block of the page in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def against_minimax(run: Run, game: Path) -> dict[str, int]:
    """Results of the final net against exact play, and how many of the games are different."""
    agent = AGENT.format(net=run.path)
    found = rz.match(f"python:file={game}", a=agent, b=MINIMAX, games=GAMES, opening=0)
    lines = {tuple(record.action_numbers()) for record in found.records}
    counts = found.tally.counts
    return {
        "won": counts.wins,
        "drawn": counts.draws,
        "lost": counts.losses,
        "different": len(lines),
    }


def lost_lines(run: Run, game: Path) -> dict[str, int]:
    """Games that the final net loses when its opponent tries every reply, and all such games.

    The player draws no numbers, so it has one move in each position.
    """
    rules, player = rz.load(f"python:file={game}"), rz.player(AGENT.format(net=run.path))
    lost = ends = 0
    for seat in (0, 1):
        waiting, seen = [rules.start()], set()
        while waiting:
            state = waiting.pop()
            if state.outcome is not None:
                ends += 1
                lost += (state.outcome if seat == 0 else -state.outcome) < 0
            elif state.text not in seen:
                seen.add(state.text)
                replies = [player.think(state).action] if state.mover == seat else state.legal
                waiting += [state.apply(action) for action in replies]
    return {"lost": lost, "lines": ends}


def main() -> int:
    """Trains, plays, writes; 1 if a game was lost."""
    RUNS.mkdir(exist_ok=True)
    game, recipe = RUNS / "tictactoe.py", RUNS / "tictactoe.yaml"
    game.write_text(block("python"))
    recipe.write_text(block("yaml").replace("game: tictactoe.py", f"game: {game}"))
    rows, lost, missed = [], 0, 0
    for seed in SEEDS:
        run = trained(f"proof_tictactoe_{seed}", str(recipe), changes=[f"seed={seed}"])
        found = kept(run.path, "against_minimax", partial(against_minimax, run, game))
        every = kept(run.path, "every_reply", partial(lost_lines, run, game))
        lost, missed = lost + found["lost"], missed + every["lost"]
        counts = [str(found[key]) for key in ("won", "drawn", "lost", "different")]
        rows.append([str(seed), *counts, f"{every['lost']} of {every['lines']}"])
    write(
        "tictactoe",
        "make proof-tictactoe",
        f"The game and the recipe of [add_a_game.md](add_a_game.md), with {len(SEEDS)} seeds."
        f" `puct:sims=64` with the final net plays {GAMES} games against `{MINIMAX}`, and then"
        " every game that an opponent can choose:\n\n"
        + table(
            ["seed", "won", "drawn", "lost", "different games", "lost when every reply is tried"],
            rows,
        )
        + "\n\n"
        + judged({f"no game lost in {GAMES * len(SEEDS):,}": lost == 0})
        + "\n\nThe last of these runs:\n\n"
        + listed(effort(run)),
    )
    return 0 if lost == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
