#pragma once
// Monster's scripted Black: counted-out wins first, then a short look ahead by the script.

#include "search/thinker.h"

namespace rulezero {

std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
