"""Games with people: choices, dice, undo and records."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.data import check
from rulezero.games.info import info, moves_by_kind
from rulezero.nets.nnue import Shape, create, to_nnue
from rulezero.play.dialogue import SIMS, Dialogue, opponent
from rulezero.play.players import seat_number
from support import documents, samples

HUMAN = rz.player("human")


def meet(text: str, human: int = 0, seed: int = 1, against: str | None = None) -> Dialogue:
    """A game against a fast player, advanced to the human's first choice."""
    game = samples.game(text)
    machine = opponent(against, sims=None if against else 6)
    seats = (HUMAN, machine) if human == 0 else (machine, HUMAN)
    dialogue = Dialogue(game, seats, seed=seed)
    dialogue.advance()
    return dialogue


def play_on(dialogue: Dialogue, choose: Callable[[list[int]], int], most: int = 1000) -> None:
    """Plays up to `most` choices of the human, or to the end of the game."""
    for _ in range(most):
        if dialogue.is_over:
            return
        dialogue.choose(choose(dialogue.state.legal))
        dialogue.advance()


@pytest.mark.parametrize("text", samples.GAMES)
@pytest.mark.parametrize("human", [0, 1])
def test_a_game_to_its_end(text: str, human: int) -> None:
    """The human chooses only for its seat; the record is valid and has the machine's thoughts."""
    dialogue = meet(text, human)
    rng = random.Random(2)
    while not dialogue.is_over:
        assert dialogue.is_asking
        assert dialogue.state.mover == human
        play_on(dialogue, rng.choice, most=1)
    record = dialogue.record()
    last = check(record, trusted=True, game=samples.game(text)).last
    assert last == dialogue.state
    assert (record.purpose, record.source, record.task) == ("human", "human", "")
    assert record.players[human] == "human"
    columns = record.columns()
    state = samples.game(text).parse(record.start)
    for ply, action in enumerate(columns.actions.tolist()):
        assert columns.has_policy[ply] == (state.mover == 1 - human)
        state = state.apply(action)


def test_the_same_choices_give_the_same_game() -> None:
    """After undo, the same choices lead to the same answers and dice."""
    straight = meet("exchange")
    play_on(straight, random.Random(3).choice, most=12)
    straight.interrupt()
    crooked, rng = meet("exchange"), random.Random(3)
    for step in range(12):
        mine = rng.choice(crooked.state.legal)
        for _ in range(1 + step % 3):
            if step % 2:
                play_on(crooked, lambda legal: legal[-1], most=2)
                assert crooked.undo()
                assert crooked.undo()
            before = crooked.state
            crooked.choose(mine)
            crooked.advance()
            assert crooked.undo()[0].state == before == crooked.state
        crooked.choose(mine)
        crooked.advance()
    crooked.interrupt()
    assert crooked.record() == straight.record()


def test_undo_goes_back_to_the_last_choice() -> None:
    """undo takes back one half of a turn in Monster, with the answer after it; else nothing."""
    dialogue = meet("monster")
    assert dialogue.undo() == []
    dialogue.choose(dialogue.state.read("e2e4"))
    assert dialogue.advance() == []
    dialogue.choose(dialogue.state.read("d2d4"))
    assert [ply.state.mover for ply in dialogue.advance()] == [1]
    assert [ply.state.mover for ply in dialogue.undo()] == [0, 1]
    assert dialogue.state.text.endswith("+")
    assert len(dialogue.undo()) == 1
    assert dialogue.plies == []
    assert dialogue.is_asking


def test_a_finished_game_can_be_taken_up_again() -> None:
    """undo continues a finished game, also one that was resigned."""
    dialogue = meet("connect4")
    play_on(dialogue, lambda legal: legal[0])
    assert dialogue.state.is_over
    dialogue.undo()
    assert dialogue.is_asking
    dialogue.resign()
    assert not dialogue.is_asking
    dialogue.undo()
    assert dialogue.is_asking


@pytest.mark.parametrize(("human", "outcome"), [(0, -1.0), (1, 1.0)])
def test_who_resigns_loses(human: int, outcome: float) -> None:
    """The record has the outcome, and the end reason `resigned`."""
    dialogue = meet("razzle", human)
    play_on(dialogue, random.Random(1).choice, most=3)
    dialogue.resign()
    record = dialogue.record()
    check(record)
    assert (record.outcome, record.end_reason) == (outcome, "resigned")


