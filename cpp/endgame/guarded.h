#pragma once
// Bytes from a file that may be damaged. The checksum of a block is verified when it is first read.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rulezero {

class Guarded {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  // A checksum for each block of the bytes; the last block may be short.
  static std::vector<std::uint64_t> sums_of(std::span<const std::int8_t> bytes);

  // Both spans must outlive this object. Error messages call the bytes `name`.
  Guarded(std::string name, std::span<const std::int8_t> bytes,
          std::span<const std::uint64_t> sums);

  std::size_t size() const { return bytes_.size(); }

  // The bytes from `offset` to the end of its block. Throws GameError if the block is damaged.
  const std::int8_t* at(std::size_t offset) const {
    const std::size_t block = offset / kBlock;
    if (!is_checked_[block].load(std::memory_order_relaxed)) check(block);
    return bytes_.data() + offset;
  }

 private:
  void check(std::size_t block) const;

  std::string name_;
  std::span<const std::int8_t> bytes_;
  std::span<const std::uint64_t> sums_;
  std::shared_ptr<std::atomic<bool>[]> is_checked_;
};

}  // namespace rulezero
