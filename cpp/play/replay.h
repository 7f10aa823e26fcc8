#pragma once
// Replays recorded games: movers, events, and the planes and slots for nets.

#include "games/any.h"

namespace rulezero {

// A replayed game, ply by ply.
struct Replay {
  std::vector<std::int8_t> movers;    // [plies]
  std::vector<std::int32_t> choices;  // [plies] number of legal actions
  std::vector<float> events;          // [plies, columns of facts.events]
  std::vector<std::uint8_t> checks;   // [plies] whether the mover's king was attacked
  std::vector<std::int8_t> actors;    // [plies] the mover, or the seat whose choice rolls the die
  std::vector<std::int32_t> numbers;  // [plies] players' choices before it, as the game counts them
  StatePtr last;                      // the last state
};

// A recorded game.
struct KeptGame {
  std::string_view start;
  std::span<const Action> actions;
};

// The features of positions for efficiently updatable nets, one position after the other: those of
// row i are at numbers[begins[i]], first as the mover sees it, then as the other seat does.
struct FeatureRows {
  std::vector<Feature> numbers;
  std::vector<std::int64_t> begins;   // [k]
  std::vector<std::uint16_t> counts;  // [k, 2] of each view
  std::vector<float> heuristics;      // [k] the heuristic's value for the mover
};

// Chosen plies of games, and the caller's memory for what is computed about them. Empty spans are
// not computed. Ply n is the position after n actions, so the last position is the number of
// actions.
struct Wanted {
  std::span<const std::uint32_t> plies;   // [k] in any order ...
  std::span<const std::uint32_t> which;   // [k] ... of these games; empty: of the first
  std::span<float> planes;                // [k, channels, rows, columns]
  std::span<bool> legal;                  // [k, slots] whether a legal action has this slot
  std::span<const bool> mirrored;         // [k] whether to mirror it, if it has a mirror image
  std::span<const std::int64_t> offsets;  // [k + 1] pairs of ply i: from offsets[i] to offsets[i+1]
  std::span<const Action> pairs;          // [m] legal actions ...
  std::span<std::int32_t> slots;          // [m] ... and their slots
  FeatureRows* features = nullptr;        // with begins and counts of the right size
};

// Replays a game. Throws MoveError with the ply of an action that is not legal.
Replay replay(const AnyGame& game, std::string_view start, std::span<const Action> actions);

// Fills what is wanted, replaying each game once and only up to its last wanted ply. Shapes must
// fit. Throws MoveError as above, and for a pair that is not legal at its ply; PositionError for
// the planes of a pending die; std::out_of_range for a ply after the end or a game that is not
// given.
void remake(const AnyGame& game, std::span<const KeptGame> games, const Wanted& wanted);

// Calls deed() for a ply. The messages of its errors begin with the ply and the position.
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
