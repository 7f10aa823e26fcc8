#pragma once
// The packed columns of records, read from bytes that may come from strangers. docs/records.md
// describes their form, which data/columns.py writes.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "games/game.h"

namespace rulezero {

constexpr std::size_t kMostPlies = 1 << 16;       // in a record
constexpr std::size_t kMostPairs = 1 << 20;       // of an action and its weight, in a record
constexpr std::int64_t kMostActions = 1LL << 31;  // action numbers in a record are below this

using Bytes = std::span<const std::uint8_t>;

// What is wrong with a record, for people.
struct RecordFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A number that records keep for every ply.
struct PlyNumber {
  std::string name;
  double scale = 0;  // fractions are kept as value x scale, in 16 bits; 0: whole numbers
  double low = 0;    // of fractions
  double high = 0;
};

// The thoughts of a game, packed.
struct PackedThoughts {
  std::vector<Bytes> numbers;  // a column for each PlyNumber
  Bytes counts;                // pairs of each ply
  Bytes action_ids;            // all actions in pairs, ascending, as differences from -1 on
  Bytes action_steps;          // indices into these, ascending per ply, as differences too
  Bytes weights;               // of the pairs
  Bytes target;                // weight - target of the pairs, modulo 2**16
};

// Which plies have thoughts, and the actions that these are about.
struct ThoughtPlies {
  std::vector<bool> has_thought;  // [plies]
  std::vector<std::size_t> ends;  // [plies] the pairs of a ply end here; the next one's begin
  std::vector<Action> pair_actions;
};

// The numbers of a packed column of this length. Throws RecordFault, which names the column.
std::vector<std::uint32_t> unpack(Bytes packed, std::size_t length, std::string_view name);

// Reads the thoughts about this many plies. Throws RecordFault unless they are in the one form in
// which records are written, with numbers in their ranges.
ThoughtPlies read_thoughts(const PackedThoughts& packed, std::span<const PlyNumber> numbers,
                           std::size_t plies);

// The number with at most six significant digits, as %g writes it.
std::string short_number(double number);

}  // namespace rulezero
