"""Complete custom piece sets in play: other pawns, kings and promotions."""

from pathlib import Path

import pytest

import rulezero as rz

pytestmark = pytest.mark.sanitize

KING = """
king: {name: King, symbol: K, value: 0, royal: true, moves: [{type: leap, vectors:
  [[0, 1], [1, 1], [1, 0], [1, -1], [0, -1], [-1, -1], [-1, 0], [-1, 1]]}]%s}
"""
ROOK = """
rook: {name: Rook, symbol: R, value: 5, moves: [
  {type: slide, directions: [[0, 1], [1, 0], [0, -1], [-1, 0]]}]}
"""
QUEEN = "queen: {name: Queen, symbol: Q, value: 9, moves: [{type: leap, vectors: [[5, 5]]}]}\n"
CASTLES = ", special_rules: {castling: {kingside: %s, queenside: %s}}"
STRIKE = "{type: leap, vectors: [[-1, 1], [1, 1]], capture_only: true}"
STEP = "{type: leap, vectors: [[0, 1]], move_only: true}"


def pawn(moves: str, rules: str = "") -> str:
    """The YAML entry of a pawn."""
    return f"pawn: {{name: Pawn, symbol: P, value: 1, moves: [{moves}]{rules}}}\n"


def rules(rank: int = 8, en_passant: bool = True) -> str:
    """The YAML text of a pawn's special rules."""
    promotion = f"promotion: {{rank: {rank}, options: [Q, R]}}"
    return f", special_rules: {{en_passant: {str(en_passant).lower()}, {promotion}}}"


def load(folder: Path, *entries: str) -> rz.Game:
    """random_chess with a piece file of these entries, which include a king."""
    file = folder / "set.yaml"
    file.write_text("".join(entries))
    return rz.load("random_chess", pieces=str(file))


def after(state: rz.State, *moves: str) -> rz.State:
    """The state after these moves; checks texts, SAN and slots of every state on the way."""
    for move in moves:
        state = state.apply(state.read(move))
        parsed = state.game.parse(state.text)
        assert (parsed.text, parsed.key) == (state.text, state.key)
        for action in state.legal:
            assert state.read(state.say(action, san=True)) == action
        slots = [state.slot(action) for action in state.legal]
        assert len(set(slots)) == len(slots)
    return state


def test_a_double_step_that_leaps_over_a_man_cannot_be_taken(tmp_path: Path) -> None:
    """En passant needs an empty square behind the pawn; here a man stands on it."""
    jump = "{type: leap, vectors: [[0, 2]], move_only: true, initial_only: true}"
    game = load(tmp_path, KING % "", ROOK, QUEEN, pawn(f"{STEP}, {jump}, {STRIKE}", rules()))
    state = after(game.parse("k7/8/8/8/3p4/4R3/4P3/4K3 w - - 0 1"), "e2e4")
    assert state.text == "k7/8/8/8/3pP3/4R3/8/4K3 b - - 0 1"
    state = after(state, "d4e3")
    assert state.text == "k7/8/8/8/4P3/4p3/8/4K3 w - - 0 2"
    free = after(game.parse("k7/8/8/8/3p4/8/4P3/4K3 w - - 0 1"), "e2e4")
    assert free.text.split(" ")[3] == "e3"
    assert after(free, "d4e3").text == "k7/8/8/8/8/4p3/8/4K3 w - - 0 2"


def test_a_capture_two_ahead_is_no_double_step(tmp_path: Path) -> None:
    """A capture two squares ahead sets no en-passant square."""
    lance = "{type: leap, vectors: [[0, 2]]}"
    game = load(tmp_path, KING % "", ROOK, QUEEN, pawn(f"{STEP}, {lance}, {STRIKE}", rules()))
    state = after(game.parse("k7/8/8/8/3pr3/8/4P3/4K3 w - - 0 1"), "e2e4")
    assert state.text.split(" ")[3] == "-"


def test_en_passant_promotes_where_other_moves_do(tmp_path: Path) -> None:
    """With a promotion rank of 6, a capture en passant promotes as well."""
    two = "{type: slide, directions: [[0, 1]], range: 2, move_only: true, initial_only: true}"
    game = load(tmp_path, KING % "", ROOK, QUEEN, pawn(f"{STEP}, {two}, {STRIKE}", rules(6)))
    state = after(game.parse("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1"), "d7d5")
    assert {"e5d6q", "e5d6r", "e5e6q", "e5e6r"} <= set(map(state.say, state.legal))
    assert after(state, "e5d6r").text == "4k3/8/3R4/8/8/8/8/4K3 b - - 0 2"


def test_pawns_that_step_back_repeat_positions(tmp_path: Path) -> None:
    """The third occurrence is a draw, even if all moves were pawn moves."""
    both_ways = "{type: leap, vectors: [[0, 1], [0, -1]], move_only: true}"
    game = load(tmp_path, KING % "", ROOK, QUEEN, pawn(both_ways, rules()))
    state = game.parse("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1")
    state = after(state, *["a2a3", "a7a6", "a3a2", "a6a7"] * 2)
    assert (state.times, state.end_reason) == (3, "repetition")


