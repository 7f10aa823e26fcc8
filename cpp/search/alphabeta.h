#pragma once
// Alpha-beta search to a fixed depth, for any game: movers need not alternate, and dice are
// averaged.

#include <memory>

#include "search/thinker.h"

namespace rulezero {

// A player with an opinion inside the core; SeatError where a net is to judge.
std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
