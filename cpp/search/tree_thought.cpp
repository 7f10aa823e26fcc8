// The thought of a finished tree search.

#include <algorithm>
#include <cmath>

#include "search/choose.h"
#include "search/noise.h"
#include "search/tree_search.h"

namespace rulezero {
namespace {

// The KL divergence of the target from the priors, in nats; both have the same order of moves.
float divergence(std::span<const float> target, std::span<const float> priors) {
  constexpr double kLeast = 1e-9;
  double sum = 0;
  for (float weight : target) sum += weight;
  double nats = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double share = target[i] / sum;
    if (share > 0) nats += share * std::log(share / std::max<double>(priors[i], kLeast));
  }
  return static_cast<float>(nats);
}

bool has_weight(std::span<const float> weights) {
  return std::any_of(weights.begin(), weights.end(), [](float weight) { return weight > 0; });
}

}  // namespace

void TreeSearch::finish() {
  const Node& root = tree_.root();
  const auto children = tree_.children(root);
  thought_ = Thought{};
  for (const Node& child : children) {
    thought_.actions.push_back(child.action);
    thought_.visits.push_back(static_cast<float>(child.visits));
  }
  const double draw = root.mean_draw();
  const double value = std::clamp(root.mean() - contempt(draw), -1.0, 1.0);
  thought_.value = static_cast<float>(value);
  thought_.draw = static_cast<float>(draw);
  thought_.raw_value = raw_value_;
  thought_.sims = static_cast<std::uint32_t>(done_);

  find_candidates();
  NodeIndex chosen = Tree::kRoot;
  if (settings_.method == Method::kGumbel) {
    improve_policy(tree_, root, settings_, scratch_);
    thought_.weights.assign(scratch_.begin(), scratch_.end());
    chosen = gumbel_.best(tree_, candidates_);
  } else {
    thought_.weights = thought_.visits;
    chosen = choose_by_visits();
    thought_.target = settings_.forced > 0 && is_full_ ? pruned_visits() : thought_.visits;
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (!candidates_[i]) thought_.target[i] = 0;  // a net should not learn to lose
    }
  }
  const bool is_won = root.is_proven && root_sign_ * root.mean() >= 1;
  if (is_won || (settings_.method != Method::kGumbel && !has_weight(thought_.target))) {
    thought_.target.assign(children.size(), 0.0f);
    thought_.target[chosen - root.first] = 1.0f;
  }
  if (is_won || !has_weight(thought_.weights)) thought_.weights = thought_.target;
  thought_.action = tree_[chosen].action;
  thought_.surprise =
      divergence(thought_.target.empty() ? thought_.weights : thought_.target, raw_priors_);
  follow_line(chosen);
  drop_weightless();
  if (tree_depth_ > 0) show_tree();
}

// Copies the upper plies of the tree, breadth first: all moves of the root, and below them those
// with enough visits.
void TreeSearch::show_tree() {
  const auto shown = [&](const Node& node) {
    TreeNode copy{node.action, node.visits, Thought::kUnknown, node.prior, node.is_proven};
    if (node.is_proven || node.visits > 0) {
      const double value = node.mean() - contempt(node.mean_draw());
      copy.value = static_cast<float>(std::clamp(value, -1.0, 1.0));
    }
    return copy;
  };
  auto& tree = thought_.tree;
  std::vector<const Node*> nodes{&tree_.root()};  // the nodes copied to `tree`, in its order
  tree.push_back(shown(tree_.root()));
  std::size_t end = 0;
  for (int depth = 0; depth < tree_depth_; ++depth) {
    std::size_t at = end;
    end = nodes.size();
    for (; at < end; ++at) {
      const auto first = static_cast<std::uint32_t>(nodes.size());
      for (const Node& child : tree_.children(*nodes[at])) {
        if (depth > 0 && child.visits < tree_visits_) continue;
        nodes.push_back(&child);
        tree.push_back(shown(child));
      }
      tree[at].first = first;
      tree[at].size = static_cast<std::uint32_t>(nodes.size()) - first;
    }
  }
}

