#pragma once
// The order in which alpha-beta tries moves: the table's move, captures, killers, then by history.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "search/walk.h"

namespace rulezero {

constexpr Action kNoAction = ~Action{0};

using Killers = std::array<Action, 2>;  // quiet moves that caused a cutoff at this depth
constexpr Killers kNoKillers = {kNoAction, kNoAction};

// Moves with a higher rank are tried first: the first move, captures, killers, then the others by
// their history, whose counts stay below these ranks.
constexpr std::int64_t kFirstRank = std::int64_t{1} << 60;
constexpr std::int64_t kCaptureRank = std::int64_t{1} << 50;
constexpr std::int64_t kKillerRank = std::int64_t{1} << 40;

struct Ranked {
  std::int64_t rank;
  Action action;
  std::uint32_t order;  // index among the legal moves
};

class MoveOrder {
 public:
  void clear();

  // Fills in the legal moves, the most promising first; moves of equal rank keep their order.
  void rank(const Walk& walk, std::span<const Action> actions, Action first, const Killers& killers,
            std::vector<Ranked>& moves) const;

  // Fills in the captures, the largest gain first.
  void rank_captures(const Walk& walk, std::span<const Action> actions,
                     std::vector<Ranked>& moves) const;

  // Remembers a quiet move that caused a cutoff, `left` plies above the leaves.
  void reward(int mover, const Ranked& move, int left, Killers& killers);

 private:
  static constexpr std::size_t kHistory = 4093;  // prime, so that shared counters have no pattern

  std::array<std::array<std::int64_t, kHistory>, 2> history_{};  // by mover
};

}  // namespace rulezero
