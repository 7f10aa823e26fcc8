#pragma once
// The rules that select a child in a tree.

#include "search/settings.h"
#include "search/tree.h"

namespace rulezero {

// A child's visits and value for the mover; pending simulations count as losses (virtual loss).
struct Tried {
  double visits;
  double value;  // 0 if there are no visits
};

inline Tried tried(const Node& child, double sign, double virtual_loss) {
  if (child.is_proven) return {static_cast<double>(child.visits), sign * child.mean()};
  const double waiting = virtual_loss * child.pending;
  const double visits = child.visits + waiting;
  return {visits, visits > 0 ? (sign * child.value_sum - waiting) / visits : 0.0};
}

// Makes priors proportional to p ** (1 / temperature).
void soften(std::span<float> priors, double temperature);

// The PUCT formula at one parent.
class PuctRule {
 public:
  PuctRule(double parent_visits, const Settings& settings);
  double score(const Node& child, Tried tried) const {
    return tried.value + c_ * child.prior * root_ / (1 + tried.visits);
  }

 private:
  double c_;     // weight of the prior
  double root_;  // square root of the parent's visits
};

// PUCT. `forced` is 0 except at the root of a full search.
NodeIndex choose_puct(const Tree& tree, const Node& parent, const Settings& settings, double forced,
                      bool is_root);

NodeIndex choose_ucb1(const Tree& tree, const Node& parent, const Settings& settings);

}  // namespace rulezero
