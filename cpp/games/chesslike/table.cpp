#include "games/chesslike/table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace rulezero::chesslike {
namespace {

constexpr std::string_view kLetterSymbols = "PNBRQK";

// Squares a slide or hop visits in turn, at most `range` of them (0 for all).
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

// Refuses numbers that no board has a use for; piece files are checked more closely before.
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

// Where a lane can end on some board: hurdles need squares of their own.
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
  men_.resize(static_cast<std::size_t>(2 * kinds()));
  for (int kind = 0; kind < kinds(); ++kind) {
    for (int seat = 0; seat < 2; ++seat) compile(kind, seat);
  }
  const PieceSpec& pawn = spec(kPawn);
  takes_en_passant_ = pawn.en_passant;
  if (pawn.promotion) {
    for (const std::string& symbol : pawn.promotion->options) {
      const int kind = find(symbol);
      if (kind < 0) throw GameError("a pawn promotes to " + quoted(symbol) + ", which is no piece");
      promotions_.push_back(kind);
    }
    for (int rank = pawn.promotion->rank - 1; rank < 8; ++rank) {
      promotion_zone_[0] |= rank_bits(rank);
      promotion_zone_[1] |= rank_bits(7 - rank);
    }
  }
  for (int seat = 0; seat < 2; ++seat) find_pawn_squares(seat);
  castles_ = {spec(kKing).castles_kingside, spec(kKing).castles_queenside};

  for (const PatternSpec& pattern : pawn.patterns) {
    for (const Vector& vector : pattern.vectors) pawns_only_advance_ &= vector.forward > 0;
  }
  is_orthodox_ = !only_table && takes_en_passant_ && promotion_zone_[0] == rank_bits(7);
  for (int kind = kPawn; kind < kLetters; ++kind) {
    usual_[kind] = find_usual(kind);
    is_orthodox_ &= moves_as_usual(kind);
  }
}

