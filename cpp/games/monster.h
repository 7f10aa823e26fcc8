#pragma once
// Monster Chess: White has a king and four pawns and moves twice per turn, Black has a full army
// and moves once; kings are captured, not mated.

#include "games/chesslike/rules.h"
#include "games/game.h"

namespace rulezero {

class Monster : public chesslike::BaseGame {
 public:
  static constexpr std::string_view kName = "monster";
  static constexpr std::array<RuleOption, 0> kOptions{};

  Monster();

  Position start(std::uint64_t seed, const Options& options) const;
  Position parse(std::string_view text) const;
  std::string text(const Position& p) const;
  int lookback(const Position& p) const { return p.clock; }
  int exact_horizon(const Position& p) const;
  int turns_left(const Position& p) const;  // of both sides, before the game is drawn
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  Position apply(const Position& p, Action action) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position& p, Action action) const;
  int mirror(int slot) const { return slot ^ 0b000111'000111; }  // files of both squares
  bool has_mirror(const Position& p) const;
  bool is_check(const Position& p) const;
  void events(const Position& p, Action action, std::span<float> row) const;
  bool wins(const Position& p, Action action) const;  // whether a legal action takes the king
  std::string san(const Moment<Position>& moment, Action action,
                  std::span<const Action> legal) const;

 private:
  void list_first_halves(const Position& p, std::vector<Action>& actions) const;
};

static_assert(Game<Monster>);

float heuristic(const Monster& rules, const Moment<chesslike::Position>& moment);
float heuristic(const Monster& rules, const Moment<chesslike::Position>& moment,
                std::span<const float> weights);
std::vector<Weight> heuristic_weights(const Monster& rules);

FeatureSpace feature_space(const Monster& rules);
void list_features(const Monster& rules, const chesslike::Position& position, int seat,
                   std::span<Feature> places);

// A value for the progress of Black's hunt for the white king, and a forced win against a lone king
// if one is found.
Advice script(const Monster& rules, const Moment<chesslike::Position>& moment, int turns);

}  // namespace rulezero
