"""Records of strangers: any bytes give a reason or a valid record, the same as a slow check."""

import random
import re
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

import rulezero as rz
from rulezero.data import Record, RecordError, check, check_many
from rulezero.data.columns import pack_numbers
from rulezero.data.record import read_record
from support import forgery, record_samples, samples, slow_check

pytestmark = pytest.mark.sanitize

EACH = 400  # damaged records of every game
SHORT = 40  # plies
MANY = 1 << 21  # pairs, more than a record may have


def originals(text: str) -> list[Record]:
    """A whole game and the beginnings of others."""
    whole = record_samples.made(text)
    return [
        whole,
        *(record_samples.of(list(samples.played(text, seed)[:SHORT])) for seed in (1, 2)),
    ]


def beginning(fault: str | None) -> str | None:
    """The reason up to the place where different words are right."""
    return None if fault is None else re.sub("(?<=is not legal here).*", "", fault)


@pytest.mark.parametrize("text", samples.GAMES)
def test_the_core_finds_what_a_slow_check_finds(text: str) -> None:
    """Damaged records are refused for the same reason as by the reference, word for word.

    What the core says after "is not legal here" is left out: it may list what is legal.
    """
    game = samples.game(text)
    dice = random.Random(text)
    whole, *short = originals(text)
    records = [whole, *short]
    for number in range(EACH):
        record = whole if number % 20 == 0 else dice.choice(short)
        records.append(forgery.damaged(record, game, dice))
    faults = check_many(records, game=game)
    wanted = [slow_check.fault(record, game) for record in records]
    assert list(map(beginning, faults)) == list(map(beginning, wanted))
    assert faults[: 1 + len(short)] == [None] * (1 + len(short))
    refused = [fault for fault in faults if fault is not None]
    assert EACH / 2 < len(refused) < EACH
    assert all(len(fault.splitlines()) == 1 and fault.isprintable() for fault in refused)


@pytest.mark.parametrize("text", ["connect4", "exchange"])
def test_damaged_messages_are_refused(text: str) -> None:
    """A record's bytes with random damage are no record, or one that is checked safely."""
    packed = msgspec.msgpack.encode(record_samples.made(text))
    dice = random.Random(1)
    decoded = 0
    for _ in range(2000):
        data = bytearray(packed)
        for _ in range(dice.choice([1, 1, 2, 5])):
            data[dice.randrange(len(data))] = dice.randrange(256)
        try:
            record = read_record(bytes(data[: dice.choice([None, dice.randrange(len(data))])]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecordError):
            continue
        decoded += 1
        (fault,) = check_many([record], game=samples.game(text))
        assert fault is None or fault.isprintable()
    assert decoded > 100


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"counts": pack_numbers([2**32 - 1] * 4)}, "gives 17179869180 pairs"),
        (
            {"counts": pack_numbers([0, 0, 0, 1 << 21]), "weights": b"\x01" * (1 + (1 << 21))},
            "pairs",
        ),
        ({"action_ids": b"\x01" * (4 << 20)}, "action 0, which is in no pair"),
        ({"action_ids": pack_numbers([2**32 - 1])}, "an action that no game has"),
        ({"weights": b"\x01"}, "the column weights is wider than its numbers"),
        ({"weights": b"\x00"}, "numbers of 0 bytes"),
        ({"sims": b"\xff" * 100}, "numbers of 255 bytes"),
        ({"value": b"\x01"}, "the column value has 0 bytes"),
        ({"draw": pack_numbers([2**32 - 1] * 4)}, "the column draw has numbers beyond 16 bits"),
        ({"plies": 1 << 16}, "the column actions has 4 bytes"),
        ({"plies": 1 << 40}, "the game has 1099511627776 plies; a record has at most 65536"),
    ],
)
def test_huge_and_empty_columns_are_refused(columns: dict[str, bytes | int], said: str) -> None:
    """Sizes that the bytes claim, but do not have, give a reason."""
    states = samples.played("connect4")[:5]
    record = record_samples.of(list(states))
    bare = forgery.changed(record, **dict.fromkeys(forgery.COLUMNS, b""))
    with pytest.raises(RecordError, match=said):
        check(forgery.changed(bare, **columns))


def test_a_bad_record_does_not_hide_the_others() -> None:
    """Each record of a batch has its own reason; foreign ones are not replayed."""
    good = record_samples.made("connect4")
    records = [
        good,
        forgery.changed(good, outcome=-good.outcome),
        record_samples.made("razzle"),
        forgery.changed(good, version=9),
        good,
    ]
    first, wrong, foreign, newer, last = check_many(records, game=samples.game("connect4"))
    assert (first, last) == (None, None)
    assert wrong is not None
    assert "the rules say" in wrong
    assert foreign == "the game is written as 'razzle', but its text is 'connect4'"
    assert newer is not None
    assert "version 9" in newer
    assert check_many([], game=samples.game("connect4")) == []


def test_threads_may_check_at_the_same_time() -> None:
    """Threads that check records of the same game get the same answers."""
    game = samples.game("razzle")
    dice = random.Random(3)
    records = [forgery.damaged(record_samples.made("razzle"), game, dice) for _ in range(100)]
    wanted = check_many(records, game=game)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: check_many(records, game=game), range(16)):
            assert found == wanted


def test_games_longer_than_their_limit_are_refused() -> None:
    """Play stops at the game's limit; only games from elsewhere may be longer."""
    game = rz.load("chess:draws=none")
    state = game.start()
    states = [state]
    for ply in range(game.facts.max_plies + 1):
        state = state.apply(state.read(["g1f3", "g8f6", "f3g1", "f6g8"][ply % 4]))
        states.append(state)
    check(record_samples.of(states[:-1]))
    with pytest.raises(RecordError, match="at ply 300: the game goes on, but"):
        check(record_samples.of(states))
    check(record_samples.of(states, source="import:long.pgn"))
