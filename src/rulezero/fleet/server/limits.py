"""The limits of a server, and the meter that holds a token to its rates."""

import time
from dataclasses import dataclass, field

# Tasks and leases.
MOST_TASK_GAMES = 1_000_000  # games of one task; the server keeps a byte for each
MOST_OPEN_TASKS = 1_000  # tasks with games left, not closed by their trainer
LEASE_SECONDS = 60.0  # without progress, a lease ends after this time
MOST_LEASED = 65_536  # games that a token may have leased at a time
MOST_ASSIGNING = 64  # requests for leases in work at a time; others are answered "busy"
MOST_WAITING = 2_000  # requests that wait for games or deliveries
BUSY_SECONDS = 1.0  # a busy server asks for a new attempt after 1 to 2 times this

# Uploads.
MOST_UPLOAD_BYTES = 64 << 20  # bodies of uploads in memory at a time; others are answered "busy"
FRAME_SLACK = 1 << 10  # bytes by which a frame may exceed its content
GROUP_GAMES = 4_096  # games that are written with one sync at most

# Each token.
REQUESTS = (500.0, 5_000.0)  # a second on average, and at once
UPLOADED = (32.0 * (1 << 20), 512.0 * (1 << 20))  # bytes a second on average, and at once
REFUSALS = (1.0, 500.0)  # refused games a second on average, and at once
DAILY_GAMES = 20_000_000  # stored games of a token in 24 hours
TOKEN_CACHE_SECONDS = 0.5  # after this time, the server notices what a command has changed

# Deliveries, and what is kept of refused games.
DELIVERY_BYTES = 4 << 20  # after these, a delivery ends
QUARANTINE_BYTES = 64 << 20  # the oldest refused games are deleted beyond this
QUARANTINE_FILES = 2_000

# Sampled verification.
SAMPLE_SHARE = 0.02  # of the games of a token
FIRST_GAMES = 20  # of a token, all of which are played again
MOST_SAMPLED = 200  # games that wait to be played again; further ones are skipped and counted


@dataclass
class Bucket:
    """A budget that fills at a rate up to a maximum."""

    rate: float  # a second
    most: float
    level: float = field(init=False)
    _filled: float = field(init=False, default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Fills it."""
        self.level = self.most

    def take(self, amount: float = 1.0) -> float:
        """Takes an amount, perhaps more than there is; returns the seconds until it is positive."""
        now = time.monotonic()
        self.level = min(self.most, self.level + (now - self._filled) * self.rate)
        self._filled = now
        self.level -= amount
        return max(0.0, -self.level / self.rate)


@dataclass
class Meter:
    """What a token has used."""

    requests: Bucket = field(default_factory=lambda: Bucket(*REQUESTS))
    uploaded: Bucket = field(default_factory=lambda: Bucket(*UPLOADED))
    refusals: Bucket = field(default_factory=lambda: Bucket(*REFUSALS))
    games: Bucket = field(default_factory=lambda: Bucket(DAILY_GAMES / 86_400, DAILY_GAMES))
