"""Hostile text: parse raises a one-line PositionError or returns a valid state."""

import random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import rulezero as rz
from support import samples

pytestmark = [pytest.mark.sanitize, pytest.mark.parametrize("text", samples.GAMES)]

examples = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def survives(game: rz.Game, words: str) -> bool:
    """Whether the text is a position; if so, asserts that its state is valid and playable."""
    try:
        state = game.parse(words)
    except rz.PositionError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        return False
    assert game.parse(state.text).text == state.text
    dice = random.Random(0)
    for _ in range(6):
        state.cells()
        assert state.is_over == (not state.legal)
        said = [state.say(action) for action in state.legal]
        assert len(set(said)) == len(said)
        if state.is_over or state.mover != rz.CHANCE:
            planes = state.planes()
            assert 0 <= planes.min() <= planes.max() <= 1
            assert all(0 <= state.slot(a) < game.facts.slots for a in state.legal)
        if state.is_over:
            break
        assert rz.perft(state, 1) == len(state.legal)
        state = state.apply(dice.choice(state.legal))
        assert game.parse(state.text).text == state.text
    return True


def real_texts(text: str) -> list[str]:
    """Texts of positions from random play."""
    return [state.text for state in samples.states(text)]


@examples
@given(words=st.text(max_size=120) | st.binary(max_size=120).map(lambda raw: raw.decode("latin1")))
def test_noise_is_refused(text: str, words: str) -> None:
    """Random letters and bytes raise no other exception than PositionError."""
    survives(samples.game(text), words)


@examples
@given(data=st.data())
def test_damaged_texts_are_refused_or_sound(text: str, data: st.DataObject) -> None:
    """Real texts with changed, added or removed letters."""
    words = data.draw(st.sampled_from(real_texts(text)))
    letters = st.sampled_from(sorted(set("".join(real_texts(text)[:50])))) | st.characters()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(words)))
        upto = data.draw(st.integers(at, min(len(words), at + 3)))
        words = words[:at] + data.draw(st.text(letters, max_size=3)) + words[upto:]
    survives(samples.game(text), words)


@examples
@given(data=st.data())
def test_damaged_fields_are_refused_or_sound(text: str, data: st.DataObject) -> None:
    """Real texts with fields that are replaced, added, removed or far too large."""
    fields = data.draw(st.sampled_from(real_texts(text))).split(" ")
    other = data.draw(st.sampled_from(real_texts(text))).split(" ")
    at = data.draw(st.integers(0, len(fields) - 1))
    numbers = ["0", "-1", "00", "1e9", "99", "100", "149", "299", "2147483648", "9" * 40]
    wild = st.sampled_from([*other, *numbers, "", "-", "w", "b", "KQkq", "e3", "p", "+", "\t"])
    fields[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(wild, max_size=2))
    survives(samples.game(text), " ".join(fields))


def test_cut_texts_are_refused_or_sound(text: str) -> None:
    """Every prefix of a real text, and real texts with something before or after them."""
    game = samples.game(text)
    for words in random.Random(0).sample(real_texts(text), 5):
        assert survives(game, words)
        for length in range(len(words)):
            survives(game, words[:length])
        for more in (" ", "\n", "\x00", " x", " 0 0 0 0", "/8", "a" * 100_000):
            survives(game, words + more)
            survives(game, more + words)


@pytest.mark.parametrize("words", ["\ud800", "\x00", "é", "😀" * 50, "/" * 10_000, " " * 10_000])
def test_odd_letters_are_refused(text: str, words: str) -> None:
    """Letters that no position has raise PositionError, including lone surrogates."""
    with pytest.raises(rz.PositionError):
        samples.game(text).parse(words)


def test_only_text_is_text(text: str) -> None:
    """An argument that is not a str raises TypeError."""
    for value in (None, 7, b"7/7/7/7/7/7 x", ["x"]):
        with pytest.raises(TypeError):
            samples.game(text).parse(value)  # type: ignore[arg-type]
