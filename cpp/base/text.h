#pragma once
// Reading untrusted text: fields, whole numbers, squares. Nothing here depends on a locale.

#include <algorithm>
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

// A number from 0 to limit in plain decimal digits without needless zeros, else nothing.
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

// The text in quotes, fit for an error message: cut when long, odd bytes shown as '?'.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown = "'";
  for (char letter : text.substr(0, kLongest)) {
    shown += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return shown + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace rulezero
