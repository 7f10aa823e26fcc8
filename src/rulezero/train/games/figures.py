"""Figures of games for the log beyond their results, game by game."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from rulezero._core import Game, material
from rulezero.data.record import Record
from rulezero.data.replay import course
from rulezero.endgame.tables import GAME as MONSTER
from rulezero.learn.targets import TargetSettings
from rulezero.train.games.exchange import EXCHANGE, RewardConfig, shaped, track
from rulezero.train.games.exchange_usage import Usage, usage
from rulezero.train.games.monster import lessons


class TierResults(msgspec.Struct, frozen=True):
    """Results of the games that began from lessons of one tier."""

    white: int = 0  # won by White
    drawn: int = 0
    black: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.white + self.drawn + self.black


class GameFigures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Figures that only some games have; the others leave them out."""

    usage: Usage | None = None  # of abilities
    tiers: dict[str, TierResults] = {}  # by the tier of the lesson a game began from
    last_material: int | None = None  # centipawns, White's lead where the last game ended


def figures_of(game: Game, records: Sequence[Record], settings: TargetSettings) -> GameFigures:
    """The figures of games."""
    if game.facts.name == MONSTER:
        return GameFigures(tiers=tiers(records))
    if game.facts.name == EXCHANGE:
        return GameFigures(usage=habits(game, records, settings))
    if game.facts.name == "chess" and records:
        return GameFigures(last_material=material(course(records[-1], game).last))
    return GameFigures()


def habits(game: Game, records: Sequence[Record], settings: TargetSettings) -> Usage:
    """How abilities are used (exchange)."""
    config = settings.rewards or RewardConfig()
    played = []
    for record in records:
        went = course(record, game)
        trackers = track(record, went, game)
        played.append((record, trackers, shaped(record, went, trackers, config)))
    return usage(played)


def tiers(records: Sequence[Record]) -> dict[str, TierResults]:
    """Results by the tier of the lesson that games began from; 0 is for all other starts."""
    known = {lesson.text: lesson.tier for lesson in lessons()}
    found: dict[str, Counter[str]] = {}
    for record in records:
        result = "drawn" if record.outcome == 0 else "white" if record.outcome > 0 else "black"
        found.setdefault(str(known.get(record.start, 0)), Counter())[result] += 1
    return {tier: TierResults(**counts) for tier, counts in sorted(found.items())}
