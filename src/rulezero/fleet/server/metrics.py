"""What a server counts, as Prometheus reads it."""

import time
from collections import deque

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_WINDOW = 60.0  # seconds over which games per second are taken
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of a server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.games = self._counter("games", "Games by what became of them", ("outcome",))
        self.uploaded = self._counter("uploaded_bytes", "Bytes of uploads")
        self.leased = self._counter("leased_games", "Games that were leased")
        self.expired = self._counter("expired_leases", "Leases that ended without progress")
        self.busy = self._counter("busy", "Requests that were answered with 503 or 429", ("why",))
        self.sampled = self._counter(
            "sampled_games", "Games that were played again to check them", ("outcome",)
        )
        self.leases = self._gauge("leases", "Active leases")
        self.tasks = self._gauge("open_tasks", "Tasks with games left")
        self.waiting = self._gauge("waiting_requests", "Requests that wait for games")
        self.groups = self._gauge("write_groups", "Groups of orders that the writer has stored")
        self.seconds = Histogram(
            "rulezero_request_seconds",
            "Time until a request was answered",
            ("route", "status"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.refused = 0  # games
        self._recent: deque[tuple[float, int]] = deque()

    def stored(self, games: int) -> None:
        """Counts games that were stored now."""
        self.games.labels("stored").inc(games)
        self._recent.append((time.monotonic(), games))
        self._drop_old()

    def refuse(self, games: int) -> None:
        """Counts games that were refused."""
        self.refused += games
        self.games.labels("refused").inc(games)

    def games_per_second(self) -> float:
        """Stored games a second, over the last minute."""
        self._drop_old()
        return sum(games for _, games in self._recent) / _WINDOW

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)

    def _drop_old(self) -> None:
        while self._recent and self._recent[0][0] < time.monotonic() - _WINDOW:
            self._recent.popleft()

    def _counter(self, name: str, words: str, labels: tuple[str, ...] = ()) -> Counter:
        return Counter(f"rulezero_{name}", words, labels, registry=self.registry)

    def _gauge(self, name: str, words: str) -> Gauge:
        return Gauge(f"rulezero_{name}", words, registry=self.registry)
