"""Files of efficiently updatable nets: damaged ones, and nets of other games."""

import random
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rulezero as rz
from reference import nnue
from rulezero._core import NetError, Nnue
from support import samples
from support.little_nnues import net, states

SMALL = net("razzle", width=2, phases=2)
FILE = nnue.write(SMALL)
HEAD = 12 + len(SMALL.game) + 32  # bytes before the weights


def header(**changes: Any) -> bytes:
    """The file's header with other numbers, and weights of the original size."""
    return nnue.write(replace(SMALL, **changes))


def with_floats(name: str, value: float) -> bytes:
    return header(**{name: np.full(2, value, np.float32)})


BROKEN = {
    "nothing": (b"", "cut off"),
    "magic": (b"RZNM" + FILE[4:], "begins with RZNN, not 'RZNM'"),
    "version": (FILE[:4] + struct.pack("<I", 2) + FILE[8:], "version 2; only version 1"),
    "big-endian": (FILE[:4] + struct.pack(">I", 1) + FILE[8:], "version 16777216"),
    "no name": (FILE[:8] + struct.pack("<I", 0) + FILE[12:], "0 letters of a game's name"),
    "a long name": (FILE[:8] + struct.pack("<I", 2**32 - 1) + FILE[12:], "4294967295 letters"),
    "two lines": (header(game="razz\nle"), "name"),
    "no text": (FILE.replace(b"razzle", b"razzl\xff"), "name"),
    "features version": (header(version=0), "0 as the version of features"),
    "no features": (header(features=0), "0 features; it should be"),
    "all features": (header(features=0xFFFF), "bytes, but its sizes need"),
    "more features": (header(features=0x10000), "65536 features; it should be"),
    "no places": (header(places=0), "0 places; it should be"),
    "more places": (header(places=2**32 - 1), "4294967295 places; it should be"),
    "no width": (header(width=0), "0 sums in a view"),
    "more width": (header(width=257), "257 sums in a view"),
    "absurd width": (header(width=2**32 - 1), "4294967295 sums in a view"),
    "no phases": (header(phases=0), "0 phases"),
    "more phases": (header(phases=2**31), "2147483648 phases"),
    "no most": (header(most=0), "0 features that are on"),
    "more most": (header(most=2**20), "1048576 features that are on"),
    "no unit": (header(unit=0), "0 as its unit"),
    "more unit": (header(unit=256), "256 as its unit"),
    "a bomb": (header(features=0xFFFF - 1, width=256, phases=64), "bytes, but its sizes need"),
    "nan": (header(factor=np.nan), "a factor that is not a finite number"),
    "inf": (header(factor=-np.inf), "a factor that is not a finite number"),
    "a huge factor": (header(factor=3e38), "factor"),
    "nan bias": (with_floats("output_biases", np.nan), "bias that is not a finite number"),
    "inf trust": (with_floats("trust", np.inf), "trust that is not a finite number"),
    "outputs": (
        nnue.write(replace(SMALL, outputs=np.full_like(SMALL.outputs, -328))),
        "output weight that is too large",
    ),
    "short": (FILE[:-1], "bytes, but its sizes need"),
    "long": (FILE + b"\0", "bytes, but its sizes need"),
}


@pytest.mark.sanitize
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_clear_line(name: str) -> None:
    """A broken file raises a one-line NetError that says what is wrong."""
    file, message = BROKEN[name]
    with pytest.raises(NetError, match=message) as error:
        Nnue.read(file)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.sanitize
def test_every_truncation_is_refused() -> None:
    """A file that is cut off anywhere is refused."""
    dice = random.Random(2)
    for length in [*range(HEAD + 8), *dice.sample(range(len(FILE)), 200), len(FILE) - 2]:
        with pytest.raises(NetError):
            Nnue.read(FILE[:length])


@pytest.mark.sanitize
def test_random_damage() -> None:
    """Damaged files raise NetError, or give a net whose values are numbers inside (-1, 1)."""
    dice, read = random.Random(11), 0
    chosen = states("razzle")[::40]
    for number in range(1500):
        broken = bytearray(FILE)
        for _ in range(dice.randrange(1, 4)):
            broken[dice.randrange(len(FILE) if number % 2 else HEAD)] = dice.randrange(256)
        if dice.random() < 0.2:
            broken[-16:] = dice.randbytes(16)
        try:
            damaged = Nnue.read(bytes(broken))
            damaged.check(samples.game("razzle"))
        except NetError as error:
            assert "\n" not in str(error)  # noqa: PT017
            continue
        read += 1
        for state in chosen:
            assert abs(damaged.evaluate(state, chosen[0])) < 1
    assert read > 300


OTHERS = [
    ("razzle", {}, "chess", "the net judges razzle, not chess"),
    ("razzle", {"version": 7}, "razzle", "needs version 7 of .* razzle, but .* has version 1"),
    ("razzle", {"places": 9}, "razzle", "the net reads .* of razzle, but"),
    ("random_chess", {}, "chess", "the net judges random_chess, not chess"),
    ("random_chess", {}, "random_chess:pieces=custom", "reads 4613 features of .* has 12293"),
    ("random_chess:pieces=custom", {}, "random_chess", "reads 12293 features of .* has 4613"),
    ("exchange", {}, "connect4", "the net judges exchange, not connect4"),
]


@pytest.mark.parametrize(("text", "changes", "game", "message"), OTHERS)
def test_a_net_of_another_game(text: str, changes: dict[str, Any], game: str, message: str) -> None:
    """A net of another game, other pieces or another version of the features is refused in one
    line that names both; so are sums of a position of another game."""
    core = Nnue.read(nnue.write(replace(net(text), **changes)))
    start = samples.game(game).start(seed=0)
    with pytest.raises(NetError, match=message) as error:
        core.check(samples.game(game))
    assert "\n" not in str(error.value)
    with pytest.raises(NetError, match=message):
        core.evaluate(start)
    if not changes:
        with pytest.raises(NetError, match=message):
            core.evaluate(samples.game(text).start(seed=0), start)


def test_rules_that_do_not_change_the_features() -> None:
    """A net of EXCHANGE judges games with a fixed die, and one of chess any planes and draws."""
    for text, game in (
        ("exchange", "exchange:dice=fixed:3"),
        ("chess", "chess:planes=features781"),
    ):
        core = Nnue.read(nnue.write(net(text)))
        core.check(samples.game(game))
        assert abs(core.evaluate(samples.game(game).start())) < 1


def test_a_position_without_a_mover_has_no_value() -> None:
    """A finished game and a pending die are a PositionError."""
    core, seen = Nnue.read(nnue.write(net("exchange"))), set()
    for state in samples.states("exchange"):
        if state.is_over or state.mover == rz.CHANCE:
            with pytest.raises(rz.PositionError, match="in which a player is to move"):
                core.evaluate(state)
            seen.add(state.is_over)
    assert seen == {True, False}
