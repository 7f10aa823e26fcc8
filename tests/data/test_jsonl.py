"""JSON lines: our files give the same records back, and other programs' files can be read."""

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

import rulezero as rz
from rulezero.data import Record, RecordError, check, export, import_file, pack
from rulezero.data.monster_lines import conditional
from support import record_samples, samples

START = "rnbqkbnr/pppppppp/8/8/8/8/2PPPP2/4K3 w kq - 0 1"


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def foreign(folder: Path, *lines: Any) -> Path:
    """The path of a new file with these lines; objects are written as JSON."""
    path = folder / "theirs.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


@pytest.mark.parametrize("text", samples.GAMES)
def test_records_come_back_equal(text: str, tmp_path: Path) -> None:
    """Every field and every thought comes back, and so the id is the same."""
    records = [record_samples.made(text, seed, index=seed) for seed in range(2)]
    path = tmp_path / "games.jsonl"
    assert export(records, path) == 2
    assert list(import_file(path)) == records
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


def test_what_a_run_says_of_a_record_comes_back(tmp_path: Path) -> None:
    """The fields iteration, forced_result and is_given come back."""
    record = record_samples.made("connect4", iteration=3, forced_result=-1.0, is_given=True)
    export([record], tmp_path / "x.jsonl")
    assert list(import_file(tmp_path / "x.jsonl")) == [record]


def test_files_of_the_first_form_are_read(tmp_path: Path) -> None:
    """The first format had `seats` for players, and iteration and result in task and source."""
    record = record_samples.made("connect4", task="0003/self-play", source="forced:1")
    export([record], tmp_path / "x.jsonl")
    lines = lines_of(tmp_path / "x.jsonl")
    whole = lines[0]["record"]
    whole["seats"] = whole.pop("players")
    for name in ("iteration", "forced_result", "is_given"):
        del whole[name]
    (read,) = import_file(foreign(tmp_path, *lines))
    assert read == msgspec.structs.replace(record, iteration=3, forced_result=1.0)


def test_a_record_without_plies_comes_back(tmp_path: Path) -> None:
    """A game that was resigned before the first move comes back."""
    actions, thoughts = pack([])
    record = msgspec.structs.replace(
        record_samples.made("connect4"),
        actions=actions,
        thoughts=thoughts,
        outcome=-1.0,
        end_reason="resigned",
    )
    export([record], tmp_path / "x.jsonl")
    assert list(import_file(tmp_path / "x.jsonl")) == [record]


@pytest.mark.parametrize("text", ["monster", "exchange", "connect4"])
def test_a_line_tells_a_ply(text: str, tmp_path: Path) -> None:
    """Each line has a ply's position, move, mover, shares by move text, and seat 0's result."""
    record = record_samples.made(text)
    export([record], tmp_path / "x.jsonl")
    lines = lines_of(tmp_path / "x.jsonl")
    states = samples.played(text)
    assert len(lines) == record.plies
    for ply, (line, state) in enumerate(zip(lines, states, strict=False)):
        thought = record.thought(ply)
        action = states[ply + 1].actions[-1]
        assert line["game"] == record.game
        assert line["id"] == record.id
        assert (line["ply"], line["fen"], line["mover"]) == (ply, state.text, state.mover)
        assert (line["action"], line["move"]) == (action, state.say(action))
        assert line["current_player"] == {0: "white", 1: "black", -1: None}[state.mover]
        assert line["game_result"] == record.outcome
        assert ("record" in line and line["record"] is not None) == (ply == 0)
        if thought is None:
            assert (line["mcts_value"], line["policy"]) == (None, {})
        elif thought.shares:
            policy = {state.read(move): share for move, share in line["policy"].items()}
            assert policy == pytest.approx(thought.shares, abs=1e-6)


def test_mcts_value_is_the_movers(tmp_path: Path) -> None:
    """mcts_value is the value for the mover: it has the other sign when Black is to move."""
    game = rz.load("monster")
    start = game.start()
    states = [start]
    for move in ("e2e4", "e4e5", "g8f6"):
        states.append(states[-1].apply(states[-1].read(move)))
    actions, thoughts = pack(states[-1].actions, value=[0.5, 0.25, 0.75])
    record = record_samples.of(states, actions=actions, thoughts=thoughts, end_reason="cap")
    export([record], tmp_path / "x.jsonl")
    lines = lines_of(tmp_path / "x.jsonl")
    assert [line["current_player"] for line in lines] == ["white", "white", "black"]
    assert [line["mcts_value"] for line in lines] == pytest.approx([0.5, 0.25, -0.75], abs=1e-4)
    assert [line["value"] for line in lines] == pytest.approx([0.5, 0.25, 0.75], abs=1e-4)
    # In other programs' lines, too, mcts_value is the value for the mover.
    kept = ("fen", "mcts_value", "policy", "current_player", "game_result")
    black = {name: lines[2][name] for name in kept}
    (read,) = import_file(foreign(tmp_path, black))
    assert read.columns().value[0] == pytest.approx(0.75, abs=1e-4)
    (read,) = import_file(foreign(tmp_path, {name: lines[0][name] for name in kept}))
    assert read.columns().value[0] == pytest.approx(0.5, abs=1e-4)


