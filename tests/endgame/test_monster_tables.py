"""Monster's endgame tables: compared with a slow solver and with the rules, and their files."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rulezero as rz
from reference.monster_endgame import Solver
from rulezero._core import block_sums
from rulezero.endgame import TableError, Tables, solving
from rulezero.endgame.files import PART, TABLE, write
from rulezero.endgame.monster import Probe, map_table, path_of
from rulezero.endgame.positions import draw

GAME = rz.load("monster")
SMALL = ["KvKQ", "KvKN", "KPvK", "KvKQR"]
SLOW = Solver()


def verdict(tables: Tables, text: str) -> int:
    """The position's distance: positive if White wins, negative if Black wins, 0 if drawn."""
    known = tables.probe(GAME.parse(text))
    assert known is not None
    return known.value * known.distance


@pytest.mark.parametrize("men", ["KvK", "KvKQ", "KvKR", "KvKN", "KQvK", "KNvK", "KPvK"])
def test_every_position_against_a_slow_solver(tables: Tables, men: str) -> None:
    """The slow solver was written from the rules' text alone; all three stages are compared."""
    positions = list(SLOW.solve(men).positions())
    assert len(positions) > 10_000
    wrong = [text for text, wanted in positions if verdict(tables, text) != wanted]
    assert not wrong


def test_two_black_men_against_the_slow_solver(tables: Tables) -> None:
    """KvKQR, which Black can win: 20,000 positions, and the counts of wins and draws."""
    slow = SLOW.solve("KvKQR")
    found = tables.summary("KvKQR")
    counts = slow.counts()
    for mover, stage in enumerate(("start", "black")):
        white, drawn, black = found.all[mover]
        assert (counts[stage, 1], counts[stage, 0], counts[stage, -1]) == (white, drawn, black)
    dice = random.Random(0)
    for text in texts("KQR", 20_000, dice):
        assert verdict(tables, text) == slow.verdict(text)


def texts(black: str, many: int, dice: random.Random) -> Iterator[str]:
    """Random positions of a lone white king, in all three stages of a turn."""
    for _ in range(many):
        text = draw(f"Kv{black}", dice, dice.choice("wwb"))
        yield text + dice.choice(["", " +"] if " w " in text else [""])


@pytest.mark.parametrize("men", SMALL)
def test_verdicts_agree_with_the_rules_one_ply_ahead(tables: Tables, men: str) -> None:
    """Each position's verdict follows from the verdicts after its legal moves."""
    tables.check(men, 50_000)


def test_a_wrong_verdict_is_found(endgames: Path) -> None:
    """`check` raises for a table with wrong verdicts."""
    mapped = [map_table(endgames, men) for men in solving.order("KvKQ")]
    verdicts = np.array(mapped[-1].verdicts)
    verdicts[verdicts == 3] = 4
    broken = Tables(mapped[:-1])
    broken.core.add("KvKQ", verdicts, np.array(block_sums(verdicts), np.uint64))
    with pytest.raises(TableError, match="is wrong about"):
        broken.check("KvKQ", 5000)


def test_what_tables_do_not_tell(tables: Tables) -> None:
    """Positions with castling, en passant or other men have no verdict; other games raise."""
    assert tables.probe(GAME.parse("4k2r/8/8/8/8/8/8/4K3 b k - 0 1")) is None
    assert tables.probe(GAME.parse("4k2r/8/8/8/8/8/8/4K3 b - - 0 1")) is not None
    assert tables.probe(GAME.parse("4k3/8/8/8/4Pp2/8/8/K7 b - e3 0 1")) is None
    assert tables.probe(GAME.start()) is None
    over = GAME.parse("8/8/8/8/8/8/8/K7 b - - 0 1")
    assert tables.probe(over) == Probe(1, 0)
    with pytest.raises(TableError, match="the game is over"):
        tables.best(over)
    with pytest.raises(rz.GameError, match="monster, not chess"):
        tables.probe(rz.load("chess").start())


