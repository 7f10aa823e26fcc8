#include "search/alphabeta.h"

namespace rulezero {
namespace alphabeta {
namespace {

constexpr std::uint32_t kStretch = 200000;  // positions evaluated before other games get a turn
constexpr std::size_t kGrowth = 16;         // expected growth of the table in the next iteration

}  // namespace

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
Frame& AlphaBeta::frame(std::size_t at) {
  while (at >= frames_.size()) frames_.emplace_back();
  return frames_[at];
}

}  // namespace alphabeta

std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk) {
  if (player.settings.uses_net()) {
    throw PlayerError(
        "alphabeta cannot use a batched net: give eval=heuristic, rollout, uniform or hash");
  }
  return std::make_unique<alphabeta::AlphaBeta>(player, std::move(walk));
}

}  // namespace rulezero
