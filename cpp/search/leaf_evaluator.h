#pragma once
// Evaluations inside the core, which need no batch.

#include <memory>
#include <optional>

#include "search/thinker.h"

namespace rulezero {

class LeafEvaluator {
 public:
  explicit LeafEvaluator(const Player& player) : player_(player) {
    if (player.nnue) sums_.emplace(player.nnue);
  }

  // Begins a search: the random games of one evaluation end early when its time is over.
  void begin(const TimeLimit& limit) { limit_ = limit; }

  // The evaluation of a position that is not over and has no die pending. `dice` is for rollouts.
  Evaluation evaluate(Walk& walk, KeyedRandom& dice);

  // Fills in the priors, in the order of the actions; they sum to 1.
  void priors(const Walk& walk, std::span<const Action> actions, std::vector<float>& into) const;

 private:
  Player player_;
  TimeLimit limit_;
  std::vector<float> features_;
  std::optional<NnueSums> sums_;
};

// The evaluator for tests: pseudo-random numbers from the position's key, which other programs can
// compute, too.
//
//   word(key, n) = scatter(key + (n + 1) * 0x9e3779b97f4a7c15), its top 24 bits over 2^24
//   draw = word(key, 0) / 2, value = (2 * word(key, 1) - 1) * (1 - draw), seat 0's
//   logit of an action = 4 * word(key, 16 + action)
double hash_word(Key key, std::uint64_t n);

}  // namespace rulezero
