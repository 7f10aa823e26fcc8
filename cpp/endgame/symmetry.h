#pragma once
// The eight symmetries of the board, for squares and for sets of squares.

#include "games/board8.h"

namespace rulezero {

// Mirrors the files, then the ranks, then exchanges files and ranks, each if its flag is set.
struct Symmetry {
  bool files = false;
  bool ranks = false;
  bool diagonal = false;

  constexpr int operator()(int square) const {
    if (files) square ^= 7;
    if (ranks) square ^= 56;
    if (diagonal) square = (square >> 3) | ((square & 7) << 3);
    return square;
  }

  // The squares whose images are in the set.
  constexpr Bits undo(Bits set) const {
    if (diagonal) set = exchange(set);
    if (ranks) set = upside_down(set);
    if (files) set = left_to_right(set);
    return set;
  }

 private:
  static constexpr Bits left_to_right(Bits set) {
    set = ((set >> 1) & 0x5555555555555555) | ((set & 0x5555555555555555) << 1);
    set = ((set >> 2) & 0x3333333333333333) | ((set & 0x3333333333333333) << 2);
    return ((set >> 4) & 0x0f0f0f0f0f0f0f0f) | ((set & 0x0f0f0f0f0f0f0f0f) << 4);
  }

  static constexpr Bits upside_down(Bits set) {
    set = ((set >> 8) & 0x00ff00ff00ff00ff) | ((set & 0x00ff00ff00ff00ff) << 8);
    set = ((set >> 16) & 0x0000ffff0000ffff) | ((set & 0x0000ffff0000ffff) << 16);
    return (set >> 32) | (set << 32);
  }

  static constexpr Bits exchange(Bits set) {
    Bits moved = 0x0f0f0f0f00000000 & (set ^ (set << 28));
    set ^= moved ^ (moved >> 28);
    moved = 0x3333000033330000 & (set ^ (set << 14));
    set ^= moved ^ (moved >> 14);
    moved = 0x5500550055005500 & (set ^ (set << 7));
    return set ^ moved ^ (moved >> 7);
  }
};

}  // namespace rulezero
