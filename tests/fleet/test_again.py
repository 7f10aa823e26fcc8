"""Playing games again: honest games are equal or alike, and games of cheats are different."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

import rulezero as rz
from rulezero.data import check_many, pack
from rulezero.data.replay import replay_of
from rulezero.fleet.again import Again, play_again, play_all_again
from rulezero.fleet.local import run
from rulezero.nets.checkpoint import save
from rulezero.nets.tower import create
from rulezero.play.judge import judging
from rulezero.play.nets import PATHS, NetStore
from rulezero.play.resign import Resign
from rulezero.play.table import Finished, Table, notes_of
from rulezero.play.task import Task
from support import little_nets, samples
from support.forgery import repack

SEARCH = "puct:net={},sims=24,noise=0.25,temperature=1,full_share=0.5,fast_sims=6,forced=2"
PLAYERS = {  # kinds that reuse trees, draw random numbers, or look at one ply
    "connect4": (SEARCH, "gumbel:net={},sims=12,gumbel_scale=1"),
    "exchange": ("puct:net={},sims=10,draw_value=-0.5,temperature=1", "oneply:net={},sharpness=9"),
    "razzle": ("gumbel:net={},sims=8,leaves=3", "ucb1:sims=20,temperature=1"),
    "tictactoe": ("policy:net={},temperature=1", SEARCH),
    "monster": ("heuristic:temperature=1", "scripted:depth=1,hunt=1"),
}


def task(game: str, a: str, b: str, games: int = 3, **fields: Any) -> Task:
    """A task with openings, whose players have the tiny net of the game."""
    net = little_nets.net(game) if game in little_nets.GAMES else ""
    return Task(
        game=game, a=a.format(net), b=b.format(net), games=games, seed=5, opening=2, **fields
    )


def played(task: Task) -> list[Finished]:
    """The games of a task in their order."""
    return sorted(run(task), key=lambda each: each.record.index)


def changed(finished: Finished, **fields: Any) -> Finished:
    """The game with another record."""
    record = msgspec.structs.replace(finished.record, **fields)
    assert check_many([record], game=samples.game(record.game)) == [None]
    return msgspec.structs.replace(finished, record=record)


def elsewhere(task: Task, games: list[Finished], nets: NetStore = PATHS) -> list[Again]:
    """What another machine finds."""
    return play_all_again(task, games, nets, same_machine=False)


@pytest.mark.parametrize("game", PLAYERS)
def test_a_game_is_equal_to_the_bit_on_an_equal_machine(game: str) -> None:
    """Every game of a task comes out equal, whichever others are played with it."""
    one = task(game, *PLAYERS[game], judge="puct:sims=8" if game == "connect4" else None)
    games = played(one)
    assert {found.verdict for found in play_all_again(one, games, same_machine=True)} == {"equal"}
    assert play_again(one, games[2], same_machine=True).verdict == "equal"


@pytest.mark.parametrize("game", PLAYERS)
def test_a_retraced_game_has_the_same_thoughts(game: str) -> None:
    """On this machine, the players think to the bit what they thought when they played."""
    one = task(game, *PLAYERS[game], judge="puct:sims=8" if game == "connect4" else None)
    games = played(one)
    table = Table(one, samples.game(game), width=2)
    for each in games:
        table.retrace(each.record)
    for again in table.session.run():
        finished = games[again.index]
        packed = pack(again.last.actions, **again.thoughts())
        assert packed == (finished.record.actions, finished.record.thoughts)
        assert (again.opening, again.reason) == (2, finished.record.end_reason)
        assert finished.note is None or finished.note == notes_of(again)
    for each, found in zip(games, elsewhere(one, games), strict=True):
        assert found.verdict in ("alike", "undecided"), found
        assert found.distances is not None
        if found.verdict == "undecided":
            assert found.reason == f"it has only {found.distances.thoughts} thoughts to compare"
        assert found.distances.thoughts <= each.record.plies
        assert (found.distances.policy, found.distances.value) == (0, 0)
        assert (found.distances.net, found.distances.choices) == (0, 0)


@pytest.mark.parametrize("game", ["connect4", "exchange"])
def test_another_library_gives_alike_games(game: str) -> None:
    """Games of onnxruntime are alike when torch retraces them."""
    one = task(game, *PLAYERS[game])
    games = played(one)
    other = msgspec.structs.replace(one, a=one.a + ",backend=torch", b=one.b + ",backend=torch")
    for same in (False, True):  # torch may round otherwise in batches of another size
        found = play_all_again(other, games, same_machine=same)
        assert {again.verdict for again in found} <= {"alike", "undecided"}


def test_other_choices_are_found_on_an_equal_machine() -> None:
    """The reason names the first ply at which the game is another one."""
    one = task("connect4", *PLAYERS["connect4"])
    games = played(one)
    another = played(msgspec.structs.replace(one, seed=6))
    swapped = msgspec.structs.replace(another[0].record, seed=5)
    found = play_again(one, Finished(record=swapped), same_machine=True)
    assert found.verdict == "different"
    assert found.reason.startswith("at ply 0, the player chooses ")
    silent = pack(games[1].record.action_numbers())[1]
    found = play_again(one, changed(games[1], thoughts=silent), same_machine=True)
    assert "its thoughts are not those of its players" in found.reason
    found = play_again(one, changed(games[1], iteration=3), same_machine=True)
    assert found.reason == "its field iteration is not that of a game of the task"


def verdicts(found: list[Again]) -> set[str]:
    return {again.verdict for again in found}


def test_cheats_are_found_on_another_machine(tmp_path: Path) -> None:
    """Fewer simulations, another net, no noise, and random choices give different games."""
    player = "puct:net={},sims=48,noise=0.25,temperature=1"
    net = little_nets.net("connect4", little_nets.SMALL)
    other = save(
        tmp_path / "other",
        create(samples.game("connect4"), little_nets.SMALL, seed=2),
        samples.game("connect4"),
    )

    def games_of(text: str) -> Task:
        return Task(game="connect4", a=text, b=text, games=6, seed=5, opening=2)

    one = games_of(player.format(net))
    for text in (
        player.format(net).replace("sims=48", "sims=24"),
        player.format(net).replace("noise=0.25", "noise=0"),
        player.format(net).replace("temperature=1", "temperature=100"),
        player.format(other),
    ):
        found = elsewhere(one, played(games_of(text)))
        assert verdicts(found) == {"different"}, (text, found)
        assert all("which is more than" in again.reason for again in found)


def test_forged_thoughts_are_found() -> None:
    """Policies, targets and values that the players did not have are different."""
    one = task("connect4", "gumbel:net={},sims=16", "gumbel:net={},sims=16", games=2)
    (game, _) = played(one)
    columns = game.record.columns()
    for name, numbers in {
        "pair_weights": columns.pair_weights[::-1],
        "pair_targets": columns.pair_targets[::-1],
        "value": -columns.value,
        "raw_value": np.full_like(columns.raw_value, 0.5),
    }.items():
        _, thoughts = repack(columns, **{name: numbers})
        (found,) = elsewhere(one, [changed(game, thoughts=thoughts)])
        assert found.verdict == "different", name


def test_dice_fall_by_the_seed() -> None:
    """A game in which a die fell otherwise is different, on every machine."""
    one = Task(game="exchange", a="random:captures=1", b="puct:sims=2", games=1, seed=1)
    (game,) = played(one)
    record = game.record
    movers = replay_of(record).movers
    roll = int(np.flatnonzero(movers == rz.CHANCE)[0])
    actions = record.action_numbers()[: roll + 1].copy()
    before = samples.game("exchange").replay(record.start, actions[:-1].tolist())
    actions[-1] = next(face for face in before.legal if face != actions[-1])
    forged = _cut(game, roll + 1, "interrupted", 0.0, actions)
    found = play_again(one, forged, same_machine=False)
    assert found.reason == f"at ply {roll}, the die falls otherwise by the task's seed"
    found = play_again(one, forged, same_machine=True)
    assert found.reason.startswith(f"at ply {roll}, the die falls on ")


def test_exact_players_are_equal_everywhere() -> None:
    """Players without a net or a tree must make the same choices on every machine."""
    one = task("connect4", "random", "alphabeta:depth=2,random_ties=true", games=2)
    games = played(one)
    assert verdicts(elsewhere(one, games)) == {"equal"}
    mixed = task("connect4", "alphabeta:depth=3,eval=uniform,random_ties=true", SEARCH, games=2)
    cheat = msgspec.structs.replace(mixed, a=mixed.a.replace("depth=3", "depth=1"))
    assert verdicts(elsewhere(mixed, played(mixed))) <= {"alike", "undecided"}
    found = elsewhere(mixed, played(cheat))
    assert verdicts(found) == {"different"}
    assert all("alphabeta" in again.reason for again in found)


def test_the_task_gives_start_and_opening() -> None:
    """A game with another opening is different."""
    one = task("connect4", *PLAYERS["connect4"])
    found = elsewhere(one, played(msgspec.structs.replace(one, opening=3)))
    assert {again.reason for again in found} == {
        "it does not begin with the start and the opening that the task gives it"
    }


RESIGN = Resign(value=0.3, choices=2, audit=0.0)


def test_resignation_follows_the_task() -> None:
    """Honest resignations are alike; false and missing ones are different."""
    player = "puct:sims=40,temperature=1"
    one = Task(game="connect4", a=player, b=player, games=12, seed=5, resign=RESIGN)
    free = msgspec.structs.replace(one, resign=None)
    games = played(one)
    resigned = [each for each in games if each.record.end_reason == "resigned"]
    assert len(resigned) > 3
    assert verdicts(elsewhere(one, games)) <= {"alike", "undecided"}
    whole = played(free)
    late = [each for each, short in zip(whole, games, strict=True) if short in resigned]
    assert {again.reason.partition(" seat ")[2][2:] for again in elsewhere(one, late)} == {
        "does not resign where the task says it must"
    }
    assert {again.reason for again in elsewhere(free, resigned)} == {
        "it is a game without resigning"
    }
    cut = [_cut(each, 12, "resigned", +1.0) for each in whole if each.record.plies > 12]
    assert verdicts(elsewhere(one, [each for each in cut if each not in games])) == {"different"}


def test_games_cannot_be_stopped_early() -> None:
    """A game of a task ends by the rules, at the game's limit or by resignation."""
    one = task("connect4", *PLAYERS["connect4"])
    for reason, said in (
        ("cap", "stopped after 6 plies, not after 42"),
        ("interrupted", "ends by"),
    ):
        (found,) = elsewhere(one, [_cut(played(one)[0], 6, reason, 0.0)])
        assert found.verdict == "different"
        assert said in found.reason


