#include "play/batch_queue.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace rulezero {

BatchQueue::BatchQueue(std::shared_ptr<const AnyGame> encoder, std::size_t cache)
    : encoder_(std::move(encoder)),
      row_size_(encoder_->facts().input_size()),
      cache_(cache > 0 ? std::bit_ceil(cache) : 0),
      uses_(encoder_->facts().slots) {}

void BatchQueue::open(std::span<float> planes) {
  if (is_waiting_) throw GameError("the last batch has not been answered: call apply() first");
  planes_ = planes;
  capacity_ = planes.size() / row_size_;
  const std::size_t moved = rows() * row_size_;
  std::copy_n(overflow_.begin(), moved, planes_.begin());
  overflow_.erase(overflow_.begin(), overflow_.begin() + static_cast<std::ptrdiff_t>(moved));
}

std::span<float> BatchQueue::row_memory(std::size_t row) {
  if (row < capacity_) return planes_.subspan(row * row_size_, row_size_);
  const std::size_t at = (row - capacity_) * row_size_;
  if (overflow_.size() < at + row_size_) overflow_.resize(at + row_size_);
  return std::span(overflow_).subspan(at, row_size_);
}

std::optional<Answer> BatchQueue::ask(const Walk& walk, std::span<const Action> actions,
                                      Thinker& thinker, int request) {
  walk.slots(*encoder_, actions, slots_);
  const std::span<float> planes = row_memory(asked_.size());
  walk.encode(*encoder_, planes);
  const Asker asker{&thinker, request, walk.mover()};
  Digest digest;
  if (!cache_.empty()) {
    digest = digest_of(planes, slots_);
    const Entry& entry = cache_[digest.low & (cache_.size() - 1)];
    if (entry.digest == digest) return answer_to(asker, entry.priors, entry.evaluation);
    const auto [found, is_new] = row_of_.try_emplace(digest.low, asked_.size());
    if (!is_new && asked_[found->second].digest == digest) {
      asked_[found->second].askers.push_back(asker);
      return std::nullopt;
    }
  }
  asked_.push_back({{asker}, slots_, digest});
  return std::nullopt;
}

Answer BatchQueue::answer_to(const Asker& asker, std::span<const float> priors, Evaluation said) {
  return {priors, {to_seat0(said.value, asker.mover), said.draw}};
}

void BatchQueue::answer(std::span<const float> policy, std::span<const float> value,
                        std::span<const float> draw) {
  // Answers cause no new requests: thinkers continue when the next batch is opened.
  is_waiting_ = false;
  const std::size_t slots = uses_.size();
  const std::size_t answered = rows();
  for (std::size_t row = 0; row < answered; ++row) {
    const Row& asked = asked_[row];
    read_priors(policy.subspan(row * slots, slots), asked.slots);
    const Evaluation said{std::isfinite(value[row]) ? std::clamp(value[row], -1.0f, 1.0f) : 0,
                          std::isfinite(draw[row]) ? std::clamp(draw[row], 0.0f, 1.0f) : 0};
    if (!cache_.empty()) {
      cache_[asked.digest.low & (cache_.size() - 1)] = {asked.digest, priors_, said};
    }
    for (const Asker& asker : asked.askers) {
      asker.thinker->answer(asker.request, answer_to(asker, priors_, said));
    }
  }
  asked_.erase(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(answered));
  row_of_.clear();
  if (cache_.empty()) return;
  for (std::size_t row = 0; row < asked_.size(); ++row) row_of_[asked_[row].digest.low] = row;
}

// The softmax over the slots of the legal actions; actions that share a slot share its prior.
void BatchQueue::read_priors(std::span<const float> logits, std::span<const int> slots) {
  priors_.resize(slots.size());
  if (slots.empty()) return;
  float highest = -std::numeric_limits<float>::infinity();
  for (int slot : slots) {
    highest = std::max(highest, logits[slot]);
    ++uses_[slot];
  }
  double sum = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const int slot = slots[i];
    priors_[i] = std::exp(logits[slot] - highest) / static_cast<float>(uses_[slot]);
    sum += priors_[i];
  }
  for (int slot : slots) uses_[slot] = 0;
  const bool is_sound = std::isfinite(sum) && sum > 0;
  for (float& prior : priors_) {
    prior = is_sound ? static_cast<float>(prior / sum) : 1.0f / static_cast<float>(slots.size());
  }
}

// Two independent 64-bit hashes, each over four lanes so that the multiplications overlap.
BatchQueue::Digest BatchQueue::digest_of(std::span<const float> planes,
                                         std::span<const int> slots) const {
  constexpr std::size_t kLanes = 4;
  constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
  constexpr std::uint64_t kSecond = 0xc2b2ae3d27d4eb4f;
  std::array<std::uint64_t, kLanes> low = {1, 2, 3, 4};
  std::array<std::uint64_t, kLanes> high = {5, 6, 7, 8};
  const auto* bytes = reinterpret_cast<const unsigned char*>(planes.data());
  const std::size_t words = planes.size() / 2;
  const auto fold = [&](std::size_t lane, std::uint64_t word) {
    low[lane] = std::rotl((low[lane] ^ word) * kFirst, 29);
    high[lane] = std::rotl((high[lane] + word) * kSecond, 31);
  };
  std::size_t at = 0;
  for (; at + kLanes <= words; at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::uint64_t word;
      std::memcpy(&word, bytes + (at + lane) * sizeof(word), sizeof(word));
      fold(lane, word);
    }
  }
  for (std::size_t rest = at * 2; rest < planes.size(); ++rest) {
    fold(rest % kLanes, std::bit_cast<std::uint32_t>(planes[rest]));
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    fold(i % kLanes, static_cast<std::uint64_t>(slots[i]) + 1);
  }
  Digest digest;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    digest.low = scatter(digest.low ^ low[lane]) + slots.size();
    digest.high = scatter(digest.high ^ high[lane]);
  }
  return digest;
}

}  // namespace rulezero
