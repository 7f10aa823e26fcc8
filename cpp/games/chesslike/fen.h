#pragma once
// Positions as FEN. Men without a letter of their own are written in braces: {w+}, {bNN}.

#include <string>
#include <string_view>

#include "games/chesslike/table.h"

namespace rulezero::chesslike {

// A man's symbol as texts show it: a letter stands for itself, other symbols go into braces.
std::string shown_symbol(const PieceSpec& piece);

std::string write_men(const PieceTable& table, const Position& p);

// Places men; checks letters, not what the rules say about kings and pawns.
void read_men(const PieceTable& table, std::string_view field, Position& p);

std::string write_castling(const Position& p);

// Which castling rights a text may hold.
enum class CastlingField {
  kAnyRook,     // X-FEN letters and rook files; king and rooks anywhere on their back rank
  kHomeSquares  // KQkq, king on the e-file and rooks on the a- and h-files
};
void read_castling(const PieceTable& table, CastlingField style, std::string_view field,
                   Position& p);

// The side to move: w or b.
int read_side(std::string_view field);

// Refuses kings other than one each (or, where kings are captured, at most one each and at least
// one in all), and pawns where none can stand.
void check_men(const PieceTable& table, const Position& p, bool kings_are_captured);

}  // namespace rulezero::chesslike
