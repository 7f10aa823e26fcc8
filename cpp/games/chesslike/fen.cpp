#include "games/chesslike/fen.h"

#include "games/board_text.h"

namespace rulezero::chesslike {
namespace {

constexpr std::array<std::string_view, 2> kColours = {"White", "Black"};

std::string colour(int seat) { return std::string(kColours[seat]); }

bool is_letter(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
}

char upper(char letter) { return letter >= 'a' && letter <= 'z' ? char(letter - 32) : letter; }
char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? char(letter + 32) : letter; }

bool same_symbol(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return upper(x) == upper(y); });
}

// Kind and seat of a man as the board field writes it.
std::pair<int, int> read_man(const PieceTable& table, std::string_view man) {
  int seat = 0;
  std::string_view symbol = man;
  if (man[0] == '{') {
    const std::string_view inside = man.substr(1, man.size() - 2);
    if (inside.empty() || (inside[0] != 'w' && inside[0] != 'b')) {
      throw PositionError("a man in braces begins with its colour, like {w+} or {bNN}, not " +
                          quoted(man));
    }
    seat = inside[0] == 'b';
    symbol = inside.substr(1);
  } else if (is_letter(man[0])) {
    seat = man[0] >= 'a';
  } else {
    throw PositionError(quoted(man) +
                        " is not a man: use letters for men and digits for empty squares");
  }
  for (int kind = 0; kind < table.kinds(); ++kind) {
    if (table.is_loaded(kind) && same_symbol(table.spec(kind).symbol, symbol)) return {kind, seat};
  }
  throw PositionError("no piece of the loaded set has the symbol " + quoted(symbol));
}

std::string write_men(const PieceTable& table, const Position& p) {
  return write_board(8, 8, [&](int rank, int file) -> std::string {
    const int square = rank * 8 + file;
    if (!has(p.occupied(), square)) return {};
    const std::string& symbol = table.spec(p.kind_at(square)).symbol;
    const int seat = p.seat_at(square);
    if (symbol.size() == 1 && is_letter(symbol[0])) {
      return {seat == 0 ? upper(symbol[0]) : lower(symbol[0])};
    }
    return std::string(seat == 0 ? "{w" : "{b") + symbol + "}";
  });
}

std::string write_castling(const Position& p) {
  std::string field;
  for (int seat = 0; seat < 2; ++seat) {
    for (int wing : {kKingside, kQueenside}) {
      const int rook = p.castling[seat][wing];
      if (rook == kNone) continue;
      char letter = wing == kKingside ? 'K' : 'Q';
      if (rook != outermost_rook(p, seat, wing)) letter = static_cast<char>('A' + file_of(rook));
      field += seat == 0 ? letter : lower(letter);
    }
  }
  return field.empty() ? "-" : field;
}

}  // namespace

std::string shown_symbol(const PieceSpec& piece) {
  if (piece.symbol.size() == 1 && is_letter(piece.symbol[0])) return piece.symbol;
  return "{" + piece.symbol + "}";
}

std::string write_fields(const PieceTable& table, const Position& p) {
  return write_men(table, p) + (p.mover == 0 ? " w " : " b ") + write_castling(p) + " " +
         (p.en_passant == kNone ? "-" : square_name(p.en_passant)) + " ";
}

void read_men(const PieceTable& table, std::string_view field, Position& p) {
  read_board(field, 8, 8, [&](int rank, int file, std::string_view man) {
    const auto [kind, seat] = read_man(table, man);
    p.put(rank * 8 + file, seat, kind);
  });
}

void read_castling(const PieceTable& table, CastlingField style, std::string_view field,
                   Position& p) {
  if (field == "-") return;
  if (field.empty() || field.size() > 4) {
    throw PositionError("the castling field is - or up to four letters, not " + quoted(field));
  }
  for (std::string_view rest = field; !rest.empty(); rest.remove_prefix(1)) {
    const char letter = rest.front();
    const int seat = letter >= 'a';
    const char name = upper(letter);
    const bool is_wing = name == 'K' || name == 'Q';
    if (!is_letter(letter) || (!is_wing && (style == CastlingField::kHomeSquares || name > 'H'))) {
      throw PositionError(quoted(first_letter(rest)) + " is not a castling right in " +
                          quoted(field));
    }
    const int king = p.king(seat);
    int wing = name == 'K' ? kKingside : kQueenside;
    int rook = kNone;
    if (style == CastlingField::kHomeSquares) {
      const int corner = (seat == 0 ? 0 : 56) + (wing == kKingside ? 7 : 0);
      const bool at_home = king == (seat == 0 ? 4 : 60) && has(p.men(seat, kRook), corner);
      rook = at_home ? corner : kNone;
    } else if (is_wing) {
      rook = outermost_rook(p, seat, wing);
    } else {
      const int square = (seat == 0 ? 0 : 56) + (name - 'A');
      const bool same_rank = king != kNone && rank_of(king) == rank_of(square);
      if (same_rank && has(p.men(seat, kRook), square)) rook = square;
      wing = square > king ? kKingside : kQueenside;
    }
    if (rook == kNone) {
      throw PositionError("the castling right " + quoted({&letter, 1}) +
                          " needs its king and rook in place: correct the board or drop the right");
    }
    if (!table.castles(wing)) {
      throw PositionError("the castling right " + quoted({&letter, 1}) +
                          " is for a wing on which the king of this piece set does not castle: "
                          "drop it");
    }
    auto& right = p.castling[seat][wing];
    if (right != kNone) {
      throw PositionError("the castling field " + quoted(field) + " names one wing of " +
                          colour(seat) + " twice");
    }
    right = static_cast<std::uint8_t>(rook);
  }
}

int outermost_rook(const Position& p, int seat, int wing) {
  const int king = p.king(seat);
  const Bits rank = rank_bits(seat == 0 ? 0 : 7);
  if (king == kNone || !has(rank, king)) return kNone;
  const Bits right_of_king = ~((bit(king) << 1) - 1);
  const Bits rooks =
      p.men(seat, kRook) & rank & (wing == kKingside ? right_of_king : bit(king) - 1);
  if (!rooks) return kNone;
  return wing == kKingside ? last(rooks) : first(rooks);
}

int read_en_passant(std::string_view field) {
  const int square = read_square(field);
  if (square == kNone && field != "-") {
    throw PositionError("the en-passant field is - or a square, not " + quoted(field));
  }
  return square;
}

void check_men(const PieceTable& table, const Position& p, bool kings_are_captured) {
  std::array<int, 2> kings;
  for (int seat = 0; seat < 2; ++seat) {
    kings[seat] = count(p.men(seat, kKing));
    const int found = kings[seat];
    if (found > 1 || (found == 0 && !kings_are_captured)) {
      throw PositionError(colour(seat) + " needs one king, not " + std::to_string(found));
    }
  }
  if (kings[0] + kings[1] == 0) throw PositionError("there is no king on the board");
  for (int seat = 0; seat < 2; ++seat) {
    if (const Bits wrong = p.men(seat, kPawn) & ~table.pawn_squares(seat)) {
      throw PositionError("a pawn of " + colour(seat) + " cannot stand on " +
                          square_name(first(wrong)));
    }
  }
}

}  // namespace rulezero::chesslike
