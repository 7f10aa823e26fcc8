#pragma once
// A player as the core knows it: its settings, and what evaluates positions for it.

#include <memory>

#include "eval/mlp.h"
#include "games/tables.h"
#include "search/settings.h"

namespace rulezero {

struct Player {
  Settings settings;
  int net = -1;                            // its number in the pool, with Source::kNet
  std::shared_ptr<const Mlp> mlp;          // with Source::kMlp
  std::shared_ptr<const AnyGame> encoder;  // whose planes the mlp reads
  std::shared_ptr<const Tables> tables;    // solved positions, or null
  std::vector<float> weights;              // of the heuristic; empty: its own
  int tree_depth = 0;                      // plies of its tree that thoughts show; 0: none
  std::uint32_t tree_visits = 1;           // that a node needs to be shown below the first ply
};

}  // namespace rulezero
