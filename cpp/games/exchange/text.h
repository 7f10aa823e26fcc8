#pragma once
// Positions as text:
//
//   <board> <w|b> <decree White>/<decree Black> <quiet plies> <ply> <details> [die:<move text>]
//
// Details list the men that differ from fresh ones; `-` if there are none:
//   e1=15:u2   15 HP, 2 charges left      d8=10:c2    cooldown 2
//   a4=7:a1    Advance counter 1          h8=4:p      a queen that was a pawn

#include <string>
#include <string_view>

#include "games/exchange/position.h"

namespace rulezero::exchange {

std::string write_position(const Position& p);

// The position that a text describes. The text of the action that waits for a die is returned in
// `pending`, unchecked; it is empty if no die is pending. Throws PositionError for any other text.
// Details may come in any order, and may state what a fresh man has anyway.
Position read_position(std::string_view text, std::string_view& pending);

}  // namespace rulezero::exchange
