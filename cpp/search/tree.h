#pragma once
// The tree of a search: nodes in one flat array, with siblings adjacent. It stores movers, actions,
// priors and values, and does not depend on any game.

#include <cstdint>
#include <span>
#include <vector>

#include "games/game.h"

namespace rulezero {

using NodeIndex = std::uint32_t;

// All values are seat 0's.
struct Node {
  double value_sum = 0;  // over completed simulations; once proven, the exact value instead
  float draw_sum = 0;    // the same for the probability of a draw
  float prior = 0;       // of the action that leads here; below a die, the face's probability
  float judged = 0;      // value by the evaluator, including contempt
  Action action = 0;     // action that leads here
  std::uint32_t visits = 0;
  NodeIndex first = 0;        // index of its first child
  std::uint32_t size = 0;     // number of children; 0 until evaluated
  std::uint16_t pending = 0;  // simulations below it that wait for answers
  std::int8_t mover = 0;
  bool is_proven = false;

  bool has_children() const { return size > 0; }
  double sign() const { return mover == 0 ? 1.0 : -1.0; }  // converts a value to the mover's
  double mean() const { return is_proven ? value_sum : value_sum / visits; }
  double mean_draw() const { return is_proven ? draw_sum : draw_sum / static_cast<double>(visits); }

  // Sets the exact value, which simulations no longer change.
  void settle(double value, double draw) {
    is_proven = true;
    value_sum = value;
    draw_sum = static_cast<float>(draw);
  }
};

static_assert(sizeof(Node) == 40);

class Tree {
 public:
  static constexpr NodeIndex kRoot = 0;

  explicit Tree(std::size_t most_nodes) : most_nodes_(most_nodes) { clear(); }

  Node& operator[](NodeIndex index) { return nodes_[index]; }
  const Node& operator[](NodeIndex index) const { return nodes_[index]; }
  Node& root() { return nodes_[kRoot]; }
  const Node& root() const { return nodes_[kRoot]; }
  std::size_t size() const { return nodes_.size(); }

  std::span<const Node> children(const Node& parent) const {
    return {nodes_.data() + parent.first, parent.size};
  }
  std::span<Node> children(const Node& parent) {
    return {nodes_.data() + parent.first, parent.size};
  }

  // Reserves addresses for all nodes, so that adding some never copies the others.
  void reserve();

  // Removes everything but a root that has not been evaluated.
  void clear();

  // Adds a node's children, sorted by prior; equal priors keep their order. If the tree has no room
  // for them, the node gets no children; the root always gets them.
  void expand(NodeIndex index, int mover, std::span<const Action> actions,
              std::span<const float> priors);

  // Completes a simulation: adds the value to every node of the path, which begins with the root.
  void back_up(std::span<const NodeIndex> path, double value, double draw);

  // Marks the last node of the path as proven, and the nodes above it whose values follow from it.
  void prove(std::span<const NodeIndex> path, double value, double draw);

  // The child of `parent` after this action, or kRoot if there is none.
  NodeIndex child(NodeIndex parent, Action action) const;

  // Makes a node the root and removes everything that is not below it.
  void keep(NodeIndex index);

 private:
  bool try_to_prove(Node& node) const;

  std::vector<Node> nodes_;
  std::size_t most_nodes_;
  std::vector<std::uint32_t> order_;
};

}  // namespace rulezero
