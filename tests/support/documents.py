"""The pages of the documentation as programs: their fenced blocks, in order."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAVE = re.compile(r"[Ss]ave (?:it|this) as\s`([^`]+)`[:.]\s*\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its first line, and the file to save it as."""

    language: str
    text: str
    line: int
    file: str | None  # if the text before it says: save it as `file`


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()]
        words = _SAVE.search(before)
        found.append(Block(match[1], match[2], before.count("\n") + 2, words and words[1]))
    return found


def tic_tac_toe() -> str:
    """The text of tictactoe.py, the game that docs/add_a_game.md teaches."""
    return (Path(__file__).parent / "tictactoe.py").read_text(encoding="utf-8")
