#include "endgame/connect4_scorer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "endgame/connect4_moves.h"

namespace rulezero {

using namespace connect4;

namespace {

constexpr std::uint64_t kStretch = 1 << 20;  // positions between two calls of pause
constexpr int kMost = kCells / 2;            // no score is farther from 0
constexpr int kCodeBits = 49;
constexpr std::uint64_t kCode = (std::uint64_t{1} << kCodeBits) - 1;

// The score of a mover who wins at once.
int win_now(int men) { return (kCells + 1 - men) / 2; }

// A bound beside a code: 1 to 2 * kMost + 1 for an upper bound, more for a lower one.
constexpr int kUpper = kMost + 1;
constexpr int kLower = kUpper + 2 * kMost + 1;

}  // namespace

Connect4Scorer::Connect4Scorer(std::size_t table_bytes)
    : bounds_(std::bit_floor(std::max(table_bytes / sizeof(std::uint64_t), std::size_t{1} << 10))),
      shift_(64 - std::countr_zero(bounds_.size())) {}

int Connect4Scorer::score(const Connect4Position& position, const Pause& pause) {
  const Bits both = position.men[0] | position.men[1];
  const int men = count(both);
  const Bits own = position.men[men % 2];
  if (has_four(position.men[1 - men % 2]) || men == kCells) {
    throw GameError("the game is over: only positions in which someone is to move have a score");
  }
  if (wins_of(own, both) & playable(both)) return win_now(men);
  pause_ = &pause;
  int low = -(kCells - men) / 2;
  int high = win_now(men) - 1;
  // Windows of width 1, first near 0: most scores are small.
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (middle <= 0 && low / 2 < middle) {
      middle = low / 2;
    } else if (middle >= 0 && high / 2 > middle) {
      middle = high / 2;
    }
    const int found = search(own, both, middle, middle + 1);
    if (found <= middle) {
      high = found;
    } else {
      low = found;
    }
  }
  return low;
}

// The mover's score within the window, or a bound outside of it. Call it only if the mover cannot
// win at once.
int Connect4Scorer::search(Bits own, Bits both, int low, int high) {
  if (++visited_ % kStretch == 0 && *pause_) (*pause_)();
  const Bits other = both & ~own;
  const int men = count(both);
  const Bits moves = safe_moves(other, both);
  if (moves == 0) return -(kCells - men) / 2;  // the other side wins with its next man
  if (men >= kCells - 2) return 0;
  // The other side cannot win with its next man, nor the mover with this one.
  low = std::max(low, -(kCells - 2 - men) / 2);
  if (low >= high) return low;
  high = std::min(high, (kCells - 1 - men) / 2);
  if (low >= high) return high;

  const Bits code = code_of(own, both);
  std::uint64_t& slot = bounds_[(code * 0x9e3779b97f4a7c15) >> shift_];
  if ((slot & kCode) == code) {
    const int bound = static_cast<int>(slot >> kCodeBits);
    if (bound > kUpper + kMost) {
      low = std::max(low, bound - kLower);
      if (low >= high) return low;
    } else {
      high = std::min(high, bound - kUpper);
      if (low >= high) return high;
    }
  }

  // Orders moves by the number of threats that they make, then by nearness to the centre.
  std::array<std::pair<int, Bits>, kColumns> ranked;
  std::size_t size = 0;
  for (Bits column : kCentreFirst) {
    const Bits move = moves & column;
    if (!move) continue;
    const int threats = count(wins_of(own | move, both));
    std::size_t at = size++;
    for (; at > 0 && ranked[at - 1].first < threats; --at) ranked[at] = ranked[at - 1];
    ranked[at] = {threats, move};
  }
  for (std::size_t i = 0; i < size; ++i) {
    const int found = -search(other, both | ranked[i].second, -high, -low);
    if (found >= high) {
      slot = code | (static_cast<std::uint64_t>(found + kLower) << kCodeBits);
      return found;
    }
    low = std::max(low, found);
  }
  slot = code | (static_cast<std::uint64_t>(low + kUpper) << kCodeBits);
  return low;
}

}  // namespace rulezero
