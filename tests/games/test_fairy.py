"""Custom pieces, compared with the slow reference and with Fairy-Stockfish."""

import random
import re

import pyffish
import pytest

import rulezero as rz
from reference import fairy, side_by_side
from rulezero import _core
from rulezero.games.pieces import read_pieces
from support import boards

ALL_MEN = {**fairy.STANDARD, **fairy.CUSTOM}

# The same men for Fairy-Stockfish, where T and H stand for the men without a one-letter symbol.
FFISH_VARIANT = """
[rulezero:chess]
chess960 = true
castling = true
archbishop = a
chancellor = c
amazon = m
cannon = x
customPiece1 = o:R2B2
customPiece2 = s:C
customPiece3 = t:CB
customPiece4 = z:Z
customPiece5 = h:NN
customPiece6 = g:gRgB
promotionPieceTypes = nbrq
nMoveRule = 50
"""
FFISH_MEN = {"{w+}": "T", "{b+}": "t", "{wNN}": "H", "{bNN}": "h", "{+}": "T", "{NN}": "H"}


def for_ffish(text: str) -> str:
    """A position or SAN with Fairy-Stockfish's letters."""
    return re.sub(r"\{.*?\}", lambda man: FFISH_MEN[man.group()], text)


def assert_same_san(state: rz.State, reference: fairy.State) -> None:
    """Asserts that both write the same SAN for each legal move, and that it is read back."""
    for action in state.legal:
        san = reference.san(state.say(action))
        assert state.say(action, san=True) == san, state.text
        assert state.read(san) == action


@pytest.mark.parametrize("seed", range(12))
def test_custom_pieces_agree_with_the_reference(seed: int) -> None:
    """Moves, texts, SAN and ends agree for random armies of all men."""
    start = rz.load("random_chess", pieces="custom").start(seed=seed)
    slow = fairy.State.parse(start.text, ALL_MEN)
    for ply, (state, reference) in enumerate(side_by_side.play(start, slow, seed, most=120)):
        if ply % 40 == 5:
            assert_same_san(state, reference)


@pytest.mark.parametrize("seed", range(4))
def test_random_chess_agrees_with_the_reference(seed: int) -> None:
    """Random armies of standard men agree, by the fast generator and by the piece table."""
    for text in ("random_chess", "random_chess:generator=table"):
        start = rz.load(text).start(seed=seed)
        slow = fairy.State.parse(start.text, fairy.STANDARD)
        for ply, (state, reference) in enumerate(side_by_side.play(start, slow, seed, most=80)):
            if ply % 40 == 5:
                assert_same_san(state, reference)


def thrown_together(dice: random.Random, letters: str) -> str:
    """A position with kings and rooks at home, castling rights, and some men at random."""
    board = [""] * 64
    rights = ""
    for back, case in ((0, str.upper), (56, str.lower)):
        left, king, right = sorted(dice.sample(range(8), 3))
        board[back + king] = case("k")
        board[back + left] = board[back + right] = case("r")
        rights += case("abcdefgh"[right] + "abcdefgh"[left])
    for square in dice.sample(range(64), 12):
        if not board[square]:
            white = dice.random() < 0.5
            man = dice.choice([*letters, "+", "NN"])
            if man == "p" and square // 8 in (0, 7):
                continue
            if man.isalpha() and len(man) == 1:
                board[square] = man.upper() if white else man
            else:
                board[square] = "{" + "bw"[white] + man + "}"
    return boards.field(board) + dice.choice([" w ", " b "]) + rights + " - 0 1"


def test_thrown_together_positions_agree_with_the_reference() -> None:
    """Random positions with hoppers and riders: castling, pins, and checks over hurdles."""
    dice = random.Random(3)
    game = rz.load("random_chess", pieces="custom")
    compared = castling = 0
    while compared < 250:
        text = thrown_together(dice, "oascmzgxpqbn")
        try:
            reference = fairy.State.parse(text, ALL_MEN)
        except fairy.PositionError:
            with pytest.raises(rz.PositionError):
                game.parse(text)
            continue
        state = game.parse(text)
        side_by_side.assert_same(state, reference)
        compared += 1
        castling += sum(state.events["castling"] for state in map(state.apply, state.legal)) > 0
    assert castling > 20


