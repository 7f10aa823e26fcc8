#include "endgame/guarded.h"

#include <cstring>

#include "base/error.h"
#include "base/hash.h"

namespace rulezero {
namespace {

std::uint64_t sum_of(std::span<const std::int8_t> bytes) {
  Hash hash;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    hash.add(word);
  }
  for (; at < bytes.size(); ++at) hash.add(static_cast<std::uint8_t>(bytes[at]));
  return hash.value();
}

std::span<const std::int8_t> block_of(std::span<const std::int8_t> bytes, std::size_t block) {
  const std::size_t begin = block * Guarded::kBlock;
  return bytes.subspan(begin, std::min(Guarded::kBlock, bytes.size() - begin));
}

std::size_t blocks_of(std::size_t size) { return (size + Guarded::kBlock - 1) / Guarded::kBlock; }

}  // namespace

std::vector<std::uint64_t> Guarded::sums_of(std::span<const std::int8_t> bytes) {
  std::vector<std::uint64_t> sums;
  for (std::size_t block = 0; block < blocks_of(bytes.size()); ++block) {
    sums.push_back(sum_of(block_of(bytes, block)));
  }
  return sums;
}

Guarded::Guarded(std::string name, std::span<const std::int8_t> bytes,
                 std::span<const std::uint64_t> sums)
    : name_(std::move(name)),
      bytes_(bytes),
      sums_(sums),
      is_checked_(std::make_unique<std::atomic<bool>[]>(blocks_of(bytes.size()))) {
  if (sums.size() != blocks_of(bytes.size())) {
    throw GameError(name_ + " has " + std::to_string(blocks_of(bytes.size())) +
                    " blocks, but checksums for " + std::to_string(sums.size()));
  }
}

void Guarded::check(std::size_t block) const {
  if (sum_of(block_of(bytes_, block)) != sums_[block]) {
    throw GameError(name_ + " is damaged: delete it, and solve it again");
  }
  is_checked_[block].store(true, std::memory_order_relaxed);
}

}  // namespace rulezero
