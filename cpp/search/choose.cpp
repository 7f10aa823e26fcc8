#include "search/choose.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rulezero {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

void soften(std::span<float> priors, double temperature) {
  if (temperature == 1 || priors.empty()) return;
  const double highest = *std::ranges::max_element(priors);
  double sum = 0;
  for (const float prior : priors) sum += std::pow(prior / highest, 1 / temperature);
  for (float& prior : priors) {
    prior = static_cast<float>(std::pow(prior / highest, 1 / temperature) / sum);
  }
}

PuctRule::PuctRule(double parent_visits, const Settings& settings)
    : c_(settings.c_puct), root_(std::sqrt(parent_visits)) {
  if (settings.c_growth > 0) {
    c_ += settings.c_growth * std::log((1 + parent_visits + settings.c_base) / settings.c_base);
  }
}

NodeIndex choose_puct(const Tree& tree, const Node& parent, const Settings& settings, double forced,
                      bool is_root) {
  const double sign = parent.sign();
  const double visits = static_cast<double>(parent.visits) + parent.pending;
  const PuctRule rule(visits, settings);
  const NodeIndex end = parent.first + parent.size;

  NodeIndex best = parent.first;
  double best_score = kNever;
  NodeIndex fresh = end;     // the unvisited child with the highest prior
  double visited_prior = 0;  // of the children already visited
  for (NodeIndex index = parent.first; index < end; ++index) {
    const Node& child = tree[index];
    if (child.visits == 0 && child.pending == 0) {
      if (fresh == end || child.prior > tree[fresh].prior) fresh = index;
      // Below the root, children are sorted by prior, so no child after this one has been visited.
      if (!is_root) break;
      continue;
    }
    visited_prior += child.prior;
    const Tried now = tried(child, sign, settings.virtual_loss);
    if (child.is_proven && now.value <= -1) continue;
    if (forced > 0 && now.visits < std::sqrt(forced * child.prior * (visits - 1))) return index;
    const double score = rule.score(child, now);
    if (score > best_score) {
      best_score = score;
      best = index;
    }
  }
  if (fresh == end) return best;
  const double value = settings.fpu_is_fixed
                           ? settings.fpu
                           : sign * parent.mean() - settings.fpu * std::sqrt(visited_prior);
  const double score = rule.score(tree[fresh], {0, value});
  const bool is_better = score > best_score || (score == best_score && fresh < best);
  return is_better ? fresh : best;
}

NodeIndex choose_ucb1(const Tree& tree, const Node& parent, const Settings& settings) {
  const double sign = parent.sign();
  const double log_visits = std::log(static_cast<double>(parent.visits) + parent.pending);
  NodeIndex best = parent.first;
  double best_score = kNever;
  for (NodeIndex index = parent.first; index < parent.first + parent.size; ++index) {
    const Node& child = tree[index];
    if (child.visits == 0 && child.pending == 0) return index;
    const Tried now = tried(child, sign, settings.virtual_loss);
    if (child.is_proven && now.value <= -1) continue;
    const double score = now.value + settings.c * std::sqrt(log_visits / now.visits);
    if (score > best_score) {
      best_score = score;
      best = index;
    }
  }
  return best;
}

}  // namespace rulezero
