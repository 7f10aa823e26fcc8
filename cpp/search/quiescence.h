#pragma once
// Quiescence over a turn under way: where a run of plies by one mover can end.

#include <vector>

#include "search/thinker.h"

namespace rulezero {

struct ChainEnd {
  std::vector<Action> way;  // from the leaf
  bool is_over;
  Evaluation evaluation;  // the outcome if it is over, else still to be made
};

using ChainEnds = std::vector<ChainEnd>;

// Every end of the turn that is under way where the walk stands, by continuations of the same
// mover of at most `depth` plies; what is still under way then counts as an end too. Empty where
// a die would fall, or where there are too many to evaluate.
ChainEnds find_chain_ends(Walk& walk, int depth);

}  // namespace rulezero
