#pragma once
// Forced wins of Black against a lone white king.

#include <optional>

#include "games/monster.h"

namespace rulezero {

// The first move of the shortest forced win that is found: with Black to move, Black takes the lone
// white king within `turns` of its turns, whatever White does. nullopt if none is found. A win that
// is found is certain, but some wins are missed: lines in which White captures a man safely, or
// keeps many squares, are not followed, and with many men the search ends before `turns`.
std::optional<Action> forced_hunt(const chesslike::Position& position, int turns);

}  // namespace rulezero
