#pragma once
// A game's own scripted player: forced wins that its script sees, then a short look ahead by the
// script's values.

#include "search/thinker.h"

namespace rulezero {

// PlayerError for a game without a script.
std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
