#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "search/leaf_evaluator.h"
#include "search/move_order.h"
#include "search/thinkers.h"
#include "search/transpositions.h"

namespace rulezero {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Scores are seat 0's values. The score of a win is a little above 1 (of a loss, below -1), and the
// sooner it comes, the farther from 0. So every win beats every evaluation, and the mean over a die
// needs no special case.
constexpr int kLongest = 1024;         // plies; more than any depth and a solved win after it
constexpr int kPliesOfTurns = 3;       // approximate plies of one turn of each side
constexpr double kHaste = 0x1p-40;     // value of a win that comes one ply sooner
constexpr double kSure = 1 - 0x1p-20;  // largest score of an evaluation
constexpr double kMost = 1 + kLongest * kHaste;

constexpr int kUnwatched = 16;              // positions visited between two looks at the clock
constexpr std::uint32_t kStretch = 200000;  // positions evaluated before other games get a turn
// Late move reductions: a move is late after this many others, this far from the leaves.
constexpr std::size_t kFullMoves = 3;
constexpr std::size_t kManyMoves = 10;
constexpr int kReducedDepth = 3;

constexpr std::size_t kGrowth = 16;  // expected growth of the table in the next iteration

bool is_win(double value) { return std::abs(value) > 1; }

// The plies to a win count from the root, but in the table from the position itself.
double from_here(double value, int plies) {
  if (!is_win(value)) return value;
  return value + (value > 0 ? plies : -plies) * kHaste;
}
double from_root(double value, int plies) { return from_here(value, -plies); }

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
  bool is_new = true;  // whether no position after the root, up to here, has occurred before
};

