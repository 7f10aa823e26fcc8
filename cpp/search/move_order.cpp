#include "search/move_order.h"

#include <algorithm>

namespace rulezero {
namespace {

void sort_by_rank(std::vector<Ranked>& moves) {
  std::sort(moves.begin(), moves.end(), [](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.order < b.order;
  });
}

}  // namespace

void MoveOrder::clear() {
  for (auto& counts : history_) counts.fill(0);
}

void MoveOrder::rank(const Walk& walk, std::span<const Action> actions, Action first,
                     const Killers& killers, std::vector<Ranked>& moves) const {
  const auto& history = history_[walk.mover()];
  moves.clear();
  for (Action action : actions) {
    std::int64_t rank = history[action % kHistory];
    if (action == first) {
      rank = kFirstRank;
    } else if (const int gain = walk.gain(action); gain > 0) {
      rank = kCaptureRank + gain;
    } else if (action == killers[0]) {
      rank = kKillerRank + 1;
    } else if (action == killers[1]) {
      rank = kKillerRank;
    }
    moves.push_back({rank, action, static_cast<std::uint32_t>(moves.size())});
  }
  sort_by_rank(moves);
}

void MoveOrder::rank_captures(const Walk& walk, std::span<const Action> actions,
                              std::vector<Ranked>& moves) const {
  moves.clear();
  std::uint32_t order = 0;
  for (Action action : actions) {
    if (const int gain = walk.gain(action); gain > 0) {
      moves.push_back({kCaptureRank + gain, action, order});
    }
    ++order;
  }
  sort_by_rank(moves);
}

void MoveOrder::reward(int mover, const Ranked& move, int left, Killers& killers) {
  if (move.rank >= kCaptureRank && move.rank < kFirstRank) return;
  history_[mover][move.action % kHistory] += left * left;
  if (killers[0] == move.action) return;
  killers[1] = killers[0];
  killers[0] = move.action;
}

}  // namespace rulezero
