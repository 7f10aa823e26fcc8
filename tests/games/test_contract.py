"""The contract that every game fulfils, tested on random play."""

import copy
import pickle
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

import rulezero as rz
from support import samples

pytestmark = [pytest.mark.sanitize, pytest.mark.parametrize("text", samples.GAMES)]

# Games that are exempt from one law on purpose. Games not in these sets are tested all the same.
# Their planes show earlier positions, which a text does not contain.
SHOWS_THE_PAST = {"chess", "random_chess", "random_chess:pieces=standard+custom"}
# Their games are stopped at max_plies; all other games end by their own rules before that.
STOPPED = {"chess", "random_chess"}


def has_planes(state: rz.State) -> bool:
    """Whether the state has planes: not while a die is pending."""
    return state.is_over or state.mover != rz.CHANCE


def speaks_san(state: rz.State) -> bool:
    try:
        state.say(state.legal[0], san=True)
    except rz.GameError:
        return False
    return True


def test_a_text_loads_the_game_that_wrote_it(text: str) -> None:
    """load(game.text) is the same game, with the same facts."""
    game = rz.load(text)
    again = rz.load(game.text)
    assert again.text == game.text
    assert repr(again.facts) == repr(game.facts)
    assert again.start().text == game.start().text


def test_facts_are_sane(text: str) -> None:
    """Sizes are positive, versions count from 1, and the name is the one in the text."""
    facts = rz.load(text).facts
    assert facts.name == text.split(":")[0]
    assert facts.version >= 1
    assert facts.encoding >= 1
    assert facts.actions >= 1
    assert facts.slots >= 1
    assert facts.max_plies >= 1
    assert len(facts.planes) == 3
    assert len(facts.board) == 2
    assert min(*facts.planes, *facts.board) >= 1
    assert len(set(facts.events)) == len(facts.events)


def test_someone_can_move_unless_it_is_over(text: str) -> None:
    """`legal` is empty exactly if the game is over; only then is there an outcome and a reason."""
    for state in samples.states(text):
        assert state.is_over == (not state.legal)
        assert len(set(state.legal)) == len(state.legal)
        if state.is_over:
            assert state.outcome in (-1, 0, 1)
            assert state.end_reason
        else:
            assert state.outcome is None
            assert state.end_reason is None
            assert state.mover in (0, 1, rz.CHANCE)


def test_actions_and_slots_are_in_range(text: str) -> None:
    """Legal actions are below facts.actions, and their slots below facts.slots."""
    facts = rz.load(text).facts
    for state in samples.states(text):
        assert all(0 <= action < facts.actions for action in state.legal)
        if has_planes(state):
            assert all(0 <= state.slot(action) < facts.slots for action in state.legal)


def test_text_gives_the_position_back(text: str) -> None:
    """parse(state.text) has the same text, key, legal actions and planes, but no history."""
    game = rz.load(text)
    for state in samples.states(text):
        parsed = game.parse(state.text)
        assert parsed.text == state.text
        assert parsed.key == state.key
        assert parsed.before is None
        assert parsed.actions == []
        assert parsed.times == 1
        if state.is_over and not parsed.is_over:
            assert state.times >= 3, "only a repetition can hide in the history"
            continue
        assert parsed.legal == state.legal
        assert parsed.outcome == state.outcome
        assert parsed.end_reason == state.end_reason
        if not state.is_over:
            assert parsed.mover == state.mover
        if has_planes(state) and text not in SHOWS_THE_PAST:
            np.testing.assert_array_equal(parsed.planes(), state.planes())


def test_a_record_replays(text: str) -> None:
    """replay(start, actions) gives the same state, including its history and planes."""
    game = rz.load(text)
    start = samples.played(text)[0].text
    for state in samples.played(text)[::7]:
        again = game.replay(start, state.actions)
        assert again.text == state.text
        assert again.key == state.key
        assert again.times == state.times
        assert again.legal == state.legal
        assert again.actions == state.actions
        assert again.end_reason == state.end_reason
        assert again.events == state.events
        if has_planes(state):
            np.testing.assert_array_equal(again.planes(), state.planes())


