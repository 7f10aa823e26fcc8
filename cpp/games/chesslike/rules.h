#pragma once
// What a chess-like game is made of, and its moves by action number.

#include <memory>
#include <span>

#include "games/chesslike/fen.h"
#include "games/chesslike/generator.h"

namespace rulezero::chesslike {

struct Rules {
  std::shared_ptr<const PieceTable> table;
  CastlingField castling;    // what rights a text may hold
  bool two_square_castling;  // castling is written as the king's two-square move, else onto a rook
  bool has_draws = true;     // by fifty moves, repetition and material, where the game knows them
};

// The value of an option that is one of two words: false for the usual one.
bool read_choice(const Options& options, std::string_view name, std::string_view usual,
                 std::string_view other);

// The pieces of orthodox chess.
std::vector<PieceSpec> orthodox_pieces();

// The move of an action: castling always has the king go onto its rook.
Move read_action(const Rules& rules, const Position& p, Action action);

// Numbers castling among generated moves as it is written.
void write_castling_actions(const Rules& rules, const Position& p, std::vector<Action>& actions);

// The columns all chess-like games share: capture, promotion, castling, en passant.
void write_move_events(const Rules& rules, const Position& p, Action action, std::span<float> row);

std::vector<Cell> cells_of(const PieceTable& table, const Position& p);

}  // namespace rulezero::chesslike
