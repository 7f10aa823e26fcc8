#include "games/board8.h"

namespace rulezero::board8 {
namespace {

// combine(sight, a, b) for every two squares on one line; `sight` is straight_sight or
// diagonal_sight, whichever connects them.
template <class Combine>
constexpr BySquare<BySquare<Bits>> for_each_line(Combine combine) {
  BySquare<BySquare<Bits>> sets{};
  for (int a = 0; a < kSquares; ++a) {
    for (Bits seen = all_sight(a, 0); seen;) {
      const int b = take_first(seen);
      const bool straight = has(straight_sight(a, 0), b);
      sets[a][b] = combine(straight ? straight_sight : diagonal_sight, a, b);
    }
  }
  return sets;
}

}  // namespace

constinit const BySquare<BySquare<Bits>> kBetween = for_each_line([](auto sight, int a, int b) {
  const Bits ends = bit(a) | bit(b);
  return sight(a, ends) & sight(b, ends);
});

constinit const BySquare<BySquare<Bits>> kLine = for_each_line(
    [](auto sight, int a, int b) { return (sight(a, 0) & sight(b, 0)) | bit(a) | bit(b); });

}  // namespace rulezero::board8
