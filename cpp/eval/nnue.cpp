#include "eval/nnue.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/byte_reader.h"
#include "base/text.h"

// The two loops below run for every position, so they are compiled for newer processors, too.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define RULEZERO_FOR_EACH_PROCESSOR \
  __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define RULEZERO_FOR_EACH_PROCESSOR
#endif

namespace rulezero {
namespace {

constexpr std::string_view kMagic = "RZNN";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kLongestName = 100;
constexpr std::uint32_t kMostPhases = 64;
constexpr std::uint32_t kMostPlaces = 4096;
constexpr int kLargestProduct = 32767;
constexpr float kLargestFactor = 1e6f;   // so that no term of an output is infinite
constexpr float kSurestOutput = 0.999f;  // below 1: an estimate is never taken for a proof

RULEZERO_FOR_EACH_PROCESSOR
void add(std::int32_t* __restrict sums, const std::int16_t* __restrict column, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    sums[i] += column[i];
  }
}

RULEZERO_FOR_EACH_PROCESSOR
void subtract(std::int32_t* __restrict sums, const std::int16_t* __restrict column,
              std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    sums[i] -= column[i];
  }
}

// The products of a weight and a clamped sum fit into 16 bits (Nnue::read checks it), so that
// processors can multiply pairs of them and add the results in one instruction.
RULEZERO_FOR_EACH_PROCESSOR
std::int32_t weigh(const std::int32_t* __restrict sums, const std::int16_t* __restrict weights,
                   std::size_t width, std::int16_t unit) {
  std::int32_t total = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const std::int16_t sum = static_cast<std::int16_t>(std::clamp<std::int32_t>(sums[i], 0, unit));
    const auto product = static_cast<std::int16_t>(sum * weights[i]);
    total += product * sum;
  }
  return total;
}

std::uint32_t read_number(ByteReader& reader, const char* what, std::uint32_t low,
                          std::uint32_t high) {
  const std::uint32_t number = reader.number();
  if (number >= low && number <= high) return number;
  throw NetError(std::string("the .nnue file has ") + std::to_string(number) + " " + what +
                 "; it should be " + std::to_string(low) + " to " + std::to_string(high));
}

// The name of a game, which messages quote.
std::string read_name(ByteReader& reader) {
  const auto read = reader.bytes(read_number(reader, "letters of a game's name", 1, kLongestName));
  std::string name(reinterpret_cast<const char*>(read.data()), read.size());
  if (std::ranges::all_of(name, [](char letter) { return letter > ' ' && letter <= '~'; })) {
    return name;
  }
  throw NetError("the .nnue file has " + quoted(name) + " as the name of its game");
}

float read_factor(ByteReader& reader, const char* what) {
  const float factor = reader.real(what);
  if (std::abs(factor) <= kLargestFactor) return factor;
  throw NetError(std::string("the .nnue file has a ") + what + " that is too large");
}

std::vector<std::int16_t> read_weights(ByteReader& reader, std::size_t size) {
  std::vector<std::int16_t> weights(size);
  for (std::int16_t& weight : weights) weight = reader.small();
  return weights;
}

}  // namespace

