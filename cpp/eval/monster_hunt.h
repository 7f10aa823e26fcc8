#pragma once
// A lone white king hunted down: wins of Black's that can be counted out to the end.

#include <optional>

#include "games/monster.h"

namespace rulezero {

// A move with which Black takes the lone white king within `turns` of its turns, whatever White
// does: the shortest such win, or none that is seen. Black is to move. What is found is certain;
// lines in which White takes a man and lives, or keeps many squares, are given up, though some of
// them may be won; and so are the last turns where many men make the hunt wide.
std::optional<Action> forced_hunt(const chesslike::Position& position, int turns);

}  // namespace rulezero
