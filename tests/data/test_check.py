"""Checking: correct records pass; for forged ones the error says what is wrong, and where."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import rulezero as rz
from rulezero.data import Record, RecordError, Store, check, game_of, pack, rules_hash
from rulezero.data.columns import pack_numbers
from support import documents, piece_files, record_samples, samples

pytestmark = pytest.mark.sanitize


def changed(record: Record, **fields: Any) -> Record:
    return msgspec.structs.replace(record, **fields)


@pytest.mark.parametrize("text", samples.GAMES)
def test_what_was_played_is_true(text: str) -> None:
    """Records of random games pass, including games that were stopped."""
    for seed in range(3):
        record = record_samples.made(text, seed)
        assert check(record).last == samples.played(text, seed)[-1]


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_forged_choice_is_refused(text: str) -> None:
    """An illegal action, a missing one or one too many is an error that names the ply."""
    record = record_samples.made(text, 1)
    states = samples.played(text, 1)
    ply = record.plies // 2
    legal = set(states[ply].legal)
    foreign = next(a for a in range(states[0].game.facts.actions + 1) if a not in legal)
    actions = record.columns().actions.copy()
    actions[ply] = foreign
    with pytest.raises(RecordError, match=f"at ply {ply}, .*action {foreign} is not legal"):
        check(changed(record, actions=pack_numbers(actions)))
    if states[-1].is_over:
        shorter, thoughts = pack(states[-1].actions[:-1])
        with pytest.raises(
            RecordError, match=f"at ply {record.plies - 1}, the end: .*is not over in"
        ):
            check(changed(record, actions=shorter, thoughts=thoughts))
        longer, thoughts = pack([*states[-1].actions, 0])
        with pytest.raises(RecordError, match=f"at ply {record.plies}, .*the game is over"):
            check(changed(record, actions=longer, thoughts=thoughts))


def test_a_forged_result_is_refused() -> None:
    """An outcome or end reason that differs from the rules' is an error."""
    record = record_samples.made("connect4", 1)
    assert abs(record.outcome) == 1
    for outcome in (-record.outcome, 0.0):
        with pytest.raises(RecordError, match=r"the end: the record says .* the rules say"):
            check(changed(record, outcome=outcome))
    for reason in ("full board", "cap", "resigned", "interrupted"):
        with pytest.raises(RecordError, match=rf"says 1 \({reason}\), the rules say 1 \(four\)"):
            check(changed(record, outcome=1.0, end_reason=reason))


def test_games_that_were_stopped_have_no_winner() -> None:
    """A stopped game has a winner only if a seat resigned or an imported file claims one."""
    actions, thoughts = pack([3, 3])
    record = changed(
        record_samples.made("connect4"), actions=actions, thoughts=thoughts, outcome=0.0
    )
    for reason in ("cap", "interrupted"):
        check(changed(record, end_reason=reason))
        with pytest.raises(RecordError, match="no winner"):
            check(changed(record, end_reason=reason, outcome=1.0))
    check(changed(record, end_reason="resigned", outcome=-1.0))
    with pytest.raises(RecordError, match="the player who resigns loses"):
        check(changed(record, end_reason="resigned"))
    with pytest.raises(RecordError, match="is not over in"):
        check(changed(record, end_reason="four", outcome=1.0))
    claimed = changed(record, end_reason="claimed", outcome=-0.7, source="import:x.jsonl")
    check(claimed)
    with pytest.raises(RecordError, match="only an imported game can have this end"):
        check(changed(claimed, source="match"))