void extend(Frame& here, Action action, const Frame& next) {
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

void AlphaBeta::begin(const StatePtr& state, const ChoiceKey& choice) {
  if (state->ending() || state->mover() == kChance) {
    throw PositionError("there is nothing to choose: the game is over or a die is pending");
  }
  limit_ = choice.limit;
  evaluator_.begin(limit_);
  walk_->start(state);
  table_.forget();
  if (limit_.exists()) table_.reserve();
  order_.clear();
  for (Frame& frame : frames_) frame.killers = kNoKillers;
  mover_ = walk_->mover();
  contempt_ = mover_ == 0 ? settings_.draw_value : -settings_.draw_value;
  luck_ = choice.random(kRolloutDraw).next();
  lots_ = choice.random(kMoveDraw);
  judged_ = 0;
  is_hurried_ = false;
  thought_ = Thought();
  KeyedRandom dice({luck_, walk_->key()});
  thought_.raw_value = evaluator_.evaluate(*walk_, dice).value;
  Frame& root = frame(0);
  walk_->expand(root.actions);
  order_.rank(*walk_, root.actions, kNoAction, root.killers, root.moves);
  begin_iteration(1);
}

void AlphaBeta::begin_iteration(int depth) {
  depth_ = depth;
  tried_ = 0;
  window_ = kOpen;
  open_ = 0;
}

Progress AlphaBeta::advance(EvalQueue&) {
  Frame& root = frame(0);
  const std::uint32_t before = judged_;
  while (tried_ < root.moves.size()) {
    if (is_hurried_ && depth_ > 1) {
      return finish();
    }
    if (is_late()) return stop();
    const Action action = root.moves[tried_].action;
    walk_->forward(action);
    double value;
    try {
      value = visit(depth_ - 1, 1, window_);
    } catch (const OutOfTime&) {
      walk_->rewind();
      return stop();
    }
    walk_->back();
    compare(action, value);
    ++tried_;
    if (judged_ - before >= kStretch) return Progress::kBusy;
  }
  end_iteration();
  if (depth_ >= settings_.depth || is_win(best_) || open_ == 0 || is_hurried_) {
    return finish();
  }
  table_.grow(kGrowth);
  begin_iteration(depth_ + 1);
  return Progress::kBusy;
}

// Chooses when the time is over: by this iteration, if it has finished its first move, which was
// the best of the last one; else by the last one.
Progress AlphaBeta::stop() {
  if (tried_ > 0) end_iteration();
  thought_.sims = judged_;
  return finish();
}

// Takes a root move that is better than those before it. With random_ties, a move that is as good
// as k others replaces them with probability 1 / (k + 1), so that all are equally likely.
void AlphaBeta::compare(Action action, double value) {
  const bool is_better = tried_ == 0 || (mover_ == 0 ? value > best_ : value < best_);
  if (is_better) {
    best_ = value;
    equals_.clear();
    // A value at the edge of the window is only a bound, so with random_ties the edge is just worse
    // than the value of equal moves.
    const double worse = std::nextafter(value, mover_ == 0 ? -kInfinity : kInfinity);
    window_.narrow(mover_, settings_.random_ties ? worse : value);
  } else if (!settings_.random_ties || value != best_) {
    return;
  }
  equals_.push_back(action);
  if (is_better || lots_.below(static_cast<std::uint32_t>(equals_.size())) == 0) {
    extend(frame(0), action, frame(1));
  }
}

void AlphaBeta::end_iteration() {
  Frame& root = frame(0);
  thought_.line = root.line;
  thought_.action = root.line.front();
  thought_.actions = equals_;
  thought_.weights.assign(equals_.size(), 1.0f / static_cast<float>(equals_.size()));
  thought_.value = static_cast<float>(std::clamp(best_, -1.0, 1.0));
  thought_.sims = judged_;
  const auto best = std::find_if(root.moves.begin(), root.moves.end(), [&](const Ranked& move) {
    return move.action == thought_.action;
  });
  std::rotate(root.moves.begin(), best, best + 1);
}

// Ends the search. A share of the moves may be drawn at random.
Progress AlphaBeta::finish() {
  complete_line();
  if (settings_.explore > 0 && lots_.fraction() < settings_.explore) {
    const std::vector<Ranked>& moves = frame(0).moves;
    thought_.action = moves[lots_.below(static_cast<std::uint32_t>(moves.size()))].action;
  }
  return Progress::kDone;
}

// Extends the line with moves from the table, because a value from the table comes without a line.
void AlphaBeta::complete_line() {
  std::vector<Action>& line = thought_.line;
  std::vector<Action>& actions = frame(0).actions;
  for (Action action : line) walk_->forward(action);
  while (static_cast<int>(line.size()) < depth_) {
    const Finding* finding = table_.find(walk_->key());
    if (!finding || finding->bound != Bound::kExact || walk_->expand(actions)) break;
    if (std::find(actions.begin(), actions.end(), finding->action) == actions.end()) break;
    line.push_back(finding->action);
    walk_->forward(finding->action);
  }
  walk_->rewind();
}

double AlphaBeta::visit(int left, std::size_t at, Window window) {
  if (limit_.exists() && ++unwatched_ >= kUnwatched) {
    unwatched_ = 0;
    if (is_late()) throw OutOfTime();
  }
  Frame& here = frame(at);
  const Frame& before = frame(at - 1);
  here.line.clear();
  here.plies = before.plies + !before.is_die;
  here.is_die = false;

  // A value also depends on the history, if a position may occur for the third time or a limit of
  // turns or quiet plies is near; the key contains neither. The history before the root is the same
  // for the whole search. So the table is used only while no position after the root has occurred
  // before, and while the plies left are too few to reach a limit, or for a position of the path to
  // come back twice: then the position has the same value on all paths. Evaluations are assumed to
  // depend only on what the key contains.
  here.is_new = before.is_new && walk_->times() == 1;
  const int deepest = std::max(left, 0) + settings_.quiescence;
  const bool is_keyed = here.is_new && deepest <= walk_->exact_horizon();
  const Key key = walk_->key();
  Action first = kNoAction;
  if (const Finding* finding = left >= 0 ? table_.find(key) : nullptr) {
    first = finding->action;
    // With reductions the depth is no exact figure, and a deeper value is a better one.
    const bool is_deep = settings_.reductions ? finding->left >= left : finding->left == left;
    if (is_keyed && (is_deep || (finding->is_final && finding->left < left))) {
      const double value = from_root(finding->value, here.plies);
      if (finding->bound == Bound::kExact ||
          (finding->bound == Bound::kAtLeast && value >= window.high) ||
          (finding->bound == Bound::kAtMost && value <= window.low)) {
        open_ += !finding->is_final;
        return value;
      }
    }
  }

  if (const auto ending = walk_->expand(here.actions)) return read(*ending, here.plies);
  if (const auto proof = walk_->proof()) return read(*proof, here.plies);
  const std::uint64_t open = open_;
  const int mover = walk_->mover();
  double value;
  if (mover == kChance) {
    here.is_die = true;
    value = expect(here, left, at, window);
  } else if (left <= -settings_.quiescence) {
    value = judge();
    window = kOpen;  // an evaluation is exact, not a bound
  } else if (left > 0 || (left == 0 && walk_->is_check())) {
    value = choose(here, mover, std::max(left, 1), at, window, first);
    first = here.moves.front().action;
  } else {
    value = quiesce(here, mover, left, at, window);
  }
  if (left < 0) return value;
  const Bound bound = !is_keyed              ? Bound::kNothing
                      : value <= window.low  ? Bound::kAtMost
                      : value >= window.high ? Bound::kAtLeast
                                             : Bound::kExact;
  table_.keep({.key = key,
               .value = from_here(value, here.plies),
               .action = first,
               .generation = 0,
               .left = static_cast<std::uint8_t>(left),
               .is_final = open == open_,
               .bound = bound});
  return value;
}

// The value of the mover's best move, which becomes the first of here.moves.
double AlphaBeta::choose(Frame& here, int mover, int left, std::size_t at, Window window,
                         Action first) {
  order_.rank(*walk_, here.actions, first, here.killers, here.moves);
  double best = mover == 0 ? -kInfinity : kInfinity;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < here.moves.size(); ++i) {
    const Ranked move = here.moves[i];
    walk_->forward(move.action);
    const double value = settings_.reductions && i > 0 ? reduced(move, i, mover, left, at, window)
                                                       : visit(left - 1, at + 1, window);
    walk_->back();
    if (mover == 0 ? value <= best : value >= best) continue;
    best = value;
    chosen = i;
    if (value <= window.low || value >= window.high) {
      if (window.narrow(mover, value)) continue;
      order_.reward(mover, move, left, here.killers);
      break;
    }
    window.narrow(mover, value);
    extend(here, move.action, frame(at + 1));
  }
  std::swap(here.moves[0], here.moves[chosen]);
  return best;
}

