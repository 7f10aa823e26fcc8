"""PGN: games survive a round trip, python-chess reads them, and other programs' files are read."""

import re
from itertools import pairwise
from pathlib import Path

import chess
import chess.pgn
import msgspec
import pytest

import rulezero as rz
from rulezero.data import Record, RecordError, export, import_file
from rulezero.data.thoughts import pack
from rulezero.play.dialogue import Dialogue
from support import piece_files, record_samples, samples

CHESSLIKE = [text for text in samples.GAMES if text.split(":")[0] in ("chess", "monster")]
CHESSLIKE += [text for text in samples.GAMES if text.split(":")[0] == "random_chess"]
LINES = ["value", "sims"]  # the parts of a thought that are written as comments


def read(folder: Path, text: str | bytes, game: str | None = None) -> list[Record]:
    """The records of a file with this text."""
    path = folder / "theirs.pgn"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(import_file(path, game))


def without_policies(record: Record) -> Record:
    """The record with only the values and simulations of its thoughts, as PGN keeps them."""
    columns = record.columns()
    actions, thoughts = pack(columns.actions, value=columns.value, sims=columns.sims)
    return msgspec.structs.replace(record, actions=actions, thoughts=thoughts)


@pytest.mark.parametrize("text", CHESSLIKE)
def test_games_come_back(text: str, tmp_path: Path) -> None:
    """Every field comes back, with values and simulations; policies are not written."""
    records = [record_samples.made(text, seed, index=seed, nets=("a", None)) for seed in range(3)]
    path = tmp_path / "games.pgn"
    assert export(records, path) == 3
    assert list(import_file(path)) == [without_policies(record) for record in records]
    assert max(len(line) for line in path.read_text().splitlines() if line[:1] != "[") <= 80


@pytest.mark.parametrize("text", CHESSLIKE)
def test_games_from_the_middle_come_back(text: str, tmp_path: Path) -> None:
    """Another start goes into the FEN tag, also with Black to move or in mid-turn."""
    states = samples.played(text)
    for begin in (1, 2, 3, 4):
        game = states[0].game
        state = game.parse(states[begin].text)
        rest = [state]
        for action in states[-1].actions[begin : begin + 7]:
            rest.append(rest[-1].apply(action))
        record = record_samples.of(rest, end_reason=rest[-1].end_reason or "resigned", outcome=1.0)
        export([record], tmp_path / "x.pgn")
        assert '[SetUp "1"]' in (tmp_path / "x.pgn").read_text()
        assert list(import_file(tmp_path / "x.pgn")) == [without_policies(record)]


def test_the_iteration_and_a_forced_result_come_back(tmp_path: Path) -> None:
    """They have their own tags; without these they are read from the task and the source."""
    record = record_samples.made("chess", task="0003/x", source="forced:-1")
    record = msgspec.structs.replace(record, iteration=4, forced_result=0.5)
    export([record], tmp_path / "x.pgn")
    text = (tmp_path / "x.pgn").read_text()
    assert read(tmp_path, text) == [without_policies(record)]
    (old,) = read(tmp_path, re.sub(r"\[(Iteration|ForcedResult) .*\n", "", text))
    assert (old.iteration, old.forced_result) == (3, -1)


@pytest.mark.parametrize("text", ["chess", "random_chess"])
def test_python_chess_reads_our_games(text: str, tmp_path: Path) -> None:
    """python-chess reads each game without errors, to the same length and last position."""
    records = [record_samples.made(text, seed, index=seed) for seed in range(3)]
    if text == "random_chess":  # add a game in which both sides castle
        played = [rz.load(text).start(back_rank="RKNBBNQR")]
        for move in ["e2e4", "e7e5", "c1b3", "c8b6", "d1e2", "d8e7", "b1a1", "b8a8"]:
            played.append(played[-1].apply(played[-1].read(move)))
        records.append(record_samples.of(played, end_reason="cap"))
    export(records, tmp_path / "x.pgn")
    with (tmp_path / "x.pgn").open() as file:
        for record in records:
            theirs = chess.pgn.read_game(file)
            assert theirs is not None
            assert theirs.errors == []
            last = rz.load(text).replay(record.start, record.action_numbers())
            assert theirs.end().board().fen().split()[:2] == last.text.split()[:2]
            assert theirs.headers["White"] == record.players[0]
            assert len(list(theirs.mainline_moves())) == record.plies
        assert chess.pgn.read_game(file) is None


