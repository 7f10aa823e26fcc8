#pragma once
// A table of a search's results for positions that it may reach again on other paths.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "games/game.h"

namespace rulezero {

// How the value of a finding relates to the true value. Both are seat 0's.
enum class Bound : std::uint8_t { kNothing, kExact, kAtLeast, kAtMost };

struct Finding {
  Key key;
  double value;             // seat 0's
  Action action;            // the best, to be tried first
  std::uint8_t generation;  // number of the search that found it; 0: none
  std::uint8_t left;        // search depth below it, in plies
  bool is_final;            // whether it depends only on ends of games, not on evaluations
  Bound bound;
};

static_assert(sizeof(Finding) == 24);

// A table that is emptied when a search begins, and grows with its content. Its size influences
// what a search finds, so every search begins with the same small size.
class Transpositions {
 public:
  explicit Transpositions(std::size_t most_bytes)
      : most_(std::bit_floor(std::max(most_bytes / sizeof(Finding), kFewest))), slots_(kFewest) {}

  void forget() {
    size_ = kFewest;
    used_ = 0;
    if (++generation_ != 0) return;
    std::fill(slots_.begin(), slots_.end(), Finding{});
    generation_ = 1;
  }

  // Takes all the memory that it may need, so that growing takes no time.
  void reserve() { slots_.resize(most_); }

  const Finding* find(Key key) const {
    const std::size_t slot = key & (size_ - 1);
    for (std::size_t at : {slot, slot ^ 1}) {
      if (slots_[at].key == key && slots_[at].generation == generation_) return &slots_[at];
    }
    return nullptr;
  }

  // A key has two slots: one keeps the deeper finding, the other is always replaced.
  void keep(Finding finding) {
    finding.generation = generation_;
    const std::size_t slot = finding.key & (size_ - 1);
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

  // Makes room for `times` as many findings as it holds now, within its limit.
  void grow(std::size_t times) {
    const std::size_t size = std::min(most_, std::bit_ceil(std::max(used_ * times, kFewest)));
    if (size <= size_) return;
    const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(size_);
    const std::vector<Finding> old(slots_.begin(), end);
    std::fill(slots_.begin(), end, Finding{});
    if (slots_.size() < size) slots_.resize(size);
    size_ = size;
    used_ = 0;
    for (const Finding& finding : old) {
      if (finding.generation == generation_) keep(finding);
    }
  }

 private:
  static constexpr std::size_t kFewest = 1 << 10;  // findings

  std::size_t most_;
  std::vector<Finding> slots_;
  std::size_t size_ = kFewest;  // slots in use
  std::size_t used_ = 0;        // slots with a finding of this search
  std::uint8_t generation_ = 0;
};

}  // namespace rulezero
