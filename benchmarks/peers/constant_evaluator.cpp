// OpenSpiel's wheel has only one evaluator for its C++ search, random rollouts, and accepts none
// from Python. Loaded before the wheel (LD_PRELOAD), this file replaces the rollouts: every
// position is worth 0 to both players. So only the wheel's own search and rules are measured.

#include <vector>

namespace open_spiel {

class State;

namespace algorithms {

class RandomRolloutEvaluator {
 public:
  std::vector<double> Evaluate(const State& state);
};

std::vector<double> RandomRolloutEvaluator::Evaluate(const State&) { return {0.0, 0.0}; }

}  // namespace algorithms
}  // namespace open_spiel
