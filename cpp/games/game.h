#pragma once
// What every game answers. The Game concept below is the whole contract between the rules and
// the rest of the house; cpp/games/connect4.h is the shortest complete example.

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace rulezero {

using Action = std::uint32_t;  // a rules number: one choice of one mover
using Key = std::uint64_t;     // positions with equal keys are equal for the repetition rule
using Options = std::map<std::string, std::string, std::less<>>;

// Plies after which a position can come again at the earliest, in games that draw by repetition:
// both seats move away and back.
constexpr int kShortestCycle = 4;

constexpr int kChance = -1;  // the mover while a die is pending; seats are 0 and 1

// What never changes about a game.
struct Facts {
  std::string name;
  int version;                      // of the rules
  int encoding;                     // of the planes and slots
  int actions;                      // action numbers are below this
  int slots;                        // policy-head indices are below this
  std::array<int, 3> planes;        // channels, rows, columns
  std::array<int, 2> board;         // rows, columns of cells()
  int max_plies;                    // choices after which a runner stops a game
  bool has_chance;                  // whether some plies are a die's
  std::vector<std::string> events;  // columns of the events table
};

// A keyword of a game's text, such as dice in exchange:dice=fixed:3.
struct RuleOption {
  std::string_view name;
  std::string_view fallback;  // its value where the text does not name it
  std::string_view help;
};

// How a game ended.
struct Ending {
  float outcome;       // seat 0's: 1, 0 or -1
  const char* reason;  // a few words, the same for every game that ends this way
};

// One square as people see it.
struct Cell {
  std::string man;   // its symbol, empty on an empty square
  int seat = -1;     // whose man it is
  std::string note;  // what the symbol does not say, such as hit points
};

// A position with its past. Moments are linked backwards and never change once made: a search
// links them along its path, Python states share them.
template <class Position>
struct Moment {
  Position position;
  Key key;
  int times;             // how often this key has occurred up to now, now included
  const Moment* before;  // the moment this one came from, or null at the start
};

template <class G>
concept Game = requires(const G& game, const typename G::Position& position,
                        const Moment<typename G::Position>& moment, Action action,
                        std::vector<Action>& actions, std::span<float> out, std::uint64_t seed,
                        std::string_view text, const Options& options) {
  { G::kName } -> std::convertible_to<std::string_view>;
  { std::span<const RuleOption>(G::kOptions) };
  { game.facts() } -> std::same_as<const Facts&>;

  // The first position; the seed draws what the rules leave to chance. Options are the start
  // options of the game; an unknown one is a GameError.
  { game.start(seed, options) } -> std::same_as<typename G::Position>;

  // parse(text(p)) equals p for every position that play can reach; any other text that is not
  // a position is a PositionError that says what is wrong.
  { game.parse(text) } -> std::same_as<typename G::Position>;
  { game.text(position) } -> std::same_as<std::string>;
  { game.key(position) } -> std::same_as<Key>;

  // How many plies back an equal key can lie at most.
  { game.lookback(position) } -> std::same_as<int>;

  // 0, 1 or kChance; meaningless once the game is over.
  { game.mover(position) } -> std::same_as<int>;

  // Fills `actions` with the legal ones (in a fixed order), or leaves it empty and tells how
  // the game ended.
  { game.expand(moment, actions) } -> std::same_as<std::optional<Ending>>;

  // The position after a legal action.
  { game.apply(position, action) } -> std::same_as<typename G::Position>;

  // Fills planes (zeroed by the caller, channel by channel, row by row) as the mover sees them.
  { game.encode(moment, out) };
  { game.slot(position, action) } -> std::same_as<int>;

  // What the action does, one number per column of facts().events (zeroed by the caller).
  { game.events(position, action, out) };

  { game.say(position, action) } -> std::same_as<std::string>;

  // Rows from the bottom of the board (rank 1) up, each from the left.
  { game.cells(position) } -> std::same_as<std::vector<Cell>>;
};

// A first moment: a start or a parsed text, without a past.
template <Game G>
Moment<typename G::Position> begin(const G& game, const typename G::Position& position) {
  return {position, game.key(position), 1, nullptr};
}

// The moment after a legal action. It points back at `moment`, which must outlive it.
template <Game G>
Moment<typename G::Position> advance(const G& game, const Moment<typename G::Position>& moment,
                                     Action action) {
  Moment<typename G::Position> next{game.apply(moment.position, action), 0, 1, &moment};
  next.key = game.key(next.position);
  int plies = game.lookback(next.position);
  for (const auto* earlier = &moment; earlier && plies > 0; earlier = earlier->before, --plies) {
    if (earlier->key == next.key) {
      next.times = earlier->times + 1;
      break;
    }
  }
  return next;
}

// Refuses options that are not known here, naming those that are.
void check_options(const Options& given, std::span<const std::string_view> known,
                   std::string_view what);

// The options of a game, all of them: those given and the others at their fallback.
Options complete_options(const Options& given, std::span<const RuleOption> known,
                         std::string_view game);

}  // namespace rulezero