def test_a_pawn_without_promotion_stays_where_it_ends(tmp_path: Path) -> None:
    """On the last rank it has no moves, and the position's text can be parsed."""
    game = load(tmp_path, KING % "", ROOK, pawn(STEP))
    state = after(game.parse("4k3/P7/8/8/8/8/8/4K2R w - - 0 1"), "a7a8", "e8e7")
    assert not any(state.say(action).startswith("a8") for action in state.legal)


def test_san_names_the_file_of_a_pawn_that_leaves_it(tmp_path: Path) -> None:
    """A Berolina pawn moves diagonally and captures ahead."""
    berolina = "{type: leap, vectors: [[-1, 1], [1, 1]], move_only: true}"
    ahead = "{type: leap, vectors: [[0, 1]], capture_only: true}"
    game = load(tmp_path, KING % "", ROOK, QUEEN, pawn(f"{berolina}, {ahead}", rules()))
    state = after(game.parse("4k3/8/8/8/8/4r3/4P3/3K4 w - - 0 1"), "e2f3", "e3e5")
    assert state.say(state.read("f3g4"), san=True) == "fg4"
    start = game.parse("4k3/8/8/8/8/4r3/4P3/3K4 w - - 0 1")
    assert start.say(start.read("e2e3"), san=True) == "exe3"
    assert start.read("exe3") == start.read("e2e3")


@pytest.mark.parametrize(
    ("kingside", "queenside", "castles"),
    [("true", "true", {"e1h1", "e1a1"}), ("true", "false", {"e1h1"}), ("false", "false", set())],
)
def test_a_king_castles_where_its_rules_say(
    tmp_path: Path, kingside: str, queenside: str, castles: set[str]
) -> None:
    """The start position, legal moves and parsed texts follow the king's castling rules."""
    game = load(tmp_path, KING % (CASTLES % (kingside, queenside)), ROOK, QUEEN)
    rights = "".join(letter for letter, move in (("K", "e1h1"), ("Q", "e1a1")) if move in castles)
    start = game.start(back_rank="RQQQKQQR")
    assert start.text.split(" ")[2] == (rights + rights.lower() or "-")
    state = game.parse(f"4k3/8/8/8/8/8/8/R3K2R w {rights or '-'} - 0 1")
    assert {say for say in map(state.say, state.legal) if say in ("e1h1", "e1a1")} == castles
    if len(castles) < 2:
        with pytest.raises(rz.PositionError, match="does not castle"):
            game.parse("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")


def test_a_knight_of_ones_own_is_mating_material(tmp_path: Path) -> None:
    """Only the standard bishop and knight count as too little material to mate."""
    moves = "[{type: slide, directions: [[0, 1], [1, 1]]}]"
    rider = f"knight: {{name: Knight, symbol: N, value: 9, moves: {moves}}}\n"
    game = load(tmp_path, KING % "", ROOK, rider)
    assert not game.parse("k7/8/8/8/8/8/8/N3K3 b - - 0 1").is_over
    assert game.parse("k7/8/8/8/8/8/8/4K3 b - - 0 1").end_reason == "material"


def test_a_start_that_gives_check_is_refused(tmp_path: Path) -> None:
    """A start in which a king is in check before the first move raises GameError."""
    vectors = [[right, 7] for right in range(-3, 4)]
    moves = f"[{{type: leap, vectors: {vectors}}}]"
    reaper = f"reaper: {{name: Reaper, symbol: E, value: 9, moves: {moves}}}\n"
    game = load(tmp_path, KING % "", ROOK, reaper)
    with pytest.raises(rz.GameError, match="in check before the first move"):
        game.start(back_rank="EERKEEER")


def test_sets_that_cannot_fill_a_back_rank_say_so(tmp_path: Path) -> None:
    """Without a rook, or without men to draw, start() raises; parsed texts still work."""
    with pytest.raises(rz.GameError, match="no R"):
        load(tmp_path, KING % "", QUEEN).start()
    alone = load(tmp_path, KING % "")
    with pytest.raises(rz.GameError, match=r"no R|no man"):
        alone.start()
    assert alone.parse("4k3/8/8/8/8/8/8/4K3 w - - 0 1").end_reason == "material"


def test_braces_are_read_for_every_man_and_written_for_few() -> None:
    """Positions and back ranks may write any man in braces; only long symbols need them."""
    game = rz.load("random_chess", pieces="custom")
    state = game.parse("{bk}7/8/8/8/8/8/8/{wK}{w+}{wQ}{wnn}4 w - - 0 1")
    assert state.text == "k7/8/8/8/8/8/8/K{w+}Q{wNN}4 w - - 0 1"
    start = game.start(back_rank="R{w+}BQK{wNN}{wN}R")
    assert start.text.startswith("r{b+}bqk{bNN}nr/pppppppp/")