def _cut(
    finished: Finished,
    plies: int,
    reason: str,
    outcome: float,
    chosen: npt.NDArray[np.uint32] | None = None,
) -> Finished:
    """The first plies of a game, with another end, and perhaps with other choices."""
    columns = finished.record.columns()
    pairs = slice(0, columns.offsets[plies])
    actions, thoughts = pack(
        columns.actions[:plies] if chosen is None else chosen,
        counts=np.diff(columns.offsets[: plies + 1]),
        pair_actions=columns.pair_actions[pairs],
        pair_weights=columns.pair_weights[pairs],
        pair_targets=columns.pair_targets[pairs],
        **{
            name: getattr(columns, name)[:plies]
            for name in ("sims", "value", "raw_value", "draw", "surprise")
        },
    )
    return changed(finished, actions=actions, thoughts=thoughts, end_reason=reason, outcome=outcome)


def test_judges_are_checked() -> None:
    """A note that is missing or not the judge's is different, also for games that are given."""
    one = task("connect4", *PLAYERS["connect4"], judge="puct:sims=16")
    game, other = played(one)[:2]
    for note in (None, other.note):
        forged = msgspec.structs.replace(game, note=note)
        for same in (True, False):
            found = play_again(one, forged, same_machine=same)
            assert found.verdict == "different"
            assert "note" in found.reason
    given = judging([game.record, other.record], "puct:sims=16")
    notes = played(given)
    assert verdicts(elsewhere(given, notes)) == {"alike"}
    assert notes[0].note is not None
    assert notes[1].note is not None
    columns = notes[0].note.columns(notes[0].record.action_numbers())
    _, wrong = repack(columns, value=-columns.value)
    found = play_again(given, msgspec.structs.replace(notes[0], note=wrong), same_machine=False)
    assert found.verdict == "different"


