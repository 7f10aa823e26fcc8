#include "games/chesslike/table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace rulezero::chesslike {
namespace {

constexpr std::string_view kLetterSymbols = "PNBRQK";

// The squares that a slide or hop passes, in order; at most `range` of them (0 for all).
std::vector<int> squares_along(int square, int right, int up, int range) {
  std::vector<int> squares;
  int file = file_of(square) + right;
  int rank = rank_of(square) + up;
  while (on_board(file, rank) && (range == 0 || static_cast<int>(squares.size()) < range)) {
    squares.push_back(rank * 8 + file);
    file += right;
    rank += up;
  }
  return squares;
}

// Throws GameError for numbers that make no sense on the board. (Numbers from a piece file were
// checked when the file was read.)
void check_ranges(const PieceSpec& piece) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw GameError("the piece " + quoted(piece.symbol) + " needs " + what);
  };
  constexpr int kFarthest = 7;
  constexpr double kMostPawns = 1000;
  const auto within = [](int number, int low) { return number >= low && number <= kFarthest; };
  require(!piece.symbol.empty(), "a symbol");
  require(std::abs(piece.value) <= kMostPawns, "a value of at most 1000 pawns");
  if (piece.promotion) {
    require(piece.promotion->rank >= 2 && piece.promotion->rank <= 8, "a promotion rank of 2 to 8");
  }
  for (const PatternSpec& pattern : piece.patterns) {
    require(within(pattern.range, 0), "a range of 0 to 7");
    require(within(pattern.hurdles, 1), "1 to 7 hurdles");
    require(within(pattern.land, 0), "a landing distance of 0 to 7");
    for (const Vector& vector : pattern.vectors) {
      require(within(vector.right, -kFarthest) && within(vector.forward, -kFarthest) &&
                  (vector.right != 0 || vector.forward != 0),
              "vectors from -7 to 7 other than [0, 0]");
    }
  }
}

Lane lane_of(const PatternSpec& pattern, const std::vector<int>& squares) {
  const bool hops = pattern.kind == PatternSpec::Kind::kHop;
  Lane lane{.squares = {},
            .length = static_cast<std::uint8_t>(squares.size()),
            .hurdles = static_cast<std::uint8_t>(hops ? pattern.hurdles : 0),
            .land = static_cast<std::uint8_t>(hops ? pattern.land : 0),
            .moves = pattern.moves,
            .captures = pattern.captures};
  std::copy(squares.begin(), squares.end(), lane.squares.begin());
  return lane;
}

// The squares where a lane can end on some board. Each hurdle takes up one square of the lane.
Bits landings(const Lane& lane) {
  Bits squares = 0;
  for (int at = lane.hurdles + std::max(lane.land - 1, 0); at < lane.length; ++at) {
    squares |= bit(lane.squares[at]);
  }
  return squares;
}

void walk(const Lane& lane, Bits occupied, Reach& reach) {
  const auto allow = [&](int square) {
    if (lane.moves) reach.moves |= bit(square);
    if (lane.captures) reach.captures |= bit(square);
  };
  int at = 0;
  for (int hurdles = lane.hurdles; hurdles > 0; ++at) {
    if (at == lane.length) return;
    hurdles -= has(occupied, lane.squares[at]);
  }
  for (int beyond = 1; at < lane.length; ++at, ++beyond) {
    const int square = lane.squares[at];
    if (lane.land == 0 || beyond == lane.land) allow(square);
    if (beyond == lane.land || has(occupied, square)) return;
  }
}

}  // namespace

PieceTable::PieceTable(std::span<const PieceSpec> pieces, bool only_table) : specs_(kLetters) {
  for (const PieceSpec& piece : pieces) {
    check_ranges(piece);
    const std::size_t letter =
        piece.symbol.size() == 1 ? kLetterSymbols.find(piece.symbol) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      specs_[letter] = piece;
    } else {
      specs_.push_back(piece);
    }
  }
  if (!is_loaded(kKing)) throw GameError("the piece set has no king K");
  if (pieces.size() > kMostPieces) {
    throw GameError("a piece set has at most " + std::to_string(kMostPieces) + " kinds, not " +
                    std::to_string(pieces.size()));
  }
  men_.resize(2 * kinds());
  for (int kind = 0; kind < kinds(); ++kind) {
    for (int seat = 0; seat < 2; ++seat) compile(kind, seat);
  }
  const PieceSpec& pawn = spec(kPawn);
  if (pawn.promotion) {
    for (const std::string& symbol : pawn.promotion->options) {
      const int kind = find(symbol);
      if (kind < 0) {
        throw GameError("a pawn promotes to " + quoted(symbol) + ", which is not in the piece set");
      }
      promotions_.push_back(kind);
    }
    for (int rank = pawn.promotion->rank - 1; rank < 8; ++rank) {
      promotion_zone_[0] |= rank_bits(rank);
      promotion_zone_[1] |= rank_bits(7 - rank);
    }
  }
  for (int seat = 0; seat < 2; ++seat) find_pawn_squares(seat);
  for (const PatternSpec& pattern : pawn.patterns) {
    for (const Vector& vector : pattern.vectors) pawns_only_advance_ &= vector.forward > 0;
  }
  is_orthodox_ = !only_table && takes_en_passant() && promotion_zone_[0] == rank_bits(7);
  for (int kind = kPawn; kind < kLetters; ++kind) {
    usual_[kind] = find_usual(kind);
    is_orthodox_ &= moves_as_usual(kind);
  }
}