def test_dice_have_chances(text: str) -> None:
    """A pending die has one chance for each face, and they sum to 1; other states have none."""
    game = rz.load(text)
    for state in samples.states(text):
        if state.is_over or state.mover != rz.CHANCE:
            assert state.chances == []
            continue
        assert game.facts.has_chance
        assert len(state.chances) == len(state.legal)
        assert min(state.chances) > 0
        assert sum(state.chances) == pytest.approx(1)
        with pytest.raises(rz.PositionError, match="die is pending"):
            state.planes()
        with pytest.raises(rz.MoveError, match="die is pending"):
            state.slot(state.legal[0])
    rolled = any(state.mover == rz.CHANCE for state in samples.states(text) if not state.is_over)
    assert rolled == game.facts.has_chance


def test_games_end(text: str) -> None:
    """A game ends within max_plies plies, or is stopped there if it is in STOPPED."""
    game = rz.load(text)
    for seed in range(3):
        last = samples.played(text, seed)[-1]
        assert len(last.actions) <= game.facts.max_plies
        assert last.is_over or (
            game.facts.name in STOPPED and len(last.actions) == game.facts.max_plies
        )


def test_one_seed_one_game(text: str) -> None:
    """The same seed and actions give the same game, also with a new Game object."""
    again = samples.play(rz.load(text), seed=1)
    assert [state.text for state in again] == [state.text for state in samples.played(text, 1)]


def test_planes_are_fit_for_a_net(text: str) -> None:
    """planes() is a new float32 array of shape facts.planes, with finite values in [0, 1]."""
    facts = rz.load(text).facts
    for state in samples.states(text):
        if not has_planes(state):
            continue
        planes = state.planes()
        assert planes.dtype == np.float32
        assert planes.shape == facts.planes
        assert np.isfinite(planes).all()
        assert planes.min() >= 0
        assert planes.max() <= 1
        planes[:] = -7
        assert state.planes().min() >= 0


def test_moves_can_be_said_and_read(text: str) -> None:
    """`say` gives each legal action a different text, and `read` gives the action back."""
    for state in samples.states(text):
        words = [state.say(action) for action in state.legal]
        assert len(set(words)) == len(words)
        assert all(word and word == word.strip() for word in words)
        assert [state.read(word) for word in words] == state.legal


def test_san_can_be_said_and_read(text: str) -> None:
    """Each legal action has a different SAN, which `read` understands, or the game has no SAN."""
    states = [state for state in samples.states(text) if state.legal]
    if not speaks_san(states[0]):
        with pytest.raises(rz.GameError, match="has no SAN"):
            states[0].say(states[0].legal[0], san=True)
        return
    for state in states:
        words = [state.say(action, san=True) for action in state.legal]
        assert len(set(words)) == len(words)
        assert [state.read(word) for word in words] == state.legal


def test_states_never_change(text: str) -> None:
    """Calling methods of a state, or changing the lists that they return, does not change it."""

    def answers(state: rz.State) -> tuple[object, ...]:
        return state.text, state.key, state.legal, state.actions, state.outcome, state.chances

    for state in samples.states(text)[::9]:
        before = answers(state)
        for action in state.legal:
            state.apply(action)
        state.legal.append(-1)
        state.actions.append(-1)
        state.chances.append(-1)
        rz.perft(state, 1)
        assert answers(state) == before
        with pytest.raises(AttributeError):
            state.text = "something else"  # type: ignore[misc]


def test_states_know_where_they_come_from(text: str) -> None:
    """`before` is the previous state, `actions` lead here from the start, which has neither."""
    states = samples.played(text)
    assert states[0].before is None
    assert states[0].actions == []
    for earlier, later in pairwise(states):
        assert later.before is not None
        assert later.before.text == earlier.text
        assert later.actions == [*earlier.actions, later.actions[-1]]
        assert later.game.text == earlier.game.text


