#include "search/tree.h"

#include <algorithm>
#include <numeric>

namespace rulezero {

void Tree::reserve() {
  constexpr std::size_t kMost = (std::size_t{512} << 20) / sizeof(Node);
  nodes_.reserve(std::min(most_nodes_, kMost));
}

void Tree::clear() {
  nodes_.clear();
  nodes_.emplace_back();
}

void Tree::expand(NodeIndex index, int mover, std::span<const Action> actions,
                  std::span<const float> priors) {
  nodes_[index].mover = static_cast<std::int8_t>(mover);
  if (index != kRoot && nodes_.size() + actions.size() > most_nodes_) return;
  const auto first = static_cast<NodeIndex>(nodes_.size());
  nodes_[index].first = first;
  nodes_[index].size = static_cast<std::uint32_t>(actions.size());
  nodes_.resize(nodes_.size() + actions.size());
  Node* child = &nodes_[first];
  if (std::is_sorted(priors.begin(), priors.end(), std::greater<>())) {
    for (std::size_t i = 0; i < actions.size(); ++i, ++child) {
      child->action = actions[i];
      child->prior = priors[i];
    }
    return;
  }
  order_.resize(actions.size());
  std::iota(order_.begin(), order_.end(), 0u);
  // The index breaks ties: std::sort then does what std::stable_sort would, without its memory.
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t one, std::uint32_t other) {
    return priors[one] != priors[other] ? priors[one] > priors[other] : one < other;
  });
  for (std::uint32_t from : order_) {
    child->action = actions[from];
    child->prior = priors[from];
    ++child;
  }
}

void Tree::back_up(std::span<const NodeIndex> path, double value, double draw) {
  for (NodeIndex index : path) {
    Node& node = nodes_[index];
    ++node.visits;
    if (node.is_proven) continue;
    node.value_sum += value;
    node.draw_sum += static_cast<float>(draw);
  }
}

void Tree::prove(std::span<const NodeIndex> path, double value, double draw) {
  nodes_[path.back()].settle(value, draw);
  for (std::size_t above = path.size() - 1; above-- > 0;) {
    if (!try_to_prove(nodes_[path[above]])) return;
  }
}

bool Tree::try_to_prove(Node& node) const {
  if (node.is_proven) return false;
  const auto below = children(node);
  if (node.mover == kChance) {
    double expectation = 0;
    double chances = 0;
    double draw = 0;
    for (const Node& face : below) {
      if (!face.is_proven) return false;
      expectation += face.prior * face.mean();
      draw += face.prior * face.mean_draw();
      chances += face.prior;
    }
    node.settle(expectation / chances, draw / chances);  // rounded chances do not sum to exactly 1
    return true;
  }
  const double sign = node.sign();
  const Node* best = nullptr;
  bool all_proven = true;
  for (const Node& child : below) {
    if (!child.is_proven) {
      all_proven = false;
    } else if (!best || sign * child.mean() > sign * best->mean()) {
      best = &child;
    }
  }
  const bool is_won = best && sign * best->mean() >= 1;
  if (!is_won && !all_proven) return false;
  node.settle(best->mean(), best->mean_draw());
  return true;
}

NodeIndex Tree::child(NodeIndex parent, Action action) const {
  const Node& node = nodes_[parent];
  for (NodeIndex index = node.first; index < node.first + node.size; ++index) {
    if (nodes_[index].action == action) return index;
  }
  return kRoot;
}

void Tree::keep(NodeIndex index) {
  std::vector<Node> kept;
  kept.reserve(nodes_.size());
  kept.push_back(nodes_[index]);
  // `kept` is also the queue of the breadth-first copy: each node's children are appended to it.
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const auto below = children(kept[at]);
    kept[at].first = static_cast<NodeIndex>(kept.size());
    kept.insert(kept.end(), below.begin(), below.end());
  }
  nodes_ = std::move(kept);
}

}  // namespace rulezero
