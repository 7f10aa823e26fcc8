#pragma once
// Chess-like games in which a king must not be left in check: chess and random_chess.

#include <limits>

#include "games/chesslike/rules.h"
#include "games/chesslike/slots.h"
#include "games/game.h"

namespace rulezero::chesslike {

constexpr RuleOption kDrawsOption = {
    "draws", "automatic",
    "automatic, or none: no draws by fifty moves, repetition or material (for perft)"};

class CheckedGame : public BaseGame {
 public:
  CheckedGame(Rules rules,
              bool absolute_view);  // planes and slots from White's side or the mover's

  Position parse(std::string_view text) const;
  std::string text(const Position& p) const;
  int lookback(const Position& p) const {
    return table().pawns_only_advance() ? p.clock : std::numeric_limits<int>::max();
  }
  int exact_horizon(const Position& p) const;
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  std::uint64_t count(const Moment<Position>& moment) const;
  Position apply(const Position& p, Action action) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position& p, Action action) const;
  bool is_check(const Position& p) const { return in_check(table(), p); }
  void events(const Position& p, Action action, std::span<float> row) const;
  std::string san(const Moment<Position>& moment, Action action,
                  std::span<const Action> legal) const;

 private:
  // The ending if the game is drawn although there are legal moves, else nullopt.
  std::optional<Ending> drawn(const Moment<Position>& moment) const;

  bool absolute_view_;
  SlotMap slots_;
};

float heuristic(const CheckedGame& rules, const Moment<Position>& moment);

FeatureSpace feature_space(const CheckedGame& rules);
void list_features(const CheckedGame& rules, const Position& position, int seat,
                   std::span<Feature> places);

}  // namespace rulezero::chesslike
