#include "search/leaf_evaluator.h"

#include <cmath>

namespace rulezero {

double hash_word(Key key, std::uint64_t n) {
  const std::uint64_t word = scatter(key + (n + 1) * 0x9e3779b97f4a7c15);
  return static_cast<double>(word >> 40) * 0x1p-24;
}

Evaluation LeafEvaluator::evaluate(Walk& walk, KeyedRandom& dice) {
  switch (player_.settings.source) {
    case Source::kHeuristic:
      return {walk.heuristic_value(), 0.0f};
    case Source::kScript:
      return {walk.advice(0).value, 0.0f};
    case Source::kRollout: {
      Evaluation sum;
      int games = 0;
      do {
        const float outcome = walk.rollout(dice);
        sum.value += outcome;
        sum.draw += outcome == 0.0f;
      } while (++games < player_.settings.rollouts && !limit_.is_over());
      const auto played = static_cast<float>(games);
      return {sum.value / played, sum.draw / played};
    }
    case Source::kHash: {
      const double draw = hash_word(walk.key(), 0) / 2;
      const double value = (2 * hash_word(walk.key(), 1) - 1) * (1 - draw);
      return {static_cast<float>(value), static_cast<float>(draw)};
    }
    case Source::kMlp: {
      features_.resize(player_.encoder->facts().input_size());
      walk.encode(*player_.encoder, features_);
      const float mover_wins = player_.mlp->evaluate(features_);
      return {to_seat0(2 * mover_wins - 1, walk.mover()), 0.0f};
    }
    case Source::kNnue: {
      const float for_mover = sums_->evaluate(
          walk.mover(), to_seat0(walk.heuristic_value(), walk.mover()),
          [&](int seat, std::span<Feature> places) { walk.features(seat, places); });
      return {to_seat0(for_mover, walk.mover()), 0.0f};
    }
    case Source::kUniform:
    case Source::kNet:  // evaluated through the queue
      break;
  }
  return {};
}

void LeafEvaluator::priors(const Walk& walk, std::span<const Action> actions,
                           std::vector<float>& into) const {
  into.assign(actions.size(), 1.0f / static_cast<float>(actions.size()));
  if (player_.settings.source != Source::kHash) return;
  double sum = 0;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const double weight = std::exp(4 * hash_word(walk.key(), 16 + actions[i]));
    into[i] = static_cast<float>(weight);
    sum += weight;
  }
  for (float& prior : into) prior = static_cast<float>(prior / sum);
}

}  // namespace rulezero
