#pragma once
// Reads the numbers of a net's file, little-endian, without trusting its length.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"

namespace rulezero {

class ByteReader {
 public:
  // `kind` names the file in messages, such as ".nn".
  ByteReader(std::span<const std::byte> file, std::string kind)
      : rest_(file), kind_(std::move(kind)) {}

  std::size_t left() const { return rest_.size(); }
  const std::string& kind() const { return kind_; }

  std::span<const std::byte> bytes(std::size_t size) {
    if (size > rest_.size()) {
      throw NetError("the " + kind_ + " file is cut off: it ends within its header");
    }
    const auto front = rest_.first(size);
    rest_ = rest_.subspan(size);
    return front;
  }

  std::uint32_t number() { return static_cast<std::uint32_t>(unsigned_number(4)); }
  std::int16_t small() { return static_cast<std::int16_t>(unsigned_number(2)); }

  float real(const char* what) {
    const auto value = std::bit_cast<float>(number());
    if (!std::isfinite(value)) {
      throw NetError("the " + kind_ + " file has a " + what + " that is not a finite number");
    }
    return value;
  }

 private:
  std::uint64_t unsigned_number(std::size_t size) {
    std::uint64_t number = 0;
    const auto read = bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
      number |= std::to_integer<std::uint64_t>(read[i]) << (8 * i);
    }
    return number;
  }

  std::span<const std::byte> rest_;
  std::string kind_;
};

}  // namespace rulezero
