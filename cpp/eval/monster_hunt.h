#pragma once
// A lone white king hunted down: wins of Black's that can be counted out to the end.

#include <optional>

#include "games/monster.h"

namespace rulezero {

// A move with which Black takes the lone white king within `turns` of its turns, whatever White
// does: the shortest such win, or none that is found. Black is to move. A win that is found is
// certain. Lines in which White captures a man and survives, or keeps many squares, are given up
// although some of them are won; where many men make the search wide, it ends before `turns`.
std::optional<Action> forced_hunt(const chesslike::Position& position, int turns);

}  // namespace rulezero
