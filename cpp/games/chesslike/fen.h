#pragma once
// Positions as FEN. Men without a letter of their own are written in braces: {w+}, {bNN}.

#include <string>
#include <string_view>

#include "games/chesslike/table.h"

namespace rulezero::chesslike {

// A man's symbol as texts show it: a letter as it is, another symbol in braces.
std::string shown_symbol(const PieceSpec& piece);

// The fields before the counters, with a space after each: men, side, castling, en passant.
std::string write_fields(const PieceTable& table, const Position& p);

// Places the men of a board field. Checks only their symbols; check_men checks kings and pawns.
void read_men(const PieceTable& table, std::string_view field, Position& p);

// Which castling rights a text may hold.
enum class CastlingField {
  kAnyRook,     // X-FEN letters and rook files; king and rooks anywhere on their back rank
  kHomeSquares  // KQkq, king on the e-file and rooks on the a- and h-files
};
void read_castling(const PieceTable& table, CastlingField style, std::string_view field,
                   Position& p);

// The outermost own rook on this wing of the king, or kNone.
int outermost_rook(const Position& p, int seat, int wing);

// The en-passant square, kNone for "-".
int read_en_passant(std::string_view field);

// Throws PositionError unless each side has one king (in games where kings are captured: at most
// one each, and at least one in all), and for a pawn on a square where it cannot stand.
void check_men(const PieceTable& table, const Position& p, bool kings_are_captured);

}  // namespace rulezero::chesslike
