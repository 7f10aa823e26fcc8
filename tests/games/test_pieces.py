"""Piece files: their content, their mistakes, and the guide to them."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rulezero import _core
from rulezero.games.pieces import (
    Castling,
    Hop,
    Leap,
    PiecesError,
    Promotion,
    Slide,
    SpecialRules,
    locate,
    read_pieces,
)
from support.piece_files import HOP, KING, PAWN, WIZARD, read

ROOT = Path(__file__).parents[2]


def error(folder: Path, text: str | bytes, *others: str) -> str:
    """The error for this file, without the folder: "mine.yaml:LINE: what is wrong; what to do"."""
    with pytest.raises(PiecesError) as caught:
        read(folder, text, *others)
    message = str(caught.value)
    assert re.fullmatch(r"\S+:\d+: [^;]+; .+", message)
    assert message.startswith(str(folder / "mine.yaml"))
    return message.removeprefix(f"{folder}/")


# --- the sets in the package ---------------------------------------------------------------------


Vectors = tuple[tuple[int, int], ...]


def around(right: int, forward: int) -> Vectors:
    """All rotations and reflections of a vector, sorted."""
    pairs = ((right, forward), (forward, right))
    return tuple(sorted({(a * x, b * y) for x, y in pairs for a in (1, -1) for b in (1, -1)}))


ROOK, BISHOP, KNIGHT = around(0, 1), around(1, 1), around(1, 2)
CAMEL, ZEBRA = around(1, 3), around(2, 3)
QUEEN = tuple(sorted(ROOK + BISHOP))
TWO_STEPS = Slide(directions=((0, 1),), range=2, move_only=True, initial_only=True)
TABLE = [
    (
        "pawn",
        "P",
        1,
        Leap(vectors=((0, 1),), move_only=True),
        TWO_STEPS,
        Leap(vectors=((-1, 1), (1, 1)), capture_only=True),
    ),
    ("knight", "N", 3, Leap(vectors=KNIGHT)),
    ("bishop", "B", 3, Slide(directions=BISHOP)),
    ("rook", "R", 5, Slide(directions=ROOK)),
    ("queen", "Q", 9, Slide(directions=QUEEN)),
    ("king", "K", 0, Leap(vectors=QUEEN)),
    ("boulder", "O", 4, Slide(directions=QUEEN, range=2)),
    ("archbishop", "A", 7, Leap(vectors=KNIGHT), Slide(directions=BISHOP)),
    ("camel", "S", 3.5, Leap(vectors=CAMEL)),
    ("pope", "+", 7, Leap(vectors=CAMEL), Slide(directions=BISHOP)),
    ("chancellor", "C", 8, Leap(vectors=KNIGHT), Slide(directions=ROOK)),
    ("amazon", "M", 12, Leap(vectors=KNIGHT), Slide(directions=QUEEN)),
    ("zebra", "Z", 2.5, Leap(vectors=ZEBRA)),
    ("nightrider", "NN", 5, Slide(directions=KNIGHT)),
    ("grasshopper", "G", 2, Hop(directions=QUEEN, hurdles=1, land=1)),
    (
        "cannon",
        "X",
        4.5,
        Slide(directions=ROOK, move_only=True),
        Hop(directions=ROOK, hurdles=1, land="any", capture_only=True),
    ),
]


def test_the_shipped_men_are_the_table() -> None:
    found = []
    for piece in read_pieces(["custom"]):
        moves = [
            move.model_copy(update={"vectors": tuple(sorted(move.vectors))}) for move in piece.moves
        ]
        found.append((piece.id, piece.symbol, piece.value, *moves))
    assert sorted(found[:6]) == sorted(TABLE[:6])
    assert sorted(found[6:]) == sorted(TABLE[6:])


def test_the_shipped_special_rules() -> None:
    rules = {piece.symbol: piece.special_rules for piece in read_pieces(["custom"])}
    pawn = SpecialRules(en_passant=True, promotion=Promotion(rank=8, options=("Q", "R", "B", "N")))
    king = SpecialRules(castling=Castling(kingside=True, queenside=True))
    assert rules == {**dict.fromkeys(rules, SpecialRules()), "P": pawn, "K": king}
    assert [piece.id for piece in read_pieces(["custom"]) if piece.royal] == ["king"]


def test_pieces_know_their_place_and_read_well() -> None:
    for piece in read_pieces(["custom"]):
        lines = Path(piece.file).read_text().splitlines()
        assert lines[piece.line - 1] == f"{piece.id}:"
        assert piece.name == piece.id.capitalize()
        assert piece.description.endswith(".")


def test_the_core_takes_the_set() -> None:
    pieces = read_pieces(["custom"]).core
    assert [(piece.symbol, piece.value) for piece in pieces[-2:]] == [("G", 2.0), ("X", 4.5)]
    assert [piece.symbol for piece in pieces if piece.royal] == ["K"]


# --- which files make a set ----------------------------------------------------------------------


def test_standard_comes_first_and_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(WIZARD)
    expected = ["P", "N", "B", "R", "Q", "K", "W"]
    for sources in ([str(path)], [str(path), "standard"], ["standard", "standard", str(path)]):
        assert [piece.symbol for piece in read_pieces(sources)] == expected
    both = read_pieces([str(path), "custom", str(path), str(tmp_path / "." / "mine.yaml")])
    assert [piece.id for piece in both][6] == "boulder"
    assert [piece.id for piece in both][-1] == "wizard"
    assert read_pieces(["standard"]) == read_pieces([str(locate("standard"))]) == read_pieces()


def test_a_king_makes_a_complete_set(tmp_path: Path) -> None:
    assert [piece.id for piece in read(tmp_path, WIZARD + KING)] == ["wizard", "king"]
    with_custom = read(tmp_path, KING, "custom")
    assert len(with_custom) == 11
    with pytest.raises(PiecesError, match="there is no piece 'Q'"):
        with_custom.find("Q")


def test_find_takes_symbols_and_ids() -> None:
    loaded = read_pieces(["custom"])
    for word in ("NN", "nn", "nightrider", "NIGHTRIDER"):
        assert loaded.find(word).name == "Nightrider"
    assert loaded.find("+").id == loaded.find("pope").id == "pope"
    with pytest.raises(PiecesError, match=r"no piece 'wiz'; the set has P \(pawn\), N \(knight\)"):
        loaded.find("wiz")


# --- spellings -----------------------------------------------------------------------------------


def test_other_spellings(tmp_path: Path) -> None:
    other = HOP.replace("type: hop", "type: hopper")
    other = other.replace("hurdles", "hurdle_count").replace("land", "land_distance")
    move = Hop(directions=((0, 1),), hurdles=2, land=3)
    assert read(tmp_path, HOP).find("J").moves == read(tmp_path, other).find("J").moves == (move,)


def test_what_may_be_left_out(tmp_path: Path) -> None:
    short = HOP.replace("      hurdles: 2\n      land: 3\n", "")
    assert read(tmp_path, short).find("J").moves == (
        Hop(directions=((0, 1),), hurdles=1, land="any"),
    )
    slide = HOP.replace("hop\n", "slide\n").replace("hurdles: 2", "range: unlimited")
    slide = slide.replace("      land: 3\n", "")
    assert read(tmp_path, slide).find("J").moves == (Slide(directions=((0, 1),)),)


def test_special_rules_as_a_list(tmp_path: Path) -> None:
    listed = PAWN.replace("    en_passant", "    - en_passant").replace(
        "    promotion:", "    - promotion:"
    )
    listed = listed.replace("      rank", "        rank").replace(
        "      options", "        options"
    )
    plain = read(tmp_path, PAWN + WIZARD + KING).find("P").special_rules
    assert read(tmp_path, listed + WIZARD + KING).find("P").special_rules == plain
    assert plain == SpecialRules(en_passant=True, promotion=Promotion(rank=8, options=("W",)))


def test_castling_on_one_side(tmp_path: Path) -> None:
    king = KING + "  special_rules: {castling: {queenside: true}}\n"
    assert read(tmp_path, king).find("K").special_rules == SpecialRules(
        castling=Castling(queenside=True)
    )


@pytest.mark.parametrize("symbol", ["W", "WW", "'7'", "'#'", "♞", "É", "馬", "'=X'", "'NO'"])
def test_symbols(tmp_path: Path, symbol: str) -> None:
    loaded = read(tmp_path, WIZARD.replace("symbol: W", f"symbol: {symbol}"))
    assert loaded.find("wizard").symbol == symbol.strip("'")


@pytest.mark.parametrize(
    ("written", "value"), [("0", 0), ("3", 3), ("+3.25", 3.25), (".5", 0.5), ("1000", 1000)]
)
def test_values(tmp_path: Path, written: str, value: float) -> None:
    assert read(tmp_path, WIZARD.replace("4.5", written)).find("W").value == value


# --- mistakes ------------------------------------------------------------------------------------

LEAP = "    - type: leap\n      vectors: [[1, 1], [1, 3]]\n"
# Text to replace in WIZARD, its replacement, and the two parts of the message after "mine.yaml:".
MISTAKES = {
    "syntax": ("[1, 3]]", "[1, 3]", "8: this is not YAML: expected ',' or ']'", "check quotes"),
    "tab": ("  value", "\tvalue", "4: this is not YAML: found character", "no tabs"),
    "two documents": ("moves:", "x: 1\n---\n", "6: this is not YAML", "check"),
    "list of pieces": (WIZARD, "- wizard\n", "1: the file is a list", "give a map"),
    "text": (WIZARD, "wizard", "1: the file is 'wizard'", "give a map"),
    "empty": (WIZARD, "# nothing\n", "1: the file is empty", "give a map"),
    "no piece": (WIZARD, "{}", "1: the file defines no piece", "add one"),
    "control character": ("Wizard", "Wiz\x07ard", "2: there is a control character", "take it out"),
    "impossible escape": ("Wizard", '"\\UFFFFFFFF"', "2: this is not YAML", "check quotes"),
    "anchor": ("name: Wizard", "name: &a Wizard", "2: anchors (&) and", "write values out"),
    "alias": ("name: Wizard", "name: *a", "2: anchors (&) and", "write values out"),
    "tag": ("name: Wizard", "name: !!python/name:os.system", "2: tags (!)", "take it out"),
    "depth": ("Wizard", "[" * 300 + "]" * 300, "2: this nests too deeply", "at most 8 levels"),
    "merge": (
        "  name: Wizard",
        "  <<: {name: x}",
        "2: key '<<' is unknown in wizard",
        "give one of name, symbol, value",
    ),
    "body": (WIZARD, "wizard: 3\n", "1: wizard is '3'", "give a map"),
    "id number": ("wizard:", "7:", "1: key is '7'", "give text, in quotes"),
    "id yes": ("wizard:", "yes:", "1: key is 'yes'", "give text, in quotes"),
    "id form": ("wizard:", "my wizard:", "1: my wizard is not an id", "give a letter, then"),
    "id list": ("wizard:", "[a, b]:", "1: key is a list", "give text"),
    "twice a key": ("  value", "  name: x\n  value", "4: key 'name' is given twice", "keep one"),
    "twice an id": (LEAP, LEAP + WIZARD, "8: key 'wizard' is given twice", "keep one"),
    "unknown key": ("value", "vaule", "4: key 'vaule' is unknown in wizard", "did you mean value?"),
    "unknown type": ("leap", "leep", "6: type is 'leep'", "did you mean leap?"),
    "unknown move key": (
        "vectors",
        "vektors",
        "7: key 'vektors' is unknown in entry 1 of moves",
        "did you mean vectors?",
    ),
    "no name": ("  name: Wizard\n", "", "1: wizard has no name", "add a line `name: ...`"),
    "no symbol": ("  symbol: W\n", "", "1: wizard has no symbol", "add a line"),
    "no value": ("  value: 4.5\n", "", "1: wizard has no value", "add a line"),
    "no moves": ("  moves:\n" + LEAP, "", "1: wizard has no moves", "add a line"),
    "no type": ("type: leap\n      ", "", "6: entry 1 of moves has no type", "add a line"),
    "no vectors": (
        LEAP,
        "    - type: leap\n",
        "6: entry 1 of moves has no vectors",
        "add a line `vectors: ...`",
    ),
    "name": ("Wizard", "12", "2: name is '12'", "give text, in quotes"),
    "name missing": ("Wizard", "", "2: name is empty", "give text"),
    "name blank": ("Wizard", "'  '", "2: name is '  '", "1 to 60 printable characters"),
    "name long": ("Wizard", "W" * 61, "2: name is 'WWW", "1 to 60 printable characters"),
    "name surrogate": ("Wizard", '"\\uD800"', "2: name is '?'", "printable characters"),
    "description": (
        "  value",
        "  description: 3\n  value",
        "4: description is '3'",
        "give text",
    ),
    "value text": ("4.5", "four", "4: value is 'four'", "a number of pawns from 0 to 1,000"),
    "value bool": ("4.5", "true", "4: value is 'true'", "a number"),
    "value list": ("4.5", "[4]", "4: value is a list", "a number"),
    "value infinite": ("4.5", ".inf", "4: value is '.inf'", "a number"),
    "value nan": ("4.5", ".nan", "4: value is '.nan'", "a number"),
    "value negative": ("4.5", "-1", "4: value is '-1'", "a number"),
    "value large": ("4.5", "1001", "4: value is '1001'", "a number"),
    "value huge": ("4.5", "9" * 5000, "4: value is '999", "a number"),
    "value octal": ("4.5", "010", "4: value is '010'", "a number"),
    "value of time": ("4.5", "1:30", "4: value is '1:30'", "a number"),
    "symbol long": ("symbol: W", "symbol: WIZ", "3: symbol is 'WIZ'", "one or two characters"),
    "symbol empty": ("symbol: W", "symbol: ''", "3: symbol is ''", "one or two characters"),
    "symbol missing": ("symbol: W", "symbol:", "3: symbol is empty", "give text"),
    "symbol bool": ("symbol: W", "symbol: NO", "3: symbol is 'NO'", "give text, in quotes"),
    "symbol number": ("symbol: W", "symbol: 7", "3: symbol is '7'", "give text, in quotes"),
    "symbol lower": ("symbol: W", "symbol: w", "3: symbol is 'w', lower case", "give 'W'"),
    "symbol lower 2": ("symbol: W", "symbol: Wé", "3: symbol is 'Wé', lower case", "give 'WÉ'"),
    "symbol space": ("symbol: W", "symbol: 'W '", "3: symbol is 'W '", "without space, / { or }"),
    "symbol slash": ("symbol: W", "symbol: /", "3: symbol is '/'", "without space, / { or }"),
    "symbol brace": ("symbol: W", "symbol: '{W'", "3: symbol is '{W'", "without space, / { or }"),
    "symbol close": ("symbol: W", "symbol: '}'", "3: symbol is '}'", "without space, / { or }"),
    "symbol combining": ("symbol: W", "symbol: \u0301W", "3: symbol is", "give printable"),
    "symbol control": ("symbol: W", 'symbol: "W\\x01"', "3: symbol is 'W?'", "give printable"),
    "symbol invisible": ("symbol: W", 'symbol: "W\\u200b"', "3: symbol is 'W?'", "give printable"),
    "royal text": ("  value", "  royal: K\n  value", "4: royal is 'K'", "give true or false"),
    "royal other": (
        "  value",
        "  royal: true\n  value",
        "4: royal is true for W",
        "only the king K",
    ),
    "moves text": (f"moves:\n{LEAP}", "moves: far\n", "5: moves is 'far'", "give a list"),
    "moves map": ("    - type", "      type", "5: moves is a map", "give a list"),
    "moves empty": (f"moves:\n{LEAP}", "moves: []\n", "5: moves is empty", "add a slide, leap or"),
    "moves null": (f"moves:\n{LEAP}", "moves:\n", "5: moves is empty", "give a list"),
    "moves entry": (LEAP, "    - leap\n", "6: entry 1 of moves is 'leap'", "give a map"),
    "moves many": (LEAP, LEAP * 33, "5: moves has 33 entries", "give at most 32"),
    "stuck": (
        "type: leap\n",
        "type: leap\n      initial_only: true\n",
        "5: moves has only initial_only entries",
        "add a slide, leap or hop",
    ),
    "type bool": ("type: leap", "type: on", "6: type is 'on'", "give one of slide, leap, hop"),
    "slide's key": (
        "vectors",
        "range: 3\n      vectors",
        "7: key 'range' is unknown in entry 1 of moves (leap)",
        "give one of type, vectors, move_only, capture_only, initial_only",
    ),
    "leap's key": (
        "leap",
        "slide",
        "7: key 'vectors' is unknown in entry 1 of moves (slide)",
        "give one of type, directions",
    ),
    "hop's key": (
        "vectors",
        "hurdle_count: 3\n      vectors",
        "7: key 'hurdle_count' is unknown in entry 1 of moves (leap)",
        "give one of type, vectors",
    ),
    "both flags": (
        "vectors",
        "move_only: true\n      capture_only: true\n      vectors",
        "8: capture_only contradicts move_only",
        "keep one, or neither",
    ),
    "flag": ("vectors", "move_only: 1\n      vectors", "7: move_only is '1'", "true or false"),
    "no vector": ("[[1, 1], [1, 3]]", "[]", "7: vectors is empty", "give pairs such as [[0, 1]"),
    "vectors text": ("[[1, 1], [1, 3]]", "north", "7: vectors is 'north'", "give a list"),
    "one vector": ("[[1, 1], [1, 3]]", "[1, 1]", "7: entry 1 of vectors is '1'", "give a list"),
    "short vector": ("[1, 3]]", "[1]]", "7: entry 2 of vectors is not a pair", "[right, forward]"),
    "long vector": ("[1, 3]]", "[1, 3, 1]]", "7: entry 2 of vectors is not a pair", "[right"),
    "null vector": ("[1, 3]]", "[0, 0]]", "7: entry 2 of vectors is [0, 0]", "take it out"),
    "second line": ("[1, 3]]", "\n        [0, 0]]", "8: entry 2 of vectors is [0, 0]", "take it"),
    "vector again": ("[1, 3]]", "[1, 1]]", "7: entry 2 of vectors is [1, 1] again", "take it out"),
    "vector far": ("[1, 3]]", "[1, -8]]", "7: entry 2 of entry 2 of vectors is '-8'", "-7 to 7"),
    "vector real": ("[1, 3]]", "[1, 3.0]]", "entry 2 of vectors is '3.0'", "whole number"),
    "vector text": ("[1, 3]]", "[1, up]]", "entry 2 of vectors is 'up'", "whole number"),
    "vector bool": ("[1, 3]]", "[1, true]]", "entry 2 of vectors is 'true'", "whole number"),
    "rule on W": (
        LEAP,
        LEAP + "  special_rules:\n    en_passant: true\n",
        "9: en_passant is for W",
        "only P can have it: take it out",
    ),
    "rules text": (
        LEAP,
        LEAP + "  special_rules: all\n",
        "8: special_rules is 'all'",
        "give a map",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(tmp_path: Path, name: str) -> None:
    old, new, wrong, todo = MISTAKES[name]
    assert WIZARD.count(old) == 1
    message = error(tmp_path, WIZARD.replace(old, new))
    what, remedy = message.split("; ", 1)
    assert wrong in what.removeprefix("mine.yaml:")
    assert todo in remedy


@pytest.mark.parametrize(
    ("old", "new", "wrong", "todo"),
    [
        ("hurdles: 2", "hurdles: 0", "8: hurdles is '0'", "a whole number from 1 to 7"),
        ("hurdles: 2", "hurdles: any", "8: hurdles is 'any'", "a whole number from 1 to 7"),
        ("hurdles: 2", "hurdles: 2\n      hurdle_count: 2", "9: hurdle_count is '2'", "keep one"),
        ("land: 3", "land: 8", "9: land is '8'", "a whole number from 1 to 7, or any"),
        ("land: 3", "land: unlimited", "9: land is 'unlimited'", "or any"),
        ("land: 3", "land: true", "9: land is 'true'", "or any"),
        ("land: 3", "range: 3", "9: key 'range' is unknown in entry 1 of moves (hop)", "hurdles"),
        ("hop", "slide", "8: key 'hurdles' is unknown in entry 1 of moves (slide)", "range"),
    ],
)
def test_mistakes_in_hops(tmp_path: Path, old: str, new: str, wrong: str, todo: str) -> None:
    what, remedy = error(tmp_path, HOP.replace(old, new, 1)).split("; ", 1)
    assert what.startswith(f"mine.yaml:{wrong}")
    assert todo in remedy


@pytest.mark.parametrize("steps", ["0", "8", "-1", "1.5", "far", "no", "[1]", "", "any"])
def test_mistakes_in_ranges(tmp_path: Path, steps: str) -> None:
    slide = HOP.replace("hop\n", "slide\n").replace("      land: 3\n", "")
    message = error(tmp_path, slide.replace("hurdles: 2", f"range: {steps}"))
    assert message.startswith("mine.yaml:8: range is ")
    assert message.endswith("; give a whole number from 1 to 7, or unlimited")


@pytest.mark.parametrize(
    ("old", "new", "wrong", "todo"),
    [
        ("rank: 8", "rank: 9", "11: rank is '9'", "from 3 to 8"),
        ("rank: 8", "rank: 2", "11: rank is '2'", "from 3 to 8"),
        ("      rank: 8\n", "", "10: promotion has no rank", "add a line"),
        ("      options: [W]\n", "", "10: promotion has no options", "add a line"),
        ("[W]", "[]", "12: options is empty", "[Q, R, B, N]"),
        (
            "promotion:\n      rank: 8\n      options: [W]\n",
            "promotion:\n",
            "10: promotion is empty",
            "give a map",
        ),
        ("[W]", "W", "12: options is 'W'", "give a list"),
        ("[W]", "[W, 5]", "12: entry 2 of options is '5'", "give text"),
        ("[W]", "[W, X]", "12: entry 2 of options is 'X'", "give one of W"),
        ("[W]", "[K]", "12: entry 1 of options is 'K'", "give one of W"),
        ("[W]", "[W, P]", "12: entry 2 of options is 'P'", "give one of W"),
        ("[W]", "[W, W]", "12: entry 2 of options is 'W' again", "take it out"),
        ("rank: 8", "rnak: 8", "11: key 'rnak' is unknown in promotion", "did you mean rank?"),
        ("en_passant: true", "en_passant: 1", "9: en_passant is '1'", "true or false"),
        ("en_passant", "on_passant", "9: key 'on_passant' is unknown", "did you mean en_passant?"),
        ("en_passant: true", "castling: {kingside: true}", "9: castling is for P", "only K"),
        ("en_passant: true", "promotion: {}", "10: key 'promotion' is given twice", "keep one"),
    ],
)
def test_mistakes_in_pawns(tmp_path: Path, old: str, new: str, wrong: str, todo: str) -> None:
    assert PAWN.count(old) == 1
    what, remedy = error(tmp_path, PAWN.replace(old, new) + WIZARD + KING).split("; ", 1)
    assert what.startswith(f"mine.yaml:{wrong}")
    assert todo in remedy


@pytest.mark.parametrize(
    ("old", "new", "wrong", "todo"),
    [
        ("  royal: true\n", "", "3: symbol makes a king that is not royal", "add royal: true"),
        ("royal: true", "royal: false", "5: royal makes a king that is not", "add royal: true"),
        ("value: 0", "value: 4", "4: value is 4", "give the king 0"),
        ("  moves", "  special_rules: {en_passant: true}\n  moves", "6: en_passant is for K", "P"),
        ("  moves", "  special_rules: {promotion: {}}\n  moves", "6: promotion is for K", "only P"),
        ("  moves", "  special_rules: [castling]\n  moves", "6: entry 1 of special_rules", "map"),
        ("  moves", "  special_rules: {castling: true}\n  moves", "6: castling is 'true'", "map"),
        (
            "  moves",
            "  special_rules: [castling: {}, castling: {}]\n  moves",
            "6: castling is given twice",
            "keep one",
        ),
        (
            "  moves",
            "  special_rules: {castling: {kingside: 1}}\n  moves",
            "6: kingside is '1'",
            "true or false",
        ),
    ],
)
def test_mistakes_in_kings(tmp_path: Path, old: str, new: str, wrong: str, todo: str) -> None:
    assert KING.count(old) == 1
    what, remedy = error(tmp_path, KING.replace(old, new)).split("; ", 1)
    assert what.startswith(f"mine.yaml:{wrong}")
    assert todo in remedy


def test_a_symbol_used_twice(tmp_path: Path) -> None:
    other = WIZARD.replace("izard", "arlock")
    message = error(tmp_path, WIZARD + other)
    assert message.startswith("mine.yaml:10: symbol 'W' is taken by the wizard of ")
    assert message.endswith("mine.yaml:1; choose another symbol")

    message = error(tmp_path, WIZARD.replace("symbol: W", "symbol: G"), "custom")
    assert message.startswith("mine.yaml:3: symbol 'G' is taken by the grasshopper of ")

    # The Kelvin sign looks like a K.
    assert "symbol '\u212a' is taken" in error(tmp_path, WIZARD.replace("W\n", "\u212a\n"))


def test_a_set_without_a_king(tmp_path: Path) -> None:
    message = error(tmp_path, WIZARD.replace("symbol: W", "symbol: N"))
    assert message.startswith("mine.yaml:3: symbol 'N' is taken by the knight of ")
    assert message.endswith("or leave the standard men out: define a king K of your own for that")
    assert error(tmp_path, KING, "standard").endswith("or leave the standard men out")


def test_an_id_used_twice_or_like_a_symbol(tmp_path: Path) -> None:
    message = error(tmp_path, WIZARD.replace("wizard:", "Boulder:"), "custom")
    assert message.startswith("mine.yaml:1: id 'Boulder' is taken by the boulder of ")
    assert message.endswith("; choose another id")
    assert "id 'q' is taken by the queen" in error(tmp_path, WIZARD.replace("wizard:", "q:"))
    assert read(tmp_path, WIZARD.replace("wizard:", "w:")).find("w").symbol == "W"


def test_a_name_used_twice(tmp_path: Path) -> None:
    message = error(tmp_path, WIZARD.replace("name: Wizard", "name: knight"))
    assert message.startswith("mine.yaml:2: name 'knight' is taken by the knight of ")
    assert "choose another name, or leave the standard men out" in message


def test_too_many_kinds(tmp_path: Path) -> None:
    many = "".join(
        WIZARD.replace("izard", f"izard{n}").replace("symbol: W", f"symbol: W{chr(65 + n)}")
        for n in range(26)
    )
    assert len(read(tmp_path, many)) == 32
    message = error(tmp_path, many + WIZARD)
    assert message == "mine.yaml:183: this is piece 33 of the set; keep at most 32"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for source in (str(tmp_path / "none.yaml"), str(tmp_path), "costum", "", "a\0b", "x" * 5000):
        with pytest.raises(PiecesError, match=r"^[^\n]*:1: .*; .*$"):
            read_pieces([source])
    with pytest.raises(PiecesError, match=r"^costum:1: there is no such file; name a YAML file,"):
        read_pieces(["costum"])
    with pytest.raises(PiecesError, match=r"^bad\?name:1: "):
        read_pieces(["bad\nname"])


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    spoilt = WIZARD.encode().replace(b"4.5", b"\xff")
    assert error(tmp_path, spoilt) == "mine.yaml:4: this is not UTF-8 text; save the file as UTF-8"
    assert read(tmp_path, b"\xef\xbb\xbf" + WIZARD.encode()).find("W").line == 1
    assert error(tmp_path, WIZARD.encode("utf-16")).startswith("mine.yaml:1: this is not UTF-8")


def test_large_files_are_refused(tmp_path: Path) -> None:
    padding = "#" * (64 * 1024 - len(WIZARD) - 1)
    assert len(read(tmp_path, f"{WIZARD}{padding}\n")) == 7
    message = error(tmp_path, f"{WIZARD}{padding}#\n")
    assert message == "mine.yaml:1: the file is over 64 KiB; split it"


# --- random files --------------------------------------------------------------------------------

scalars = st.sampled_from(
    [None, True, False, 0, 1, 7, -1, 3.5, float("inf"), "", "K", "P", "W", "w", "NO", "any", "x\n"]
)
KEYS = """\
name symbol value royal description moves special_rules type directions vectors range hurdles land
move_only capture_only initial_only en_passant promotion castling rank options kingside queenside"""
keys = st.sampled_from(KEYS.split())
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys | scalars, inner, max_size=3),
    max_leaves=5,
)
vectors = st.lists(st.lists(st.integers(-3, 4), min_size=2, max_size=2), min_size=1, max_size=3)
steps = st.integers(1, 7) | scalars
move_trees = (
    st.fixed_dictionaries({"type": st.just("leap"), "vectors": vectors | trees})
    | st.fixed_dictionaries(
        {"type": st.just("slide"), "directions": vectors},
        optional={"range": steps, "move_only": st.booleans(), "initial_only": st.booleans()},
    )
    | st.fixed_dictionaries(
        {"type": st.sampled_from(["hop", "hopper"]), "directions": vectors},
        optional={"hurdles": steps, "land_distance": steps, "capture_only": scalars},
    )
)
piece_trees = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["Any", "Other"]),
        "symbol": st.sampled_from(["J", "K", "V", "+"]),
        "value": st.sampled_from([0, 3.5]),
        "moves": st.lists(move_trees, max_size=2),
    },
    optional={"royal": st.booleans(), "special_rules": trees, "description": scalars},
)
files = st.dictionaries(st.sampled_from(["one", "two"]), piece_trees, min_size=1)


def settle(folder: Path, data: bytes) -> None:
    """Asserts that the file gives a set that the core accepts, or a one-line PiecesError."""
    message = ""
    try:
        loaded = read(folder, data)
    except PiecesError as problem:
        message = str(problem)
    if message:
        assert re.fullmatch(r"[^\n]+mine\.yaml:\d+: [^\n]+; [^\n]+", message)
        message.encode()
    else:
        _core.load_game("random_chess", {}, pieces=loaded.core)
        assert sum(piece.royal for piece in loaded) == 1


anything = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@anything
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    settle(tmp_path, data)


@anything
@given(st.lists(st.sampled_from([*"&*!{}[]:?-|>%@`'\"\\#,=~<. \n\t09aKP", "---\n", '"\\U', "<<"])))
@example(["? " * 400])
@example(["[" * 5000])
@example(["{" * 5000])
@example(["%YAML 1." + "9" * 5000 + "\n---\na: b"])
@example(["a: &a [*a]"])
def test_any_yaml_like_text(tmp_path: Path, parts: list[str]) -> None:
    settle(tmp_path, "".join(parts).encode())


@anything
@given(files)
def test_any_tree(tmp_path: Path, tree: object) -> None:
    settle(tmp_path, yaml.safe_dump(tree).encode())


@anything
@given(st.integers(0, 2000), st.binary(max_size=3))
def test_any_change_of_a_good_file(tmp_path: Path, at: int, change: bytes) -> None:
    text = (PAWN + WIZARD + KING + HOP).encode()
    settle(tmp_path, text[: at % len(text)] + change + text[at % len(text) + len(change) // 2 :])


# --- the guide -----------------------------------------------------------------------------------


def test_the_guide_tells_the_truth(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "pieces.md").read_text()
    wizard, cannon, picture = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    path = tmp_path / "wizard.yaml"
    path.write_text(wizard)
    loaded = read_pieces(["custom", str(path)])
    assert loaded.find("wizard").value == 4.5
    assert {vector for move in loaded.find("W").moves for vector in move.vectors} == {
        *BISHOP,
        *CAMEL,
    }

    indented = "".join(f"  {line}\n" for line in cannon.splitlines())
    mine = read(tmp_path, "cannon:\n  name: Cannon\n  symbol: X\n  value: 4.5\n" + indented)
    assert mine.find("X").moves == loaded.find("X").moves

    drawn = "".join(f"  {line}\n" for line in picture.splitlines())
    assert "<path" in read(tmp_path, wizard + drawn).pictures["W"]

    message = error(
        tmp_path, wizard.replace("vectors", "vektors", 1).replace("  description", "  #")
    )
    quoted = re.search(r"wizard\.yaml:(\d+: key .*?known: type, vectors)", guide)
    assert quoted is not None
    assert quoted[1].split(": ", 1)[1] in message
