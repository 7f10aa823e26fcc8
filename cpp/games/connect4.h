#pragma once
// Connect Four: 7 columns, 6 rows, four in a line wins. The game is solved, so nets can be measured
// against perfect play.

#include "games/connect4_board.h"
#include "games/game.h"

namespace rulezero {

struct Connect4Position {
  std::array<Bits, 2> men;  // by seat, as connect4_board.h numbers the cells

  bool operator==(const Connect4Position&) const = default;
};

class Connect4 {
 public:
  using Position = Connect4Position;
  static constexpr std::string_view kName = "connect4";
  static constexpr std::array<RuleOption, 0> kOptions{};

  Connect4();

  const Facts& facts() const { return facts_; }
  Position start(std::uint64_t seed, const Options& options) const;
  Position parse(std::string_view text) const;
  std::string text(const Position& position) const;
  Key key(const Position& position) const;
  int lookback(const Position&) const { return 0; }
  int mover(const Position& position) const;
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  Position apply(const Position& position, Action column) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position&, Action column) const { return static_cast<int>(column); }
  int mirror(int slot) const { return connect4::kColumns - 1 - slot; }
  void events(const Position&, Action, std::span<float>) const {}
  std::string say(const Position& position, Action column) const;
  std::vector<Cell> cells(const Position& position) const;
  Touches touches(const Position& position, Action column) const;  // any square of the column

 private:
  Facts facts_;
};

static_assert(Game<Connect4>);

float heuristic(const Connect4& rules, const Moment<Connect4Position>& moment);

}  // namespace rulezero
