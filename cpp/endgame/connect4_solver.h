#pragma once
// Connect Four solved: who wins a position under perfect play.

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "games/connect4.h"

namespace rulezero {

// Win, draw or loss, not how soon: alpha-beta over bitboards, asking first whether the mover wins
// and then whether it draws, with a table of what is proven. The table is kept from question to
// question; it saves time and never changes an answer.
class Connect4Solver {
 public:
  using Pause = std::function<void()>;  // called now and then; may throw to break off
  using Values = std::array<std::optional<int>, connect4::kColumns>;

  explicit Connect4Solver(std::size_t table_bytes);

  // Seat 0's value: 1, 0 or -1.
  int value(const Connect4Position& position, const Pause& pause);

  // Seat 0's values of the legal columns; none where the game is over.
  Values values(const Connect4Position& position, const Pause& pause);

 private:
  // The board as its mover sees it.
  struct Board {
    Bits own;
    Bits both;
  };

  // What is known of a value for the mover: it lies between these.
  struct Bounds {
    int low = -1;
    int high = 1;
  };

  // What is proven, in one word. 0 is an empty slot: no position has that code.
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
  std::uint64_t visited_ = 0;  // positions, since it was made
  const Pause* pause_ = nullptr;
};

}  // namespace rulezero
