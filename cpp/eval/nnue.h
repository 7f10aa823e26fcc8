#pragma once
// An efficiently updatable net (NNUE, Nasu 2018) that judges positions inside the core.
//
// Its inputs are the features of a game (games/game.h), seen once by each seat. The first layer
// adds up one column of weights for every feature that is on, so from one position to the next only
// the columns of changed features are added and subtracted. The value for the mover is
//
//   tanh(factor * sum of output weight * min(max(sum, 0), unit) ** 2  + bias + trust * atanh(h))
//
// over the mover's sums and then the other seat's. h is the game's heuristic for the mover, so the
// net learns what the heuristic misses. All sums are whole numbers, so a value does not depend on
// the path to the position. The output weights, the bias and the trust are those of the game's
// phase,
//
//   min(features that are on, most) * phases / (most + 1), rounded down
//
// where `on` counts the mover's view. A value is at most 0.999 and at least -0.999.
//
// A .nnue file, little-endian:
//
//   "RZNN"                                   magic
//   1                                        version; this and the following are 32-bit words
//   n, then n bytes                          the name of the game
//   version, features, places                of the game's feature space
//   width, phases, most                      sums of a view; sets of output weights; most features
//   unit, factor                             the sum that counts as 1; a float
//   features * width, width                  16-bit weights, feature by feature, and biases
//   phases * 2 * width                       16-bit output weights: the mover's, then the other's
//   phases, phases                           floats: output biases, and trust in the heuristic

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "games/game.h"

namespace rulezero {

class Nnue {
 public:
  static constexpr std::uint32_t kWidest = 256;  // sums of a view, so that outputs cannot overflow

  // The net in a .nnue file. Throws NetError for any other bytes, and allocates no more than a file
  // of this length needs.
  static Nnue read(std::span<const std::byte> file);

  const std::string& game() const { return game_; }
  const FeatureSpace& space() const { return space_; }
  std::uint32_t width() const { return width_; }
  std::uint32_t phases() const { return phases_; }

  // Throws NetError unless the net can judge a game with these facts.
  void check(const Facts& facts) const;

  std::span<const std::int16_t> column(Feature feature) const {
    return {weights_.data() + std::size_t{feature} * width_, width_};
  }
  std::span<const std::int16_t> biases() const { return biases_; }

  // The value for the mover, in (-1, 1), of the sums of both views, the number of features on and
  // the heuristic's value for the mover.
  float output(std::span<const std::int32_t> mover, std::span<const std::int32_t> other,
               int features_on, float heuristic) const;

 private:
  Nnue() = default;

  void check_outputs() const;

  std::string game_;
  FeatureSpace space_;
  std::uint32_t width_ = 0;
  std::uint32_t phases_ = 0;
  std::uint32_t most_ = 0;
  std::int16_t unit_ = 0;
  float factor_ = 0;
  std::vector<std::int16_t> weights_;  // [features][width]
  std::vector<std::int16_t> biases_;   // [width]
  std::vector<std::int16_t> outputs_;  // [phases][2][width]
  std::vector<float> output_biases_;   // [phases]
  std::vector<float> trust_;           // [phases] in the heuristic
};

// The sums of the position that was evaluated last, which are the beginning of the next ones.
class NnueSums {
 public:
  explicit NnueSums(std::shared_ptr<const Nnue> net);

  // The value for the mover. `list` fills in the features that a seat sees, by place; `heuristic`
  // is the heuristic's value for the mover.
  template <class List>
  float evaluate(int mover, float heuristic, List list) {
    for (int seat : {0, 1}) {
      list(seat, std::span<Feature>(next_));
      update(views_[seat]);
    }
    return net_->output(views_[mover].sums, views_[1 - mover].sums, views_[mover].on, heuristic);
  }

 private:
  struct View {
    std::vector<Feature> places;
    std::vector<std::int32_t> sums;
    int on = 0;  // number of features
  };

  void update(View& view);  // to the features in next_

  std::shared_ptr<const Nnue> net_;
  std::array<View, 2> views_;  // by seat
  std::vector<Feature> next_;
};

}  // namespace rulezero
