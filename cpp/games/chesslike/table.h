#pragma once
// The piece table: the squares that every kind of man reaches from every square, compiled from its
// patterns.

#include <span>

#include "games/board8.h"
#include "games/chesslike/piece.h"
#include "games/chesslike/position.h"

namespace rulezero::chesslike {

// The squares in one direction of a slide by longer vectors than a queen's steps, or of a hop.
struct Lane {
  std::array<std::uint8_t, 7> squares;
  std::uint8_t length;
  std::uint8_t hurdles;  // men to hop over; 0 for a slide
  std::uint8_t land;     // landing distance beyond the last hurdle; 0 for any
  bool moves;
  bool captures;
};

struct LaneRange {
  std::uint16_t begin;
  std::uint16_t end;
};

// One kind of man of one seat. A slide along the lines of a queen is a mask on the squares that a
// queen sees from there: the mask removes other directions and squares out of range.
struct Man {
  std::array<Bits, 64> leap_moves, leap_captures;
  std::array<Bits, 64> line_moves, line_captures;
  std::array<Bits, 64> ever_captures;  // where it could capture on some board
  std::array<LaneRange, 64> lanes;
  bool on_ranks_and_files;  // whether a rook's lines are needed at all
  bool on_diagonals;
  bool hops;
};

// Where a man may go: to `moves` if the square is empty, to `captures` if an enemy stands there.
// Neither depends on what stands on the square itself.
struct Reach {
  Bits moves;
  Bits captures;
};

class PieceTable {
 public:
  // `only_table` turns off the fast path for orthodox men, to compare both ways.
  explicit PieceTable(std::span<const PieceSpec> pieces, bool only_table = false);

  int kinds() const { return static_cast<int>(specs_.size()); }
  const PieceSpec& spec(int kind) const { return specs_[kind]; }
  bool is_loaded(int kind) const { return !spec(kind).symbol.empty(); }
  int find(std::string_view symbol) const;  // the kind with this symbol, or -1

  const Man& man(int kind, int seat) const { return men_[2 * kind + seat]; }

  Reach reach(int kind, int seat, int square, Bits occupied) const;

  // The captures of reach() alone.
  Bits captures(int kind, int seat, int square, Bits occupied) const {
    return reach(kind, seat, square, occupied).captures;
  }

  // The squares whose men decide whether it can capture on `target`, without both ends.
  Bits path(int kind, int seat, int square, int target) const;

  // Every square the man can go to on some board.
  Bits ever_reaches(int kind, int seat, int square) const;

  // Whether a lettered kind moves as in orthodox chess.
  bool moves_as_usual(int kind) const { return usual_[kind]; }

  // Whether pawns only move forward, so that no pawn move can be undone.
  bool pawns_only_advance() const { return pawns_only_advance_; }

  const std::vector<int>& promotions() const { return promotions_; }  // kinds, best first
  Bits promotion_zone(int seat) const { return promotion_zone_[seat]; }
  // Where a pawn of the seat can stand: on ranks 2 to 7 and on squares that its moves reach from
  // there, but not in its promotion zone.
  Bits pawn_squares(int seat) const { return pawn_squares_[seat]; }
  bool takes_en_passant() const { return spec(kPawn).en_passant; }
  bool castles(int wing) const {
    return wing == kKingside ? spec(kKing).castles_kingside : spec(kKing).castles_queenside;
  }

  // Whether the fast path can be used: all six kinds of chess move as usual, and the board holds no
  // other men.
  bool is_plain(const Position& position) const {
    if (!is_orthodox_) return false;
    if (kinds() == kLetters) return true;
    Bits lettered = 0;
    for (Bits men : position.letter) lettered |= men;
    return lettered == position.occupied();
  }

 private:
  void compile(int kind, int seat);
  void find_pawn_squares(int seat);
  bool find_usual(int kind) const;
  std::span<const Lane> lanes(const Man& man, int square) const {
    const auto [begin, end] = man.lanes[square];
    return {lanes_.data() + begin, lanes_.data() + end};
  }

  std::vector<PieceSpec> specs_;  // by kind; a letter that is not loaded has no symbol
  std::vector<Man> men_;
  std::vector<Lane> lanes_;
  std::vector<int> promotions_;
  std::array<Bits, 2> promotion_zone_{};
  std::array<Bits, 2> pawn_squares_{};
  bool pawns_only_advance_ = true;
  std::array<bool, kLetters> usual_{};
  bool is_orthodox_ = false;  // whether the six kinds of chess all move as usual
};

}  // namespace rulezero::chesslike
