#pragma once
// Verifies recorded games, which may come from strangers, by the rules.

#include <optional>

#include "games/any.h"
#include "play/columns.h"

namespace rulezero {

// A record's claims. Its memory belongs to the caller.
struct PackedGame {
  std::string_view start;
  std::size_t plies = 0;
  Bytes actions;
  PackedThoughts thoughts;
  double outcome = 0;  // seat 0's
  std::string_view end_reason;
  bool is_imported = false;  // from a file of another program
};

// What is wrong with a record, with the ply; nullopt if nothing is. In a valid record every choice
// is legal, the outcome and the end are those of the rules, and every thought is about legal
// actions. What the rules cannot know is accepted: that a player resigned, that a game was left, or
// the outcome of an imported fragment. Any bytes are safe, and take memory and time in proportion
// to their number and to the length of the game.
std::optional<std::string> fault_in(const AnyGame& game, const PackedGame& packed,
                                    std::span<const PlyNumber> numbers);

}  // namespace rulezero
