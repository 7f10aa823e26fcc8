#pragma once
// Policy improvement by planning with Gumbel (Danihelka et al. 2022), as in DeepMind's mctx.

#include "base/random.h"
#include "search/clock.h"
#include "search/settings.h"
#include "search/tree.h"

namespace rulezero {

// For each simulation, the number of visits that a root move must have to be chosen.
std::vector<int> considered_visits(int considered, int sims);

// The improved policy of an evaluated node, in the order of its children: softmax(logits + sigma).
void improve_policy(const Tree& tree, const Node& parent, const Settings& settings,
                    std::vector<double>& policy);

NodeIndex choose_inside(const Tree& tree, const Node& parent, const Settings& settings,
                        std::vector<double>& scratch);

// The root of one search. If only time limits the search, each phase of sequential halving has an
// equal share of the time.
class GumbelRoot {
 public:
  void begin(const Tree& tree, const Settings& settings, int sims, KeyedRandom draws,
             const TimeLimit& limit);
  NodeIndex choose(const Tree& tree);  // for the next simulation
  // The final choice, among the candidates.
  NodeIndex best(const Tree& tree, const std::vector<bool>& candidates);

 private:
  void keep_best(const Tree& tree, std::size_t number);
  NodeIndex choose_among(const Tree& tree, std::uint32_t least, std::uint32_t most,
                         const std::vector<bool>& candidates);

  Settings settings_;
  TimeLimit limit_;
  int halvings_ = 0;             // that the whole search makes, with a limit of time only
  int halved_ = 0;               // of these so far
  std::size_t left_ = 0;         // number of children still considered
  std::vector<double> gumbels_;  // by the root's children
  std::vector<int> sequence_;
  std::vector<double> sigma_;
  std::vector<bool> considered_;  // children that may be chosen for a simulation
};

}  // namespace rulezero