def test_we_read_the_games_of_python_chess(tmp_path: Path) -> None:
    """A game with headers, variations and comments, as python-chess writes it, is read."""
    game = chess.pgn.Game()
    game.headers["White"], game.headers["Black"] = "Morphy, Paul", "Duke"
    game.headers["Result"] = "1-0"
    node: chess.pgn.GameNode = game
    moves = "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5"
    moves += " Bxb5+ Nbd7 O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#"
    for san in moves.split():
        node = node.add_variation(node.board().parse_san(san), comment="word")
        if node.parent is not None and node.ply() == 5:
            node.parent.add_variation(node.parent.board().parse_san("Nc3"), comment="or (this)")
    (record,) = read(tmp_path, str(game) + "\n\n" + str(game))[:1]
    assert (record.outcome, record.end_reason, record.plies) == (1, "checkmate", 33)
    assert record.players == ("Morphy, Paul", "Duke")
    assert (record.purpose, record.source) == ("human", "import:theirs.pgn")
    assert [r.index for r in read(tmp_path, str(game) + "\n\n" + str(game))] == [0, 1]


def test_monster_reads_as_people_write_it(tmp_path: Path) -> None:
    """After a move number come White's two halves, then Black's move."""
    start = rz.load("monster").start()
    actions = []
    for move in ("e2e4", "e4e5", "g8f6", "e5f6"):
        actions.append(start.read(move))
        start = start.apply(actions[-1])
    for text in ("1. e4 e5 Nf6 2. exf6 *", "1. e4 e5 1... Nf6 2. exf6", "1.e2e4 e4e5 Nf6 exf6 *"):
        (record,) = read(tmp_path, f'[Variant "Monster"]\n\n{text}\n')
        assert record.action_numbers().tolist() == actions
        assert record.game == "monster"
    record = record_samples.of([*_states("monster", actions)], end_reason="cap")
    export([without_policies(record)], tmp_path / "x.pgn")
    text = (tmp_path / "x.pgn").read_text()
    words = [word for word in text.split("\n\n")[1].split() if word[0].isalnum()]
    assert [w for w in words if w[0].isalpha() and w not in LINES] == ["e4", "e5", "Nf6", "exf6"]


def _states(text: str, actions: list[int]) -> list[rz.State]:
    states = [rz.load(text).start()]
    for action in actions:
        states.append(states[-1].apply(action))
    return states


@pytest.mark.parametrize(
    "movetext",
    [
        "1. e4 e5 2. Nf3",
        "1.e4 e5 2.Nf3 *",
        "1. e4! e5?! $14 2. Nf3 $1 *",
        "{before} 1. e4 {best by test; (1. d4)} e5 ; 1... c5 {open\n2. Nf3 *",
        "1. e4 (1. d4 d5 (1... Nf6 2. c4 {Indian)}) 2. c4) 1... e5 2. Nf3 *",
        "1. e2e4 e7e5 2. g1f3 *",
        "1 e4 e5 2 Nf3 *",
        "% escaped 1. a3\n1. e4 e5\n\n2. Nf3",
        '1. e4 e5 {a [comment\n[Event "in it"]\nends} 2. Nf3 *',
        "1. e4 1... e5 2. . Nf3",
    ],
)
def test_what_people_put_between_moves_is_skipped(movetext: str, tmp_path: Path) -> None:
    """Comments, annotations, nested variations, move numbers and escaped lines are skipped."""
    state = rz.load("chess").start()
    for move in ("e2e4", "e7e5", "g1f3"):
        state = state.apply(state.read(move))
    for tags in ("", '[Event "x"]\n[White "a \\"b\\" \\\\ c"]\n\n', "\ufeff"):
        records = read(tmp_path, f"{tags}{movetext}\n")
        assert [record.action_numbers().tolist() for record in records] == [state.actions]
        assert (records[0].outcome, records[0].end_reason) == (0, "interrupted")
    latin = f'[White "Gr\xfcnfeld"]\n\n{movetext}\n'.encode("latin-1")
    assert read(tmp_path, latin)[0].players[0] == "Gr\xfcnfeld"


