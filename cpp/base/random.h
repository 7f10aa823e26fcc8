#pragma once
// Keyed random numbers: the n-th draw depends only on the key and n, never on other generators.

#include <cstdint>
#include <initializer_list>

#include "base/hash.h"

namespace rulezero {

class KeyedRandom {
 public:
  explicit constexpr KeyedRandom(std::initializer_list<std::uint64_t> key) {
    Hash hash;
    for (std::uint64_t word : key) hash.add(word);
    key_ = hash.value();
  }

  constexpr std::uint64_t next() { return scatter(key_ + 0x9e3779b97f4a7c15 * ++drawn_); }

  // A uniform number in [0, bound), without bias: draws that would favour small numbers are
  // rejected.
  constexpr std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t uneven = (std::uint64_t{1} << 32) % bound;
    while (true) {
      const std::uint64_t draw = next() >> 32;
      if (draw >= uneven) return static_cast<std::uint32_t>(draw % bound);
    }
  }

  // A uniform number in the open interval (0, 1).
  constexpr double fraction() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::uint64_t key_ = 0;
  std::uint64_t drawn_ = 0;
};

}  // namespace rulezero
