#pragma once
// Alpha-beta with iterative deepening: alphabeta.cpp chooses at the root, alphabeta_nodes.cpp has
// the recursion below it.

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "search/leaf_evaluator.h"
#include "search/move_order.h"
#include "search/thinkers.h"
#include "search/transpositions.h"

namespace rulezero::alphabeta {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Scores are seat 0's values. The score of a win is a little above 1 (of a loss, below -1), and the
// sooner it comes, the farther from 0. So every win beats every evaluation, and the mean over a die
// needs no special case.
constexpr int kLongest = 1024;         // plies; more than any depth and a solved win after it
constexpr int kPliesOfTurns = 3;       // approximate plies of one turn of each side
constexpr double kHaste = 0x1p-40;     // value of a win that comes one ply sooner
constexpr double kSure = 1 - 0x1p-20;  // largest score of an evaluation
constexpr double kMost = 1 + kLongest * kHaste;

inline bool is_win(double value) { return std::abs(value) > 1; }

struct Window {
  double low;   // value that seat 0 can already reach
  double high;  // value to which seat 1 can already limit it

  // Narrows the window by a value that the mover can choose. Returns false for a cutoff.
  bool narrow(int mover, double value) {
    if (mover == 0) {
      low = std::max(low, value);
    } else {
      high = std::min(high, value);
    }
    return low < high;
  }
};

constexpr Window kOpen = {-kInfinity, kInfinity};

// One ply of the path. Frames are reused, so that a search allocates no memory per node.
struct Frame {
  std::vector<Action> actions;
  std::vector<Ranked> moves;
  std::vector<float> chances;
  std::vector<Action> line;  // the best line from here, as far as it is known
  Killers killers = kNoKillers;
  int plies = 0;  // from the root, without dice
  bool is_die = false;
  int extensions = 0;  // of leaves in check on the path
  bool is_new = true;  // whether no position after the root, up to here, has occurred before
};

inline void extend(Frame& here, Action action, const Frame& next) {
  here.line.assign(1, action);
  here.line.insert(here.line.end(), next.line.begin(), next.line.end());
}

// Thrown in the middle of an iteration when the time for the choice is over.
struct OutOfTime {};

class AlphaBeta final : public Thinker {
 public:
  AlphaBeta(const Player& player, std::unique_ptr<Walk> walk)
      : settings_(player.settings),
        walk_(std::move(walk)),
        evaluator_(player),
        table_(static_cast<std::size_t>(settings_.table) << 20) {}

  void begin(const StatePtr& state, const ChoiceKey& choice) override;
  Progress advance(EvalQueue& queue) override;
  void hurry() override { is_hurried_ = true; }

 private:
  void begin_iteration(int depth);
  void compare(Action action, double value);
  void end_iteration();
  void complete_line();
  bool is_late() const { return (depth_ > 1 || tried_ > 0) && limit_.is_over(); }
  Progress stop();
  Progress finish();

  double visit(int left, std::size_t at, Window window);
  double choose(Frame& here, int mover, int left, std::size_t at, Window window, Action first);
  double reduced(const Ranked& move, std::size_t number, int mover, int left, std::size_t at,
                 Window window);
  bool is_extended(Frame& here, int left) const;
  double quiesce(Frame& here, int mover, int left, std::size_t at, Window window);
  double expect(Frame& here, int left, std::size_t at, Window window);
  double judge();
  double read(const Ending& ending, int plies) const;
  double read(const Proof& proof, int plies) const;

  Frame& frame(std::size_t at);
  double with_contempt(double value, double draw) const {
    return std::clamp(value + contempt_ * draw, -kSure, kSure);
  }

  const Settings settings_;
  std::unique_ptr<Walk> walk_;
  LeafEvaluator evaluator_;
  Transpositions table_;
  MoveOrder order_;
  std::deque<Frame> frames_;  // references stay valid while it grows

  TimeLimit limit_;
  int unwatched_ = 0;     // positions visited since the last look at the clock
  int mover_;             // at the root
  double contempt_;       // value of a draw for seat 0
  std::uint64_t luck_;    // key of random games, with the position; their order does not matter
  std::uint32_t judged_;  // number of evaluated positions
  std::uint64_t open_;    // lines of this iteration that ended in an evaluation
  KeyedRandom lots_{{}};  // for ties at the root

  // The current iteration and its progress.
  bool is_hurried_;  // stop after the first iteration, or at once in a later one
  int depth_;
  std::size_t tried_;  // number of root moves searched
  Window window_;
  double best_;
  std::vector<Action> equals_;  // root moves with this value, including the chosen one
};

}  // namespace rulezero::alphabeta