def random_pattern(dice: random.Random) -> fairy.Pattern:
    """A random slide, leap or hop, as a piece file may contain it."""
    steps = [(x, y) for x in range(-3, 4) for y in range(-3, 4) if (x, y) != (0, 0)]
    flag = dice.choice(["", "", "move_only", "capture_only"])
    return fairy.Pattern(
        kind=dice.choice(["slide", "leap", "hop", "hop"]),
        vectors=tuple(dice.sample(steps, dice.randint(1, 6))),
        range=dice.choice([None, 1, 2, 3]),
        hurdles=dice.choice([1, 1, 2]),
        land=dice.choice([None, 1, 2]),
        move_only=flag == "move_only",
        capture_only=flag == "capture_only",
        initial_only=dice.random() < 0.15,
    )


def for_core(symbol: str, piece: fairy.Piece) -> _core.Piece:
    """The reference's piece as a piece of the core."""
    patterns = [
        _core.Pattern(
            kind=pattern.kind,
            vectors=pattern.vectors,
            range=pattern.range or 0,
            hurdles=pattern.hurdles,
            land=pattern.land or 0,
            moves=not pattern.capture_only,
            captures=not pattern.move_only,
            initial_only=pattern.initial_only,
        )
        for pattern in piece.patterns
    ]
    is_king = symbol == "K"
    return _core.Piece(
        name=symbol.lower(),
        symbol=symbol,
        value=1,
        royal=is_king,
        patterns=patterns,
        castles_kingside=is_king,
        castles_queenside=is_king,
    )


@pytest.mark.parametrize("seed", range(40))
def test_pieces_made_up_at_random_agree_with_the_reference(seed: int) -> None:
    """New men, or standard men with random moves, including the king, agree with the reference."""
    dice = random.Random(seed)
    made_up = {
        symbol: fairy.Piece(symbol, tuple(random_pattern(dice) for _ in range(dice.randint(1, 3))))
        for symbol in (("O", "A", "+", "NN") if seed % 2 else ("N", "B", "Q", "K", "+", "NN", "O"))
    }
    standard = [piece for piece in read_pieces(["standard"]).core if piece.symbol not in made_up]
    custom = [for_core(symbol, piece) for symbol, piece in made_up.items()]
    game = _core.load_game("random_chess", {}, [*standard, *custom])
    men = {**fairy.STANDARD, **made_up}
    compared = 0
    for _ in range(30):
        text = thrown_together(dice, "oapnr" if seed % 2 else "onbqpr")
        try:
            slow = fairy.State.parse(text, men)
        except fairy.PositionError:
            with pytest.raises(rz.PositionError):
                game.parse(text)
            continue
        if compared == 0:
            assert_same_san(game.parse(text), slow)
        for state, _ in side_by_side.play(game.parse(text), slow, seed, most=2):
            slots = [state.slot(action) for action in state.legal]
            assert len(set(slots)) == len(slots)
            assert max(slots, default=0) < game.facts.slots
        compared += 1
    assert compared > 3


