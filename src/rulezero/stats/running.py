"""A tally that grows game by game, at constant cost per game."""

from collections import Counter

import msgspec

from rulezero.stats.tally import Evidence, GameResult, Tally


class RunningTally:
    """The results of a match as they arrive; detects copies of games."""

    def __init__(self) -> None:
        self._sum = Tally()
        self._halves: dict[int, GameResult] = {}  # games whose partners are still being played
        self._times: Counter[str] = Counter()  # how often each game was played
        self._evidence = Evidence()

    def add(self, result: GameResult) -> None:
        """Counts one more game."""
        alone = msgspec.structs.replace(result, key="")  # copies are counted over all games, below
        if result.pair is None:
            self._sum += Tally.of([alone])
        elif result.pair in self._halves:
            self._sum += Tally.of([self._halves.pop(result.pair), alone])
        else:
            self._halves[result.pair] = alone
        before = self._times[result.key] if result.key else 0
        self._times[result.key] += 1
        self._evidence += Evidence(int(before == 0), 2 * before + 1)  # (m + 1)^2 - m^2

    @property
    def tally(self) -> Tally:
        """The tally of all games so far."""
        found = self._sum + Tally.of(self._halves.values())
        has_copies = self._evidence.different < found.games
        return msgspec.structs.replace(found, evidence=self._evidence if has_copies else None)
