#pragma once
// Standard algebraic notation for any piece table.

#include <span>
#include <string>
#include <string_view>

#include "games/chesslike/generator.h"

namespace rulezero::chesslike {

// The move's text from-to, with a promotion's symbol: "e2e4", "e7e8q".
std::string say_move(const PieceTable& table, const Move& move);

// SAN without a mark for check: "Nbd7", "exd5", "e8=Q", "O-O". `legal` are all legal moves.
std::string san_of(const PieceTable& table, const Position& p, const Move& move,
                   std::span<const Move> legal);

// Whether the text means this move, with any amount of disambiguation.
bool san_matches(const PieceTable& table, const Position& p, const Move& move,
                 std::string_view text);

}  // namespace rulezero::chesslike
