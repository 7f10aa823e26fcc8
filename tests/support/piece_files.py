"""Piece files for tests, and a function that reads them."""

from pathlib import Path

from rulezero.games.pieces import PieceSet, read_pieces

WIZARD = """\
wizard:
  name: Wizard
  symbol: W
  value: 4.5
  moves:
    - type: leap
      vectors: [[1, 1], [1, 3]]
"""

KING = """\
king:
  name: King
  symbol: K
  value: 0
  royal: true
  moves:
    - type: leap
      vectors: [[0, 1], [0, -1]]
"""

PAWN = """\
pawn:
  name: Pawn
  symbol: P
  value: 1
  moves:
    - type: leap
      vectors: [[0, 1]]
  special_rules:
    en_passant: true
    promotion:
      rank: 8
      options: [W]
"""

HOP = """\
jumper:
  name: Jumper
  symbol: J
  value: 1
  moves:
    - type: hop
      directions: [[0, 1]]
      hurdles: 2
      land: 3
"""


def read(folder: Path, text: str | bytes, *others: str) -> PieceSet:
    path = folder / "mine.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_pieces([*others, str(path)])