def test_results_and_ends(tmp_path: Path) -> None:
    """The rules give the result of a finished game; a win before the end is a resignation."""
    (record,) = read(tmp_path, "1. e4 e5 0-1")
    assert (record.outcome, record.end_reason) == (-1, "resigned")
    (record,) = read(tmp_path, '[Result "1-0"]\n\n1. e4 e5')
    assert (record.outcome, record.end_reason) == (1, "resigned")
    (record,) = read(tmp_path, "1. e4 e5 1/2-1/2")
    assert (record.outcome, record.end_reason) == (0, "claimed")
    (record,) = read(tmp_path, "1. e4 e5 *")
    assert (record.outcome, record.end_reason) == (0, "interrupted")
    (record,) = read(tmp_path, "1. f3 e5 2. g4 Qh4# *")
    assert (record.outcome, record.end_reason) == (-1, "checkmate")
    castles = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 *"
    (record,) = read(tmp_path, castles)
    assert record.plies == 7


def test_games_of_variants_are_told_by_their_tags(tmp_path: Path) -> None:
    """The Variant and FEN tags name the game; without them it is the caller's, or chess."""
    fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"
    (record,) = read(tmp_path, f'[Variant "Chess 960"]\n[FEN "{fen}"]\n\n1. e4 e5 *')
    assert record.game == "random_chess"
    assert record.start == rz.load("random_chess").parse(fen).text
    (record,) = read(tmp_path, "1. e4 e5 Nf6", game="monster")
    assert record.game == "monster"
    knights = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *"
    with pytest.raises(RecordError, match=r"move 9, 'e4': .*repetition.*chess:draws=none"):
        read(tmp_path, knights)
    assert read(tmp_path, knights, game="chess:draws=none")[0].plies == 9


def test_men_with_two_letters_are_written_so_that_they_are_read(tmp_path: Path) -> None:
    """The SAN of such pieces has braces, which must not be written as a PGN comment."""
    game = rz.load("random_chess:pieces=standard+custom")
    found = 0
    for seed in range(4):
        states = samples.play(game, seed)
        sans = [s.say(after.actions[-1], san=True) for s, after in pairwise(states)]
        found += sum("{" in san for san in sans)
        record = record_samples.of(states, seed)
        export([record], tmp_path / "x.pgn")
        assert list(import_file(tmp_path / "x.pgn")) == [without_policies(record)]
    assert found > 0


def test_a_piece_file_is_read_only_where_it_is_trusted(tmp_path: Path) -> None:
    """The Game tag names a piece file, which is read only with trusted=True."""
    pieces = tmp_path / "mine.yaml"
    pieces.write_text(piece_files.WIZARD)
    record = record_samples.of(samples.play(rz.load(f"random_chess:pieces={pieces}"), 0)[:9])
    export([record], tmp_path / "x.pgn")
    with pytest.raises(RecordError, match="trusted=True"):
        list(import_file(tmp_path / "x.pgn"))
    assert list(import_file(tmp_path / "x.pgn", trusted=True)) == [without_policies(record)]


