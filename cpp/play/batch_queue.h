#pragma once
// The positions that the thinkers of a pool send to one net, batch by batch.

#include <span>
#include <unordered_map>
#include <vector>

#include "search/thinker.h"

namespace rulezero {

class BatchQueue {
 public:
  // `cache` is the number of answers to keep, rounded up to a power of 2; 0 for none.
  BatchQueue(std::shared_ptr<const AnyGame> encoder, std::size_t cache);

  // Begins a batch in memory that the caller owns, with the positions that did not fit into the
  // last one. Throws GameError if that one has not been answered.
  void open(std::span<float> planes);

  // Ends the batch: its rows now wait for answer().
  void close() { is_waiting_ = rows() > 0; }

  // Returns the answer if it is cached. Otherwise adds the position to this batch or the next, and
  // the thinker gets the answer later.
  std::optional<Answer> ask(const Walk& walk, std::span<const Action> actions, Thinker& thinker,
                            int request);

  std::size_t rows() const { return std::min(asked_.size(), capacity_); }  // of the batch

  // Passes the answers for the rows of the batch to the thinkers: policy is logits by slot, value
  // the mover's. Values are converted to seat 0's here, where they enter the core.
  void answer(std::span<const float> policy, std::span<const float> value,
              std::span<const float> draw);

 private:
  struct Asker {
    Thinker* thinker;
    int request;
    int mover;
  };

  struct Digest {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Digest&) const = default;
  };

  struct Row {
    std::vector<Asker> askers;
    std::vector<int> slots;  // one per requested action
    Digest digest;
  };

  struct Entry {
    Digest digest;
    std::vector<float> priors;
    Evaluation evaluation;  // for the mover, as the net gave it: both seats may have equal planes
  };

  static Answer answer_to(const Asker& asker, std::span<const float> priors, Evaluation said);
  Digest digest_of(std::span<const float> planes, std::span<const int> slots) const;
  std::span<float> row_memory(std::size_t row);
  void read_priors(std::span<const float> logits, std::span<const int> slots);

  std::shared_ptr<const AnyGame> encoder_;
  std::size_t row_size_;
  std::span<float> planes_;      // the caller's memory
  std::size_t capacity_ = 0;     // number of rows in it
  std::vector<Row> asked_;       // rows of the batch, then rows of the next
  std::vector<float> overflow_;  // planes of the next batch
  std::vector<Entry> cache_;
  std::unordered_map<std::uint64_t, std::size_t> row_of_;  // requested rows by digest; with a cache
  bool is_waiting_ = false;                                // for the answers to a batch

  std::vector<int> slots_;
  std::vector<float> priors_;
  std::vector<std::uint16_t> uses_;  // actions per slot; 0 between calls
};

}  // namespace rulezero
