#pragma once
// Positions as text:
//
//   <board> <w|b> <decree White>/<decree Black> <quiet plies> <ply> <details> [die:<move text>]
//
// Details say where a man differs from a fresh one, `-` if nowhere:
//   e1=15:u2   15 HP, 2 charges left      d8=10:c2    cooldown 2
//   a4=7:a1    Advance counter 1          h8=4:p      a queen that was a pawn

#include <string>
#include <string_view>

#include "games/exchange/position.h"

namespace rulezero::exchange {

std::string write_position(const Position& p);

// The position a text describes; a pending die's action is not yet looked at but returned in
// `pending`, empty if there is none. PositionError for any other text. Details may come in any
// order and may repeat what a fresh man has anyway.
Position read_position(std::string_view text, std::string_view& pending);

}  // namespace rulezero::exchange
