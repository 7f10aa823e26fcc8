#pragma once
// The games by name.

#include "games/any.h"
#include "games/chesslike/piece.h"

namespace rulezero {

struct GameEntry {
  std::string_view name;
  std::span<const RuleOption> options;
  std::shared_ptr<const AnyGame> (*make)(const Options&, std::span<const PieceSpec>);
};

std::span<const GameEntry> registered_games();

// The game with these rule options; a GameError says what is known where something is not.
// Pieces are for the games that take them, else empty.
std::shared_ptr<const AnyGame> load_game(std::string_view name, const Options& options,
                                         std::span<const PieceSpec> pieces);

}  // namespace rulezero