def line(fen: str, policy: dict[str, float], value: float = 0.0, result: float = 1) -> Any:
    """A line in the format of the original Monster Chess program."""
    return {
        "fen": fen,
        "mcts_value": value,
        "policy": policy,
        "current_player": "white" if " w " in fen else "black",
        "game_result": result,
    }


@pytest.mark.parametrize("between", [",", ", ", " ", "+", " + ", ";"])
def test_pairs_become_two_plies(between: str, tmp_path: Path) -> None:
    """The first half gets marginal shares, the second half shares given the first half played."""
    policy = {("e2e4", "e4e5"): 0.4, ("e2e4", "d2d4"): 0.2, ("d2d4", "e2e4"): 0.3}
    policy |= {("d2d4", "d4d5"): 0.1}
    theirs = line(START, {between.join(pair): share for pair, share in policy.items()}, value=0.3)
    (record,) = import_file(foreign(tmp_path, theirs))
    first, second = record.thought(0), record.thought(1)
    assert first is not None
    assert second is not None
    game = rz.load("monster")
    state = game.start()
    e4, d4 = state.read("e2e4"), state.read("d2d4")
    assert record.columns().actions.tolist() == [e4, state.apply(e4).read("e4e5")]
    assert first.shares == pytest.approx({e4: 0.6, d4: 0.4}, abs=1e-4)
    assert first.value == pytest.approx(0.3, abs=1e-4)
    after = state.apply(e4)
    wanted = {after.read("e4e5"): 2 / 3, after.read("d2d4"): 1 / 3}
    assert second.shares == pytest.approx(wanted, abs=1e-4)
    assert second.value is None
    assert (record.outcome, record.end_reason) == (1, "claimed")
    assert record.source == "import:theirs.jsonl"


def test_marginals_and_conditionals_by_hand() -> None:
    """A first half's share sums over its second halves; a second half's is given the first half."""
    shares = {(1, 2): 0.5, (1, 3): 0.25, (4, 2): 0.125, (5,): 0.125}
    assert conditional(shares, ()) == {1: 0.75, 4: 0.125, 5: 0.125}
    assert conditional(shares, (1,)) == pytest.approx({2: 2 / 3, 3: 1 / 3})
    assert conditional(shares, (4,)) == {2: 1}
    assert conditional(shares, (5,)) == {}
    assert conditional(shares, (9,)) == {}


def test_lines_are_joined_to_games(tmp_path: Path) -> None:
    """The moves between two positions are found, in the policy or among all legal turns."""
    game = rz.load("monster")
    state, lines, moves = game.start(), [], ["e2e4", "d2d4", "g8f6", "e1d2", "d2c3", "f6e4"]
    for at, move in enumerate(moves):
        if at in (0, 3):
            # The likeliest pair is the one that was played.
            both = ",".join(moves[at : at + 2])
            lines.append(line(state.text, {both: 0.9, "c2c3,c3c4": 0.1}))
        elif at == 2:
            lines.append(line(state.text, {"a7a6": 1.0}))  # not the move played
        elif at == 5:
            lines.append(line(state.text, {move: 1.0}, value=-0.5))
        state = state.apply(state.read(move))
    (record,) = import_file(foreign(tmp_path, *lines))
    assert record.columns().actions.tolist() == state.actions
    assert record.start == START
    assert record.columns().value[5] == pytest.approx(0.5, abs=1e-4)
    assert record.thought(2).shares == {game.parse(lines[1]["fen"]).read("a7a6"): 1}  # type: ignore[union-attr]
    check(record)


@pytest.mark.parametrize("text", ["monster", "chess", "razzle", "connect4"])
def test_plies_without_ids_are_joined_too(text: str, tmp_path: Path) -> None:
    """Lines without record and id, but with `move`, are joined by their moves."""
    record = record_samples.of(list(samples.played(text)[:40]))
    export([record], tmp_path / "x.jsonl")
    kept = ("game", "fen", "mcts_value", "policy", "current_player", "game_result", "move")
    lines = [{name: told[name] for name in kept} for told in lines_of(tmp_path / "x.jsonl")]
    (back,) = import_file(foreign(tmp_path, *lines))
    assert back.start == record.start
    assert back.action_numbers().tolist() == record.action_numbers().tolist()
    known = record.columns().has_policy
    assert back.columns().has_policy.tolist() == known.tolist()


