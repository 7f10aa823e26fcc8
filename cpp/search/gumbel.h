#pragma once
// Policy improvement by planning with Gumbel (Danihelka et al. 2022), as DeepMind's mctx has it.

#include "base/random.h"
#include "search/settings.h"
#include "search/tree.h"

namespace rulezero {

// How many visits a child must have to be chosen next, for each simulation in turn.
std::vector<int> considered_visits(int considered, int sims);

// The improved policy of an evaluated node, beside its children: softmax(logits + sigma).
void improve_policy(const Tree& tree, const Node& parent, const Settings& settings,
                    std::vector<double>& policy);

NodeIndex choose_inside(const Tree& tree, const Node& parent, const Settings& settings,
                        std::vector<double>& scratch);

// The root of one search.
class GumbelRoot {
 public:
  void begin(const Tree& tree, const Settings& settings, int sims, KeyedRandom draws);
  NodeIndex choose(const Tree& tree);  // for the next simulation
  // In the end, among the children that may be chosen.
  NodeIndex best(const Tree& tree, const std::vector<bool>& candidates);

 private:
  NodeIndex choose_among(const Tree& tree, std::uint32_t visits,
                         const std::vector<bool>& candidates);

  Settings settings_;
  std::vector<double> gumbels_;  // beside the root's children
  std::vector<int> sequence_;
  std::vector<double> sigma_;
  std::vector<bool> all_;
};

}  // namespace rulezero
