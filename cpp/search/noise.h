#pragma once
// Random draws for searches, from keyed random numbers.

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "base/random.h"

namespace rulezero {

inline double draw_normal(KeyedRandom& random) {
  const double radius = std::sqrt(-2 * std::log(random.fraction()));
  return radius * std::cos(2 * std::numbers::pi * random.fraction());
}

// Marsaglia and Tsang (2000), including their boost for shapes below 1.
inline double draw_gamma(KeyedRandom& random, double shape) {
  if (shape < 1) {
    const double boost = std::pow(random.fraction(), 1 / shape);
    return draw_gamma(random, shape + 1) * boost;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = draw_normal(random);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(random.fraction()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

// Shares that sum to 1; a uniform split if all gamma draws underflow to 0.
inline std::vector<double> draw_dirichlet(KeyedRandom& random, std::size_t size, double alpha) {
  std::vector<double> shares(size);
  double sum = 0;
  for (double& share : shares) sum += share = draw_gamma(random, alpha);
  for (double& share : shares) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(size);
  return shares;
}

// The first index at which the running sum of the weights exceeds `left`, or the last index with a
// positive weight if rounding keeps the sum below. At least one weight must be above 0.
template <class Weights, class Weight = std::identity>
std::size_t index_at(double left, const Weights& weights, Weight weight = {}) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = std::invoke(weight, weights[i]);
    if (!(share > 0)) continue;
    last = i;
    left -= share;
    if (left < 0) break;
  }
  return last;
}

// Draws an index with probability proportional to its weight.
template <class Weights>
std::size_t draw_index(KeyedRandom& random, const Weights& weights) {
  double sum = 0;
  for (const auto weight : weights) sum += static_cast<double>(weight);
  return index_at(random.fraction() * sum, weights);
}

}  // namespace rulezero
