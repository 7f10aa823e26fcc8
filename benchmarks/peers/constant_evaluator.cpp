// OpenSpiel's wheel has one evaluator for its C++ search, random rollouts, and takes none from
// Python. Loaded before the wheel (LD_PRELOAD), this stands in for the rollouts: every position is
// worth 0 to both. What is measured is then the wheel's own search and rules, and nothing else.

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
