#pragma once
// Counts paths (perft): the standard test of a move generator.

#include "games/game.h"

namespace rulezero {

// Uses one list of actions per depth for the whole count, to save allocations.
template <Game G>
std::uint64_t count_paths(const G& game, const Moment<typename G::Position>& moment,
                          std::span<std::vector<Action>> lists) {
  if (lists.empty()) return 1;
  if constexpr (CountsInBulk<G>) {
    if (lists.size() == 1) return game.count(moment);
  }
  std::vector<Action>& actions = lists.front();
  actions.clear();
  game.expand(moment, actions);
  if (lists.size() == 1) return actions.size();
  std::uint64_t paths = 0;
  for (Action action : actions) {
    paths += count_paths(game, advance(game, moment, action), lists.subspan(1));
  }
  return paths;
}

// The number of paths of exactly `depth` choices. A die is a choice among its faces, and a finished
// game has no continuation. The moments of a path are on the stack.
template <Game G>
std::uint64_t perft(const G& game, const Moment<typename G::Position>& moment, int depth) {
  std::vector<std::vector<Action>> lists(static_cast<std::size_t>(depth));
  return count_paths(game, moment, std::span(lists));
}

}  // namespace rulezero
