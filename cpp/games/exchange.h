#pragma once
// EXCHANGE: chess men with hit points. Moves do not capture: men strike, a die adds to
// the damage, and a man at 0 HP leaves the board. The side whose king falls has lost.
//
// The parts are in games/exchange/; each builds on those before it: geometry (the board), position
// (the men), action (numbers, slots and move texts), reach (the squares that men can move to and
// strike), rules (what actions do), text, planes.

#include "games/exchange/position.h"
#include "games/game.h"

namespace rulezero {

class Exchange {
 public:
  using Position = exchange::Position;
  static constexpr std::string_view kName = "exchange";
  static constexpr std::array<RuleOption, 1> kOptions = {
      {{"dice", "d6", "d6, or fixed:N (1 to 6) to make every roll N, without chance plies"}}};

  explicit Exchange(const Options& options);

  const Facts& facts() const { return facts_; }
  Position start(std::uint64_t seed, const Options& options) const;
  Position parse(std::string_view text) const;
  std::string text(const Position& position) const;
  Key key(const Position& position) const;
  int lookback(const Position& position) const;
  int exact_horizon(const Position& position) const;
  int mover(const Position& position) const;
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  Position apply(const Position& position, Action action) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position& position, Action action) const;
  void events(const Position& position, Action action, std::span<float> row) const;
  int ply(const Position& position) const { return position.ply; }
  int actor(const Position& position) const { return position.side; }
  InfoRows info(const Position& position) const;
  std::string kind(const Position& position, Action action) const;
  std::string say(const Position& position, Action action) const;
  std::vector<Cell> cells(const Position& position) const;

 private:
  int fixed_roll_;  // 0 for a real die
  Facts facts_;
};

static_assert(Game<Exchange>);

float heuristic(const Exchange& rules, const Moment<exchange::Position>& moment);

// Strikes, by what they take on average over the die, and promotions.
int capture_gain(const Exchange& rules, const exchange::Position& position, Action action);

FeatureSpace feature_space(const Exchange& rules);
void list_features(const Exchange& rules, const exchange::Position& position, int seat,
                   std::span<Feature> places);

}  // namespace rulezero
