"""Learning from people's games: the moves that people played are policy targets."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero.data import Record, Thoughts
from rulezero.data.replay import replay_of
from rulezero.learn.batch import Batches
from rulezero.learn.targets import Targets, TargetSettings, of_play
from rulezero.learn.window import WindowSettings
from support import people, record_samples, samples, windows


def targets_of(record: Record, **settings: object) -> Targets:
    """The training targets of a record."""
    wanted = TargetSettings.model_validate(settings)
    return of_play(record, record.columns(), replay_of(record), wanted)


def bare(record: Record, **fields: object) -> Record:
    """The same game without thoughts."""
    thoughts = Thoughts(plies=record.plies)
    return msgspec.structs.replace(record, thoughts=thoughts, **fields)


@pytest.mark.parametrize("against", ["random", "puct:sims=8"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_move_of_a_person_is_the_policy(seed: int, against: str) -> None:
    """A person's plies have one-hot policies of the moves played; others keep their thoughts."""
    record = people.game(seed, against=against)
    columns, movers = record.columns(), replay_of(record).movers
    found = targets_of(record)
    assert found.is_one_hot is not None
    np.testing.assert_array_equal(found.is_one_hot, movers == seed)
    np.testing.assert_array_equal(found.has_policy, (movers == seed) | columns.has_policy)
    window = windows.of([record])
    batch = Batches(window, samples.game("connect4"), settings=TargetSettings(), mirrors=False)
    policy = batch.make(np.arange(len(window))).policy
    for ply, action in enumerate(record.action_numbers().tolist()):
        thought = record.thought(ply)
        shares = {action: 1.0} if movers[ply] == seed else thought.target if thought else {}
        wanted = [shares.get(slot, 0) for slot in range(7)]
        np.testing.assert_allclose(policy[ply], wanted, atol=1e-4)


def test_it_may_be_switched_off() -> None:
    """human_policy=false learns only values from people's moves; so do runs without the key."""
    record = people.game(0)
    assert not targets_of(record, human_policy=False).has_policy.any()
    assert (targets_of(record, human_policy=False).weight == 1).all()
    saved = TargetSettings().model_dump()
    assert TargetSettings.model_validate(saved).human_policy
    del saved["human_policy"]
    assert not TargetSettings.model_validate(saved).human_policy
    assert TargetSettings(keep=0.5, skip_plies=1).human_policy


@pytest.mark.parametrize(
    ("fields", "is_learned"),
    [
        ({"purpose": "human"}, True),
        ({"purpose": "human", "players": ("Somebody, A.", "?")}, True),
        ({"source": "import:theirs.pgn", "players": ("Somebody, A.", "?")}, True),
        ({"source": "match"}, False),
        ({"source": "train", "purpose": "bootstrap", "players": ("random", "random")}, False),
    ],
)
def test_whose_moves_are_people_s(fields: dict[str, object], is_learned: bool) -> None:
    """Moves are people's if the purpose is human, or in imported games without thoughts."""
    found = targets_of(bare(record_samples.made("connect4"), **fields))
    assert set(found.has_policy.tolist()) == {is_learned}


@pytest.mark.parametrize("purpose", ["human", "self-play"])
def test_a_thought_keeps_its_own_target(purpose: str) -> None:
    """A ply with a thought, even without a policy, is not one-hot; any thought means a program."""
    record = record_samples.made("connect4", purpose=purpose, source="import:games.jsonl")
    columns, found = record.columns(), targets_of(record)
    assert not columns.has_thought.all()
    assert (columns.has_thought & ~columns.has_policy).any()
    is_person_s = ~columns.has_thought & (purpose == "human")
    np.testing.assert_array_equal(found.has_policy, columns.has_policy | is_person_s)


@pytest.mark.parametrize("text", samples.GAMES)
def test_dice_and_openings_are_nobody_s_moves(text: str) -> None:
    """Only the plies that are learned from are one-hot, in every game."""
    record = bare(record_samples.made(text), purpose="human", opening=3)
    movers = replay_of(record, samples.game(text)).movers
    window = windows.of([record], targets=TargetSettings(skip_plies=5))
    known = window.at(np.arange(len(window)))
    np.testing.assert_array_equal(known.ply, 5 + np.flatnonzero(movers[5:] != rz.CHANCE))
    assert known.has_policy.all()
    batches = Batches(window, samples.game(text), settings=TargetSettings(), mirrors=True)
    policy = batches.make(np.arange(len(window)), np.random.default_rng(0)).policy
    assert (policy.max(1) == 1).all()
    assert (policy.sum(1) == 1).all()


def test_people_s_games_weigh_as_the_window_says() -> None:
    """window.always sets the weight of people's games; learn_from=policy keeps people's plies."""
    record = people.game(0)
    settings = WindowSettings(held_out=0, always={"human": 40})
    window = windows.of([record], settings, TargetSettings(learn_from="policy"))
    known = window.at(np.arange(len(window)))
    np.testing.assert_array_equal(known.ply, np.flatnonzero(replay_of(record).movers == 0))
    assert set(known.weight.tolist()) == {40}


def test_a_judge_s_value_stands_beside_the_result() -> None:
    """A judge's value is the search value of a person's ply; the result does not change."""
    record = people.game(1, against="puct:sims=8")
    states = [samples.game("connect4").parse(record.start)]
    for action in record.action_numbers().tolist():
        states.append(states[-1].apply(action))
    note = record_samples.of(states).columns()
    played, columns = replay_of(record), record.columns()
    found = of_play(record, columns, played, TargetSettings(), note)
    wanted = np.where(played.movers == 1, note.value, columns.value)
    np.testing.assert_array_equal(found.search, wanted)
    assert (found.result == record.outcome).all()


def test_a_net_imitates_people(tmp_path: Path) -> None:
    """A net fitted to 20 games plays over half of the people's moves in 10 other games."""
    store = people.store(tmp_path / "games", 20, people.emptiest)
    changes = ["fit.samples_per_ply=null", "fit.epochs=25", "fit.mirror=false"]
    experiment = rz.experiment("connect4", "tiny", changes)
    rz.fit(experiment, store, tmp_path / "net")
    player, same, asked = rz.player(f"policy:net={tmp_path / 'net'}"), 0, 0
    for seed in range(100, 110):
        record = people.game(seed, people.emptiest)
        for step in rz.data.steps_of(record):
            if record.players[step.state.mover] == "human":
                same += player.think(step.state).action == step.action
                asked += 1
    assert asked > 50
    assert same > 0.5 * asked  # by chance 1 in 7; 1 in 5 for a net that learns only values
