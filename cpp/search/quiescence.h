#pragma once
// Quiescence within a turn: the positions in which a run of plies by one mover can end.

#include <vector>

#include "search/thinker.h"

namespace rulezero {

struct ChainEnd {
  std::vector<Action> way;  // actions from the leaf
  bool is_over;
  Evaluation evaluation;  // the outcome if the game is over, else to be filled in
};

using ChainEnds = std::vector<ChainEnd>;

// All ends of the current turn at the walk's position, after at most `depth` plies of its mover. If
// the turn is not over by then, that position counts as an end, too. Empty if a die would be
// rolled, or if there are too many ends to evaluate.
ChainEnds find_chain_ends(Walk& walk, int depth);

}  // namespace rulezero
