#pragma once
// Reading untrusted text: fields, whole numbers, squares. Nothing here depends on a locale.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rulezero {

// The parts between separators; "a,,b" has three parts and "" has one empty part.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Reads a number from 0 to limit in decimal digits without leading zeros; nullopt for other text.
inline std::optional<int> read_number(std::string_view text, int limit) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
    if (value > limit) return std::nullopt;
  }
  return static_cast<int>(value);
}

// Number of UTF-8 bytes of the first character of a text. 0 if the text is empty or the character
// is invalid or cannot be shown: control characters, zero-width spaces, bidirectional marks.
inline std::size_t letter_size(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return byte(0) >= ' ' && byte(0) <= '~';
  const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < size) return 0;
  char32_t letter = byte(0) & (0xFF >> (size + 1));
  for (std::size_t at = 1; at < size; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
    letter = letter << 6 | (byte(at) & 0x3F);
  }
  // By size - 2: rejects control characters and overlong encodings.
  constexpr char32_t kLeast[] = {0xA0, 0x800, 0x10000};
  const auto is_within = [&](char32_t low, char32_t high) {
    return letter >= low && letter <= high;
  };
  const bool is_hidden = is_within(0x200B, 0x200F) || is_within(0x2028, 0x202E) ||
                         is_within(0x2060, 0x206F) || letter == 0xFEFF ||
                         is_within(0xD800, 0xF8FF) || letter >= 0xE0000;
  return letter < kLeast[size - 2] || is_hidden ? 0 : size;
}

// The first character of a text, or its first byte if letter_size is 0; empty for an empty text.
inline std::string_view first_letter(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(1, letter_size(text)));
}

// The text in quotes, for an error message. Characters after the 60th are cut off, and unprintable
// ones are shown as '?'.
inline std::string quoted(std::string_view text) {
  constexpr int kLongest = 60;  // characters
  std::string shown = "'";
  for (int letters = 0; letters < kLongest && !text.empty(); ++letters) {
    const std::string_view letter = first_letter(text);
    shown += letter_size(letter) > 0 ? letter : "?";
    text.remove_prefix(letter.size());
  }
  return shown + (text.empty() ? "'" : "...'");
}

}  // namespace rulezero
