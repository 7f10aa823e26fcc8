#pragma once
// A player inside the core: its settings, and what evaluates positions for it.

#include <memory>

#include "eval/mlp.h"
#include "eval/nnue.h"
#include "games/tables.h"
#include "search/settings.h"

namespace rulezero {

struct Player {
  Settings settings;
  int net = -1;                            // index of its net in the pool (Source::kNet)
  std::shared_ptr<const Mlp> mlp;          // its perceptron (Source::kMlp)
  std::shared_ptr<const AnyGame> encoder;  // game whose planes the mlp reads
  std::shared_ptr<const Nnue> nnue;        // its efficiently updatable net (Source::kNnue)
  std::shared_ptr<const Tables> tables;    // endgame tables, or null
  std::vector<float> weights;              // weights of the heuristic; empty: its defaults
  int tree_depth = 0;                      // plies of the search tree kept in thoughts; 0: none
  std::uint32_t tree_visits = 1;           // visits a node needs to be kept, below the first ply
};

}  // namespace rulezero