def test_a_game_by_the_tables_lasts_as_long_as_they_say(tables: Tables) -> None:
    """Played by the tables, each side's longest win takes as many turns as its distance."""
    for men in ("KvKQR", "KvKQ"):
        for seat, longest in enumerate(tables.summary(men).longest):
            assert longest.text is not None
            states = tables.line(GAME.parse(longest.text))
            turns = sum(
                state.mover == seat and (seat == 1 or not state.text.endswith("+"))
                for state in states[:-1]
            )
            assert (states[-1].outcome, turns) == (1 - 2 * seat, longest.turns)


def test_a_search_wins_what_is_won_in_time(tables: Tables, endgames: Path) -> None:
    """One simulation is enough to win; a win that needs more turns than are left is a draw."""
    text = "8/8/8/8/2r5/1q6/8/K2k4 b - - 0 {}"
    assert tables.probe(GAME.parse(text.format(1))) == Probe(-1, 4)
    for kind in ("puct:sims=1", "gumbel:sims=1", "ucb1:sims=1", "alphabeta:depth=1", "oneply"):
        seat = rz.player(
            f"{kind},tables={endgames}" if ":" in kind else f"{kind}:tables={endgames}"
        )
        state = GAME.parse(text.format(1))
        for _ in range(4):
            assert seat.think(state).value == -1
            state = state.apply(seat.think(state).action)
            while not state.is_over and state.mover == 0:
                state = state.apply(tables.best(state))
        assert state.outcome == -1
    # The win takes seven of the game's 150 turns, so it must begin with turn 144 at the latest.
    last = 72
    assert (
        rz.player(f"puct:sims=1,tables={endgames}").think(GAME.parse(text.format(last))).value == -1
    )
    late = GAME.parse(text.format(last + 1))
    assert tables.probe(late) == Probe(-1, 4)
    assert rz.player(f"puct:sims=50,tables={endgames}").think(late).value == 0


def test_a_search_throws_no_won_or_drawn_game_away(tables: Tables, endgames: Path) -> None:
    """For every player and either side, a move keeps the value, and a win comes nearer."""
    dice = random.Random(4)
    kinds = ("puct:sims=20,", "gumbel:sims=8,", "ucb1:sims=20,", "alphabeta:depth=1,", "oneply:")
    seats = [rz.player(f"{kind}tables={endgames}") for kind in kinds]
    left = {1: 10_000, 0: 2000}  # won and drawn positions still to try
    while any(left.values()):
        state = GAME.parse(draw(dice.choice(SMALL), dice, dice.choice("wb")))
        known = None if state.is_over else tables.probe(state)
        if known is None or known.value == (-1 if state.mover == 0 else 1):
            continue
        if left[abs(known.value)] == 0:
            continue
        left[abs(known.value)] -= 1
        thought = seats[sum(left.values()) % len(seats)].think(state)
        after = tables.probe(state.apply(thought.action))
        assert after is not None
        assert after.value == known.value == thought.value
        # White's first half does not complete a turn, so the distance stays.
        is_whole = state.mover == 1 or state.apply(thought.action).is_over
        assert not known.value or after.distance == known.distance - is_whole


def test_tables_are_exact_leaves(tables: Tables, endgames: Path) -> None:
    """A capture that leads into a won table has the value 1, which the heuristic never gives."""
    found = 0
    for text in texts("KQRN", 20_000, random.Random(1)):
        state = GAME.parse(text)
        if state.is_over or state.mover == 1:
            continue
        after = [tables.probe(state.apply(action)) for action in state.legal]
        nearest = min((known.distance for known in after if known and known.value == 1), default=0)
        if nearest < 2:  # no win in the tables, or one found without them
            continue
        found += 1
        for kind in ("puct:sims=100,", "ucb1:sims=100,", "alphabeta:depth=1,", "oneply:"):
            thought = rz.player(f"{kind}tables={endgames}").think(state)
            assert thought.value == 1
            assert tables.probe(state.apply(thought.action)) in after
        opinion = rz.player("oneply").think(state).value
        assert opinion is not None
        assert opinion < 1
    assert found > 3