def test_where_lines_lack_a_new_record_begins(tmp_path: Path) -> None:
    """Positions more than a turn apart, or from games with different results, are not joined."""
    game = rz.load("monster")
    state = game.start()
    texts = [state.text]
    for move in ("e2e4", "d2d4", "g8f6", "e1d2", "d2c3", "f6e4"):
        state = state.apply(state.read(move))
        texts.append(state.text)
    far = [line(texts[0], {"e2e4,d2d4": 1}), line(texts[5], {"f6e4": 1})]
    records = list(import_file(foreign(tmp_path, *far)))
    assert [record.plies for record in records] == [2, 1]
    assert [record.index for record in records] == [0, 1]
    assert len({record.id for record in records}) == 2
    near = [line(texts[0], {"e2e4,d2d4": 1}, result=1), line(texts[2], {"g8f6": 1}, result=-0.7)]
    records = list(import_file(foreign(tmp_path, *near)))
    assert [(record.plies, record.outcome) for record in records] == [(2, 1), (1, -0.7)]
    assert list(import_file(foreign(tmp_path, *near))) == records  # reading is deterministic


def test_an_end_that_nobody_tells_is_not_known(tmp_path: Path) -> None:
    """A game without a result is `interrupted`, not a draw."""
    quiet = {**line(START, {"e2e4,d2d4": 1.0}), "game_result": None}
    (record,) = import_file(foreign(tmp_path, quiet))
    assert (record.outcome, record.end_reason) == (0, "interrupted")


def test_a_game_ends_as_the_rules_say(tmp_path: Path) -> None:
    """If the likeliest move ends the game against the file's result, another one was played."""
    fen = "8/8/8/8/2k5/8/2K5/8 w - - 0 1"
    theirs = line(fen, {"c2c3,c3c4": 0.7, "c2d2,d2e2": 0.3})
    (record,) = import_file(foreign(tmp_path, theirs))
    assert (record.outcome, record.end_reason) == (1, "king")
    (record,) = import_file(foreign(tmp_path, {**theirs, "game_result": -0.7}))
    assert (record.outcome, record.end_reason) == (-0.7, "claimed")
    state = rz.load("monster").parse(fen)
    assert record.columns().actions[0] == state.read("c2d2")
    alone = line("4r3/8/8/8/8/8/5k2/4K3 w - - 0 1", {"e1f2": 1.0})  # ends with the first half
    (record,) = import_file(foreign(tmp_path, alone))
    assert (record.plies, record.end_reason) == (1, "king")


def test_odd_but_clear_lines_are_read(tmp_path: Path) -> None:
    """Empty lines, other programs' counters and en-passant squares, and no policy are accepted."""
    fen = "rnbqkbnr/pppppppp/8/8/3PP3/8/2P2P2/4K3 b kq e3 7 1"
    lines = ["", line(fen, {"g8f6": 1}), "  ", {"fen": fen}, line(fen, {"g8f6": 1, "a7a6": 0})]
    records = list(import_file(foreign(tmp_path, *lines)))
    assert [record.plies for record in records] == [1, 1, 1]
    assert records[1].thought(0) is None
    chess = {"fen": rz.load("chess").start().text, "policy": {"e2e4": 3, "d2d4": 1}}
    (record,) = import_file(foreign(tmp_path, chess), game="chess")
    assert record.game == "chess"
    shares = record.thought(0).shares.values()  # type: ignore[union-attr]
    assert sorted(shares) == pytest.approx([0.25, 0.75], abs=1e-4)


