"""Writes the pictures of boards in docs/pictures: .venv/bin/python scripts/pictures.py."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import rulezero as rz

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
_SIZE = 360  # pixels


def pictures() -> Iterator[tuple[str, str]]:
    """Yields the name and the SVG of each picture."""
    yield "chess", board("chess", "e2e4 e7e5 g1f3 b8c6 f1b5")
    yield "monster", board("monster", "e2e4 d2d4", whole=2, arrows=[("e2", "e4"), ("d2", "d4")])
    yield "random_chess", rz.svg(rz.load("random_chess:pieces=custom").start(seed=3), size=_SIZE)
    yield "razzle", board("razzle", "b1c3 f8e6 c3d5 e6f4")
    yield "connect4", board("connect4", "d d c e e c c d d")
    yield "exchange", position("exchange", _EXCHANGE)
    yield (
        "exchange_combo",
        position("exchange", _COMBO, arrows=[("d4", "e6"), ("e6", "e7")]),
    )
    yield (
        "razzle_chain",
        position("razzle", _CHAIN, arrows=[("d3", "b5"), ("b5", "f5"), ("f5", "f8")]),
    )
    yield (
        "monster_capture",
        position("monster", _CAPTURE, arrows=[("d6", "d7"), ("d7", "e8")]),
    )


_EXCHANGE = (
    "r1bqkb1r/pp1p1ppp/2n1pn2/2p5/3PP3/2N2N2/PPP2PPP/R1BQKB1R w 2/0 1 9"
    " a2=3,e1=25:u2,d4=4,c6=5:u4:c2,e6=2"
)
_COMBO = "4k3/4p3/8/8/3N4/8/8/4K3 w 0/0 0 40 -"
_CHAIN = "1nn1bN1/4n2/4n2/1N3N1/7/3B3/2N4/7 w - - 30"
_CAPTURE = "rnbqkbnr/ppp2ppp/3P4/8/8/8/5P2/4K3 w kq - 0 9"


def board(game: str, moves: str, *, whole: int = 1, arrows: Sequence[tuple[str, str]] = ()) -> str:
    """The board after some moves; squares that the last `whole` moves changed are marked."""
    states = [rz.load(game).start()]
    for move in moves.split():
        states.append(states[-1].apply(states[-1].read(move)))
    return rz.svg(states[-1], since=states[-1 - whole], arrows=arrows, size=_SIZE)


def position(game: str, text: str, *, arrows: Sequence[tuple[str, str]] = ()) -> str:
    """The board of a position's text."""
    return rz.svg(rz.load(game).parse(text), arrows=arrows, size=_SIZE)


def main() -> int:
    """Writes all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, image in pictures():
        (FOLDER / f"{name}.svg").write_text(image + "\n", encoding="utf-8")
        print(FOLDER / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
