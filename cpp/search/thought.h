#pragma once
// What a player's decision was based on: its policy, value and expected line.

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "games/game.h"

namespace rulezero {

// A node of a search tree, for display.
struct TreeNode {
  Action action = 0;  // action that leads here; 0 at the root
  std::uint32_t visits = 0;
  float value = 0;          // for seat 0: mean of its visits, or exact if proven; NaN if unknown
  float prior = 0;          // as used by the search, including noise
  bool is_proven = false;   // whether the value is exact
  std::uint32_t first = 0;  // index of its first child
  std::uint32_t size = 0;   // number of children shown
};

struct Thought {
  Action action = 0;            // the chosen action
  std::vector<Action> actions;  // actions with a weight; empty if there is no policy to train on
  std::vector<float> weights;   // [actions] visit counts (puct, ucb1), or shares that sum to 1
  std::vector<float> target;    // [actions] policy target; empty if it equals the weights
  std::vector<float> visits;    // [actions] visit counts, for display; empty without a tree
  float value = kUnknown;       // for seat 0 after the search, in [-1, 1]
  float raw_value = kUnknown;   // for seat 0 by the evaluator, before the search
  float draw = kUnknown;        // probability of a draw, after the search
  float surprise = kUnknown;    // KL divergence of the target from the evaluator's policy, in nats
  std::uint32_t sims = 0;       // completed simulations, or positions evaluated
  std::vector<Action> line;     // expected line of play, starting with the chosen action
  std::vector<TreeNode> tree;   // root first, siblings adjacent; empty if tree_depth is 0

  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
};

// A thought without a search: each of these actions leads to this value, and the first is chosen.
inline Thought certain(std::vector<Action> actions, float value) {
  Thought thought;
  thought.action = actions.front();
  thought.line = {thought.action};
  thought.weights.assign(actions.size(), 1.0f / static_cast<float>(actions.size()));
  thought.actions = std::move(actions);
  thought.value = thought.raw_value = value;
  thought.draw = thought.surprise = 0;
  thought.sims = 1;
  return thought;
}

template <class T>
struct PlyColumn {
  const char* name;
  T Thought::* member;
};

// The columns that records store for every ply. PLY_COLUMNS in data/thoughts.py is the same list,
// with ranges.
inline constexpr std::tuple kPlyColumns{
    PlyColumn{"sims", &Thought::sims},           PlyColumn{"value", &Thought::value},
    PlyColumn{"raw_value", &Thought::raw_value}, PlyColumn{"draw", &Thought::draw},
    PlyColumn{"surprise", &Thought::surprise},
};

}  // namespace rulezero
