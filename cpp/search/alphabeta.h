#pragma once
// Alpha-beta search to a fixed depth, for any game: movers need not alternate, and dice are
// averaged.

#include <memory>

#include "search/thinker.h"

namespace rulezero {

// PlayerError for a player with a net: evaluations are made inside the core.
std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
