#pragma once
// Standard algebraic notation for any piece table.

#include <span>
#include <string>
#include <string_view>

#include "games/chesslike/rules.h"

namespace rulezero::chesslike {

// The move text of an action: from, to, and a promotion's symbol: "e2e4", "e7e8q".
std::string say_action(const Rules& rules, Action action);

// SAN without a mark for check: "Nbd7", "exd5", "e8=Q", "O-O".
std::string san_of(const Rules& rules, const Position& p, Action action,
                   std::span<const Action> legal);

// The legal actions a text can mean in SAN, with any amount of disambiguation.
std::vector<Action> read_san(const Rules& rules, const Position& p, std::string_view text,
                             std::span<const Action> legal);

}  // namespace rulezero::chesslike
