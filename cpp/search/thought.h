#pragma once
// What a seat knew when it chose.

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "games/game.h"

namespace rulezero {

// A node of a search tree for people to look at. Values are seat 0's.
struct TreeNode {
  Action action = 0;  // that leads here; 0 at the root
  std::uint32_t visits = 0;
  float value = 0;          // mean of the visits, or what is proven; NaN where neither is known
  float prior = 0;          // as the search used it: noise included
  bool is_proven = false;   // whether the value is exact
  std::uint32_t first = 0;  // place of its first child
  std::uint32_t size = 0;   // number of children that are shown
};

struct Thought {
  Action action = 0;            // what it chose
  std::vector<Action> actions;  // those it gave a weight; none: it has no policy to learn from
  std::vector<float> weights;   // beside them: visits (puct, ucb1) or shares that sum to 1
  std::vector<float> target;    // pruned weights beside them; empty where they are the same
  std::vector<float> visits;    // beside them, for people; a search without a tree has none
  float value = kUnknown;       // after the search, seat 0's in [-1, 1]
  float raw_value = kUnknown;   // the evaluator's own, seat 0's
  float draw = kUnknown;        // probability of a draw, after the search
  float surprise = kUnknown;    // divergence of the target from the evaluator's policy, in nats
  std::uint32_t sims = 0;       // completed backups, or positions evaluated
  std::vector<Action> line;     // what it expects, its own choice first
  std::vector<TreeNode> tree;   // the root first, children side by side; empty unless asked for

  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
};

// What is known without a search: any of these actions leads to this value, and the first is taken.
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

// What records keep of every ply: PLY_COLUMNS of data/thoughts.py is the same list, with ranges.
inline constexpr std::tuple kPlyColumns{
    PlyColumn{"sims", &Thought::sims},           PlyColumn{"value", &Thought::value},
    PlyColumn{"raw_value", &Thought::raw_value}, PlyColumn{"draw", &Thought::draw},
    PlyColumn{"surprise", &Thought::surprise},
};

}  // namespace rulezero
