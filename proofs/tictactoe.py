"""A game in Python and a dozen lines of YAML: no loss against exact minimax, with any seed.

Both are taken from docs/add_a_game.md, word for word.
"""

import re
import sys
from functools import partial
from pathlib import Path

import rulezero as rz
from proof import RUNS, effort, judged, kept, listed, table, trained, write
from rulezero.training.run import Run

PAGE = Path("docs") / "add_a_game.md"
AGENT = "puct:net={net},sims={sims}"
SIMS = 400  # the default of `rulezero play`
FEW_SIMS = 64  # the recipe's, for self-play and matches
MINIMAX = "alphabeta:depth=9,eval=uniform,random_ties=true"
GAMES = 200
SEEDS = range(10)


def block(language: str) -> str:
    """The first block of the page in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def against_minimax(run: Run, game: Path) -> dict[str, int]:
    """Results of the final net against exact play, and the number of different games."""
    agent = AGENT.format(net=run.path, sims=SIMS)
    found = rz.match(f"python:file={game}", a=agent, b=MINIMAX, games=GAMES, opening=0)
    lines = {tuple(record.action_numbers()) for record in found.records}
    counts = found.tally.counts
    return {
        "won": counts.wins,
        "drawn": counts.draws,
        "lost": counts.losses,
        "different": len(lines),
    }


def lost_lines(run: Run, game: Path, sims: int) -> dict[str, int]:
    """The number of games that the final net loses if its opponent tries every reply, and of all.

    The player uses no random numbers, so it has one move in each position.
    """
    rules, player = rz.load(f"python:file={game}"), rz.player(AGENT.format(net=run.path, sims=sims))
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
    """Trains, plays and writes the section; returns 1 if a game was lost."""
    RUNS.mkdir(exist_ok=True)
    game, recipe = RUNS / "tictactoe.py", RUNS / "tictactoe.yaml"
    game.write_text(block("python"))
    recipe.write_text(block("yaml").replace("game: tictactoe.py", f"game: {game}"))
    rows, lost, missed = [], 0, 0
    for seed in SEEDS:
        run = trained(f"proof_tictactoe_{seed}", str(recipe), changes=[f"seed={seed}"])
        found = kept(run.path, "against_minimax", partial(against_minimax, run, game))
        lines = {
            sims: kept(run.path, f"every_reply_{sims}", partial(lost_lines, run, game, sims))
            for sims in (SIMS, FEW_SIMS)
        }
        lost, missed = lost + found["lost"], missed + lines[SIMS]["lost"]
        counts = [str(found[key]) for key in ("won", "drawn", "lost", "different")]
        shares = [f"{each['lost']} of {each['lines']}" for each in lines.values()]
        rows.append([str(seed), *counts, *shares])
    write(
        "tictactoe",
        "make proof-tictactoe",
        f"The game and the recipe of [add_a_game.md](add_a_game.md), with {len(SEEDS)} seeds."
        f" The final net with {SIMS} simulations, as `rulezero play` uses it, plays {GAMES} games"
        f" against `{MINIMAX}`. Then it plays every game that an opponent can choose, also with the"
        f" {FEW_SIMS} simulations that the recipe trains with:\n\n"
        + table(
            [
                "seed",
                "won",
                "drawn",
                "lost",
                "different games",
                f"lost if every reply is tried, {SIMS} simulations",
                f"{FEW_SIMS} simulations",
            ],
            rows,
        )
        + "\n\n"
        + judged(
            {
                f"no game lost in {GAMES * len(SEEDS):,}": lost == 0,
                "no line lost when every reply is tried": missed == 0,
            }
        )
        + "\n\nThe last of these runs:\n\n"
        + listed(effort(run)),
    )
    return 0 if lost == missed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
