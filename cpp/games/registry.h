#pragma once
// All games, by name.

#include "games/any.h"
#include "games/chesslike/piece.h"

namespace rulezero {

struct GameEntry {
  std::string_view name;
  std::span<const RuleOption> options;
  std::shared_ptr<const AnyGame> (*make)(const Options&, std::span<const PieceSpec>);
};

std::span<const GameEntry> registered_games();

// The game with these rule options. Throws GameError for an unknown name or option; the message
// lists the known ones. `pieces` is empty except for games that take pieces.
std::shared_ptr<const AnyGame> load_game(std::string_view name, const Options& options,
                                         std::span<const PieceSpec> pieces);

}  // namespace rulezero
