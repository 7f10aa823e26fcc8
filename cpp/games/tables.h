#pragma once
// Solved positions: exact values that players may use.

#include <memory>
#include <optional>

#include "games/any.h"

namespace rulezero {

struct Proof {
  float value;   // seat 0's: 1, 0 or -1
  int distance;  // the winner's turns up to and including the last; 0 for draws
};

class Tables {
 public:
  virtual ~Tables() = default;

  // The proof for a state; nullopt if nothing is proven. Throws GameError for another game's state.
  virtual std::optional<Proof> proof(const AnyState& state) const = 0;
};

// Tables of one game. Their proofs respect the game's limits, such as a number of turns.
template <Game G>
class TablesOf : public Tables {
 public:
  virtual std::optional<Proof> proof(const G& rules,
                                     const typename G::Position& position) const = 0;

  std::optional<Proof> proof(const AnyState& state) const final {
    const StateOf<G>& known = state_of<G>(state, "these tables are for");
    return proof(known.rules(), known.moment().position);
  }
};

}  // namespace rulezero
