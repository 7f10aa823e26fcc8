#pragma once
// A 64-bit hash built word by word, for position keys and keyed random numbers.

#include <cstdint>

namespace rulezero {

// A bijection of 64-bit words that scatters every input bit (the finaliser of splitmix64).
constexpr std::uint64_t scatter(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

// Folds words into one key; the order of the words matters.
class Hash {
 public:
  constexpr Hash& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
    return *this;
  }
  constexpr std::uint64_t value() const { return scatter(value_); }

 private:
  std::uint64_t value_ = 0x2545f4914f6cdd1d;
};

}  // namespace rulezero