def test_what_cannot_be_computed_here_is_undecided() -> None:
    """A net that this machine cannot compute as the other one did decides nothing."""
    net = little_nets.net("connect4")
    text = f"gumbel:net={net},sims=4,backend=torch,precision=fp16,device=cuda"
    one = Task(game="connect4", a=text, b=text, games=1)
    plain = msgspec.structs.replace(one, a=f"gumbel:net={net},sims=4", b=f"gumbel:net={net},sims=4")
    found = play_again(one, played(plain)[0], same_machine=False)
    assert found.verdict == "undecided"
    assert "cannot be computed here" in found.reason


def test_auto_is_checked_as_it_was_played() -> None:
    """With precision=auto, a net is computed as the record says that it was."""
    net = little_nets.net("connect4")
    auto, plain = (f"gumbel:net={net},sims=8{key}" for key in (",precision=auto", ""))
    one = Task(game="connect4", a=auto, b=auto, games=2)
    games = played(msgspec.structs.replace(one, a=plain, b=plain))
    texts = [msgspec.structs.replace(each.record, players=(auto, auto)) for each in games]
    claimed = [msgspec.structs.replace(g, record=r) for g, r in zip(games, texts, strict=True)]
    assert verdicts(play_all_again(one, claimed, same_machine=True)) == {"equal"}
    assert verdicts(elsewhere(one, claimed)) <= {"alike", "undecided"}
