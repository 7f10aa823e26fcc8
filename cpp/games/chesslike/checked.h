#pragma once
// Chess-like games in which a king must not be left in check: chess and random_chess.

#include <memory>

#include "games/chesslike/fen.h"
#include "games/chesslike/generator.h"
#include "games/chesslike/slots.h"
#include "games/game.h"

namespace rulezero::chesslike {

// What differs between the two.
struct CheckedRules {
  std::shared_ptr<const PieceTable> table;
  CastlingField castling;      // what rights a text may hold
  bool two_square_castling;    // written as the king's two-square move, else king onto rook
  bool absolute_view = false;  // planes and slots from White's side, else the mover's
};

// The pieces of orthodox chess.
std::vector<PieceSpec> orthodox_pieces();

class CheckedGame {
 public:
  using Position = chesslike::Position;

  explicit CheckedGame(CheckedRules rules);

  const Facts& facts() const { return facts_; }
  Position parse(std::string_view text) const;
  std::string text(const Position& p) const;
  Key key(const Position& p) const { return key_of(p); }
  int lookback(const Position& p) const { return p.clock; }
  int mover(const Position& p) const { return p.mover; }
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  std::uint64_t count(const Moment<Position>& moment) const;
  Position apply(const Position& p, Action action) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position& p, Action action) const;
  void events(const Position& p, Action action, std::span<float> row) const;
  std::string say(const Position& p, Action action) const;
  std::string san(const Moment<Position>& moment, Action action,
                  std::span<const Action> legal) const;
  std::vector<Action> read_san(const Moment<Position>& moment, std::string_view text,
                               std::span<const Action> legal) const;
  std::vector<Cell> cells(const Position& p) const;

 protected:
  const PieceTable& table() const { return *rules_.table; }

  Facts facts_;
  CheckedRules rules_;

 private:
  // Actions name castling as it is written; moves always have the king go onto its rook.
  Move read_action(const Position& p, Action action) const;
  Action write_action(const Position& p, Action move) const;
  std::vector<Move> read_actions(const Position& p, std::span<const Action> actions) const;

  // How the game ended, whatever moves there are, or nothing.
  std::optional<Ending> drawn(const Moment<Position>& moment) const;

  SlotMap slots_;
};

// The cells of any chess-like board.
std::vector<Cell> cells_of(const PieceTable& table, const Position& p);

}  // namespace rulezero::chesslike
