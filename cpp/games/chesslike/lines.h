#pragma once
// Geometry of the 8x8 board: what leaps and lines reach. Square = rank * 8 + file:
//
//   56 57 58 59 60 61 62 63    rank 8
//   ..                   ..
//    8  9 10 11 12 13 14 15    rank 2
//    0  1  2  3  4  5  6  7    rank 1
//    a  b  c  d  e  f  g  h

#include <array>

#include "base/bits.h"

namespace rulezero::chesslike {

constexpr Bits kFileA = 0x0101010101010101;
constexpr Bits kFileH = kFileA << 7;
constexpr Bits kRank1 = 0xff;

constexpr int file_of(int square) { return square & 7; }
constexpr int rank_of(int square) { return square >> 3; }
constexpr Bits rank_bits(int rank) { return kRank1 << (8 * rank); }
constexpr Bits file_bits(int file) { return kFileA << file; }
constexpr bool on_board(int file, int rank) {
  return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

struct Geometry {
  std::array<Bits, 64> knight;
  std::array<Bits, 64> king;
  std::array<std::array<Bits, 64>, 2> pawn;           // squares a pawn of this seat attacks
  std::array<Bits, 64> file, diagonal, antidiagonal;  // without the square itself
  std::array<std::array<std::uint8_t, 64>, 8> rank;   // [file][inner six bits of the rank]
  std::array<std::array<Bits, 64>, 64> between;       // strictly between two squares of a line
  std::array<std::array<Bits, 64>, 64> line;          // the whole line through two squares
};

extern const Geometry kGeometry;

// Attacks along one line by subtraction from both ends (hyperbola quintessence): the first man
// met in each direction is included.
inline Bits along(Bits occupied, Bits mask, int square) {
  const Bits from = bit(square);
  Bits up = occupied & mask;
  Bits down = __builtin_bswap64(up);
  up -= 2 * from;
  down -= 2 * __builtin_bswap64(from);
  return (up ^ __builtin_bswap64(down)) & mask;
}

inline Bits bishop_attacks(int square, Bits occupied) {
  const auto at = static_cast<std::size_t>(square);
  return along(occupied, kGeometry.diagonal[at], square) |
         along(occupied, kGeometry.antidiagonal[at], square);
}

inline Bits rook_attacks(int square, Bits occupied) {
  const auto at = static_cast<std::size_t>(square);
  const int shift = square & 56;
  const auto inner = static_cast<std::size_t>((occupied >> (shift + 1)) & 63);
  const Bits rank = kGeometry.rank[at & 7][inner];
  return along(occupied, kGeometry.file[at], square) | (rank << shift);
}

inline Bits queen_attacks(int square, Bits occupied) {
  return rook_attacks(square, occupied) | bishop_attacks(square, occupied);
}

}  // namespace rulezero::chesslike
