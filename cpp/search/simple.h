#pragma once
// Players without a tree: at random, by the policy, by the values of the next positions.

#include "search/thinker.h"

namespace rulezero {

std::unique_ptr<Thinker> make_random(const Player& player, std::unique_ptr<Walk> walk);
std::unique_ptr<Thinker> make_policy(const Player& player, std::unique_ptr<Walk> walk);
std::unique_ptr<Thinker> make_one_ply(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
