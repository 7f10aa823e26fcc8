"""Measures the speed of the rules: against python-chess in the same run, then game by game.

Machines differ and are noisy, so the important figures are ratios: both sides of a comparison take
turns on one core for several rounds, and the table has the median round.
"""

import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import chess
from rich.console import Console
from rich.table import Table

import rulezero as rz

Work = Callable[[], int]  # does some work and returns its number of units

_SECONDS = 0.5  # measured for each number
_ROUNDS = 5

# Every custom piece of custom.yaml is on one of these two boards.
CUSTOM_BOARDS = {
    "sliders and leapers": "ramckosr/pppppppp/8/8/8/8/PPPPPPPP/RAMCKOSR w KQkq - 0 1",
    "riders and hoppers": (
        "r{bNN}gxk{b+}zr/pp1ppp1p/2p3p1/8/4P3/2G2X2/PPPP1PPP/R{wNN}GXK{w+}ZR w KQkq - 0 1"
    ),
}


def rate(work: Work) -> float:
    """Units of work per second."""
    done = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < _SECONDS:
        done += work()
    return done / spent


@dataclass(frozen=True)
class Comparison:
    """Our work and theirs, in the same unit."""

    what: str
    ours: Work
    theirs: Work
    wanted: float  # ratio


def chess_paths(board: chess.Board, depth: int) -> int:
    """python-chess's perft, with the last ply counted in bulk."""
    if depth == 1:
        return board.legal_moves.count()
    paths = 0
    for move in board.legal_moves:
        board.push(move)
        paths += chess_paths(board, depth - 1)
        board.pop()
    return paths


def chess_playout(dice: random.Random) -> int:
    """Plays a random game with python-chess; returns its number of plies."""
    board = chess.Board()
    plies = 0
    while not board.is_game_over() and plies < 300:
        board.push(dice.choice(list(board.legal_moves)))
        plies += 1
    return plies


def playout(game: rz.Game, dice: random.Random) -> int:
    """Plays a random game from Python, ply by ply, dice included; returns its number of plies."""
    state = game.start(seed=dice.getrandbits(32))
    plies = 0
    while not state.is_over and plies < game.facts.max_plies:
        state = state.apply(dice.choice(state.legal))
        plies += 1
    return plies


def naive_monster_turns(board: chess.Board) -> int:
    """The number of White's turns in Monster Chess, by trying all pairs of python-chess moves."""
    turns = 0
    for first in list(board.pseudo_legal_moves):
        board.push(first)
        board.turn = chess.WHITE
        board.ep_square = None
        for second in list(board.pseudo_legal_moves):
            board.push(second)
            king = board.king(chess.WHITE)
            turns += king is not None and not board.is_attacked_by(chess.BLACK, king)
            board.pop()
        board.turn = chess.BLACK
        board.pop()
    return turns


def comparisons() -> list[Comparison]:
    """The comparisons with python-chess."""
    start = rz.load("chess").start()
    orthodox = chess.Board()
    custom = rz.load("random_chess", pieces="custom")
    monster = rz.load("monster").start()
    monster_board = chess.Board(" ".join(monster.text.split(" ")[:6]))
    dice = random.Random(0)

    def paths_of_orthodox_chess() -> int:
        return chess_paths(orthodox, 3)

    def table_paths(text: str) -> Work:
        state = custom.parse(text)
        return lambda: rz.perft(state, 4)

    return [
        Comparison("chess perft", lambda: rz.perft(start, 5), paths_of_orthodox_chess, 150),
        *(
            Comparison(f"table perft, {name}", table_paths(text), paths_of_orthodox_chess, 10)
            for name, text in CUSTOM_BOARDS.items()
        ),
        Comparison(
            "random chess playouts from Python",
            lambda: playout(rz.load("chess"), dice),
            lambda: chess_playout(dice),
            10,
        ),
        Comparison(
            "all turns of Monster's start",
            lambda: rz.perft(monster, 2),
            lambda: naive_monster_turns(monster_board),
            60,
        ),
    ]


def compare(comparison: Comparison) -> tuple[float, float, float]:
    """Our rate, theirs and their ratio: medians over rounds in which both take turns."""
    rounds = [(rate(comparison.ours), rate(comparison.theirs)) for _ in range(_ROUNDS)]
    return (
        statistics.median(ours for ours, _ in rounds),
        statistics.median(theirs for _, theirs in rounds),
        statistics.median(ours / theirs for ours, theirs in rounds),
    )


def counted_paths(state: rz.State) -> Work:
    """A function that counts the paths of the greatest depth that takes little time."""
    depth = 1
    while rz.perft(state, depth) < 20_000 and depth < 6:
        depth += 1
    return lambda: rz.perft(state, depth)


def made_planes(state: rz.State) -> Work:
    """A function that makes the planes of one state."""

    def make() -> int:
        state.planes()
        return 1

    return make


def main() -> None:
    """Prints both tables."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    console = Console(width=None if Console().is_terminal else 110)

    table = Table(title="against python-chess, a second on one core", title_justify="left")
    table.add_column("what")
    for column in ("rulezero", "python-chess", "ratio", "wanted"):
        table.add_column(column, justify="right")
    for comparison in comparisons():
        ours, theirs, ratio = compare(comparison)
        row = (f"{ours:,.0f}", f"{theirs:,.0f}", f"{ratio:,.0f} x", f"{comparison.wanted:,.0f} x")
        table.add_row(comparison.what, *row)
    console.print(table)

    table = Table(title="game by game, a second on one core", title_justify="left")
    table.add_column("game")
    for column in ("paths counted", "random plies", "planes made", "bytes a position"):
        table.add_column(column, justify="right")
    for name in rz.game_names():
        game = rz.load(name)
        start = game.start()
        dice = random.Random(0)
        rates = [
            rate(counted_paths(start)),
            rate(lambda game=game, dice=dice: playout(game, dice)),  # type: ignore[misc]
            rate(made_planes(start)),
        ]
        table.add_row(name, *(f"{number:,.0f}" for number in rates), str(game.position_bytes))
    console.print(table)


if __name__ == "__main__":
    main()
