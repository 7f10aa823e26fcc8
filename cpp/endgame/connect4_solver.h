#pragma once
// A solver for Connect Four: the value of a position under perfect play.

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "games/connect4.h"

namespace rulezero {

// Finds win, draw or loss, but not the number of moves: alpha-beta search over bitboards, which
// first tests whether the mover wins and then whether it draws, with a table of proven bounds. The
// table is kept between calls; it saves time and never changes a result.
class Connect4Solver {
 public:
  using Pause = std::function<void()>;  // called at intervals; may throw to stop the search
  using Values = std::array<std::optional<int>, connect4::kColumns>;

  explicit Connect4Solver(std::size_t table_bytes);

  // Seat 0's value: 1, 0 or -1.
  int value(const Connect4Position& position, const Pause& pause);

  // Seat 0's values of the legal columns; none if the game is over.
  Values values(const Connect4Position& position, const Pause& pause);

 private:
  // The board as its mover sees it.
  struct Board {
    Bits own;
    Bits both;
  };

  // Bounds of the mover's value.
  struct Bounds {
    int low = -1;
    int high = 1;
  };

  // Proven bounds, in one word. 0 is an empty slot: no position has that code.
  struct Proof {
    Bits code : 49;
    Bits low : 2;   // plus 1
    Bits high : 2;  // plus 1
    Bits effort : 6;
  };
  static_assert(sizeof(Proof) == 8);

  int solve(const Board& board);
  bool reaches(const Board& board, int goal);
  Bounds find(Bits code) const;
  void keep(Bits code, Bounds bounds, std::uint64_t visits);
  std::size_t slot(Bits code) const;

  std::vector<Proof> proofs_;  // in pairs
  int shift_;
  std::uint64_t visited_ = 0;  // positions, since construction
  const Pause* pause_ = nullptr;
};

}  // namespace rulezero