@pytest.mark.parametrize("text", samples.GAMES)
def test_thoughts_are_about_legal_actions(text: str) -> None:
    """A thought about an illegal action, or at a die, is an error that names the ply."""
    states = samples.played(text, 1)
    record = record_samples.made(text, 1)
    ply = next(p for p in range(5, record.plies) if states[p].mover != rz.CHANCE)
    legal = set(states[ply].legal)
    foreign = next(a for a in range(states[0].game.facts.actions + 1) if a not in legal)
    counts = np.zeros(record.plies, int)
    counts[ply] = 1
    _, thoughts = pack(states[-1].actions, counts=counts, pair_actions=[foreign], pair_weights=[1])
    with pytest.raises(RecordError, match=f"a thought at ply {ply}, .*{foreign} is not legal"):
        check(changed(record, thoughts=thoughts))
    for ply, state in enumerate(states[:-1]):
        if state.mover == rz.CHANCE:
            value = np.full(record.plies, np.nan)
            value[ply] = 0
            _, thoughts = pack(states[-1].actions, value=value)
            with pytest.raises(RecordError, match=f"at ply {ply}: a die cannot have"):
                check(changed(record, thoughts=thoughts))
            break


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"version": 9}, "version 9 of its rules"),
        ({"game": "connect4 "}, "connect4 "),
        ({"game": "conect4"}, "no game"),
        ({"start": "7/7/7/7/7/7 o"}, "turn"),
        ({"start": "nonsense"}, "connect4: "),
        ({"game": "chess:draws=automatic"}, "but its text is 'chess'"),
    ],
)
def test_forged_facts_are_refused(fields: dict[str, Any], said: str) -> None:
    """A wrong rules version, start position or game text is an error."""
    with pytest.raises(RecordError, match=said):
        check(changed(record_samples.made("connect4"), **fields))


def test_a_record_has_one_form() -> None:
    """Numbers packed in another way are refused: they would give the same game another id."""
    record = record_samples.made("connect4")
    sims = record.thoughts.sims
    wider = bytes([2]) + sims[1:] + bytes(len(sims) - 1)
    with pytest.raises(RecordError, match="wider than its numbers"):
        check(changed(record, thoughts=changed(record.thoughts, sims=wider)))  # type: ignore[arg-type]
    draw = record.thoughts.draw
    negative = pack_numbers(np.full(record.plies, 0x7000))  # below 0
    with pytest.raises(RecordError, match="draw at ply 0"):
        check(changed(record, thoughts=changed(record.thoughts, draw=negative)))  # type: ignore[arg-type]
    assert draw


def test_pieces_in_files_are_refused_from_strangers(tmp_path: Path) -> None:
    """A piece file that a record names is read only if the record is trusted."""
    pieces = tmp_path / "mine.yaml"
    pieces.write_text(piece_files.WIZARD)
    record = record_samples.of(samples.play(rz.load(f"random_chess:pieces={pieces}"), 0)[:6])
    with pytest.raises(RecordError, match="trusted=True, --trusted"):
        check(record)
    with pytest.raises(RecordError, match="trusted=True"):
        Store(tmp_path / "store", trusted=False).add(record)
    check(record, trusted=True)
    with Store(tmp_path / "store") as store:
        store.add(record)
    assert len(Store(tmp_path / "store", trusted=False)) == 1


def test_rules_in_files_are_refused_from_strangers(tmp_path: Path) -> None:
    """Rules in Python run only if this user has run them before, or trusts the record's path."""
    rules = tmp_path / "game.py"
    ran = tmp_path / "ran"
    rules.write_text(f"open({str(ran)!r}, 'w').close()\n" + documents.tic_tac_toe())
    path = f"python:file={rules}"
    own = record_samples.of(samples.play(rz.load(path), 0)[:6])
    check(own)
    ran.unlink()
    with pytest.raises(RecordError, match="trusted=True, --trusted"):
        check(changed(own, game=path))
    with pytest.raises(RecordError, match="have not been run on this machine"):
        check(changed(own, game=own.game[:-1] + "x"), trusted=True)
    assert not ran.exists()
    assert game_of(path, trusted=True).text == own.game
    assert ran.exists()


@pytest.mark.parametrize("text", samples.GAMES)
def test_a_rules_hash_is_the_same_every_time(text: str) -> None:
    """Loading a game again gives the same hash, and every game has a different one."""
    assert rules_hash(rz.load(text)) == rules_hash(samples.game(text))
    others = {rules_hash(samples.game(other)) for other in samples.GAMES}
    assert len(others) == len(samples.GAMES)


def test_a_rules_hash_tells_what_a_piece_file_says(tmp_path: Path) -> None:
    """The hash depends on the content of a piece file, not on its path."""
    path, elsewhere = tmp_path / "mine.yaml", tmp_path / "other.yaml"
    path.write_text(piece_files.WIZARD)
    elsewhere.write_text(piece_files.WIZARD)
    first = rules_hash(rz.load(f"random_chess:pieces={path}"))
    assert rules_hash(rz.load(f"random_chess:pieces={elsewhere}")) == first
    path.write_text(piece_files.WIZARD.replace("[1, 3]", "[2, 2]"))
    assert rules_hash(rz.load(f"random_chess:pieces={path}")) != first
