#pragma once
// The parts of a chess-like game, and the functions that all chess-like games share.

#include <memory>
#include <span>

#include "games/chesslike/fen.h"
#include "games/chesslike/generator.h"

namespace rulezero::chesslike {

struct Rules {
  std::shared_ptr<const PieceTable> table;
  CastlingField castling;    // which castling rights a text may hold
  bool two_square_castling;  // castling is written as a two-square king move, else king onto rook
  bool has_draws = true;     // by fifty moves, repetition and material, if the game has these rules
};

// Whether an option has its other value; throws GameError unless it has the usual or the other one.
bool read_choice(const Options& options, std::string_view name, std::string_view usual,
                 std::string_view other);

// The pieces of orthodox chess.
std::vector<PieceSpec> orthodox_pieces();

class BaseGame {
 public:
  using Position = chesslike::Position;

  const Facts& facts() const { return facts_; }
  Key key(const Position& p) const { return key_of(p); }
  int mover(const Position& p) const { return p.mover; }
  int move_number(const Position& p) const { return p.number; }
  std::vector<Cell> cells(const Position& p) const;

  // From-square, to-square and a promotion's symbol: "e2e4", "e7e8q".
  std::string say(const Position& p, Action action) const;

  // The legal actions that a SAN text can mean, with as much disambiguation as it has.
  std::vector<Action> read_san(const Moment<Position>& moment, std::string_view text,
                               std::span<const Action> legal) const;

  const PieceTable& table() const { return *rules_.table; }

 protected:
  explicit BaseGame(Rules rules) : rules_(std::move(rules)) {}

  // The move of an action; castling is always the king's move onto its rook.
  Move read_action(const Position& p, Action action) const;

  // Replaces generated castling moves (king onto rook) by two-square moves where the rules write
  // castling that way.
  void write_castling_actions(const Position& p, std::vector<Action>& actions) const;

  // The events that all chess-like games share: capture, promotion, castling, en passant.
  void write_move_events(const Position& p, Action action, std::span<float> row) const;

  // SAN without a mark for check: "Nbd7", "exd5", "e8=Q", "O-O".
  std::string unmarked_san(const Position& p, Action action, std::span<const Action> legal) const;

  Rules rules_;
  Facts facts_;
};

// Captures and promotions: the most valuable victim first, then the least valuable attacker.
int capture_gain(const BaseGame& rules, const Position& position, Action action);

}  // namespace rulezero::chesslike
