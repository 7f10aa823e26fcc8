"""What is worth knowing about games besides their results, game by game."""

from collections.abc import Sequence
from typing import Any

import msgspec

from rulezero._core import Game, material
from rulezero.data.record import Record
from rulezero.data.replay import course
from rulezero.endgame.tables import GAME as MONSTER
from rulezero.learn.targets import TargetSettings
from rulezero.train.games.exchange import EXCHANGE, RewardConfig, shaped, track
from rulezero.train.games.exchange_usage import Usage, usage
from rulezero.train.games.monster import lessons


def figures_of(game: Game, records: Sequence[Record], settings: TargetSettings) -> dict[str, Any]:
    """Plain numbers for a log; nothing for games of which there is no more to say.

    last_material  centipawns, White's lead where the last game ended
    """
    if game.facts.name == MONSTER:
        return {"tiers": tiers(records)}
    if game.facts.name == EXCHANGE:
        return {"usage": msgspec.to_builtins(habits(game, records, settings))}
    if game.facts.name == "chess" and records:
        return {"last_material": material(course(records[-1], game).last)}
    return {}


def habits(game: Game, records: Sequence[Record], settings: TargetSettings) -> Usage:
    """How abilities are used, and what comes of it (exchange)."""
    config = settings.rewards or RewardConfig()
    played = []
    for record in records:
        went = course(record, game)
        trackers = track(record, went, game)
        played.append((record, trackers, shaped(record, went, trackers, config)))
    return usage(played)


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
