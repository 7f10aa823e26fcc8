"""Windows: the plies that are learned from, kept and held out, and their weights."""

import tracemalloc

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero.data import Record
from rulezero.data.replay import replay_of
from rulezero.learn.fit import FitSettings
from rulezero.learn.plan import plan
from rulezero.learn.targets import Targets, TargetSettings, of_play
from rulezero.learn.window import Part, Window, WindowSettings, part_of
from support import record_samples, samples, windows


def targets_of(record: Record, **settings: object) -> Targets:
    """The training targets of a record."""
    game = samples.game(record.game)
    wanted = TargetSettings.model_validate(settings)
    return of_play(record, record.columns(), replay_of(record, game), wanted)


@pytest.mark.parametrize("text", samples.GAMES)
def test_openings_and_dice_are_not_learned(text: str) -> None:
    """Opening plies and dice have weight 0 and no policy, because no player chose them."""
    record = record_samples.made(text, opening=3)
    targets, states = targets_of(record), samples.played(text)
    for ply, state in enumerate(states[:-1]):
        is_chosen = ply >= 3 and state.mover != rz.CHANCE
        assert targets.weight[ply] == is_chosen
        thought = record.thought(ply)
        has_policy = is_chosen and thought is not None and bool(thought.shares)
        assert targets.has_policy[ply] == has_policy
    window = windows.of([record])
    assert window.at(np.arange(len(window))).ply.tolist() == np.flatnonzero(targets.weight).tolist()


def test_plies_without_a_policy_may_be_left_out() -> None:
    """learn_from=policy gives plies without a policy the weight 0, also for the value."""
    record = record_samples.made("connect4")
    targets = targets_of(record, learn_from="policy")
    np.testing.assert_array_equal(targets.weight, record.columns().has_policy)
    assert 0 < targets.weight.sum() < targets_of(record).weight.sum()


@pytest.mark.parametrize("text", ["razzle", "monster", "exchange"])
def test_targets_may_follow_the_temperature_of_play(text: str) -> None:
    """target_temperature=play: visit shares while moves are drawn, then only the best moves."""
    game = samples.game(text)
    player = "puct:sims=40,temperature=1,temperature_turns=4"
    record = rz.match(game, player, "random", 1, opening=0).records[0]
    columns = record.columns()
    window = Window(WindowSettings())
    targets = targets_of(record, target_temperature="play")
    window.add(record, columns, replay_of(record, game), targets, generation=0)
    kept, state, turn, mover = window.games[0], game.parse(record.start), 0, 0
    seen = set()
    for ply, action in enumerate(record.action_numbers().tolist()):
        if state.mover != rz.CHANCE:
            turn += state.mover != mover
            mover = state.mover
        pairs = slice(*columns.offsets[ply : ply + 2])
        if columns.has_policy[ply] and turn < 4:
            weights = columns.pair_targets[pairs].astype(float)
            shares = kept.pair_targets[pairs] / kept.pair_targets[pairs].max()
            np.testing.assert_allclose(shares, weights / weights.max(), atol=1e-4)
            seen.add("drawn")
        elif columns.has_policy[ply]:
            chosen = columns.pair_actions[pairs][kept.pair_targets[pairs] > 0]
            assert action in chosen.tolist()
            assert set(kept.pair_targets[pairs].tolist()) <= {0, 65535}
            seen.add("best")
        state = state.apply(action)
    assert seen == {"drawn", "best"}


def test_players_from_elsewhere_have_no_temperature() -> None:
    """Imported players and players without the key `temperature` get the temperature 1."""
    record = record_samples.made("connect4")
    for players in (("Somebody, A.", "gumbel:sims=3"), ("human", "alphabeta:depth=2")):
        strange = msgspec.structs.replace(record, players=players)
        found = targets_of(strange, target_temperature="play").temperature
        assert found is not None
        assert (found == 1).all()


@pytest.mark.parametrize(
    ("reason", "weight"),
    [("cap", 0.25), ("interrupted", 0), ("resigned", 1), ("four in a row", 1)],
)
def test_games_that_were_stopped_count_as_said(reason: str, weight: float) -> None:
    """Games stopped at the cap weigh capped_weight, resigned ones 1, interrupted ones 0."""
    record = record_samples.made("connect4", end_reason=reason)
    targets = targets_of(record, capped_weight=0.25)
    assert set(targets.weight.tolist()) == {weight}


def test_of_imported_fragments_the_file_knows_the_end() -> None:
    """Imported fragments are learned from, with the result that their file claims."""
    record = record_samples.made(
        "connect4", end_reason="claimed", source="import:games.jsonl", outcome=-1.0
    )
    assert set(targets_of(record).weight.tolist()) == {1}
    assert set(targets_of(record).result.tolist()) == {-1}


