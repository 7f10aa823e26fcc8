#pragma once
// What the solvers of Connect Four know about moves.

#include <algorithm>
#include <array>

#include "games/connect4_board.h"

namespace rulezero::connect4 {

constexpr int kCells = kColumns * kRows;

// Columns from the middle outwards, because more lines run through the middle.
inline constexpr std::array<Bits, kColumns> kCentreFirst = {
    column_bits(3), column_bits(2), column_bits(4), column_bits(1),
    column_bits(5), column_bits(0), column_bits(6)};

// The empty cells that would make four, whether or not they can be filled now.
inline Bits wins_of(Bits men, Bits both) {
  Bits wins = (men << 1) & (men << 2) & (men << 3);
  for (int step : {kStride - 1, kStride, kStride + 1}) {
    const Bits below = (men << step) & (men << (2 * step));
    const Bits above = (men >> step) & (men >> (2 * step));
    wins |= below & ((men << (3 * step)) | (men >> step));
    wins |= above & ((men >> (3 * step)) | (men << step));
  }
  return wins & kBoard & ~both;
}

// Moves after which the other side cannot win at once.
inline Bits safe_moves(Bits other, Bits both) {
  const Bits threats = wins_of(other, both);
  Bits moves = playable(both);
  if (const Bits must_fill = moves & threats) {
    if (more_than_one(must_fill)) return 0;
    moves = must_fill;
  }
  return moves & ~(threats >> 1);
}

inline Bits mirrored(Bits word) {
  Bits image = 0;
  for (int column = 0; column < kColumns; ++column) {
    const Bits cells = (word >> (column * kStride)) & ((Bits{1} << kStride) - 1);
    image |= cells << ((kColumns - 1 - column) * kStride);
  }
  return image;
}

// The number of a position, the same for its mirror image: in each column the mover's men, and
// above all men of the column a 1 that marks its height.
inline Bits code_of(Bits own, Bits both) {
  const Bits code = own | (both + kBottom);
  return std::min(code, mirrored(code));
}

}  // namespace rulezero::connect4