bool PieceTable::find_usual(int kind) const {
  if (!is_loaded(kind)) return false;
  for (int square = 0; square < 64; ++square) {
    const Bits straight = straight_sight(square, 0);
    const Bits diagonal = diagonal_sight(square, 0);
    for (int seat = 0; seat < 2; ++seat) {
      const Man& found = man(kind, seat);
      if (!lanes(found, square).empty()) return false;
      if (kind == kPawn) {
        // Its single step may be a leap or a slide; its double step must not jump.
        const Bits one = seat == 0 ? bit(square) << 8 : bit(square) >> 8;
        const Bits two = seat == 0 ? bit(square) << 16 : bit(square) >> 16;
        const bool at_home = rank_of(square) == (seat == 0 ? 1 : 6);
        const Bits steps = at_home ? one | two : one;
        if ((found.leap_moves[square] | found.line_moves[square]) != steps ||
            (found.leap_moves[square] & ~one) != 0 || found.line_captures[square] != 0 ||
            found.leap_captures[square] != kPawnStrikes[seat][square]) {
          return false;
        }
        continue;
      }
      const Bits leaps = kind == kKnight ? kJumps[square] : kind == kKing ? kNeighbours[square] : 0;
      const Bits lines = (kind == kRook || kind == kQueen ? straight : 0) |
                         (kind == kBishop || kind == kQueen ? diagonal : 0);
      if (found.leap_moves[square] != leaps || found.leap_captures[square] != leaps ||
          found.line_moves[square] != lines || found.line_captures[square] != lines) {
        return false;
      }
    }
  }
  return true;
}

void PieceTable::find_pawn_squares(int seat) {
  Bits& squares = pawn_squares_[seat];
  Bits reached = ~(rank_bits(0) | rank_bits(7)) & ~promotion_zone(seat);
  while (reached != squares) {
    squares = reached;
    for (Bits from = squares; from;) {
      reached |= ever_reaches(kPawn, seat, take_first(from)) & ~promotion_zone(seat);
    }
  }
}

int PieceTable::find(std::string_view symbol) const {
  for (int kind = 0; kind < kinds(); ++kind) {
    if (is_loaded(kind) && spec(kind).symbol == symbol) return kind;
  }
  return -1;
}

void PieceTable::compile(int kind, int seat) {
  Man& man = men_[2 * kind + seat];
  const int home_row = kind == kPawn ? 1 : 0;
  const int home_rank = seat == 0 ? home_row : 7 - home_row;
  for (int square = 0; square < 64; ++square) {
    man.lanes[square].begin = static_cast<std::uint16_t>(lanes_.size());
    for (const PatternSpec& pattern : spec(kind).patterns) {
      if (pattern.initial_only && rank_of(square) != home_rank) continue;
      const bool hops = pattern.kind == PatternSpec::Kind::kHop;
      const bool leaps = pattern.kind == PatternSpec::Kind::kLeap;
      man.hops |= hops;
      for (const Vector& vector : pattern.vectors) {
        const int up = seat == 0 ? vector.forward : -vector.forward;
        const bool one_step = std::abs(vector.right) <= 1 && std::abs(up) <= 1;
        const int range = hops ? 0 : leaps ? 1 : pattern.range;
        const std::vector<int> squares = squares_along(square, vector.right, up, range);
        if (hops || (!leaps && !one_step)) {
          if (!squares.empty()) lanes_.push_back(lane_of(pattern, squares));
          continue;
        }
        Bits reached = 0;
        for (int to : squares) reached |= bit(to);
        if (pattern.moves) (leaps ? man.leap_moves : man.line_moves)[square] |= reached;
        if (pattern.captures) (leaps ? man.leap_captures : man.line_captures)[square] |= reached;
        if (!leaps) {
          const bool straight = vector.right == 0 || up == 0;
          man.on_ranks_and_files |= straight;
          man.on_diagonals |= !straight;
        }
      }
    }
    if (lanes_.size() > 0xffff) throw GameError("the piece set has too many patterns");
    man.lanes[square].end = static_cast<std::uint16_t>(lanes_.size());
    man.ever_captures[square] = man.leap_captures[square] | man.line_captures[square];
    for (const Lane& lane : lanes(man, square)) {
      if (lane.captures) man.ever_captures[square] |= landings(lane);
    }
  }
}

Reach PieceTable::reach(int kind, int seat, int square, Bits occupied) const {
  const Man& of = man(kind, seat);
  Reach reach{of.leap_moves[square], of.leap_captures[square]};
  if (of.line_moves[square] | of.line_captures[square]) {
    Bits seen = 0;
    if (of.on_ranks_and_files) seen |= straight_sight(square, occupied);
    if (of.on_diagonals) seen |= diagonal_sight(square, occupied);
    reach.moves |= seen & of.line_moves[square];
    reach.captures |= seen & of.line_captures[square];
  }
  for (const Lane& lane : lanes(of, square)) walk(lane, occupied, reach);
  return reach;
}

Bits PieceTable::ever_reaches(int kind, int seat, int square) const {
  const Man& of = man(kind, seat);
  Bits squares = of.leap_moves[square] | of.leap_captures[square] | of.line_moves[square] |
                 of.line_captures[square];
  for (const Lane& lane : lanes(of, square)) squares |= landings(lane);
  return squares;
}

Bits PieceTable::path(int kind, int seat, int square, int target) const {
  const Man& of = man(kind, seat);
  Bits path = has(of.line_captures[square], target) ? kBetween[square][target] : 0;
  for (const Lane& lane : lanes(of, square)) {
    Bits passed = 0;
    for (int next : std::span(lane.squares).first(lane.length)) {
      if (next == target) {
        path |= passed;
        break;
      }
      passed |= bit(next);
    }
  }
  return path;
}

}  // namespace rulezero::chesslike