@pytest.mark.sanitize
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{", "not a ply"),
        ("[1, 2]", "not a ply"),
        ("{}", "not a ply: .*fen"),
        ('{"fen": 7}', "not a ply"),
        ("[" * 100_000, "not a ply"),
        ('{"fen": "", "x": ' + "[" * 100_000, "not a ply"),
        ('{"fen": "", "id": "x", "action": 1000000000000000000000000000000}', "not a ply"),
        ('{"fen": "", "id": "x", "sims": 1e30}', "not a ply"),
        ('{"fen": "", "id": "x", "pairs": [[1000000000000000000000000000000, 1, 1]]}', "not a ply"),
        ('{"fen": "nonsense"}', "FEN|fields|field|text"),
        (line(START, {"e2e5,e5e6": 1}), "the policy has 'e2e5,e5e6': 'e2e5' is not a legal move"),
        (line(START, {"e2e4,e2e5": 1}), "the policy has 'e2e4,e2e5': 'e2e5' is not a legal"),
        (line(START, {"e2e4,e4e5,e5e6": 1}), "a turn is one move, or two"),
        (line(START, {"": 1}), "a turn is one move, or two"),
        (line(START, {"e2e4,e4e5": -1}), "a share is a number >= 0"),
        (line(START, {"e2e4,e4e5": 0}), "sum to 0"),
        (line(START, {"e2e4,e4e5": 1e308, "e2e4,d2d4": 1e308}), "sum to inf"),
        (line(START, {}, value=1.5), "mcts_value is 1.5"),
        (line(START, {}, result=2), "game_result is 2"),
        ({**line(START, {}), "current_player": "black"}, "current_player is 'black'"),
        ({**line(START, {}), "current_player": "red"}, "current_player is 'red'"),
        (line(START.replace(" w ", " b "), {"g8f6,f6e4": 1}), "the turn ends before 'f6e4'"),
        (line("4k3/8/8/8/8/8/8/8 w - - 0 1", {}), "the game is over"),
        ({**line(START, {}), "game": "python:file=x.py"}, "would run a file"),
        ({**line(START, {}), "game": "monstre"}, "no game 'monstre'"),
        (b'{"fen": "\xff"}', "not a ply"),
    ],
)
def test_a_mistake_is_told_with_its_line(bad: Any, said: str, tmp_path: Path) -> None:
    """A one-line RecordError follows the games before it; `report` lets later games be read."""
    good = line(START, {"e2e4,e4e5": 1.0})
    other = line(START, {"d2d4,d4d5": 1.0}, result=-1)
    path = foreign(tmp_path, good, bad if not isinstance(bad, bytes) else "?", other)
    if isinstance(bad, bytes):
        path.write_bytes(path.read_bytes().replace(b"?", bad))
    read = import_file(path)
    assert next(read).plies == 2
    with pytest.raises(RecordError, match=rf"^.*theirs.jsonl:2: .*({said})") as caught:
        next(read)
    assert "\n" not in str(caught.value)
    problems: list[RecordError] = []
    records = list(import_file(path, report=problems.append))
    assert [record.outcome for record in records] == [1, -1]
    assert [str(problem) for problem in problems] == [str(caught.value)]


def test_lines_of_our_own_that_were_changed_are_refused(tmp_path: Path) -> None:
    """A missing, changed or garbled line refuses its record; the other records are read."""
    records = record_samples.several("connect4", 3)
    path = tmp_path / "x.jsonl"
    export(records, path)
    whole = path.read_text().splitlines(keepends=True)
    second = records[0].plies + 2  # a line of the second record

    def problems(lines: list[str]) -> list[str]:
        path.write_text("".join(lines))
        found: list[RecordError] = []
        left = list(import_file(path, report=found.append))
        assert left == [records[0], records[2]]
        return [str(problem) for problem in found]

    (missing,) = problems(whole[:second] + whole[second + 1 :])
    assert f"x.jsonl:{records[0].plies + records[1].plies - 1}: record {records[1].id}" in missing
    (headless,) = problems([line for at, line in enumerate(whole) if at != records[0].plies])
    assert "the line for ply 0 is missing" in headless
    changed = json.loads(whole[second]) | {"sims": 77}
    (forged,) = problems([*whole[:second], json.dumps(changed) + "\n", *whole[second + 1 :]])
    assert "was changed" in forged
    for name, said in [("move", "g"), ("fen", "x"), ("current_player", None), ("mcts_value", 0.7)]:
        changed = json.loads(whole[second]) | {name: said}
        (told,) = problems([*whole[:second], json.dumps(changed) + "\n", *whole[second + 1 :]])
        assert f"{name} is {said!r}, not" in told
    garbled, *_ = problems([*whole[:second], "garbage\n", *whole[second + 1 :]])
    assert f"x.jsonl:{second + 1}: not a ply" in garbled


def test_a_forged_record_in_lines_is_refused(tmp_path: Path) -> None:
    """A record with a wrong result is refused even if its id is right, because it is replayed."""
    record = msgspec.structs.replace(record_samples.made("connect4", 1), outcome=0.5)
    export([record], tmp_path / "x.jsonl")
    with pytest.raises(RecordError, match=r"x.jsonl:\d+: .*the end: the record says 0.5"):
        list(import_file(tmp_path / "x.jsonl"))


def test_values_need_not_be_known(tmp_path: Path) -> None:
    """A missing value is NaN in columns and null in JSON lines."""
    actions, thoughts = pack([3], counts=[1], pair_actions=[3], pair_weights=[1])
    record: Record = msgspec.structs.replace(
        record_samples.made("connect4"),
        actions=actions,
        thoughts=thoughts,
        end_reason="cap",
        outcome=0.0,
    )
    export([record], tmp_path / "x.jsonl")
    (told,) = lines_of(tmp_path / "x.jsonl")
    assert (told["mcts_value"], told["policy"]) == (None, {"d": 1.0})
    (back,) = import_file(tmp_path / "x.jsonl")
    assert math.isnan(back.columns().value[0])