// Finds the children that may be chosen: at a proven root those that keep its value, else all
// except proven losses.
void TreeSearch::find_candidates() {
  const Node& root = tree_.root();
  candidates_.clear();
  for (const Node& child : tree_.children(root)) {
    const double worth = root_sign_ * child.mean();
    candidates_.push_back(root.is_proven ? child.is_proven && worth >= root_sign_ * root.mean()
                                         : !child.is_proven || worth > -1);
  }
}

// The index of the most visited candidate among the root's children; of equals, the one with the
// better value.
std::size_t TreeSearch::most_visited() const {
  const auto children = tree_.children(tree_.root());
  const auto is_better = [&](const Node& one, const Node& other) {
    if (one.visits != other.visits || one.visits == 0) return one.visits > other.visits;
    return root_sign_ * one.mean() > root_sign_ * other.mean();
  };
  std::size_t best = children.size();
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!candidates_[i]) continue;
    if (best == children.size() || is_better(children[i], children[best])) best = i;
  }
  return best;
}

// The most visited candidate, or with a temperature one drawn by visits.
NodeIndex TreeSearch::choose_by_visits() {
  const Node& root = tree_.root();
  const auto children = tree_.children(root);
  std::size_t best = most_visited();
  const double temperature = settings_.temperature_at(choice_.turn);
  if (temperature > 0 && children[best].visits > 0) {
    scratch_.assign(children.size(), 0);
    const double most = children[best].visits;
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (candidates_[i]) scratch_[i] = std::pow(children[i].visits / most, 1 / temperature);
    }
    KeyedRandom random = choice_.random(kMoveDraw);
    best = draw_index(random, scratch_);
  }
  return root.first + static_cast<NodeIndex>(best);
}

// The visits without those that only forced playouts caused (KataGo's policy target pruning).
std::vector<float> TreeSearch::pruned_visits() const {
  const Node& root = tree_.root();
  const auto children = tree_.children(root);
  const Node& most = children[most_visited()];
  const double visits = root.visits;
  const PuctRule rule(visits, settings_);
  const double bar = rule.score(most, tried(most, root_sign_, settings_.virtual_loss));
  std::vector<float> pruned;
  for (const Node& child : children) {
    Tried now = tried(child, root_sign_, settings_.virtual_loss);
    if (&child != &most && child.visits > 0) {
      double forced = std::floor(std::sqrt(settings_.forced * child.prior * (visits - 1)));
      while (forced-- > 0 && now.visits > 0) {
        const Tried fewer = {now.visits - 1, now.value};
        if (rule.score(child, fewer) > bar) break;
        now = fewer;
      }
      if (now.visits <= 1) now.visits = 0;
    }
    pruned.push_back(static_cast<float>(now.visits));
  }
  return pruned;
}

// Fills in the expected line: the chosen action, then the most visited actions, up to a die.
void TreeSearch::follow_line(NodeIndex chosen) {
  for (NodeIndex at = chosen;;) {
    thought_.line.push_back(tree_[at].action);
    const Node& node = tree_[at];
    if (!node.has_children() || node.mover == kChance) return;
    const auto below = tree_.children(node);
    const auto most = std::ranges::max_element(below, {}, &Node::visits);
    if (most->visits == 0) return;
    at = node.first + static_cast<NodeIndex>(most - below.begin());
  }
}

// Removes moves without any weight. A fast search gives no policy target, so it loses all moves.
void TreeSearch::drop_weightless() {
  Thought& thought = thought_;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < thought.actions.size(); ++i) {
    const bool has_target = !thought.target.empty() && thought.target[i] > 0;
    const bool counts = thought.weights[i] > 0 || thought.visits[i] > 0 || has_target;
    if (!is_full_ || !counts) continue;
    thought.actions[kept] = thought.actions[i];
    thought.weights[kept] = thought.weights[i];
    thought.visits[kept] = thought.visits[i];
    if (!thought.target.empty()) thought.target[kept] = thought.target[i];
    ++kept;
  }
  thought.actions.resize(kept);
  thought.weights.resize(kept);
  thought.visits.resize(kept);
  if (!thought.target.empty()) thought.target.resize(kept);
  if (thought.target == thought.weights) thought.target.clear();
}

}  // namespace rulezero