@pytest.mark.parametrize(
    ("men", "words"),
    [
        ("KQ", "White's, then v, then Black's"),
        ("KvK,x", "is not a man"),
        ("KKvK", "one king"),
        ("QvK", "one king"),
        ("KvKP", "no tables with black pawns"),
        ("KvKQQQQ", "at most two white and three black men"),
        ("KPPPvK", "at most two white and three black men"),
        ("", "White's, then v, then Black's"),
    ],
)
def test_men_that_have_no_table(tmp_path: Path, men: str, words: str) -> None:
    """The error says what is wrong, and no file is made."""
    with pytest.raises(rz.GameError, match=words):
        solving.solve(men, tmp_path / "new", workers=1)
    assert not (tmp_path / "new").exists()


def test_men_have_one_name(endgames: Path) -> None:
    """Letters in any order and case name the same table."""
    assert path_of(endgames, "kVrqk") == endgames / f"KvKQR{TABLE}"


def test_solving_goes_on_where_it_was_stopped(endgames: Path, tmp_path: Path) -> None:
    """It resumes at the last saved layer and gives the same bytes; other tables stay unchanged."""
    for men in solving.order("KvKQR")[:-1]:
        path_of(tmp_path, men).write_bytes(path_of(endgames, men).read_bytes())
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}

    def stop(layer: solving.Layer) -> None:
        if layer.turns == 5:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt):
            solving.solve("KvKQR", tmp_path, workers=2, tell=stop)
    assert path_of(tmp_path, "KvKQR", PART).is_file()
    assert not path_of(tmp_path, "KvKQR").exists()
    layers: list[int] = []
    made = solving.solve(
        "KvKQR", tmp_path, workers=1, tell=lambda layer: layers.append(layer.turns)
    )
    assert made == ["KvKQR"]
    assert layers[0] == 5
    assert path_of(tmp_path, "KvKQR").read_bytes() == path_of(endgames, "KvKQR").read_bytes()
    assert not path_of(tmp_path, "KvKQR", PART).exists()
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert {name: after[name] for name in before} == before


def test_damage_is_told(endgames: Path, tmp_path: Path) -> None:
    """A truncated or foreign file is an error when opened, a flipped bit when it is read."""
    whole = path_of(endgames, "KvKQ").read_bytes()
    with pytest.raises(TableError, match="no endgame tables in"):
        rz.endgame.open(tmp_path)
    path = path_of(tmp_path, "KvKQ")
    flipped = bytearray(whole)
    flipped[4096 + 100] ^= 1
    sums = bytearray(whole)
    sums[-1] ^= 1
    for data, words in [
        (whole[:-8], "is damaged"),
        (whole[:5000], "is damaged"),
        (bytes(sums), "is damaged"),
        (whole.replace(b'"version":1', b'"version":9', 1), "has another format or version"),
        (whole.replace(b'"layers":9', b'"layers":8', 1), "is damaged"),
        (whole.replace(b"KvKQ", b"KvKR", 1), "is damaged"),
        (b"nonsense", "is not an endgame table"),
        (b"", "is not an endgame table"),
    ]:
        path.write_bytes(data)
        with pytest.raises(TableError, match=words):
            rz.endgame.open(tmp_path)
    verdicts = np.array(map_table(endgames, "KvKQ").verdicts)
    for rules, men, words in [
        (7, "KvKQ", "solved with other rules"),
        (GAME.facts.version, "KvKR", "rename it back"),
    ]:
        write(path, verdicts, game="monster", rules=rules, men=men, layers=9)
        with pytest.raises(TableError, match=words):
            rz.endgame.open(tmp_path)
    other = tmp_path / "foo.table"
    other.write_bytes(whole)
    with pytest.raises(TableError, match=r"foo\.table is not named after its men"):
        rz.endgame.open(tmp_path)
    other.unlink()
    path.write_bytes(flipped)
    damaged = rz.endgame.open(tmp_path)
    with pytest.raises(rz.RulezeroError, match="the table of KvKQ is damaged"):
        damaged.check("KvKQ", 1000)
    with pytest.raises(rz.PlayerError, match="no endgame tables of razzle"):
        rz.player(f"puct:tables={endgames}").think(rz.load("razzle").start())
