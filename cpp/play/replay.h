#pragma once
// Replaying a recorded game: who moved, what it did, and what a net saw.

#include "games/any.h"

namespace rulezero {

// A replayed game, ply by ply.
struct Replay {
  std::vector<std::int8_t> movers;    // [plies]
  std::vector<std::int32_t> choices;  // [plies] how many actions were legal
  std::vector<float> events;          // [plies, columns of facts.events]
  std::vector<std::uint8_t> checks;   // [plies] whether the mover's king was attacked
  std::vector<std::int8_t> actors;    // [plies] the mover, or the seat whose choice rolls the die
  std::vector<std::int32_t> numbers;  // [plies] players' choices before it, as the game counts
  StatePtr last;                      // where it led
};

// A game as it is kept.
struct KeptGame {
  std::string_view start;
  std::span<const Action> actions;
};

// What to re-make of some plies of games, into memory of the caller; empty spans are not asked
// for. Ply n is the position before the n-th action, so the number of actions is the last position.
struct Wanted {
  std::span<const std::uint32_t> plies;   // [k] in any order ...
  std::span<const std::uint32_t> which;   // [k] ... of these games; empty: of the first
  std::span<float> planes;                // [k, channels, rows, columns]
  std::span<bool> legal;                  // [k, slots] whether a legal action has this slot
  std::span<const bool> mirrored;         // [k] whether to show it in a mirror, if it has one
  std::span<const std::int64_t> offsets;  // [k + 1] pairs of ply i: from offsets[i] to offsets[i+1]
  std::span<const Action> pairs;          // [m] legal actions ...
  std::span<std::int32_t> slots;          // [m] ... and their slots
};

// Every ply of a game. MoveError names the ply of an action that is not legal.
Replay replay(const AnyGame& game, std::string_view start, std::span<const Action> actions);

// Fills what is wanted, going through each game once and no farther than its last wanted ply.
// MoveError as above, also for a pair that is not legal at its ply; PositionError for the planes
// of a pending die. Shapes must fit; a ply beyond the end and a game that is not given are an
// std::out_of_range.
void remake(const AnyGame& game, std::span<const KeptGame> games, const Wanted& wanted);

// Does something at a ply; errors get the ply and the position in front.
template <class Deed>
auto at_ply(std::size_t ply, const AnyState& state, Deed deed) {
  const auto where = [&] {
    return "at ply " + std::to_string(ply) + ", in " + state.text() + ": ";
  };
  try {
    return deed();
  } catch (const MoveError& error) {
    throw MoveError(where() + error.what());
  } catch (const PositionError& error) {
    throw PositionError(where() + error.what());
  }
}

}  // namespace rulezero
