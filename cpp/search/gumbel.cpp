#include "search/gumbel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace rulezero {
namespace {

constexpr double kLeastPrior = std::numeric_limits<float>::min();
constexpr double kNarrowest = 1e-8;  // smallest range of a node's values when they are rescaled

std::uint32_t visits_of(const Node& child) { return child.visits + child.pending; }

double logit(const Node& child) {
  return std::log(std::max(static_cast<double>(child.prior), kLeastPrior));
}

// Fills sigma with the term that each child's value adds to its logit.
void weigh_values(const Tree& tree, const Node& parent, const Settings& settings,
                  std::vector<double>& sigma) {
  const auto children = tree.children(parent);
  const double sign = parent.sign();
  double visits = 0;
  double most_visits = 0;
  double prior_sum = 0;
  double weighted = 0;
  sigma.resize(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Node& child = children[i];
    if (visits_of(child) == 0) continue;
    // A waiting simulation has no value yet: use the child's value so far, else the parent's own.
    const double value = child.visits > 0 ? sign * child.mean() : sign * parent.judged;
    sigma[i] = value;
    const double prior = std::max(static_cast<double>(child.prior), kLeastPrior);
    prior_sum += prior;
    weighted += prior * value;
    visits += visits_of(child);
    most_visits = std::max(most_visits, static_cast<double>(visits_of(child)));
  }
  const double mean = prior_sum > 0 ? weighted / prior_sum : 0;
  const double mixed = (sign * parent.judged + visits * mean) / (1 + visits);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (visits_of(children[i]) == 0) sigma[i] = mixed;
    low = std::min(low, sigma[i]);
    high = std::max(high, sigma[i]);
  }
  const double weight = (settings.c_visit + most_visits) * settings.c_scale;
  for (double& value : sigma) {
    if (settings.rescale) value = (value - low) / std::max(high - low, kNarrowest);
    value *= weight;
  }
}

}  // namespace

std::vector<int> considered_visits(int considered, int sims) {
  std::vector<int> sequence;
  if (considered <= 1) {
    for (int visits = 0; visits < sims; ++visits) sequence.push_back(visits);
    return sequence;
  }
  const int halvings = std::bit_width(static_cast<unsigned>(considered - 1));
  std::vector<int> visits(static_cast<std::size_t>(considered), 0);
  int left = considered;
  while (static_cast<int>(sequence.size()) < sims) {
    const int rounds = std::max(1, sims / (halvings * left));
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < left; ++i) sequence.push_back(visits[i]++);
    }
    left = std::max(2, left / 2);
  }
  sequence.resize(static_cast<std::size_t>(sims));
  return sequence;
}

void improve_policy(const Tree& tree, const Node& parent, const Settings& settings,
                    std::vector<double>& policy) {
  weigh_values(tree, parent, settings, policy);
  const auto children = tree.children(parent);
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < children.size(); ++i) {
    policy[i] += logit(children[i]);
    highest = std::max(highest, policy[i]);
  }
  double sum = 0;
  for (double& share : policy) sum += share = std::exp(share - highest);
  for (double& share : policy) share /= sum;
}

NodeIndex choose_inside(const Tree& tree, const Node& parent, const Settings& settings,
                        std::vector<double>& scratch) {
  improve_policy(tree, parent, settings, scratch);
  const auto children = tree.children(parent);
  double visits = 0;
  for (const Node& child : children) visits += visits_of(child);
  std::size_t best = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    scratch[i] -= visits_of(children[i]) / (1 + visits);
    if (scratch[i] > scratch[best]) best = i;
  }
  return parent.first + static_cast<NodeIndex>(best);
}

void GumbelRoot::begin(const Tree& tree, const Settings& settings, int sims, KeyedRandom draws,
                       const TimeLimit& limit) {
  settings_ = settings;
  limit_ = limit;
  const std::size_t moves = tree.root().size;
  gumbels_.resize(moves);
  considered_.assign(moves, true);
  for (double& gumbel : gumbels_) {
    gumbel = -settings.gumbel_scale * std::log(-std::log(draws.fraction()));
  }
  const int considered = std::min(settings.considered, static_cast<int>(moves));
  sequence_.clear();
  if (!settings.is_endless()) {
    sequence_ = considered_visits(considered, sims);
    return;
  }
  halvings_ = std::bit_width(static_cast<unsigned>(considered - 1));
  halved_ = 0;
  keep_best(tree, static_cast<std::size_t>(considered));
}

NodeIndex GumbelRoot::choose(const Tree& tree) {
  const auto children = tree.children(tree.root());
  if (!settings_.is_endless()) {
    std::size_t simulation = 0;
    for (const Node& child : children) simulation += visits_of(child);
    const auto visits =
        static_cast<std::uint32_t>(sequence_[std::min(simulation, sequence_.size() - 1)]);
    return choose_among(tree, visits, visits, considered_);
  }
  for (; halved_ + 1 < halvings_ && limit_.share_spent() * halvings_ >= halved_ + 1; ++halved_) {
    keep_best(tree, std::max<std::size_t>(2, left_ / 2));
  }
  auto fewest = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (considered_[i]) fewest = std::min(fewest, visits_of(children[i]));
  }
  return choose_among(tree, fewest, fewest, considered_);
}

NodeIndex GumbelRoot::best(const Tree& tree, const std::vector<bool>& candidates) {
  const auto children = tree.children(tree.root());
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (candidates[i]) most = std::max(most, visits_of(children[i]));
  }
  // When the time ends a search, some children lack the visit of the last round.
  if (limit_.is_over() && most > 0) return choose_among(tree, most - 1, most, candidates);
  return choose_among(tree, most, most, candidates);
}

// Considers only this number of children: the best ones of those considered so far.
void GumbelRoot::keep_best(const Tree& tree, std::size_t number) {
  std::vector<bool> kept(considered_.size(), false);
  left_ = std::min(number, considered_.size());
  for (std::size_t i = 0; i < left_; ++i) {
    const NodeIndex best =
        choose_among(tree, 0, std::numeric_limits<std::uint32_t>::max(), considered_);
    kept[best - tree.root().first] = true;
    considered_[best - tree.root().first] = false;
  }
  considered_ = std::move(kept);
}

// The child with the highest score, among the candidates with at least `least` and at most `most`
// visits.
NodeIndex GumbelRoot::choose_among(const Tree& tree, std::uint32_t least, std::uint32_t most,
                                   const std::vector<bool>& candidates) {
  weigh_values(tree, tree.root(), settings_, sigma_);
  const auto children = tree.children(tree.root());
  std::size_t best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::uint32_t visits = visits_of(children[i]);
    if (!candidates[i] || visits < least || visits > most) continue;
    const double score = gumbels_[i] + logit(children[i]) + sigma_[i];
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  return tree.root().first + static_cast<NodeIndex>(best);
}

}  // namespace rulezero
