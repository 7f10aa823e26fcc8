#pragma once
// Tic-tac-toe: the smallest complete game in C++. No heuristic, no mirror, no events.

#include "base/bits.h"
#include "games/game.h"

namespace rulezero {

// Bit row * 3 + column, the bottom row first:
//
//   6 7 8
//   3 4 5
//   0 1 2
struct NoughtsPosition {
  std::array<Bits, 2> men;  // by seat
};

class Noughts {
 public:
  using Position = NoughtsPosition;
  static constexpr std::string_view kName = "noughts";
  static constexpr std::array<RuleOption, 0> kOptions{};

  const Facts& facts() const { return facts_; }
  Position start(std::uint64_t seed, const Options& options) const;
  Position parse(std::string_view text) const;
  std::string text(const Position& position) const;
  Key key(const Position& position) const;
  int lookback(const Position&) const { return 0; }
  int mover(const Position& position) const;
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  Position apply(const Position& position, Action cell) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position&, Action cell) const { return static_cast<int>(cell); }
  void events(const Position&, Action, std::span<float>) const {}
  std::string say(const Position& position, Action cell) const;
  std::vector<Cell> cells(const Position& position) const;

 private:
  Facts facts_{.name = std::string(kName),
               .actions = 9,
               .slots = 9,
               .planes = {2, 3, 3},
               .board = {3, 3},
               .max_plies = 9,
               .seat_names = {"X", "O"},
               .plane_names = {"own men", "enemy men"},
               .typical_plies = 8,
               .typical_moves = 5};
};

static_assert(Game<Noughts>);

}  // namespace rulezero
