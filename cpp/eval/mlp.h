#pragma once
// A multi-layer perceptron that is computed inside the core: the net of the chess distillation.
//
// A .nn file, little-endian, all numbers 32 bits wide:
//
//   "NNWB"                                   magic
//   1                                        version
//   n, then n sizes                          of the layers, inputs first
//   n - 2, then n - 2 activations            of the hidden layers
//   for each layer of weights:
//     out * in, then out * in floats         weights, one output neuron after the other
//     out, then out floats                   biases
//
// The outputs go through a sigmoid. 781-256-128-1 is 932,932 bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace rulezero {

class Mlp {
 public:
  enum class Activation : std::uint32_t { kLinear, kRelu, kSigmoid, kTanh };

  // The net in a .nn file. Throws NetError for any other bytes, and allocates no more than a file
  // of this length needs.
  static Mlp read(std::span<const std::byte> file);

  // The bytes of the .nn file; the same bytes that were read.
  std::vector<std::byte> write() const;

  std::size_t inputs() const { return layers_.front().inputs; }
  std::size_t outputs() const { return layers_.back().biases.size(); }
  std::vector<std::size_t> sizes() const;  // of the layers, inputs first

  // Fills the outputs, each in [0, 1]. Features that are 0 cost nothing.
  void evaluate(std::span<const float> features, std::span<float> output) const;

  // The first output. A net that evaluates positions has only this one.
  float evaluate(std::span<const float> features) const;

 private:
  struct Layer {
    std::size_t inputs;
    std::vector<float> weights;  // [inputs][outputs]: transposed, so that one input adds one column
    std::vector<float> biases;   // [outputs]
    Activation activation;
  };

  Mlp() = default;  // only read() creates one, with at least one layer

  std::vector<Layer> layers_;
};

}  // namespace rulezero
