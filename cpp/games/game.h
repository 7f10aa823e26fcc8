#pragma once
// The interface of a game. The Game concept and the optional parts below it are the whole contract
// between the rules and everything else; cpp/games/connect4.h is the shortest complete example.

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace rulezero {

using Action = std::uint32_t;  // the number of one choice in the rules
using Key = std::uint64_t;     // positions with equal keys are equal for the repetition rule
using Options = std::map<std::string, std::string, std::less<>>;

// The smallest number of plies after which a position can repeat, in games with a draw by
// repetition: both seats move away and back.
constexpr int kShortestCycle = 4;

constexpr int kChance = -1;  // the mover while a die is pending; seats are 0 and 1

// Converts a mover's value to seat 0's. A net's values are converted only by this function.
constexpr float to_seat0(float value, int mover) { return mover == 0 ? value : -value; }

// A number in a heuristic that players may set.
struct Weight {
  std::string_view name;
  float fallback;  // the default
  std::string_view help;
  float low = -10.0f;
  float high = 10.0f;
};

// The input of an efficiently updatable net (eval/nnue.h) is a list of places, such as squares; at
// each place at most one feature is on.
using Feature = std::uint16_t;
constexpr Feature kNoFeature = 0xffff;

struct FeatureSpace {
  int features = 0;  // feature numbers are below this; 0: the game has none
  int places = 0;
  int version = 1;  // changes when a feature gets another number or meaning
};

// The constants of a game. A game sets those that differ from the defaults.
struct Facts {
  std::string name = {};
  int version = 1;                       // of the rules
  int encoding = 1;                      // of the planes and slots
  int actions = 0;                       // action numbers are below this
  int slots = 0;                         // policy-head indices are below this
  std::array<int, 3> planes = {};        // channels, rows, columns
  std::array<int, 2> board = {8, 8};     // rows, columns of cells()
  int max_plies = 0;                     // choices after which a game is stopped
  bool has_chance = false;               // whether some plies are rolls of a die
  bool has_random_start = false;         // whether the start position depends on the seed
  bool has_heuristic = false;            // set by GameOf for a game that is Judged
  std::vector<Weight> weights = {};      // set by GameOf for a game that is Tunable
  bool has_script = false;               // set by GameOf for a game that is Scripted
  FeatureSpace feature_space = {};       // set by GameOf for a game that HasFeatures
  bool has_tables = false;               // whether endgame/ can solve positions for players to use
  std::vector<std::string> events = {};  // columns of the events table
  std::array<std::string, 2> seat_names = {"White", "Black"};
  int human_seat = 0;                          // the seat that a person plays by default
  std::vector<std::string> plane_names = {};   // what each plane shows, for people; none: no names
  std::string policy_layout = "flat";          // of the slots: planes, from_to or flat (planes.md)
  double typical_plies = 0;                    // choices per game of a `small` run; 0: unknown
  double typical_moves = 0;                    // legal moves per choice in these games
  std::vector<std::string> pgn_variants = {};  // Variant tag, then other spellings; none: no PGN
  std::string uci = {};                        // chess or chess960: what a UCI engine plays
  std::map<std::string, int> constants = {};   // numbers of the rules that Python needs
  // The picture for a man's symbol: king, disc, ... (src/rulezero/games/men). A symbol without one
  // is drawn as a letter.
  std::map<std::string, std::string> pictures = {{"K", "king"},   {"Q", "queen"},  {"R", "rook"},
                                                 {"B", "bishop"}, {"N", "knight"}, {"P", "pawn"}};

  std::size_t input_size() const { return planes[0] * planes[1] * planes[2]; }
};

// A keyword of a game's text, such as dice in exchange:dice=fixed:3.
struct RuleOption {
  std::string_view name;
  std::string_view fallback;  // the default
  std::string_view help;
};

// How a game ended.
struct Ending {
  float outcome;       // seat 0's: 1, 0 or -1
  std::string reason;  // a few words, the same for every game that ends this way
};

// One square of the board, for display.
struct Cell {
  std::string man;   // its symbol, empty on an empty square
  int seat = -1;     // whose man it is
  std::string note;  // more about the man, such as hit points
};

// A position with its history. Moments are linked backwards and never change: a search links them
// along its path, and Python states share them.
template <class Position>
struct Moment {
  Position position;
  Key key;
  int times;             // how often this key has occurred so far, including now
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

  // The first position; the seed determines everything random about it. `options` are the start
  // options of the game; an unknown one is a GameError.
  { game.start(seed, options) } -> std::same_as<typename G::Position>;

  // parse(text(p)) equals p for every position that play can reach; any other text that is not
  // a position is a PositionError that says what is wrong.
  { game.parse(text) } -> std::same_as<typename G::Position>;
  { game.text(position) } -> std::same_as<std::string>;
  { game.key(position) } -> std::same_as<Key>;

  // The largest number of plies back to an earlier position with an equal key.
  { game.lookback(position) } -> std::same_as<int>;

  // 0, 1 or kChance; meaningless once the game is over.
  { game.mover(position) } -> std::same_as<int>;

  // Fills `actions` with the legal ones (in a fixed order), or leaves it empty and returns
  // how the game ended.
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

// The optional parts: the core uses those that a game has. Functions that are not members are
// declared in the game's header, found by overload resolution and defined in eval/.

// The result of a game's script: a value for the position, and a move that forces a win, if the
// script found one.
struct Advice {
  float value;                // for seat 0, like the heuristic's
  std::optional<Action> win;  // for the mover
};

// Standard algebraic notation, written and read; a text may mean several actions.
template <class G>
concept SpeaksSan = requires(const G& game, const Moment<typename G::Position>& moment,
                             Action action, std::span<const Action> legal, std::string_view text) {
  { game.san(moment, action, legal) } -> std::same_as<std::string>;
  { game.read_san(moment, text, legal) } -> std::same_as<std::vector<Action>>;
};

// The probabilities of a die's faces, in the order of `legal`. Without this part all faces are
// equally likely.
template <class G>
concept WeighsChances =
    requires(const G& game, const typename G::Position& position, std::span<const Action> legal) {
      { game.chances(position, legal) } -> std::same_as<std::vector<double>>;
    };

// For games in which a position has the same value as the one with its columns reversed: the slot
// of the mirrored action.
template <class G>
concept HasMirror = requires(const G& game, int slot) {
  { game.mirror(slot) } -> std::same_as<int>;
};

// For rules that may or may not have a mirror (rules in Python): the mirrored position and the
// mirrored action. The mirror may be any symmetry that does not swap the seats.
template <class G>
concept MayMirror = requires(const G& game, const typename G::Position& position, Action action) {
  { game.has_mirror() } -> std::same_as<bool>;
  { game.mirror(position) } -> std::same_as<typename G::Position>;
  { game.mirror(position, action) } -> std::same_as<Action>;
};

// Whether this position has a mirror image. A position with castling rights has none.
template <class G>
concept MirrorsSome = requires(const G& game, const typename G::Position& position) {
  { game.has_mirror(position) } -> std::same_as<bool>;
};

// Whether the mover's king is attacked.
template <class G>
concept KnowsCheck = requires(const G& game, const typename G::Position& position) {
  { game.is_check(position) } -> std::same_as<bool>;
};

// The number of legal actions, counted without listing them (for perft).
template <class G>
concept CountsInBulk = requires(const G& game, const Moment<typename G::Position>& moment) {
  { game.count(moment) } -> std::same_as<std::uint64_t>;
};

// For this many plies the key alone determines the value: no move counter can end the game, and
// no repetition draw is possible. Without it, the key always does.
template <class G>
concept HasExactHorizon = requires(const G& game, const typename G::Position& position) {
  { game.exact_horizon(position) } -> std::same_as<int>;
};

// Whether a legal action wins at once, decided without applying it.
template <class G>
concept SeesWins = requires(const G& game, const typename G::Position& position, Action action) {
  { game.wins(position, action) } -> std::same_as<bool>;
};

// 0 for a quiet action, more for one that takes something at once. Alpha-beta tries the largest
// first. Only numbers of the same position can be compared.
template <class G>
concept OrdersCaptures =
    requires(const G& game, const typename G::Position& position, Action action) {
      { capture_gain(game, position, action) } -> std::convertible_to<int>;
    };

// Seat 0's value in [-kSurest, kSurest] (eval/heuristic.h) by a hand-written rule. It is called
// only if a player is the mover and the game is not over. It must not list moves or use the heap.
template <class G>
concept Judged = requires(const G& game, const Moment<typename G::Position>& moment) {
  { heuristic(game, moment) } -> std::same_as<float>;
};

// A heuristic whose weights players may set: the list of the weights, and the value with other
// numbers in the order of this list. With the defaults it is the value of heuristic(game, moment).
template <class G>
concept Tunable = Judged<G> && requires(const G& game, const Moment<typename G::Position>& moment,
                                        std::span<const float> weights) {
  { heuristic_weights(game) } -> std::same_as<std::vector<Weight>>;
  { heuristic(game, moment, weights) } -> std::same_as<float>;
};

// For rules that may or may not have a heuristic (rules in Python): see facts().has_heuristic.
template <class G>
concept MayJudge = requires(const G& game, const typename G::Position& position) {
  { game.heuristic(position) } -> std::same_as<float>;
};

// The features of a position for an efficiently updatable net, as a seat sees them. list_features
// fills in every place, with kNoFeature where no feature is on. It is called like a heuristic.
template <class G>
concept HasFeatures = requires(const G& game, const typename G::Position& position, int seat,
                               std::span<Feature> places) {
  { feature_space(game) } -> std::same_as<FeatureSpace>;
  { list_features(game, position, seat, places) };
};

// Advice for the game's own scripted player. The script looks for a win within `turns` of the
// player's turns; with 0 it only gives the value.
template <class G>
concept Scripted = requires(const G& game, const Moment<typename G::Position>& moment, int turns) {
  { script(game, moment, turns) } -> std::same_as<Advice>;
};

// Facts for people that the men on their squares do not show, as pairs of a label and a text.
using InfoRows = std::vector<std::pair<std::string, std::string>>;
template <class G>
concept TellsInfo = requires(const G& game, const typename G::Position& position) {
  { game.info(position) } -> std::same_as<InfoRows>;
};

// The kind of a legal action, for people. Without this part every action is one of the "moves".
template <class G>
concept NamesKinds = requires(const G& game, const typename G::Position& position, Action action) {
  { game.kind(position, action) } -> std::same_as<std::string>;
};

// How a person makes an action on the board: one step after the other, each with the squares (row,
// column) that mean it, the first of which is the one to show. Without this part, the steps are the
// squares that the action's move text names: b1, c3 and c4 for b1c3xc4.
using Square = std::array<int, 2>;
using Touches = std::vector<std::vector<Square>>;
template <class G>
concept KnowsTouches =
    requires(const G& game, const typename G::Position& position, Action action) {
      { game.touches(position, action) } -> std::same_as<Touches>;
    };

// The number of the players' choices so far, from a counter in the position. Without this part they
// are counted from the first position of the state's history.
template <class G>
concept CountsPlies = requires(const G& game, const typename G::Position& position) {
  { game.ply(position) } -> std::same_as<int>;
};

// The number that PGN writes before a move.
template <class G>
concept NumbersMoves = requires(const G& game, const typename G::Position& position) {
  { game.move_number(position) } -> std::same_as<int>;
};

// The seat that acts: the mover, or the seat whose action waits for the die.
template <class G>
concept KnowsActor = requires(const G& game, const typename G::Position& position) {
  { game.actor(position) } -> std::same_as<int>;
};

// A first moment, without a history: the start of a game or a parsed text.
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

// Throws GameError for an option that is not in `known`; the message lists `known`. `what` is the
// subject of the message.
void check_options(const Options& given, std::span<const std::string_view> known,
                   std::string_view what);

// All options of a game: those given, and the others with their defaults.
Options complete_options(const Options& given, std::span<const RuleOption> known,
                         std::string_view game);

}  // namespace rulezero
