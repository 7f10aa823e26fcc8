#pragma once
// What a search has found out about positions that it may reach again by other ways.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "games/game.h"

namespace rulezero {

// What the value of a finding says about the true one, seat 0's.
enum class Bound : std::uint8_t { kNone, kExact, kAtLeast, kAtMost };

struct Finding {
  Key key;
  double value;             // seat 0's
  Action action;            // the best, to be tried first
  std::uint8_t generation;  // the search that found it; 0: none
  std::uint8_t left;        // plies looked ahead
  bool is_final;            // whether it rests on ends of games only, not on opinions
  Bound bound;
};

static_assert(sizeof(Finding) == 24);

// A table that forgets everything when a search begins and grows with what it has to hold.
class Transpositions {
 public:
  explicit Transpositions(std::size_t most_bytes)
      : most_(std::bit_floor(std::max(most_bytes / sizeof(Finding), kFewest))), slots_(kFewest) {}

  void forget() {
    used_ = 0;
    if (++generation_ != 0) return;
    std::fill(slots_.begin(), slots_.end(), Finding{});
    generation_ = 1;
  }

  const Finding* find(Key key) const {
    const std::size_t slot = key & (slots_.size() - 1);
    for (std::size_t at : {slot, slot ^ 1}) {
      if (slots_[at].key == key && slots_[at].generation == generation_) return &slots_[at];
    }
    return nullptr;
  }

  // Of two slots for a key, one keeps the deeper finding and the other takes what comes.
  void keep(Finding finding) {
    finding.generation = generation_;
    const std::size_t slot = finding.key & (slots_.size() - 1);
    std::size_t at = slot;
    if (slots_[slot ^ 1].generation == generation_ && slots_[slot ^ 1].key == finding.key) {
      at = slot ^ 1;
    } else if (slots_[slot].generation == generation_ && slots_[slot].key != finding.key &&
               slots_[slot].left > finding.left) {
      at = slot ^ 1;
    }
    used_ += slots_[at].generation != generation_;
    slots_[at] = finding;
  }

  // Makes room for `times` as much as it holds now, within its limit.
  void grow(std::size_t times) {
    const std::size_t size = std::min(most_, std::bit_ceil(std::max(used_ * times, kFewest)));
    if (size <= slots_.size()) return;
    const std::vector<Finding> old = std::exchange(slots_, std::vector<Finding>(size));
    used_ = 0;
    for (const Finding& finding : old) {
      if (finding.generation == generation_) keep(finding);
    }
  }

 private:
  static constexpr std::size_t kFewest = 1 << 10;  // findings

  std::size_t most_;
  std::vector<Finding> slots_;
  std::size_t used_ = 0;
  std::uint8_t generation_ = 0;
};

}  // namespace rulezero