# --- held-out games ------------------------------------------------------------------------------


def many(count: int) -> list[Record]:
    """Records of different games."""
    return list(record_samples.several("connect4", count))


def is_held_out(record: Record, share: float) -> bool:
    return part_of(record, WindowSettings(held_out=share)) is Part.HELD_OUT


def test_held_out_games_depend_on_their_moves_alone() -> None:
    """Order, generation and other games do not matter; a larger share adds games.

    If a game is played twice, both records are held out, so that it is never trained on.
    """
    records = many(400)
    settings = WindowSettings(held_out=0.2, plies=10**6)
    held = {record.id for record in records if is_held_out(record, 0.2)}
    assert 0.12 < len(held) / len(records) < 0.28
    for record in records:
        again = msgspec.structs.replace(record, index=7, task="again", players=("random", "random"))
        assert again.id != record.id
        assert is_held_out(again, 0.2) == (record.id in held)
    assert held < {record.id for record in records if is_held_out(record, 0.4)}
    assert not any(is_held_out(record, 0) for record in records)
    for order in (records, records[::-1], records[::3]):
        window = windows.of(order, settings, generations=range(len(order)))
        found = {
            r.id for r, game in zip(order, window.games, strict=True) if game.part == Part.HELD_OUT
        }
        assert found == held & {record.id for record in order}


def test_a_tenth_may_be_for_validation() -> None:
    """Validation games are separate from held-out games, and do not change which are held out."""
    records = many(400)
    settings = WindowSettings(held_out=0.1, validation=0.1)
    parts = [part_of(record, settings) for record in records]
    for part, share in ((Part.TRAINING, 0.8), (Part.HELD_OUT, 0.1), (Part.VALIDATION, 0.1)):
        assert abs(parts.count(part) / len(parts) - share) < 0.06
    for record, part in zip(records, parts, strict=True):
        assert (part is Part.HELD_OUT) == is_held_out(record, 0.1)


def test_plies_are_left_out_as_settings_say() -> None:
    """skip_plies drops the first plies, skip_checks those in check, keep a reproducible share."""
    for seed in range(4):
        record = record_samples.made("monster", seed, end_reason="king")
        checks = replay_of(record, samples.game("monster")).checks
        chosen = targets_of(record).weight > 0
        found = targets_of(record, skip_plies=5, skip_checks=True).weight > 0
        wanted = chosen & ~checks
        wanted[:5] = False
        np.testing.assert_array_equal(found, wanted)
        kept = targets_of(record, keep=0.7).weight > 0
        np.testing.assert_array_equal(kept, targets_of(record, keep=0.7).weight > 0)
        assert 0.5 < kept.sum() / chosen.sum() < 0.9


@pytest.mark.parametrize("text", ["monster", "chess"])
def test_checks_are_what_the_move_texts_say(text: str) -> None:
    """A side is in check if the other side could capture its king with one move."""
    checked = 0
    for seed in range(6):
        record = record_samples.made(text, seed)
        states = samples.played(text, seed)
        for is_check, state in zip(
            replay_of(record, samples.game(text)).checks, states, strict=False
        ):
            board, side, *_ = state.text.split(" ")
            other = "b" if side == "w" else "w"
            try:  # the other side to move, with nothing pending
                there = samples.game("monster").parse(f"{board} {other} - - 0 1")
            except rz.PositionError:
                continue
            takes = any(there.apply(action).is_over for action in there.legal)
            if other == "b":  # with two halves, White may capture a king that is not in check
                assert takes == is_check
                checked += is_check
    assert checked > 2


