"""Golden trees: what every search made of fixed positions, with the evaluator of tests.

`python -m golden.trees` in tests/ writes them anew (make golden). A tree changes only where the
search is meant to behave differently, so what has changed is written only with --force.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import rulezero as rz
import samples

FOLDER = Path(__file__).parent / "trees"
_POSITIONS = 4  # of each game
_SEATS = [
    "puct:eval=hash,sims=100,early_stop=false",
    "puct:eval=hash,sims=64,early_stop=false,noise=0.25,alpha_total=8,forced=2,temperature=1",
    "puct:eval=hash,sims=64,early_stop=false,pass_quiescence=true,draw_value=-0.4,c_growth=1",
    "gumbel:eval=hash,sims=32",
    "gumbel:eval=hash,sims=50,considered=4,gumbel_scale=0,rescale=false",
    "ucb1:eval=hash,sims=64,early_stop=false",
    "ucb1:eval=rollout,sims=32,early_stop=false",
    "oneply:eval=hash",
    "alphabeta:eval=hash,depth=2",
]


def path_of(text: str) -> Path:
    """Where a game's trees lie."""
    return FOLDER / f"{samples.file_name(text)}.txt"


def write(game: rz.Game) -> str:
    """The trees of a game, as lines."""
    return "\n".join([f"game: {game.text}", *_trees(game), ""])


def _trees(game: rz.Game) -> Iterator[str]:
    choices = [s for s in samples.played(game.text, 1)[:-1] if s.mover != rz.CHANCE]
    for state in choices[:: max(1, len(choices) // _POSITIONS)][:_POSITIONS]:
        yield ""
        yield f"position: {state.text} after {len(state.actions)} plies"
        for text in _SEATS:
            yield f"{text}: {_told(state, rz.seat(text, seed=5).think(state))}"


def _told(state: rz.State, thought: rz.Thought) -> str:
    """The choice, the value, and the visits or shares of the other moves."""
    numbers: dict[int, str] = {a: str(n) for a, n in thought.visits.items()}
    if not numbers:
        numbers = {action: f"{share:.4f}" for action, share in thought.shares.items()}
    told = " ".join(f"{state.say(action)}={number}" for action, number in sorted(numbers.items()))
    value = "unknown" if thought.value is None else f"{thought.value:.4f}"
    return f"{state.say(thought.action)} {value} after {thought.sims}: {told}"


def main() -> None:
    """Writes the trees of every game; refuses to change one, unless by force."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--force", action="store_true", help="write what has changed too")
    force = parser.parse_args().force
    FOLDER.mkdir(exist_ok=True)
    refused = False
    for text in samples.GAMES:
        path, trees = path_of(text), write(samples.game(text))
        if path.exists() and path.read_text(encoding="utf-8") != trees and not force:
            print(f"{path.name}: the search behaves differently; if it is meant to, FORCE=1")
            refused = True
            continue
        path.write_text(trees, encoding="utf-8")
    sys.exit(refused)


if __name__ == "__main__":
    main()
