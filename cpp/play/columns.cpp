#include "play/columns.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rulezero {
namespace {

constexpr std::size_t kWidest = 4;              // bytes of a number
constexpr std::uint32_t kLargestWord = 0xFFFF;  // of weights, and of fractions in fixed point
constexpr int kZero = 0x8000;                   // the fixed-point form of 0; that of unknown is 0

// The number of numbers in a packed column; 0 if it is empty.
std::size_t length_of(Bytes packed) {
  return packed.empty() || packed[0] == 0 ? 0 : (packed.size() - 1) / packed[0];
}

std::string column(std::string_view name) { return "the column " + std::string(name); }

std::string at(std::size_t ply) { return " at ply " + std::to_string(ply); }

std::vector<std::uint32_t> unpack_words(Bytes packed, std::size_t length, std::string_view name) {
  std::vector<std::uint32_t> words = unpack(packed, length, name);
  if (std::ranges::any_of(words, [](std::uint32_t word) { return word > kLargestWord; })) {
    throw RecordFault(column(name) + " has numbers beyond 16 bits");
  }
  return words;
}

void check_fractions(std::span<const std::uint32_t> words, const PlyNumber& number) {
  for (std::size_t ply = 0; ply < words.size(); ++ply) {
    const double value = (static_cast<int>(words[ply]) - kZero) / number.scale;
    if (words[ply] == 0 || (value >= number.low && value <= number.high)) continue;
    throw RecordFault(number.name + at(ply) + " is " + short_number(value) + "; it must be in [" +
                      short_number(number.low) + ", " + short_number(number.high) + "]");
  }
}

// The ends of each ply's pairs. The number of pairs is bounded by the bytes of `weights`.
std::vector<std::size_t> read_ends(const PackedThoughts& packed, std::size_t plies) {
  const std::vector<std::uint32_t> counts = unpack(packed.counts, plies, "counts");
  std::vector<std::size_t> ends;
  ends.reserve(plies);
  std::uint64_t pairs = 0;
  for (std::uint32_t count : counts) ends.push_back(pairs += count);
  if (pairs != length_of(packed.weights) || pairs > kMostPairs) {
    throw RecordFault(column("counts") + " gives " + std::to_string(pairs) +
                      " pairs, unlike the column weights");
  }
  return ends;
}

// The actions of all pairs, ply by ply.
std::vector<Action> read_pairs(const PackedThoughts& packed, std::span<const std::size_t> ends) {
  const std::string both = "the columns action_ids and action_steps name an action ";
  const std::size_t pairs = ends.empty() ? 0 : ends.back();
  const auto ids = unpack(packed.action_ids, length_of(packed.action_ids), "action_ids");
  const auto steps = unpack(packed.action_steps, pairs, "action_steps");
  std::vector<Action> actions;
  actions.reserve(ids.size());
  std::int64_t last = -1;
  for (std::uint32_t step : ids) {
    if (step == 0) throw RecordFault(both + "twice");
    last += step;
    if (last >= kMostActions) throw RecordFault(both + "that no game has");
    actions.push_back(static_cast<Action>(last));
  }
  std::vector<Action> named;
  named.reserve(pairs);
  std::vector<bool> is_used(actions.size());
  std::size_t pair = 0;
  for (std::size_t end : ends) {
    for (std::uint64_t place = 0; pair < end; ++pair) {
      if (steps[pair] == 0) throw RecordFault(both + "twice");
      place += steps[pair];
      if (place > actions.size()) throw RecordFault(both + "that no game has");
      is_used[place - 1] = true;
      named.push_back(actions[place - 1]);
    }
  }
  const auto unused = std::ranges::find(is_used, false);
  if (unused != is_used.end()) {
    throw RecordFault(column("action_ids") + " names action " +
                      std::to_string(actions[unused - is_used.begin()]) + ", which is in no pair");
  }
  return named;
}

// Weights and targets are not all 0 at a ply with pairs, and not both 0 in a pair.
void check_weights(const PackedThoughts& packed, std::span<const std::size_t> ends) {
  const std::size_t pairs = ends.empty() ? 0 : ends.back();
  const auto weights = unpack_words(packed.weights, pairs, "weights");
  const auto less = unpack_words(packed.target, pairs, "target");
  std::size_t pair = 0;
  for (std::size_t ply = 0; ply < ends.size(); ++ply) {
    const std::size_t begin = pair;
    std::uint32_t largest = 0;
    std::uint32_t largest_target = 0;
    for (; pair < ends[ply]; ++pair) {
      const std::uint32_t target = (weights[pair] - less[pair]) & kLargestWord;
      if (weights[pair] == 0 && target == 0) {
        throw RecordFault("a pair" + at(ply) + " has neither a weight nor a target");
      }
      largest = std::max(largest, weights[pair]);
      largest_target = std::max(largest_target, target);
    }
    if (pair == begin) continue;
    if (largest == 0) throw RecordFault("the weights" + at(ply) + " are all 0");
    if (largest_target == 0) throw RecordFault("the targets" + at(ply) + " are all 0");
  }
}

}  // namespace

std::vector<std::uint32_t> unpack(Bytes packed, std::size_t length, std::string_view name) {
  std::vector<std::uint32_t> numbers(length);
  if (packed.empty()) return numbers;
  const std::size_t width = packed[0];
  if (width < 1 || width > kWidest) {
    throw RecordFault(column(name) + " has numbers of " + std::to_string(width) +
                      " bytes, not of 1 to 4");
  }
  if (packed.size() != 1 + width * length) {
    throw RecordFault(column(name) + " has " + std::to_string(packed.size() - 1) + " bytes; " +
                      std::to_string(length) + " numbers of " + std::to_string(width) +
                      " bytes have " + std::to_string(width * length));
  }
  const Bytes highest = packed.subspan(1 + (width - 1) * length);
  if (std::ranges::all_of(highest, [](std::uint8_t byte) { return byte == 0; })) {
    throw RecordFault(column(name) + " is wider than its numbers");
  }
  for (std::size_t plane = 0; plane < width; ++plane) {
    const Bytes bytes = packed.subspan(1 + plane * length, length);
    for (std::size_t i = 0; i < length; ++i) {
      numbers[i] |= static_cast<std::uint32_t>(bytes[i]) << 8 * plane;
    }
  }
  return numbers;
}

ThoughtPlies read_thoughts(const PackedThoughts& packed, std::span<const PlyNumber> numbers,
                           std::size_t plies) {
  ThoughtPlies thoughts;
  thoughts.has_thought.resize(plies);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_whole = numbers[i].scale == 0;
    const auto column_of = is_whole ? unpack : unpack_words;
    const auto words = column_of(packed.numbers[i], plies, numbers[i].name);
    if (!is_whole) check_fractions(words, numbers[i]);
    for (std::size_t ply = 0; ply < plies; ++ply) {
      if (words[ply] != 0) thoughts.has_thought[ply] = true;
    }
  }
  thoughts.ends = read_ends(packed, plies);
  check_weights(packed, thoughts.ends);
  thoughts.pair_actions = read_pairs(packed, thoughts.ends);
  std::size_t begin = 0;
  for (std::size_t ply = 0; ply < plies; ++ply) {
    if (thoughts.ends[ply] > begin) thoughts.has_thought[ply] = true;
    begin = thoughts.ends[ply];
  }
  return thoughts;
}

std::string short_number(double number) {
  constexpr int kDigits = 6;
  std::array<char, 32> letters;
  char* const end = letters.data() + letters.size();
  return {letters.data(),
          std::to_chars(letters.data(), end, number, std::chars_format::general, kDigits).ptr};
}

}  // namespace rulezero
