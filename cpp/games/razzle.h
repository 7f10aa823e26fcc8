#pragma once
// Razzle Dazzle, Don Green's game: each seat has five men and a ball, and wins when its ball is on
// the far rank. A turn is a knight move of a man without the ball, or a chain of passes and `end`.

#include <type_traits>

#include "base/bits.h"
#include "games/game.h"

namespace rulezero {

// Squares are rank * 7 + file, bit i of a set is square i. Seat 0 plays up, seat 1 down:
//
//    8  49 50 51 52 53 54 55
//    7  42 43 44 45 46 47 48
//    6  35 36 37 38 39 40 41
//    5  28 29 30 31 32 33 34
//    4  21 22 23 24 25 26 27
//    3  14 15 16 17 18 19 20
//    2   7  8  9 10 11 12 13
//    1   0  1  2  3  4  5  6
//        a  b  c  d  e  f  g
struct RazzlePosition {
  static constexpr std::uint8_t kNowhere = 63;

  std::array<Bits, 2> men;           // by seat, the carrier among them
  Bits barred;                       // men of both seats that passed and have not moved since
  std::array<std::uint8_t, 2> ball;  // the carrier's square, by seat
  std::uint8_t landing;              // where the last turn's knight move ended, or kNowhere
  std::uint8_t side;                 // the mover
  std::uint8_t turn;                 // turns ended so far
  bool in_chain;                     // whether the mover has passed in this turn

  bool operator==(const RazzlePosition&) const = default;
};

static_assert(std::is_trivially_copyable_v<RazzlePosition> && sizeof(RazzlePosition) == 32);

class Razzle {
 public:
  using Position = RazzlePosition;
  static constexpr std::string_view kName = "razzle";
  static constexpr std::array<RuleOption, 0> kOptions{};

  Razzle();

  const Facts& facts() const { return facts_; }
  Position start(std::uint64_t seed, const Options& options) const;
  Position parse(std::string_view text) const;
  std::string text(const Position& position) const;
  Key key(const Position& position) const;
  int lookback(const Position&) const { return facts_.max_plies; }  // every move can be undone
  int exact_horizon(const Position& position) const;
  int mover(const Position& position) const { return position.side; }
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  Position apply(const Position& position, Action action) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position& position, Action action) const;
  int mirror(int slot) const;
  void events(const Position& position, Action action, std::span<float> row) const;
  std::string say(const Position& position, Action action) const;
  std::vector<Cell> cells(const Position& position) const;

 private:
  Facts facts_;
};

static_assert(Game<Razzle>);

float heuristic(const Razzle& rules, const Moment<RazzlePosition>& moment);

// Highest for passes that win, then for those that bring the ball forward.
int capture_gain(const Razzle& rules, const RazzlePosition& position, Action action);

FeatureSpace feature_space(const Razzle& rules);
void list_features(const Razzle& rules, const RazzlePosition& position, int seat,
                   std::span<Feature> places);

}  // namespace rulezero
