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

// Scores are seat 0's values, and a win lies a little above 1: the sooner, the higher. So every
// win beats every evaluation, and the mean over a die needs no care.
constexpr int kLongest = 1024;         // plies, above any depth and any solved win behind it
constexpr int kPliesOfTurns = 3;       // about, of the winner's turn and the loser's
constexpr double kHaste = 0x1p-40;     // what a ply sooner is worth
constexpr double kSure = 1 - 0x1p-20;  // the most that an evaluation counts
constexpr double kMost = 1 + kLongest * kHaste;

constexpr std::uint32_t kStretch = 200000;  // positions evaluated before other games get a turn
constexpr std::size_t kGrowth = 16;         // how much more the next iteration may find, about

bool is_win(double value) { return std::abs(value) > 1; }

// Wins are counted from the root, but in the table from the position itself.
double from_here(double value, int plies) {
  if (!is_win(value)) return value;
  return value + (value > 0 ? plies : -plies) * kHaste;
}
double from_root(double value, int plies) { return from_here(value, -plies); }

struct Window {
  double low;   // what seat 0 is sure of already
  double high;  // what seat 1 can hold it to

  // Narrows the window by what the mover can choose; false is a cutoff.
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

// One step of the path; kept from node to node, so that nothing is allocated on the way.
struct Frame {
  std::vector<Action> actions;
  std::vector<Ranked> moves;
  std::vector<float> chances;
  std::vector<Action> line;  // the best from here, as far as it is known
  Killers killers = kNoKillers;
  bool is_new = true;  // whether no position after the root, up to here, has occurred before
};

void extend(Frame& here, Action action, const Frame& next) {
  here.line.assign(1, action);
  here.line.insert(here.line.end(), next.line.begin(), next.line.end());
}

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

  double visit(int left, std::size_t at, Window window);
  double choose(Frame& here, int mover, int left, std::size_t at, Window window, Action first);
  double expect(Frame& here, int left, std::size_t at, Window window);
  double judge();
  double read(const Ending& ending, int left) const;
  double read(const Proof& proof, int left) const;

  Frame& frame(std::size_t at);
  int plies(int left) const { return depth_ - left; }
  double with_contempt(double value, double draw) const {
    return std::clamp(value + contempt_ * draw, -kSure, kSure);
  }

  const Settings settings_;
  std::unique_ptr<Walk> walk_;
  LeafEvaluator evaluator_;
  Transpositions table_;
  MoveOrder order_;
  std::deque<Frame> frames_;  // they stay where they are while it grows

  int mover_;             // at the root
  double contempt_;       // what a draw is worth to seat 0
  std::uint64_t luck_;    // random games are keyed by it and by the position, not by their order
  std::uint32_t judged_;  // positions
  std::uint64_t open_;    // lines of this iteration that ended in an evaluation
  KeyedRandom lots_{{}};  // for ties at the root

  // The iteration and how far it has come.
  bool is_hurried_;  // to be the last, if it is the first; else the one before it was
  int depth_;
  std::size_t tried_;  // moves of the root
  Window window_;
  double best_;
  std::vector<Action> equals_;  // moves with that value, the chosen one among them
};

void AlphaBeta::begin(const StatePtr& state, const ChoiceKey& choice) {
  if (state->ending() || state->mover() == kChance) {
    throw PositionError("there is nothing to choose: the game is over or a die is pending");
  }
  walk_->start(state);
  table_.forget();
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
      complete_line();
      return Progress::kDone;
    }
    const Action action = root.moves[tried_].action;
    walk_->forward(action);
    const double value = visit(depth_ - 1, 1, window_);
    walk_->back();
    compare(action, value);
    ++tried_;
    if (judged_ - before >= kStretch) return Progress::kBusy;
  }
  end_iteration();
  if (depth_ >= settings_.depth || is_win(best_) || open_ == 0 || is_hurried_) {
    complete_line();
    return Progress::kDone;
  }
  table_.grow(kGrowth);
  begin_iteration(depth_ + 1);
  return Progress::kBusy;
}

