#pragma once
// Policy improvement by planning with Gumbel (Danihelka et al. 2022), as in DeepMind's mctx.

#include "base/random.h"
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

// The root of one search.
class GumbelRoot {
 public:
  void begin(const Tree& tree, const Settings& settings, int sims, KeyedRandom draws);
  NodeIndex choose(const Tree& tree);  // for the next simulation
  // The final choice, among the candidates.
  NodeIndex best(const Tree& tree, const std::vector<bool>& candidates);

 private:
  NodeIndex choose_among(const Tree& tree, std::uint32_t visits,
                         const std::vector<bool>& candidates);

  Settings settings_;
  std::vector<double> gumbels_;  // by the root's children
  std::vector<int> sequence_;
  std::vector<double> sigma_;
  std::vector<bool> all_;
};

}  // namespace rulezero