bool PieceTable::find_usual(int kind) const {
  if (!is_loaded(kind)) return false;
  for (int square = 0; square < 64; ++square) {
    const auto at = static_cast<std::size_t>(square);
    const Bits straight = straight_sight(square, 0);
    const Bits diagonal = diagonal_sight(square, 0);
    for (int seat = 0; seat < 2; ++seat) {
      const Man& found = man(kind, seat);
      if (found.lanes[at].begin != found.lanes[at].end) return false;
      if (kind == kPawn) {
        // Its single step may be a leap or a slide; its double step must not jump.
        const Bits one = seat == 0 ? bit(square) << 8 : bit(square) >> 8;
        const Bits two = seat == 0 ? bit(square) << 16 : bit(square) >> 16;
        const bool at_home = rank_of(square) == (seat == 0 ? 1 : 6);
        const Bits steps = at_home ? one | two : one;
        if ((found.leap_moves[at] | found.line_moves[at]) != steps ||
            (found.leap_moves[at] & ~one) != 0 || found.line_captures[at] != 0 ||
            found.leap_captures[at] != kPawnStrikes[seat][square]) {
          return false;
        }
        continue;
      }
      const Bits leaps = kind == kKnight ? kJumps[square] : kind == kKing ? kNeighbours[square] : 0;
      const Bits lines = (kind == kRook || kind == kQueen ? straight : 0) |
                         (kind == kBishop || kind == kQueen ? diagonal : 0);
      if (found.leap_moves[at] != leaps || found.leap_captures[at] != leaps ||
          found.line_moves[at] != lines || found.line_captures[at] != lines) {
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

void PieceTable::add_lanes(const PatternSpec& pattern, const Vector& vector, int seat, int square) {
  const bool hops = pattern.kind == PatternSpec::Kind::kHop;
  const int up = seat == 0 ? vector.forward : -vector.forward;
  const std::vector<int> squares =
      squares_along(square, vector.right, up, hops ? 0 : pattern.range);
  if (squares.empty()) return;
  Lane lane{};
  for (int at : squares) lane.squares[lane.length++] = static_cast<std::uint8_t>(at);
  lane.hurdles = static_cast<std::uint8_t>(hops ? pattern.hurdles : 0);
  lane.land = static_cast<std::uint8_t>(hops ? pattern.land : 0);
  lane.moves = pattern.moves;
  lane.captures = pattern.captures;
  lanes_.push_back(lane);
}

void PieceTable::compile(int kind, int seat) {
  Man& man = men_[2 * kind + seat];
  man = Man{};
  const int home_row = kind == kPawn ? 1 : 0;
  const int home_rank = seat == 0 ? home_row : 7 - home_row;
  for (int square = 0; square < 64; ++square) {
    const auto at = static_cast<std::size_t>(square);
    man.lanes[at].begin = static_cast<std::uint16_t>(lanes_.size());
    for (const PatternSpec& pattern : spec(kind).patterns) {
      if (pattern.initial_only && rank_of(square) != home_rank) continue;
      man.hops |= pattern.kind == PatternSpec::Kind::kHop;
      for (const Vector& vector : pattern.vectors) {
        const int up = seat == 0 ? vector.forward : -vector.forward;
        const bool one_step = std::abs(vector.right) <= 1 && std::abs(up) <= 1;
        if (pattern.kind == PatternSpec::Kind::kHop ||
            (pattern.kind == PatternSpec::Kind::kSlide && !one_step)) {
          add_lanes(pattern, vector, seat, square);
          continue;
        }
        const bool leaps = pattern.kind == PatternSpec::Kind::kLeap;
        const int range = leaps ? 1 : pattern.range;
        Bits squares = 0;
        for (int to : squares_along(square, vector.right, up, range)) squares |= bit(to);
        if (pattern.moves) (leaps ? man.leap_moves : man.line_moves)[at] |= squares;
        if (pattern.captures) (leaps ? man.leap_captures : man.line_captures)[at] |= squares;
        if (!leaps) {
          const bool straight = vector.right == 0 || up == 0;
          man.on_ranks_and_files |= straight;
          man.on_diagonals |= !straight;
        }
      }
    }
    if (lanes_.size() > 0xffff) throw GameError("the piece set has too many patterns");
    man.lanes[at].end = static_cast<std::uint16_t>(lanes_.size());
    man.ever_captures[at] = man.leap_captures[at] | man.line_captures[at];
    for (std::size_t i = man.lanes[at].begin; i < man.lanes[at].end; ++i) {
      if (lanes_[i].captures) man.ever_captures[at] |= landings(lanes_[i]);
    }
  }
}

Reach PieceTable::reach(int kind, int seat, int square, Bits occupied) const {
  const Man& of = man(kind, seat);
  const auto at = static_cast<std::size_t>(square);
  Reach reach{of.leap_moves[at], of.leap_captures[at]};
  if (of.line_moves[at] | of.line_captures[at]) {
    Bits seen = 0;
    if (of.on_ranks_and_files) seen |= straight_sight(square, occupied);
    if (of.on_diagonals) seen |= diagonal_sight(square, occupied);
    reach.moves |= seen & of.line_moves[at];
    reach.captures |= seen & of.line_captures[at];
  }
  for (std::size_t i = of.lanes[at].begin; i < of.lanes[at].end; ++i) {
    walk(lanes_[i], occupied, reach);
  }
  return reach;
}

Bits PieceTable::captures(int kind, int seat, int square, Bits occupied) const {
  return reach(kind, seat, square, occupied).captures;
}

Bits PieceTable::ever_reaches(int kind, int seat, int square) const {
  const Man& of = man(kind, seat);
  const auto at = static_cast<std::size_t>(square);
  const LaneRange range = of.lanes[at];
  Bits squares =
      of.leap_moves[at] | of.leap_captures[at] | of.line_moves[at] | of.line_captures[at];
  for (std::size_t i = range.begin; i < range.end; ++i) squares |= landings(lanes_[i]);
  return squares;
}

Bits PieceTable::path(int kind, int seat, int square, int target) const {
  const Man& of = man(kind, seat);
  const auto at = static_cast<std::size_t>(square);
  Bits path = 0;
  if (has(of.line_captures[at], target)) {
    path |= kBetween[square][target];
  }
  for (std::size_t i = of.lanes[at].begin; i < of.lanes[at].end; ++i) {
    Bits passed = 0;
    for (int j = 0; j < lanes_[i].length; ++j) {
      const int next = lanes_[i].squares[j];
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