@pytest.mark.parametrize("mix", [None, 0.5])
@pytest.mark.parametrize("samples_per_ply", [None, 4.0])
def test_held_out_games_are_never_drawn(mix: float | None, samples_per_ply: float | None) -> None:
    """No plan draws held-out games; every other game is drawn."""
    records = many(60)
    settings = WindowSettings(held_out=0.3, mix=mix)
    window = windows.of(records, settings, generations=[number // 30 for number in range(60)])
    held = {number for number, game in enumerate(window.games) if game.part == Part.HELD_OUT}
    fit = FitSettings(batch=32, samples_per_ply=samples_per_ply, epochs=3)
    drawn: set[int] = set()
    for epoch in plan(window, 1, fit, np.random.default_rng(0)):
        for positions in epoch:
            drawn |= set(window.at(positions).game.tolist())
    assert held
    assert not drawn & held
    assert drawn == set(range(60)) - held
    measured = window.at(window.positions(Part.HELD_OUT))
    assert set(measured.game.tolist()) == held


def test_positions_of_a_generation() -> None:
    """The positions of all generations together are all training positions."""
    window = windows.of(many(6), generations=[0, 0, 1, 1, 2, 2])
    parts = [window.positions(Part.TRAINING, number) for number in range(3)]
    np.testing.assert_array_equal(np.concatenate(parts), window.positions(Part.TRAINING))
    assert {*window.at(parts[1]).game.tolist()} == {2, 3}
    assert not len(window.positions(Part.TRAINING, 7))


# --- size of the window --------------------------------------------------------------------------


def test_a_fixed_window_keeps_the_newest_plies() -> None:
    """The newest whole games are kept, as few as have at least `plies` plies together."""
    records = many(30)
    for plies in (1, 100, 333, 10**6):
        window = windows.of(records, WindowSettings(kind="fixed", plies=plies, held_out=0))
        lengths = [len(game.actions) for game in window.games]
        kept = records[len(records) - len(lengths) :]
        assert lengths == [record.plies for record in kept]
        assert sum(lengths) >= min(plies, sum(record.plies for record in records))
        assert sum(lengths[1:]) < plies


def test_a_window_of_generations_keeps_the_last_ones() -> None:
    """The last generations are kept, including the current one, whatever their plies."""
    generations = [0, 0, 1, 2, 2, 3]
    settings = WindowSettings(kind="generations", generations=2, plies=1, held_out=0)
    window = windows.of(many(6), settings, generations=generations)
    assert [game.generation for game in window.games] == [2, 2, 3]


def test_a_growing_window_grows_slower_than_what_was_seen() -> None:
    """The size is plies * (seen / plies) ** growth, and never below `plies`."""
    settings = WindowSettings(kind="growing", plies=200, growth=0.5, held_out=0)
    window = Window(settings)
    seen = 0
    sizes = []
    for record in many(200):
        windows.take(window, record)
        window.trim()
        seen += record.plies
        room = max(200, 200 * (seen / 200) ** 0.5)
        lengths = [len(game.actions) for game in window.games]
        assert window.seen == seen
        assert sum(lengths) >= min(seen, round(room)) - 1
        assert sum(lengths[1:]) <= round(room)
        sizes.append(sum(lengths))
    assert sizes[-1] > 3 * 200
    assert sizes[-1] < seen / 3


@pytest.mark.parametrize("field", ["source", "purpose"])
@pytest.mark.parametrize("kind", ["fixed", "generations", "growing"])
def test_games_that_are_kept_stay(kind: str, field: str) -> None:
    """Games of a source or purpose in `always` stay forever, and do not use up the window."""
    settings = WindowSettings.model_validate(
        {"kind": kind, "plies": 60, "generations": 1, "held_out": 0, "always": {"human": 40}}
    )
    window, other = Window(settings), Window(settings)
    first, *records = many(12)
    human = msgspec.structs.replace(first, **{field: "human"})
    windows.take(window, human)
    other.seen = first.plies
    for number, record in enumerate(records):
        for each in (window, other):
            windows.take(each, record, generation=number)
            each.trim()
    assert window.games[0].is_kept
    assert set(window.games[0].targets.weight) <= {0, 40}
    assert len(window.games) == len(other.games) + 1
    assert len(other.games) < len(records)


# --- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_surprise_moves_weight_and_keeps_its_sum(share: float) -> None:
    """A share of a game's weight is distributed by surprise, and the rest evenly."""
    record = record_samples.made("exchange", opening=2)
    plain = targets_of(record).weight
    window = windows.of([record], WindowSettings(surprise=share, held_out=0))
    (game,) = window.games
    weight = game.targets.weight
    assert weight.sum() == pytest.approx(plain.sum(), rel=1e-5)
    surprise = np.where(plain > 0, np.nan_to_num(record.columns().surprise), 0)
    wanted = (1 - share) * plain + share * surprise * plain.sum() / surprise.sum()
    np.testing.assert_allclose(weight, wanted, rtol=1e-5)
    assert (weight[plain == 0] == 0).all()
    assert len(window) == (weight > 0).sum()


def test_without_any_surprise_weights_stay() -> None:
    """Without any search, all plies have the weight 1."""
    record = rz.match("connect4", "random", "random", 1, opening=0).records[0]
    window = windows.of([record], WindowSettings(surprise=1.0, held_out=0))
    assert set(window.games[0].targets.weight.tolist()) == {1}


def test_a_window_needs_little_memory() -> None:
    """A ply of Connect Four, with up to seven pairs, takes less than 200 bytes."""
    few = [(record, record.columns()) for record in record_samples.several("connect4", 5)]
    window = Window(WindowSettings(plies=10**9, held_out=0))
    tracemalloc.start()
    try:
        for number in range(500):
            windows.take(window, few[number % 5][0])
        window.trim()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert window.seen > 5000
    assert used / window.seen < 200
