#pragma once
// Sets of squares that only EXCHANGE needs.

#include "games/board8.h"

namespace rulezero::exchange {

using namespace board8;

// The squares one orthogonal step away from the set.
constexpr Bits beside(Bits set) { return north(set) | south(set) | east(set) | west(set); }

inline constexpr BySquare<Bits> kBeside =
    tables::squares_where([](int f, int r) { return tables::size(f) + tables::size(r) == 1; });
inline constexpr BySquare<Bits> kTwoBeside = tables::squares_where([](int f, int r) {
  return (f == 0 && tables::size(r) == 2) || (r == 0 && tables::size(f) == 2);
});
inline constexpr BySquare<Bits> kWithinThree = tables::squares_where(
    [](int f, int r) { return tables::size(f) <= 3 && tables::size(r) <= 3; });
// The squares seen within three squares in the eight directions from any square of the set, up to
// and including the first man met.
constexpr Bits sight_within_three(Bits from, Bits men) {
  const Bits empty = ~men;
  const auto look = [&](auto step) {
    const Bits one = step(from);
    const Bits two = step(one & empty);
    return one | two | step(two & empty);
  };
  return look([](Bits set) { return north(set); }) | look([](Bits set) { return south(set); }) |
         look([](Bits set) { return east(set); }) | look([](Bits set) { return west(set); }) |
         look([](Bits set) { return north(east(set)); }) |
         look([](Bits set) { return north(west(set)); }) |
         look([](Bits set) { return south(east(set)); }) |
         look([](Bits set) { return south(west(set)); });
}

}  // namespace rulezero::exchange
