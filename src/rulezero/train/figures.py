"""What is worth knowing about games besides their results, game by game."""

from collections.abc import Sequence
from typing import Any

from rulezero._core import Game
from rulezero.data.record import Record
from rulezero.endgame.tables import GAME as MONSTER
from rulezero.play.curriculum import lessons
from rulezero.train.targets import TargetSettings


def figures_of(game: Game, records: Sequence[Record], settings: TargetSettings) -> dict[str, Any]:
    """Plain numbers for a log; nothing for games of which there is no more to say."""
    if game.facts.name == MONSTER:
        return {"tiers": tiers(records)}
    return {}


def tiers(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    """Results by the tier of the lesson that games began from; 0 is for all other starts."""
    known = {lesson.text: lesson.tier for lesson in lessons()}
    found: dict[str, dict[str, int]] = {}
    for record in records:
        tier = found.setdefault(
            str(known.get(record.start, 0)), {"white": 0, "drawn": 0, "black": 0}
        )
        tier["drawn" if record.outcome == 0 else "white" if record.outcome > 0 else "black"] += 1
    return dict(sorted(found.items()))