Nnue Nnue::read(std::span<const std::byte> file) {
  ByteReader reader(file, ".nnue");
  const auto magic = reader.bytes(kMagic.size());
  if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) {
    throw NetError("a .nnue file begins with RZNN, not " +
                   quoted({reinterpret_cast<const char*>(magic.data()), magic.size()}));
  }
  if (const std::uint32_t version = reader.number(); version != kVersion) {
    throw NetError("the .nnue file has version " + std::to_string(version) +
                   "; only version 1 can be read");
  }
  Nnue net;
  net.game_ = read_name(reader);
  net.space_.version = static_cast<int>(read_number(reader, "as the version of features", 1, 1000));
  net.space_.features = static_cast<int>(read_number(reader, "features", 1, kNoFeature));
  net.space_.places = static_cast<int>(read_number(reader, "places", 1, kMostPlaces));
  net.width_ = read_number(reader, "sums in a view", 1, kWidest);
  net.phases_ = read_number(reader, "phases", 1, kMostPhases);
  net.most_ = read_number(reader, "features that are on", 1, kMostPlaces);
  net.unit_ = static_cast<std::int16_t>(read_number(reader, "as its unit", 1, 255));
  net.factor_ = read_factor(reader, "factor");
  const std::uint64_t features = net.space_.features;
  const std::uint64_t wanted = 2 * net.width_ * (features + 1 + 2 * net.phases_) + 8 * net.phases_;
  if (reader.left() != wanted) {
    throw NetError("the .nnue file has " + std::to_string(file.size()) +
                   " bytes, but its sizes need " +
                   std::to_string(file.size() - reader.left() + wanted));
  }
  net.weights_ = read_weights(reader, features * net.width_);
  net.biases_ = read_weights(reader, net.width_);
  net.outputs_ = read_weights(reader, std::size_t{2} * net.phases_ * net.width_);
  for (std::uint32_t i = 0; i < net.phases_; ++i) {
    net.output_biases_.push_back(read_factor(reader, "bias"));
  }
  for (std::uint32_t i = 0; i < net.phases_; ++i) {
    net.trust_.push_back(read_factor(reader, "trust"));
  }
  net.check_outputs();
  return net;
}

// Throws NetError if a product could be too large for 16 bits.
void Nnue::check_outputs() const {
  for (std::int16_t weight : outputs_) {
    if (std::abs(int{weight}) * unit_ > kLargestProduct) {
      throw NetError("the .nnue file has an output weight that is too large for its unit");
    }
  }
}

void Nnue::check(const Facts& facts) const {
  if (facts.name != game_) {
    throw NetError("the net judges " + game_ + ", not " + facts.name);
  }
  const FeatureSpace& known = facts.feature_space;
  if (known.version != space_.version) {
    throw NetError("the net needs version " + std::to_string(space_.version) +
                   " of the features of " + game_ + ", but the game now has version " +
                   std::to_string(known.version));
  }
  if (known.features != space_.features || known.places != space_.places) {
    throw NetError("the net reads " + std::to_string(space_.features) + " features of " + game_ +
                   ", but with these options the game has " + std::to_string(known.features));
  }
}

float Nnue::output(std::span<const std::int32_t> mover, std::span<const std::int32_t> other,
                   int features_on, float heuristic) const {
  const std::uint32_t on = std::min(static_cast<std::uint32_t>(features_on), most_);
  const std::uint32_t phase = on * phases_ / (most_ + 1);
  const std::int16_t* weights = outputs_.data() + std::size_t{2} * phase * width_;
  const std::int64_t total = std::int64_t{weigh(mover.data(), weights, width_, unit_)} +
                             weigh(other.data(), weights + width_, width_, unit_);
  const float value = std::tanh(factor_ * static_cast<float>(total) + output_biases_[phase] +
                                trust_[phase] * std::atanh(heuristic));
  return std::clamp(value, -kSurestOutput, kSurestOutput);
}

NnueSums::NnueSums(std::shared_ptr<const Nnue> net)
    : net_(std::move(net)), next_(static_cast<std::size_t>(net_->space().places), kNoFeature) {
  for (View& view : views_) {
    view.places = next_;
    view.sums.assign(net_->biases().begin(), net_->biases().end());
  }
}

void NnueSums::update(View& view) {
  for (std::size_t place = 0; place < next_.size(); ++place) {
    const Feature before = view.places[place];
    const Feature now = next_[place];
    if (before == now) continue;
    if (before != kNoFeature) {
      subtract(view.sums.data(), net_->column(before).data(), net_->width());
    }
    if (now != kNoFeature) add(view.sums.data(), net_->column(now).data(), net_->width());
    view.on += (now != kNoFeature) - (before != kNoFeature);
    view.places[place] = now;
  }
}

}  // namespace rulezero
