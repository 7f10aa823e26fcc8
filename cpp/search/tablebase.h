#pragma once
// A player that knows solved positions: it wins them as soon as can be, and loses them as late.

#include "search/thinker.h"

namespace rulezero {

// Asks `other` wherever the tables do not decide. They are the player's own.
std::unique_ptr<Thinker> make_tablebase(const Player& player, std::unique_ptr<Thinker> other);

}  // namespace rulezero
