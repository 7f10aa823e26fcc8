#pragma once
// The board of Connect Four as bits, shared by its rules, heuristic and solver.
//
// Seven bits per column, the seventh always empty, so that shifted lines never wrap around:
//
//    5 12 19 26 33 40 47
//    4 11 18 25 32 39 46
//    3 10 17 24 31 38 45
//    2  9 16 23 30 37 44
//    1  8 15 22 29 36 43
//    0  7 14 21 28 35 42

#include "base/bits.h"

namespace rulezero::connect4 {

constexpr int kColumns = 7;
constexpr int kRows = 6;
constexpr int kStride = kRows + 1;  // bits per column

// Steps between neighbours on a line: up, and the three ways to the next column.
constexpr int kSteps[] = {1, kStride - 1, kStride, kStride + 1};

constexpr Bits column_bits(int column) { return ((Bits{1} << kRows) - 1) << (column * kStride); }

constexpr Bits each_column(Bits cells) {
  Bits all = 0;
  for (int column = 0; column < kColumns; ++column) all |= cells << (column * kStride);
  return all;
}

constexpr Bits kBottom = each_column(1);
constexpr Bits kBoard = each_column(column_bits(0));

// The lowest empty cell of each column.
constexpr Bits playable(Bits both) { return (both + kBottom) & kBoard; }

constexpr bool has_four(Bits men) {
  for (int step : kSteps) {
    const Bits pairs = men & (men >> step);
    if (pairs & (pairs >> (2 * step))) return true;
  }
  return false;
}

}  // namespace rulezero::connect4
