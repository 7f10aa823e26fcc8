#pragma once
// Legal moves and their effect, for any piece table.

#include "games/chesslike/move.h"
#include "games/chesslike/table.h"

namespace rulezero::chesslike {

// Whether the men of seat `by`, except those in `absent`, attack the square when the squares in
// `occupied` are occupied.
bool is_attacked(const PieceTable& table, const Position& p, int square, int by, Bits occupied,
                 Bits absent = 0);

// Whether the mover's king is attacked.
bool in_check(const PieceTable& table, const Position& p);

// The squares of king and rook after castling on this wing.
struct CastlingSquares {
  int king;
  int rook;
};
CastlingSquares castling_squares(int seat, int wing);

// Whether the mover may castle on this wing.
bool may_castle(const PieceTable& table, const Position& p, int wing);

// The wing if this move is the mover's castling (king onto own rook), else -1.
int castling_wing(const Position& p, const Move& move);

// Lists or counts the moves that leave the mover's king unattacked.
void list_legal(const PieceTable& table, const Position& p, std::vector<Action>& actions);
std::uint64_t count_legal(const PieceTable& table, const Position& p);

// For games in which kings are captured: lists the moves that capture the enemy king or leave the
// own king unattacked, or returns whether there is one. Only for orthodox men.
void list_careful(const PieceTable& table, const Position& p, std::vector<Action>& actions);
bool has_careful(const PieceTable& table, const Position& p);

// Lists moves without regard to the king's safety, but castling only where it is safe. Only for
// orthodox men.
void list_pseudo(const PieceTable& table, const Position& p, std::vector<Action>& actions);

// Moves the men and updates castling rights and the clock. A pawn's double step leaves the passed
// square in en_passant. The game itself updates the mover and the move number.
Position move_men(const PieceTable& table, const Position& p, const Move& move);

// Passes the move to the other side, and counts a full move after Black's move.
void end_turn(Position& p);

// Whether this move captures en passant.
bool is_en_passant(const PieceTable& table, const Position& p, const Move& move);

// Whether a legal en-passant capture exists for the mover.
bool can_take_en_passant(const PieceTable& table, const Position& p);

// The position's key: men, mover, castling rights with their rooks, en-passant square, and whether
// the second half of a turn is pending.
Key key_of(const Position& p);

}  // namespace rulezero::chesslike