@pytest.mark.sanitize
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("1. e4 e5 2. Nf6 *", "game 2: move 3, in .*'Nf6' is not a legal move"),
        ("1. e4 -- *", "game 2: move 2, .*'--'"),
        ("1. e4 {never ends", "after move 1: a stray '{'"),
        ("1. e4 } e5 *", "after move 1: a stray '}'"),
        ("1. e4 (1. d4 *", r"after move 1: a '\(' without its '\)'"),
        ("1. e4 ) *", r"a '\)' without its '\('"),
        ("1. e4 1-0 e5", "the move 'e5' is after the result 1-0"),
        ("1. f3 e5 2. g4 Qh4# 1-0", r"the result is 1-0, but by the rules it is 0-1 \(check"),
        ('[FEN "nonsense"]\n\n1. e4', "game 2: "),
        ('[Variant "Atomic"]\n\n1. e4', "the variant 'Atomic' is unknown; name the game"),
        ('[Variant "Chess960"]\n\n1. e4', "needs a FEN tag"),
        ('[Game "python:file=x.py"]\n\n1. e4', "would run a file"),
        ('[Game "razzle"]\n\n1. e4', "razzle has no SAN"),
        ('[Result "2-0"]\n\n1. e4', "the result is '2-0'"),
        ('[Seed "x"]\n\n1. e4', "the tag Seed is 'x'; it must be a whole number"),
        ('[Purpose "fun"]\n\n1. e4', "no purpose 'fun'"),
        ('[Outcome "x"]\n\n1. e4', "the tag Outcome is 'x'; it must be a number"),
        ('[ForcedResult "x"]\n\n1. e4', "the tag ForcedResult is 'x'; it must be a number"),
        ('[Iteration "x"]\n\n1. e4', "the tag Iteration is 'x'; it must be a whole number"),
        ('[OpeningPlies "9"]\n\n1. e4', "an opening of 9 plies"),
        ("1. " + "e4" * 5000, "not a legal move"),
    ],
)
def test_a_mistake_is_told_with_game_and_move(bad: str, said: str, tmp_path: Path) -> None:
    """A one-line RecordError names file, line, game and move; the other games are read."""
    good = '[Event "x"]\n\n1. e4 e5 *\n\n'
    head = "" if bad.startswith("[") else '[Event "y"]\n\n'
    path = tmp_path / "theirs.pgn"
    path.write_text(good + head + bad + "\n\n" + good)
    found = import_file(path)
    assert next(found).plies == 2
    with pytest.raises(RecordError, match=rf"^.*theirs.pgn:5: .*({said})") as caught:
        next(found)
    assert "\n" not in str(caught.value)
    problems: list[RecordError] = []
    left = list(import_file(path, report=problems.append))
    assert len(problems) == 1
    assert len(left) == (1 if "never ends" in bad else 2)


def test_games_without_san_have_no_pgn(tmp_path: Path) -> None:
    """The error says to write .jsonl instead, and no file is left behind."""
    with pytest.raises(RecordError, match=r"razzle has no SAN, .*write \.jsonl"):
        export([record_samples.made("razzle")], tmp_path / "x.pgn")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_has_no_games(tmp_path: Path) -> None:
    """An empty file, or one with only empty lines, gives no records."""
    assert read(tmp_path, "") == []
    assert read(tmp_path, "\n\n  \n") == []


def test_names_and_dates_come_back(tmp_path: Path) -> None:
    """Names, players' texts and dates come back; a date that is no date is dropped."""
    players = rz.player("human"), rz.player("random")
    dialogue = Dialogue(
        rz.load("chess"), players, names=("Anna \\ Bo", None), date="2026.11.18", seed=3
    )
    dialogue.choose(dialogue.state.read("e4"))
    dialogue.advance()
    dialogue.interrupt()
    record = dialogue.record()
    path = tmp_path / "games.pgn"
    export([record], path)
    text = path.read_text()
    for tag in ("Event", "Site", "Date", "White", "Black", "WhitePlayer"):
        assert f"[{tag} " in text
    assert '[Event "Casual game"]\n[Site "rulezero"]\n[Date "2026.11.18"]' in text
    assert '[Black "random"]' in text
    assert list(import_file(path)) == [record]
    export([record], tmp_path / "games.jsonl")
    assert list(import_file(tmp_path / "games.jsonl")) == [record]
    for date, kept in [("2026.??.??", "2026.??.??"), ("????.??.??", None), ("yesterday", None)]:
        path.write_text(f'[White "Carla"]\n[Date "{date}"]\n\n1. e4 *\n')
        (found,) = import_file(path)
        assert (found.players[0], found.names, found.date) == ("Carla", (None, None), kept)
    with pytest.raises(rz.RecordError, match="not of the form"):
        msgspec.structs.replace(record, date="18.11.2026")
    assert msgspec.structs.replace(record, date=None, names=(None, None)).id == record.id