def test_custom_pieces_agree_with_fairy_stockfish() -> None:
    """Random games of all men agree. Castling with enemy hoppers is left out: its rules differ."""
    pyffish.load_variant_config(FFISH_VARIANT)
    game = rz.load("random_chess", pieces="custom")
    compared = 0
    for seed in range(16):
        dice = random.Random(seed)
        state = game.start(seed=seed)
        for ply in range(100):
            if state.is_over:
                break
            fen = for_ffish(state.text)
            moves = {state.say(action) for action in state.legal}
            theirs = set(pyffish.legal_moves("rulezero", fen, [], True))
            men = state.text.split(" ")[0]
            if re.search("[gx]" if state.mover == 0 else "[GX]", men):
                castling = {state.say(a) for a in state.legal if "O-O" in state.say(a, san=True)}
                king = {move[:2] for move in castling}
                moves -= castling
                theirs = {move for move in theirs if move in moves or move[:2] not in king}
            assert moves == theirs, state.text
            if ply % 30 == 0:
                for action in state.legal:
                    san = pyffish.get_san("rulezero", fen, state.say(action), True)
                    assert for_ffish(state.say(action, san=True)) == san, state.text
            compared += 1
            state = state.apply(dice.choice(state.legal))
    assert compared > 1000


def test_a_seed_draws_the_same_start_for_ever() -> None:
    """The back rank of a seed must never change, because records contain only the seed."""
    game = rz.load("random_chess")
    ranks = [game.start(seed=seed).text.split("/")[-1].split(" ")[0] for seed in range(6)]
    assert ranks == ["BRRRKQQR", "QBNQQRKR", "RBQQBKRN", "NNRRKNRB", "QQQRKRQR", "QBRNBQKR"]
    assert game.start().text == game.start(seed=0).text


def test_starts_are_drawn_evenly() -> None:
    """The 56 placements of king and rooks are about equally frequent, and so are the other men."""
    game = rz.load("random_chess")
    places: dict[tuple[int, ...], int] = {}
    men: dict[str, int] = {}
    draws = 5600
    for seed in range(draws):
        text = game.start(seed=seed).text
        assert text.split("/")[0] == text.split("/")[-1].split(" ")[0].lower()
        rank = text.split("/")[-1].split(" ")[0]
        rights = text.split(" ")[2]
        king = rank.index("K")
        rooks = [file for file, man in enumerate(rank) if man == "R"]
        right = max(rooks) if rights[0] == "K" else "ABCDEFGH".index(rights[0])
        left = min(rooks) if rights[1] == "Q" else "ABCDEFGH".index(rights[1])
        places[left, king, right] = places.get((left, king, right), 0) + 1
        for file in set(range(8)) - {left, king, right}:
            men[rank[file]] = men.get(rank[file], 0) + 1
    assert len(places) == 56
    assert max(places.values()) < 1.5 * draws / 56
    assert min(places.values()) > 0.55 * draws / 56
    assert set(men) == set("QRBN")
    for found in men.values():
        assert found == pytest.approx(5 * draws / 4, rel=0.05)


def test_the_pool_names_the_men_drawn() -> None:
    """`pool` takes symbols or names; only these men, the king and two rooks are drawn."""
    game = rz.load("random_chess", pieces="custom", pool=["Q", "nightrider"])
    men = set("".join(game.start(seed=seed).text.split(" ")[0] for seed in range(20)))
    assert men <= set("prqk{bwN}PRQK/8")
    assert "{" in men
    for pool in (["Q", "Q"], ["K"], ["P"], ["W"], []):
        with pytest.raises(rz.GameError, match=r"pool|no piece"):
            rz.load("random_chess", pool=pool)


@pytest.mark.parametrize("rank", ["KRRBNQBN", "RNBQBBNK", "NNNNKRNR", "RNBQRBNR", "RNBQKBN", "8"])
def test_an_impossible_back_rank_is_refused(rank: str) -> None:
    """A rank without a king between two rooks, or of a wrong length, is refused."""
    with pytest.raises(rz.PositionError):
        rz.load("random_chess").start(back_rank=rank)


def test_a_named_back_rank_is_set_up() -> None:
    """The outermost rook on each side of the king has the castling right."""
    start = rz.load("random_chess").start(back_rank="RRRKBRRR")
    assert start.text == "rrrkbrrr/pppppppp/8/8/8/8/PPPPPPPP/RRRKBRRR w KQkq - 0 1"
