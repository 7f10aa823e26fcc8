"""Measures how fast games from other machines are verified, on one core.

Each game is decompressed, decoded and replayed by the rules with all its thoughts, as a server does
with an upload. The games are played by searches with 32 simulations per choice and the heuristic.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial

import rulezero as rz
from rulezero.data import check_many
from rulezero.fleet.local import run
from rulezero.fleet.protocol import pack, unpack
from rulezero.play.table import Finished
from rulezero.play.task import Task
from timing import Side, Slice, interleave, pin, spend, spread

PLAYER = "puct:sims=32,noise=0.25,temperature=1,temperature_turns=20"
UPLOAD = 64  # games
UPLOADS = 4
ROUNDS = 7
SECONDS = 0.5  # of a slice
WANTED = {"razzle": 3000.0}  # games per second of the whole


def play(text: str) -> list[bytes]:
    """Frames of some games, as workers send them."""
    task = Task(game=text, a=PLAYER, b=PLAYER, games=UPLOAD * UPLOADS, swap=False, opening=4)
    return [pack(finished) for finished in run(task)]


def unpacked(frames: Sequence[bytes]) -> list[Finished]:
    """The games of an upload: decompressed and decoded."""
    return [unpack(frame) for frame in frames]


def verified(game: rz.Game, games: Sequence[Finished]) -> None:
    """Checks the records of an upload."""
    faults = check_many([each.record for each in games], game=game)
    if any(faults):
        raise SystemExit(f"a played game is not valid: {faults}")


def whole(game: rz.Game, frames: Sequence[bytes]) -> None:
    """All that is done with an upload."""
    verified(game, unpacked(frames))


def side(uploads: Sequence[Callable[[], object]]) -> Side:
    """A side that handles one upload after the other, in games per second."""

    def work(seconds: float) -> Slice:
        def once() -> float:
            for upload in uploads:
                upload()
            return float(UPLOAD * len(uploads))

        return spend(once, seconds)

    return work


def measure(text: str) -> str:
    """One row of the table."""
    game = rz.load(text)
    frames = play(text)
    uploads = [frames[at : at + UPLOAD] for at in range(0, len(frames), UPLOAD)]
    games = [unpacked(upload) for upload in uploads]
    sides = {
        "whole": side([partial(whole, game, upload) for upload in uploads]),
        "unpack": side([partial(unpacked, upload) for upload in uploads]),
        "check": side([partial(verified, game, upload) for upload in games]),
    }
    rates = {name: spread(each) for name, each in interleave(sides, ROUNDS, SECONDS).items()}
    records = [each.record for upload in games for each in upload]
    plies = sum(record.plies for record in records) / len(records)
    pairs = sum(len(record.columns().pair_actions) for record in records) / len(records)
    parts = " ".join(f"{1e6 / rates[name].median:10.1f}" for name in sides if name != "whole")
    whole_rate = rates["whole"]
    goal = f"  (goal: {WANTED[text]:,.0f})" if text in WANTED else ""
    return (
        f"{text:12} {plies:6.1f} {pairs:7.1f} {sum(map(len, frames)) / len(frames):8.0f}"
        f" {parts}"
        f" {whole_rate.median:9,.0f} {whole_rate.low:8,.0f}-{whole_rate.high:,.0f}{goal}"
    )


def main(texts: list[str]) -> None:
    """Prints the table."""
    core = pin()
    print(
        f"On core {core}; microseconds per game of each step, then games per second of the whole."
    )
    print("game          plies   pairs    bytes     unpack      check   games/s")
    for text in texts:
        print(measure(text), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["razzle", "connect4", "exchange"])
