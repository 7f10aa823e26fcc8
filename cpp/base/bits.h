#pragma once
// A set of up to 64 squares in one word; bit i is square i.

#include <bit>
#include <cstdint>

namespace rulezero {

using Bits = std::uint64_t;

constexpr Bits bit(int square) { return Bits{1} << square; }
constexpr bool has(Bits set, int square) { return (set >> square) & 1; }
constexpr int first(Bits set) { return std::countr_zero(set); }
constexpr int last(Bits set) { return 63 - std::countl_zero(set); }
constexpr bool more_than_one(Bits set) { return (set & (set - 1)) != 0; }

// The number of squares in the set. Branch-free arithmetic: the portable build may not
// use the popcnt instruction, and the library's fallback is a slow call.
constexpr int count(Bits set) {
#ifdef __POPCNT__
  return std::popcount(set);
#else
  set -= (set >> 1) & 0x5555555555555555;
  set = (set & 0x3333333333333333) + ((set >> 2) & 0x3333333333333333);
  set = (set + (set >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>((set * 0x0101010101010101) >> 56);
#endif
}

// Removes the lowest square from the set and returns it; the set must not be empty.
constexpr int take_first(Bits& set) {
  const int square = first(set);
  set &= set - 1;
  return square;
}

}  // namespace rulezero