def test_an_interrupted_game_has_no_winner() -> None:
    """The record of an interrupted game has the outcome 0; nothing can be chosen after it."""
    dialogue = meet("razzle")
    with pytest.raises(rz.GameError, match="not over"):
        dialogue.record()
    play_on(dialogue, random.Random(1).choice, most=3)
    dialogue.interrupt()
    record = dialogue.record()
    check(record)
    assert (record.outcome, record.end_reason) == (0.0, "interrupted")
    assert dialogue.advance() == []
    with pytest.raises(rz.GameError, match="no human is to move"):
        dialogue.choose(0)
    with pytest.raises(rz.GameError, match="before resigning"):
        dialogue.resign()


def test_a_game_from_a_position() -> None:
    """A pending die is rolled first; a finished position is refused as a start."""
    game = samples.game("exchange")
    state = game.parse("4k3/8/8/3p4/4P3/8/8/4K3 w 0/0 0 0 -")
    pending = game.parse(state.apply(state.read("e4xd5")).text)
    dialogue = Dialogue(game, (rz.player("random"), HUMAN), start=pending)
    rolled, *_ = dialogue.advance()
    assert rolled.state.mover == rz.CHANCE
    dialogue.interrupt()
    record = dialogue.record()
    assert record.start == pending.text
    check(record)
    over = game.parse("8/8/8/8/8/8/8/4K3 b 0/0 0 0 -")
    assert over.is_over
    with pytest.raises(rz.GameError, match="over"):
        Dialogue(game, (HUMAN, HUMAN), start=over)


def test_a_start_with_a_past() -> None:
    """The plies before the start are the record's opening, and undo can take them back."""
    state = rz.load("chess").start()
    for word in ("Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"):
        state = state.apply(state.read(word))
    dialogue = Dialogue(rz.load("chess"), (HUMAN, HUMAN), start=state)
    assert len(dialogue.plies) == 7
    dialogue.choose(dialogue.state.read("Ng8"))
    dialogue.advance()
    assert dialogue.end_reason == "repetition"  # positions before `start` count
    record = dialogue.record()
    check(record)
    assert (record.start, record.plies, record.opening) == (rz.load("chess").start().text, 8, 7)
    dialogue.undo()
    dialogue.undo()
    dialogue.choose(dialogue.state.read("Nc3"))
    dialogue.interrupt()
    record = dialogue.record()
    assert (record.plies, record.opening) == (7, 6)
    check(record)


@pytest.mark.parametrize("text", ["monster", "exchange"])
def test_a_record_is_continued(text: str) -> None:
    """Continued with its own players, it is the same game, with the same thoughts and dice."""
    game = samples.game(text)
    whole = meet(text)
    play_on(whole, lambda legal: legal[0], most=6)
    middle = whole.plies[8].state
    whole.interrupt()
    record = whole.record()
    again = Dialogue.continuing(record, whole.players, game=game)
    again.interrupt()
    assert again.record() == record
    again = Dialogue.continuing(record, whole.players, game=game, plies=8)
    assert again.state == middle
    again.advance()
    while len(again.plies) < record.plies:
        again.choose(again.state.legal[0])
        again.advance()
    again.interrupt()
    assert again.record() == record
    others = (HUMAN, rz.player("random"))
    third = Dialogue.continuing(record, others, game=game, plies=8, seed=5)
    third.interrupt()
    found = third.record()
    check(found)
    assert (found.plies, found.opening, found.seed) == (8, 8, 5)
    assert not found.columns().has_thought.any()
    with pytest.raises(rz.GameError, match="a ply from 0 to"):
        Dialogue.continuing(record, others, game=game, plies=999)


def test_a_player_can_be_hurried() -> None:
    """`stop` ends the search early; the thought has the number of simulations done."""
    machine = rz.player("puct:sims=100000000")
    dialogue = Dialogue(samples.game("monster"), (machine, HUMAN))
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked % 3 == 0

    halves = dialogue.advance(stop)
    sims = []
    for ply in halves:
        assert ply.core is not None
        assert 0 < ply.core.sims < 2000
        assert sum(ply.core.visits) >= ply.core.sims  # more with a reused tree
        sims.append(ply.core.sims)
    assert len(sims) == 2
    dialogue.interrupt()
    record = dialogue.record()
    check(record)
    assert record.columns().sims.tolist() == sims


@pytest.mark.parametrize(
    "text",
    [
        *("puct", "gumbel", "ucb1", "puct:eval=rollout", "alphabeta", "oneply", "random"),
        "scripted",
    ],
)
def test_every_player_can_be_hurried(text: str) -> None:
    """Every player stops early, with a legal action."""
    player = opponent(text)
    for key, most in (("sims", "1000000"), ("depth", "16")):
        if player.has(key):
            player = player.changed(**{key: most})
    state = samples.game("monster").start()
    thought = player.think(state, stop=lambda: True)
    assert thought.action in state.legal
    assert thought.sims < 5000


