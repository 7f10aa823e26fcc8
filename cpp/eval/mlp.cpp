#include "eval/mlp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <string>

#include "base/byte_reader.h"
#include "base/text.h"

namespace rulezero {
namespace {

constexpr std::string_view kMagic = "NNWB";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMostLayers = 64;        // sizes in a file
constexpr std::uint32_t kWidestLayer = 1 << 20;  // neurons
constexpr std::size_t kWord = 4;                 // bytes of every number

class Writer {
 public:
  void text(std::string_view letters) {
    for (char letter : letters) file_.push_back(static_cast<std::byte>(letter));
  }

  void number(std::size_t number) {
    for (std::size_t i = 0; i < kWord; ++i) file_.push_back(std::byte(number >> (8 * i)));
  }

  void real(float value) { number(std::bit_cast<std::uint32_t>(value)); }

  std::vector<std::byte> file() && { return std::move(file_); }

 private:
  std::vector<std::byte> file_;
};

// Reads a count that the layer sizes determine.
void expect(ByteReader& reader, std::uint64_t wanted, const char* what) {
  const std::uint32_t found = reader.number();
  if (found != wanted) {
    throw NetError("the .nn file states " + std::to_string(found) + " " + what +
                   ", but its layer sizes need " + std::to_string(wanted));
  }
}

void read_magic(ByteReader& reader) {
  const auto found = reader.bytes(kMagic.size());
  if (std::memcmp(found.data(), kMagic.data(), kMagic.size()) == 0) return;
  throw NetError("a .nn file begins with NNWB, not " +
                 quoted({reinterpret_cast<const char*>(found.data()), found.size()}));
}

std::vector<std::size_t> read_sizes(ByteReader& reader) {
  const std::uint32_t count = reader.number();
  if (count < 2 || count > kMostLayers) {
    throw NetError("a .nn file has 2 to " + std::to_string(kMostLayers) + " layer sizes, not " +
                   std::to_string(count));
  }
  std::vector<std::size_t> sizes;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t size = reader.number();
    if (size < 1 || size > kWidestLayer) {
      throw NetError("a layer of a .nn file has 1 to " + std::to_string(kWidestLayer) +
                     " neurons, not " + std::to_string(size));
    }
    sizes.push_back(size);
  }
  return sizes;
}

// The activations of the hidden layers, then the sigmoid of the outputs.
std::vector<Mlp::Activation> read_activations(ByteReader& reader, std::size_t hidden) {
  expect(reader, hidden, "hidden activations");
  std::vector<Mlp::Activation> activations;
  for (std::size_t i = 0; i < hidden; ++i) {
    const std::uint32_t number = reader.number();
    if (number > static_cast<std::uint32_t>(Mlp::Activation::kTanh)) {
      throw NetError("an activation is 0 (linear), 1 (relu), 2 (sigmoid) or 3 (tanh), not " +
                     std::to_string(number));
    }
    activations.push_back(static_cast<Mlp::Activation>(number));
  }
  activations.push_back(Mlp::Activation::kSigmoid);
  return activations;
}

// Number of bytes for the weights and biases of these layers, with their counts. It cannot
// overflow, because read_sizes limits the sizes.
std::uint64_t body_bytes(std::span<const std::size_t> sizes) {
  std::uint64_t words = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    words += 2 + std::uint64_t{sizes[i]} * (sizes[i - 1] + 1);
  }
  return words * kWord;
}

void activate(Mlp::Activation activation, std::span<float> values) {
  switch (activation) {
    case Mlp::Activation::kLinear:
      break;
    case Mlp::Activation::kRelu:
      for (float& value : values) value = value > 0 ? value : 0;
      break;
    case Mlp::Activation::kSigmoid:
      for (float& value : values) value = 1 / (1 + std::exp(-value));
      break;
    case Mlp::Activation::kTanh:
      for (float& value : values) value = std::tanh(value);
      break;
  }
}

// sum += weight * column, element by element: compilers can vectorise it without reordering sums.
void add_column(float* __restrict sum, const float* __restrict column, float weight,
                std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) sum[i] += weight * column[i];
}

}  // namespace

Mlp Mlp::read(std::span<const std::byte> file) {
  ByteReader reader(file, ".nn");
  read_magic(reader);
  if (const std::uint32_t version = reader.number(); version != kVersion) {
    throw NetError("the .nn file has version " + std::to_string(version) +
                   "; only version 1 can be read");
  }
  const std::vector<std::size_t> sizes = read_sizes(reader);
  const std::vector<Activation> activations = read_activations(reader, sizes.size() - 2);
  if (const std::uint64_t wanted = body_bytes(sizes); wanted != reader.left()) {
    const std::uint64_t header = file.size() - reader.left();
    throw NetError("the .nn file has " + std::to_string(file.size()) +
                   " bytes, but its layer sizes need " + std::to_string(header + wanted));
  }
  Mlp net;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const std::size_t inputs = sizes[i - 1];
    const std::size_t outputs = sizes[i];
    Layer layer{inputs, std::vector<float>(inputs * outputs), std::vector<float>(outputs),
                activations[i - 1]};
    expect(reader, inputs * outputs, "weights");
    for (std::size_t out = 0; out < outputs; ++out) {
      for (std::size_t in = 0; in < inputs; ++in) {
        layer.weights[in * outputs + out] = reader.real("weight");
      }
    }
    expect(reader, outputs, "biases");
    for (float& bias : layer.biases) bias = reader.real("bias");
    net.layers_.push_back(std::move(layer));
  }
  return net;
}

std::vector<std::byte> Mlp::write() const {
  Writer writer;
  writer.text(kMagic);
  writer.number(kVersion);
  const std::vector<std::size_t> layer_sizes = sizes();
  writer.number(layer_sizes.size());
  for (std::size_t size : layer_sizes) writer.number(size);
  writer.number(layers_.size() - 1);
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    writer.number(static_cast<std::size_t>(layers_[i].activation));
  }
  for (const Layer& layer : layers_) {
    const std::size_t outputs = layer.biases.size();
    writer.number(layer.weights.size());
    for (std::size_t out = 0; out < outputs; ++out) {
      for (std::size_t in = 0; in < layer.inputs; ++in) {
        writer.real(layer.weights[in * outputs + out]);
      }
    }
    writer.number(outputs);
    for (float bias : layer.biases) writer.real(bias);
  }
  return std::move(writer).file();
}

std::vector<std::size_t> Mlp::sizes() const {
  std::vector<std::size_t> sizes = {inputs()};
  for (const Layer& layer : layers_) sizes.push_back(layer.biases.size());
  return sizes;
}

void Mlp::evaluate(std::span<const float> features, std::span<float> output) const {
  assert(features.size() == inputs() && output.size() == outputs());
  std::vector<float> values;
  std::vector<float> sums;
  std::span<const float> from = features;
  for (const Layer& layer : layers_) {
    const std::size_t outputs = layer.biases.size();
    sums = layer.biases;
    for (std::size_t in = 0; in < from.size(); ++in) {
      if (from[in] != 0) {
        add_column(sums.data(), layer.weights.data() + in * outputs, from[in], outputs);
      }
    }
    activate(layer.activation, sums);
    values.swap(sums);
    from = values;
  }
  std::ranges::copy(values, output.begin());
}

float Mlp::evaluate(std::span<const float> features) const {
  std::vector<float> output(outputs());
  evaluate(features, output);
  return output[0];
}

}  // namespace rulezero
