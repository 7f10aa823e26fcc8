#pragma once
// A solver for Connect Four that also finds how soon the game ends under perfect play.

#include <functional>
#include <vector>

#include "games/connect4.h"

namespace rulezero {

// The score of a position for its mover, as published test sets give it: 22 minus the number of men
// that the winner has on the board at the end, negative if the mover loses; 0 for a draw. It is
// slower than Connect4Solver. The table is kept between calls, and never changes a result.
class Connect4Scorer {
 public:
  using Pause = std::function<void()>;  // called at intervals; may throw to stop the search

  explicit Connect4Scorer(std::size_t table_bytes);

  // Throws GameError if the game is over.
  int score(const Connect4Position& position, const Pause& pause);

 private:
  int search(Bits own, Bits both, int low, int high);

  std::vector<std::uint64_t> bounds_;  // code and bound; 0: empty
  int shift_;
  std::uint64_t visited_ = 0;
  const Pause* pause_ = nullptr;
};

}  // namespace rulezero
