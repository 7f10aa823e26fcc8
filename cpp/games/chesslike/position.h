#pragma once
// A position of any chess-like game: men on 64 squares, castling rights and counters, no history.

#include <array>
#include <cstdint>
#include <type_traits>

#include "games/board8.h"

namespace rulezero::chesslike {

using namespace board8;

// Kinds of men by number. The six letters of orthodox chess have the same numbers in every piece
// set; other men follow in the order in which they are loaded.
enum Kind : int { kPawn, kKnight, kBishop, kRook, kQueen, kKing, kFirstCustom };

constexpr int kLetters = kFirstCustom;
constexpr std::size_t kMostPieces = 32;  // in a loaded set
constexpr int kLargestCounter = 9999;    // of plies without progress and of full moves

enum Wing : int { kKingside, kQueenside };  // h side and a side

struct Position {
  std::array<Bits, 2> side;           // men by seat
  std::array<Bits, kLetters> letter;  // men of the six lettered kinds, both seats
  std::array<std::uint8_t, 64> kind;  // kind of the man on each square, where there is one
  std::array<std::array<std::uint8_t, 2>, 2> castling;  // rook's square by seat and wing, or kNone
  std::uint8_t en_passant;  // square behind a pawn that can be taken, or kNone
  std::uint8_t mover;
  bool half_made;        // the mover's second half-move is pending (Monster)
  std::uint16_t clock;   // plies since the last capture or pawn move
  std::uint16_t number;  // full moves, from 1

  Bits occupied() const { return side[0] | side[1]; }
  Bits men(int seat, int of_kind) const { return side[seat] & letter[of_kind]; }
  int kind_at(int square) const { return kind[square]; }
  int seat_at(int square) const { return has(side[1], square); }
  int king(int seat) const { return first(men(seat, kKing)); }  // 64 if there is none

  void put(int square, int seat, int of_kind) {
    side[seat] |= bit(square);
    if (of_kind < kLetters) letter[of_kind] |= bit(square);
    kind[square] = static_cast<std::uint8_t>(of_kind);
  }
  void remove(int square, int seat) {
    const int of_kind = kind_at(square);
    side[seat] &= ~bit(square);
    if (of_kind < kLetters) letter[of_kind] &= ~bit(square);
    kind[square] = 0;  // so that equal positions are equal byte for byte
  }

  bool operator==(const Position&) const = default;
};

static_assert(std::is_trivially_copyable_v<Position>);

// Whether a side still has a right to castle.
constexpr bool may_castle(const Position& position) {
  for (const auto& wings : position.castling) {
    for (std::uint8_t rook : wings) {
      if (rook != kNone) return true;
    }
  }
  return false;
}

// A position without men; the mover is seat 0.
constexpr Position empty_position() {
  Position position{};
  for (auto& wings : position.castling) wings = {kNone, kNone};
  position.en_passant = kNone;
  position.number = 1;
  return position;
}

}  // namespace rulezero::chesslike