// The value after a move that is not the first: it is asked only whether the move is better than
// those before it (principal variation search), at a lower depth if it is a late one; if it is
// better, it is searched again.
double AlphaBeta::reduced(const Ranked& move, std::size_t number, int mover, int left,
                          std::size_t at, Window window) {
  const double edge = mover == 0 ? window.low : window.high;
  const auto is_better = [&](double value) { return mover == 0 ? value > edge : value < edge; };
  const Window scout = mover == 0 ? Window{edge, std::nextafter(edge, kInfinity)}
                                  : Window{std::nextafter(edge, -kInfinity), edge};
  const bool is_late = number >= kFullMoves && left >= kReducedDepth && move.rank < kKillerRank;
  const int less = is_late ? 1 + (number >= kManyMoves && left > kReducedDepth) : 0;
  double value = visit(left - 1 - less, at + 1, scout);
  if (less > 0 && is_better(value)) value = visit(left - 1, at + 1, scout);
  const bool is_inside = mover == 0 ? value < window.high : value > window.low;
  if (is_better(value) && is_inside) value = visit(left - 1, at + 1, window);
  return value;
}

// The value of the mover's best capture, or of making none, which an evaluation stands for.
double AlphaBeta::quiesce(Frame& here, int mover, int left, std::size_t at, Window window) {
  double best = judge();
  if (!window.narrow(mover, best)) return best;
  order_.rank_captures(*walk_, here.actions, here.moves);
  for (std::size_t i = 0; i < here.moves.size(); ++i) {
    const Action action = here.moves[i].action;
    walk_->forward(action);
    const double value = visit(left - 1, at + 1, window);
    walk_->back();
    if (mover == 0 ? value <= best : value >= best) continue;
    best = value;
    if (!window.narrow(mover, value)) break;
    extend(here, action, frame(at + 1));
  }
  return best;
}

// The mean over the faces of a die, with Star1 pruning (Ballard 1983): the bounds of the other
// faces give the window in which the value of this face matters.
double AlphaBeta::expect(Frame& here, int left, std::size_t at, Window window) {
  walk_->chances(here.actions, here.chances);
  double rest = 0;
  for (float chance : here.chances) rest += chance;
  const double total = rest;
  double sum = 0;
  for (std::size_t i = 0; i < here.actions.size(); ++i) {
    const double chance = here.chances[i] / total;
    if (chance <= 0) continue;
    rest = i + 1 == here.actions.size() ? 0 : rest - here.chances[i];
    const double others = rest / total * kMost;
    const Window face = {(window.low - sum - others) / chance,
                         (window.high - sum + others) / chance};
    walk_->forward(here.actions[i]);
    const double value = visit(left, at + 1, face);
    walk_->back();
    sum += chance * value;
    if (value <= face.low) return std::min(window.low, sum + others);
    if (value >= face.high) return std::max(window.high, sum - others);
  }
  return sum;
}

double AlphaBeta::judge() {
  ++judged_;
  ++open_;
  KeyedRandom dice({luck_, walk_->key()});
  const Evaluation evaluation = evaluator_.evaluate(*walk_, dice);
  return with_contempt(evaluation.value, evaluation.draw);
}

double AlphaBeta::read(const Ending& ending, int plies) const {
  if (std::abs(ending.outcome) < 1) return with_contempt(ending.outcome, ending.outcome == 0);
  return std::copysign(1 + (kLongest - plies) * kHaste, ending.outcome);
}

double AlphaBeta::read(const Proof& proof, int plies) const {
  if (proof.value == 0) return with_contempt(0, 1);
  const int plies_about = kPliesOfTurns * proof.distance;
  return std::copysign(1 + (kLongest - plies - plies_about) * kHaste, proof.value);
}

Frame& AlphaBeta::frame(std::size_t at) {
  while (at >= frames_.size()) frames_.emplace_back();
  return frames_[at];
}

}  // namespace

std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk) {
  if (player.settings.uses_net()) {
    throw PlayerError(
        "alphabeta cannot use a batched net: give eval=heuristic, rollout, uniform or hash");
  }
  return std::make_unique<AlphaBeta>(player, std::move(walk));
}

}  // namespace rulezero