@pytest.mark.parametrize("human", [0, 1])
def test_a_game_that_is_too_long_is_stopped(human: int, tmp_path: Path) -> None:
    """The game is stopped at max_plies, counted from its start."""
    path = tmp_path / "short.py"
    rules = documents.tic_tac_toe().replace("@rz.register\n", "")  # other tests use that name
    path.write_text(rules.replace("max_plies = 9", "max_plies = 4"))
    game = rz.load(f"python:file={path}")
    assert game.facts.max_plies == 4
    seats = (HUMAN, rz.player("random")) if human == 0 else (rz.player("random"), HUMAN)
    dialogue = Dialogue(game, seats)
    dialogue.advance()
    play_on(dialogue, lambda legal: legal[0])
    record = dialogue.record()
    assert (record.plies, record.outcome, record.end_reason) == (4, 0.0, "cap")
    check(record, game=game)


def test_two_people_can_share_a_board() -> None:
    """With two humans, advance() plays nothing but dice."""
    dialogue = Dialogue(samples.game("monster"), (HUMAN, HUMAN))
    movers = []
    for _ in range(6):
        assert dialogue.advance() == []
        movers.append(dialogue.state.mover)
        dialogue.choose(dialogue.state.legal[0])
    assert movers == [0, 0, 1, 0, 0, 1]


def test_whom_people_meet() -> None:
    """The opponent is PUCT by default; simulations and net are added to its text."""
    assert opponent().text == f"puct:sims={SIMS}"
    assert opponent(sims=7).text == "puct:sims=7"
    assert opponent("gumbel").text == "gumbel"
    assert opponent("gumbel", sims=3).text == "gumbel:sims=3"
    assert opponent(net="runs/x").text == f"puct:net=runs/x,sims={SIMS}"
    with pytest.raises(rz.PlayerError, match="no key 'sims'"):
        opponent("random", sims=3)


def test_seats_by_name() -> None:
    """Seats may be named 0, 1, white or black."""
    assert [seat_number(word) for word in ("0", "1", "white", "Black")] == [0, 1, 0, 1]
    with pytest.raises(rz.PlayerError, match="is not a seat"):
        seat_number("2")


def test_what_a_board_does_not_show() -> None:
    """info() has EXCHANGE's hit points, charges and waits by square, the Decree and the actions."""
    state = samples.game("exchange").parse(
        "4k3/8/8/3n4/4P3/2B5/1P6/3QK3 w 2/0 0 9 e1=15:u2,c3=10:u1:c2,b2=3,e4=7:a1,d5=2"
    )
    told = dict(info(state))
    assert told["position"] == state.text
    assert told["Decree"] == "White for 2 more actions"
    assert told["c3"] == "White's B, 10 HP, charges 1, ability waits 2"
    assert told["e4"] == "White's P, 7 HP, Advance waits 1"
    assert told["d5"] == "Black's N, 2 HP"
    assert "e4xd5" in told["strikes"].split()
    assert told["Royal Decree"] == "decree"
    assert dict(info(rz.load("chess").start()))["plies"] == "none yet"


@pytest.mark.parametrize("text", samples.GAMES)
def test_every_legal_action_has_one_kind(text: str) -> None:
    """moves_by_kind has every legal action exactly once."""
    for state in samples.states(text)[::10]:
        kinds = moves_by_kind(state)
        assert sorted(a for actions in kinds.values() for a in actions) == sorted(state.legal)
        info(state)


def test_the_opponent_of_an_updatable_net_is_alpha_beta(tmp_path: Path) -> None:
    """It thinks for a second unless a time is given; another player's text is left as it is."""
    game = rz.load("razzle")
    net = tmp_path / "net.nnue"
    shape = Shape.of(game.facts, width=8, phases=1, most=22)
    net.write_bytes(to_nnue(create(shape)))
    usual = opponent(net=net)
    assert (usual.spec.name, usual.net) == ("alphabeta", str(net))
    assert usual.number("time") == 1
    assert opponent(net=net, time=0.01).number("time") == 0.01
    assert opponent("oneply", net=net).spec.name == "oneply"
    thought = opponent(net=net, time=0.01).think(game.start())
    assert thought.action in game.start().legal
    with pytest.raises(rz.PlayerError, match="sims"):
        opponent(net=net, sims=100)
