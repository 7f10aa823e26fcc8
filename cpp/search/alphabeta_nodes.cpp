#include "search/alphabeta.h"

namespace rulezero::alphabeta {
namespace {

constexpr int kUnwatched = 16;  // positions visited between two looks at the clock

// Late move reductions: a move is late after this many others, this far from the leaves.
constexpr std::size_t kFullMoves = 3;
constexpr std::size_t kManyMoves = 10;
constexpr int kReducedDepth = 3;

constexpr int kMostExtensions = 4;  // of leaves in check, on one path

// The plies to a win count from the root, but in the table from the position itself.
double from_here(double value, int plies) {
  if (!is_win(value)) return value;
  return value + (value > 0 ? plies : -plies) * kHaste;
}
double from_root(double value, int plies) { return from_here(value, -plies); }

}  // namespace

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
  here.extensions = before.extensions;

  // A value also depends on the history, if a position may occur for the third time or a limit of
  // turns or quiet plies is near; the key contains neither. The history before the root is the same
  // for the whole search. So the table is used only while no position after the root has occurred
  // before, and while the plies left are too few to reach a limit, or for a position of the path to
  // come back twice: then the position has the same value on all paths. Evaluations are assumed to
  // depend only on what the key contains.
  here.is_new = before.is_new && walk_->times() == 1;
  const int deepest =
      std::max(left, 0) + (settings_.quiescence > 0 ? settings_.quiescence + kMostExtensions : 0);
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
  } else if (left > 0 || is_extended(here, left)) {
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

// Whether a leaf is searched one ply deeper because its mover's king is attacked.
bool AlphaBeta::is_extended(Frame& here, int left) const {
  if (left < 0 || here.extensions == kMostExtensions || !walk_->is_check()) return false;
  ++here.extensions;
  return true;
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

}  // namespace rulezero::alphabeta