def test_times_counts_equal_keys(text: str) -> None:
    """`times` counts the occurrences of the key in this game, including the present one."""
    for seed in range(3):
        seen: dict[int, int] = defaultdict(int)
        for state in samples.played(text, seed):
            seen[state.key] += 1
            assert state.times == seen[state.key]


def test_equal_keys_mean_equal_choices(text: str) -> None:
    """States with equal keys have the same mover and legal actions, unless one is over."""
    known: dict[int, rz.State] = {}
    for state in samples.states(text):
        if state.is_over:
            continue
        twin = known.setdefault(state.key, state)
        assert twin.mover == state.mover
        assert twin.legal == state.legal


def test_illegal_actions_are_refused(text: str) -> None:
    """An illegal action raises MoveError, whatever the number; other types raise TypeError."""
    actions = rz.load(text).facts.actions
    for state in samples.states(text)[::25]:
        wrong = [-1, actions, 2**31, 2**32, 2**64, -(2**70)]
        wrong += [number for number in range(min(actions, 500)) if number not in state.legal]
        for action in wrong:
            with pytest.raises(rz.MoveError):
                state.apply(action)
        for ask in (state.say, state.slot):
            with pytest.raises(rz.MoveError):
                ask(wrong[-1])
        for value in (1.0, None, "a", [0]):
            for do in (state.apply, state.say, state.slot):
                with pytest.raises(TypeError):
                    do(value)  # type: ignore[arg-type]


def test_bad_words_are_refused(text: str) -> None:
    """A text that names no legal move raises a one-line MoveError."""
    for state in samples.states(text)[::25]:
        for words in ("", " ", "zz99", "e2e4e6e8", "\n", "\x00", "é", "\ud800", "9" * 5000):
            with pytest.raises(rz.MoveError) as caught:
                state.read(words)
            assert "\n" not in str(caught.value)


def test_nothing_is_legal_after_the_end(text: str) -> None:
    """After the end, every action and text raises a MoveError that names the end reason."""
    last = next(state for state in samples.states(text) if state.is_over)
    assert last.end_reason
    for action in range(min(10, last.game.facts.actions)):
        with pytest.raises(rz.MoveError, match=last.end_reason):
            last.apply(action)
    with pytest.raises(rz.MoveError, match=last.end_reason):
        last.read("a")
    assert rz.perft(last, 0) == 1
    assert rz.perft(last, 3) == 0


def test_perft_counts_paths(text: str) -> None:
    """perft of depths 0, 1 and 2 agrees with counting the legal actions."""
    for state in samples.states(text)[::20]:
        assert rz.perft(state, 0) == 1
        assert rz.perft(state, 1) == len(state.legal)
        assert rz.perft(state, 2) == sum(len(state.apply(a).legal) for a in state.legal)


def test_cells_are_the_board(text: str) -> None:
    """cells() has facts.board rows and columns; men belong to seat 0 or 1, empty cells to -1."""
    rows, columns = rz.load(text).facts.board
    for state in samples.states(text)[::5]:
        cells = state.cells()
        assert [len(row) for row in cells] == [columns] * rows
        for row in cells:
            for cell in row:
                assert cell.seat in ((0, 1) if cell.man else (-1,))


def test_events_have_names(text: str) -> None:
    """`events` has one finite number for each name in facts.events, all 0 at the start."""
    names = rz.load(text).facts.events
    for state in samples.states(text):
        assert sorted(state.events) == sorted(names)
        assert all(np.isfinite(value) for value in state.events.values())
        if state.before is None:
            assert not any(state.events.values())


def test_states_are_values(text: str) -> None:
    """States with equal game, position and history are equal; copying returns the same object."""
    first, again = samples.play(rz.load(text), 1), samples.play(rz.load(text), 1)
    for one, other in zip(first[::7], again[::7], strict=True):
        assert one == other
        assert hash(one) == hash(other)
        assert copy.copy(one) is copy.deepcopy(one) is one
    assert first[-1] != first[0] != object()
    assert rz.load(text).parse(first[-1].text) != first[-1], "the past is part of a state"
    kept = pickle.loads(pickle.dumps(first[-1]))
    assert kept == first[-1]
    assert kept.actions == first[-1].actions