// Takes a move of the root that is better than those before it. One that is as good is taken by
// lot, in place of k others with the chance 1 / (k + 1), so that all of them have the same.
void AlphaBeta::compare(Action action, double value) {
  const bool is_better = tried_ == 0 || (mover_ == 0 ? value > best_ : value < best_);
  if (is_better) {
    best_ = value;
    equals_.clear();
    // A value at the edge of the window is only a bound: to know equals, the edge lies beyond them.
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

// A value from the table has no line behind it: its moves are in the table too, mostly.
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
  Frame& here = frame(at);
  here.line.clear();

  // A value depends on the past too, where a position may come for the third time or a limit of
  // turns or quiet plies is near, and the key holds neither. What lies before the root is the same
  // for the whole search. So the table serves only while no position after the root has occurred
  // before, and while the plies left are too few for a limit, or for a position of the path to
  // come back twice: then all ways to this position give it the same value. Evaluations are taken
  // to read nothing but what the key holds.
  here.is_new = frame(at - 1).is_new && walk_->times() == 1;
  const bool is_keyed = here.is_new && left <= walk_->exact_horizon();
  const Key key = walk_->key();
  Action first = kNoAction;
  if (const Finding* finding = table_.find(key)) {
    first = finding->action;
    if (is_keyed && (finding->left == left || (finding->is_final && finding->left < left))) {
      const double value = from_root(finding->value, plies(left));
      if (finding->bound == Bound::kExact ||
          (finding->bound == Bound::kAtLeast && value >= window.high) ||
          (finding->bound == Bound::kAtMost && value <= window.low)) {
        open_ += !finding->is_final;
        return value;
      }
    }
  }

  if (const auto ending = walk_->expand(here.actions)) return read(*ending, left);
  if (const auto proof = walk_->proof()) return read(*proof, left);
  const std::uint64_t open = open_;
  const int mover = walk_->mover();
  double value;
  if (mover == kChance) {
    value = expect(here, left, at, window);
  } else if (left == 0) {
    value = judge();
    window = kOpen;  // an evaluation is no bound
  } else {
    value = choose(here, mover, left, at, window, first);
    first = here.moves.front().action;
  }
  const Bound bound = !is_keyed              ? Bound::kNothing
                      : value <= window.low  ? Bound::kAtMost
                      : value >= window.high ? Bound::kAtLeast
                                             : Bound::kExact;
  table_.keep({.key = key,
               .value = from_here(value, plies(left)),
               .action = first,
               .generation = 0,
               .left = static_cast<std::uint8_t>(left),
               .is_final = open == open_,
               .bound = bound});
  return value;
}

// The mover's best; it is then the first of here.moves.
double AlphaBeta::choose(Frame& here, int mover, int left, std::size_t at, Window window,
                         Action first) {
  order_.rank(*walk_, here.actions, first, here.killers, here.moves);
  double best = mover == 0 ? -kInfinity : kInfinity;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < here.moves.size(); ++i) {
    const Ranked move = here.moves[i];
    walk_->forward(move.action);
    const double value = visit(left - 1, at + 1, window);
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

// The mean over the faces of a die. Star1 (Ballard 1983): what the other faces can bring at most
// and at least says what this one must bring to matter.
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

double AlphaBeta::read(const Ending& ending, int left) const {
  if (std::abs(ending.outcome) < 1) return with_contempt(ending.outcome, ending.outcome == 0);
  return std::copysign(1 + (kLongest - plies(left)) * kHaste, ending.outcome);
}

double AlphaBeta::read(const Proof& proof, int left) const {
  if (proof.value == 0) return with_contempt(0, 1);
  const int plies_about = kPliesOfTurns * proof.distance;
  return std::copysign(1 + (kLongest - plies(left) - plies_about) * kHaste, proof.value);
}

Frame& AlphaBeta::frame(std::size_t at) {
  while (at >= frames_.size()) frames_.emplace_back();
  return frames_[at];
}

}  // namespace

std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk) {
  if (player.settings.uses_net()) {
    throw PlayerError("alphabeta asks no net: give it eval=heuristic, rollout, uniform or hash");
  }
  return std::make_unique<AlphaBeta>(player, std::move(walk));
}

}  // namespace rulezero
