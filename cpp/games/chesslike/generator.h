#pragma once
// Legal moves and their effect, for any piece table.

#include "games/chesslike/move.h"
#include "games/chesslike/table.h"

namespace rulezero::chesslike {

// Whether the seat's men, those in `absent` left out, attack the square through this occupation.
bool is_attacked(const PieceTable& table, const Position& p, int square, int by, Bits occupied,
                 Bits absent = 0);

// Whether the mover's king is attacked.
bool in_check(const PieceTable& table, const Position& p);

// Where king and rook end when this wing castles.
struct CastlingSquares {
  int king;
  int rook;
};
CastlingSquares castling_squares(int seat, int wing);

// Whether the mover may castle on this wing.
bool may_castle(const PieceTable& table, const Position& p, int wing);

// The wing if this move is the mover's castling (king onto own rook), else -1.
int castling_wing(const Position& p, const Move& move);

// Moves that leave the mover's king unattacked: listed, counted, or just whether there is one.
void list_legal(const PieceTable& table, const Position& p, std::vector<Action>& actions);
std::uint64_t count_legal(const PieceTable& table, const Position& p);

// Where royals are captured: moves that capture the enemy king or leave the own one unattacked.
// Only for orthodox men.
void list_careful(const PieceTable& table, const Position& p, std::vector<Action>& actions);
bool has_careful(const PieceTable& table, const Position& p);

// Moves with king safety ignored, castling only where it is safe. Only for orthodox men.
void list_pseudo(const PieceTable& table, const Position& p, std::vector<Action>& actions);

// Moves the men and updates castling rights and the clock. A pawn's double step leaves the passed
// square in en_passant. The game itself updates the mover and the move number.
Position move_men(const PieceTable& table, const Position& p, const Move& move);

// Gives the move to the other side, and counts a full move after Black's.
void end_turn(Position& p);

// Whether this capture takes en passant.
bool is_en_passant(const PieceTable& table, const Position& p, const Move& move);

// Whether a legal en-passant capture exists for the mover.
bool can_take_en_passant(const PieceTable& table, const Position& p);

// The position's key: men, mover, rights with their rooks, en-passant square, pending half.
Key key_of(const Position& p);

}  // namespace rulezero::chesslike
