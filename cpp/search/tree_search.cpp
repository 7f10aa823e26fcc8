#include "search/tree_search.h"

#include <algorithm>
#include <cmath>

#include "search/choose.h"
#include "search/noise.h"

namespace rulezero {
namespace {

constexpr int kSlice = 256;        // simulations before others may have a turn
constexpr int kParts = 1024;       // answers that one simulation may wait for
constexpr int kLongestReuse = 64;  // plies between two thoughts of one player
constexpr double kEarliest = 0.3;  // share of the budget before a search may stop early
constexpr double kDecided = 0.95;  // value beyond which it may

std::size_t nodes_in(int mebibytes) {
  return static_cast<std::size_t>(mebibytes) * (1 << 20) / sizeof(Node);
}

}  // namespace

TreeSearch::TreeSearch(const Player& player, std::unique_ptr<Walk> walk)
    : settings_(player.settings),
      walk_(std::move(walk)),
      opinion_(player),
      tree_(nodes_in(player.settings.memory)),
      waiting_(static_cast<std::size_t>(player.settings.leaves)) {}

void TreeSearch::begin(const StatePtr& state, const Occasion& occasion) {
  if (!reuse_tree(state)) tree_.clear();
  root_ = state;
  occasion_ = occasion;
  walk_->start(state);
  dice_ = occasion.random(kSearchDice);
  order_ = occasion.random(kOrderDraw);
  root_sign_ = state->mover() == 0 ? 1 : -1;
  is_full_ = settings_.full_share >= 1 || !occasion.is_recorded ||
             settings_.method == Method::kUcb1 ||
             occasion.random(kBudgetDraw).fraction() < settings_.full_share;
  budget_ = is_full_ ? settings_.sims : settings_.fast_sims;
  done_ = 0;
  is_prepared_ = false;
}

// Keeps what the tree knows below the new state, if it was on its way. With contempt the values
// are coloured by who thought, so that tree is not kept.
bool TreeSearch::reuse_tree(const StatePtr& state) {
  if (!settings_.reuse || !root_ || settings_.draw_value != 0) return false;
  std::vector<Action> way;
  StatePtr earlier = state;
  while (earlier != root_) {
    if (way.size() == kLongestReuse || !earlier->action()) return false;
    way.push_back(*earlier->action());
    earlier = earlier->before();
  }
  NodeIndex at = Tree::kRoot;
  for (auto action = way.rbegin(); action != way.rend(); ++action) {
    at = tree_.child(at, *action);
    if (at == Tree::kRoot) return false;
  }
  if (!tree_[at].has_children()) return false;
  tree_.keep(at);
  return true;
}

Progress TreeSearch::advance(Desk& desk) {
  if (!tree_.root().has_children()) {
    if (pending_ > 0) return Progress::kWaiting;
    walk_->rewind();
    path_.assign(1, Tree::kRoot);
    walk_->expand(actions_);
    open_leaf(desk);
    if (pending_ > 0) return Progress::kWaiting;
  }
  if (!is_prepared_) prepare_root();
  for (int simulation = 0; simulation < kSlice; ++simulation) {
    if (tree_.root().is_proven || done_ >= budget_ || is_clear()) {
      if (pending_ > 0) return Progress::kWaiting;
      finish();
      return Progress::kDone;
    }
    const bool has_room = pending_ < settings_.leaves && done_ + pending_ < budget_;
    if (!has_room || !simulate(desk)) return Progress::kWaiting;
  }
  return pending_ > 0 ? Progress::kWaiting : Progress::kBusy;
}

void TreeSearch::prepare_root() {
  is_prepared_ = true;
  const Node& root = tree_.root();
  const auto children = tree_.children(root);
  raw_priors_.clear();
  for (const Node& child : children) raw_priors_.push_back(child.prior);
  if (settings_.draw_value == 0) raw_value_ = root.known;
  find_win_in_one();
  if (settings_.method == Method::kGumbel) {
    gumbel_.begin(tree_, settings_, budget_, occasion_.random(kGumbelDraw));
  }
  if (settings_.noise > 0 && is_full_) {
    const double alpha = settings_.alpha_total > 0
                             ? settings_.alpha_total / static_cast<double>(children.size())
                             : settings_.alpha;
    KeyedRandom random = occasion_.random(kNoiseDraw);
    const auto noise = draw_dirichlet(random, children.size(), alpha);
    for (std::size_t i = 0; i < children.size(); ++i) {
      children[i].prior = static_cast<float>((1 - settings_.noise) * children[i].prior +
                                             settings_.noise * noise[i]);
    }
  }
}

// Whether the game is won for the root's mover where the walk stands, whatever a die may say.
bool TreeSearch::is_won_here() {
  std::vector<Action> actions;
  if (const auto ending = walk_->expand(actions)) return root_sign_ * ending->outcome >= 1;
  if (walk_->mover() != kChance) return false;
  return std::all_of(actions.begin(), actions.end(), [&](Action face) {
    walk_->forward(face);
    const bool is_won = is_won_here();
    walk_->back();
    return is_won;
  });
}

// A look around before the search: nobody overlooks a win in one, however few the simulations.
void TreeSearch::find_win_in_one() {
  walk_->rewind();
  const Node& root = tree_.root();
  for (NodeIndex index = root.first; index < root.first + root.size; ++index) {
    walk_->forward(tree_[index].action);
    const bool is_won = is_won_here();
    walk_->back();
    if (is_won) {
      const NodeIndex path[] = {Tree::kRoot, index};
      tree_.prove(path, root_sign_, 0);
      return;
    }
  }
}

NodeIndex TreeSearch::choose(NodeIndex at) {
  const Node& node = tree_[at];
  if (node.mover == kChance) {
    const auto faces = tree_.children(node);
    double left = dice_.fraction();
    std::size_t face = 0;
    while (face + 1 < faces.size() && (left -= faces[face].prior) >= 0) ++face;
    return node.first + static_cast<NodeIndex>(face);
  }
  const bool is_root = at == Tree::kRoot;
  switch (settings_.method) {
    case Method::kGumbel:
      return is_root ? gumbel_.choose(tree_) : choose_inside(tree_, node, settings_, scratch_);
    case Method::kUcb1:
      return choose_ucb1(tree_, node, settings_);
    default:
      return choose_puct(tree_, node, settings_, is_root && is_full_ ? settings_.forced : 0,
                         is_root);
  }
}

// One simulation, complete or waiting for the net; false if it came to a leaf that already waits.
bool TreeSearch::simulate(Desk& desk) {
  walk_->rewind();
  path_.assign(1, Tree::kRoot);
  NodeIndex at = Tree::kRoot;
  while (true) {
    const Node& node = tree_[at];
    if (node.is_proven) {
      tree_.back_up(path_, node.known, node.mean_draw());
      ++done_;
      return true;
    }
    if (!node.has_children()) {
      if (node.pending > 0) return false;
      if (const auto ending = walk_->expand(actions_)) {
        const double draw = ending->outcome == 0;
        const double value = ending->outcome + contempt(draw);
        tree_.back_up(path_, value, draw);
        tree_.prove(path_, value, draw);
        ++done_;
        return true;
      }
      if (walk_->mover() != kChance) return open_leaf(desk);
      walk_->chances(actions_, priors_);
      tree_.expand(at, kChance, actions_, priors_);
      if (!tree_[at].has_children()) return open_behind_die(desk);
    }
    at = choose(at);
    walk_->forward(tree_[at].action);
    path_.push_back(at);
  }
}

// The tree is full and a die is pending: it is thrown outside the tree.
bool TreeSearch::open_behind_die(Desk& desk) {
  while (true) {
    walk_->forward(actions_[draw_index(dice_, priors_)]);
    if (const auto ending = walk_->expand(actions_)) {
      const double draw = ending->outcome == 0;
      tree_.back_up(path_, ending->outcome + contempt(draw), draw);
      ++done_;
      return true;
    }
    if (walk_->mover() != kChance) return open_leaf(desk);
    walk_->chances(actions_, priors_);
  }
}

// Has the position where the walk stands judged, now or by the net; `actions_` are legal there.
bool TreeSearch::open_leaf(Desk& desk) {
  const int mover = walk_->mover();
  const bool in_turn = settings_.pass_quiescence && path_.size() > 1 &&
                       tree_[path_[path_.size() - 2]].mover == mover;
  if (!settings_.uses_net()) {
    auto [value, draw] = opinion_.judge(*walk_, dice_);
    opinion_.weigh(*walk_, actions_, priors_);
    if (in_turn) judge_ends(mover, value, draw);
    settle(path_, mover, actions_, priors_, value, draw);
    return true;
  }
  const auto free = std::find_if(waiting_.begin(), waiting_.end(),
                                 [](const Waiting& each) { return each.path.empty(); });
  Waiting& waiting = *free;
  const int ticket = static_cast<int>(free - waiting_.begin()) * kParts;
  waiting.path = path_;
  waiting.actions = actions_;
  waiting.mover = mover;
  waiting.outstanding = 0;
  waiting.ends.clear();
  if (in_turn) waiting.ends = find_chain_ends(*walk_, settings_.pass_quiescence_max_depth);
  // The leaf itself is asked last: while parts are open none of the answers completes it.
  waiting.has_value = false;
  ++waiting.outstanding;
  for (std::size_t end = 0; end < waiting.ends.size(); ++end) {
    const ChainEnd& chain = waiting.ends[end];
    if (chain.is_over) {
      const float draw = chain.outcome == 0;
      offer(waiting, chain.outcome, draw);
      continue;
    }
    for (Action action : chain.way) walk_->forward(action);
    ++waiting.outstanding;
    const int part = static_cast<int>(end) + 1;
    if (const auto known = desk.ask(*walk_, {}, ticket + part)) take(waiting, part, *known);
    for (std::size_t ply = 0; ply < chain.way.size(); ++ply) walk_->back();
  }
  ++pending_;
  for (NodeIndex index : path_) ++tree_[index].pending;
  if (const auto known = desk.ask(*walk_, actions_, ticket)) take(waiting, 0, *known);
  if (waiting.outstanding == 0) complete(waiting);
  return true;
}

// The value of the best end of the turn under way, where there is one.
void TreeSearch::judge_ends(int mover, float& value, float& draw) {
  Waiting best;
  best.mover = mover;
  for (const ChainEnd& chain : find_chain_ends(*walk_, settings_.pass_quiescence_max_depth)) {
    if (chain.is_over) {
      offer(best, chain.outcome, chain.outcome == 0);
      continue;
    }
    for (Action action : chain.way) walk_->forward(action);
    const auto verdict = opinion_.judge(*walk_, dice_);
    offer(best, verdict.value, verdict.draw);
    for (std::size_t ply = 0; ply < chain.way.size(); ++ply) walk_->back();
  }
  if (!best.has_value) return;
  value = best.value;
  draw = best.draw;
}

// Takes an end of a turn if its mover likes it better than those before, contempt included.
void TreeSearch::offer(Waiting& waiting, float value, float draw) const {
  const double sign = waiting.mover == 0 ? 1 : -1;
  const double worth = sign * (value + contempt(draw));
  if (waiting.has_value && worth <= sign * (waiting.value + contempt(waiting.draw))) return;
  waiting.has_value = true;
  waiting.value = value;
  waiting.draw = draw;
}

void TreeSearch::answer(int ticket, const Answer& answer) {
  Waiting& waiting = waiting_[static_cast<std::size_t>(ticket / kParts)];
  take(waiting, ticket % kParts, answer);
  if (waiting.outstanding == 0) complete(waiting);
}

void TreeSearch::take(Waiting& waiting, int part, const Answer& answer) {
  --waiting.outstanding;
  if (part == 0) {
    waiting.priors.assign(answer.priors.begin(), answer.priors.end());
    if (!waiting.ends.empty()) return;  // its value is that of an end
  }
  const int mover =
      part == 0 ? waiting.mover : waiting.ends[static_cast<std::size_t>(part) - 1].mover;
  offer(waiting, mover == 0 ? answer.value : -answer.value, answer.draw);
}

void TreeSearch::complete(Waiting& waiting) {
  --pending_;
  for (NodeIndex index : waiting.path) --tree_[index].pending;
  settle(waiting.path, waiting.mover, waiting.actions, waiting.priors, waiting.value, waiting.draw);
  waiting.path.clear();
}

// A judged leaf: it gets its children, and the path its value.
void TreeSearch::settle(std::span<const NodeIndex> path, int mover, std::span<const Action> actions,
                        std::span<const float> priors, float value, float draw) {
  const bool is_root = path.size() == 1;
  const double worth = value + contempt(draw);
  if (is_root) raw_value_ = value;
  if (settings_.method == Method::kUcb1) {
    shuffled_.assign(actions.begin(), actions.end());
    for (std::size_t left = shuffled_.size(); left > 1; --left) {
      std::swap(shuffled_[left - 1], shuffled_[order_.below(static_cast<std::uint32_t>(left))]);
    }
    even_.assign(actions.size(), 1.0f / static_cast<float>(actions.size()));
    actions = shuffled_;
    priors = even_;
  }
  tree_.expand(path.back(), mover, actions, priors);
  tree_[path.back()].known = static_cast<float>(worth);
  tree_.back_up(path, worth, draw);
  if (!is_root) ++done_;
}

// Whether the choice is clear before the budget is spent, where nobody learns from the visits.
bool TreeSearch::is_clear() const {
  if (!settings_.early_stop || occasion_.is_recorded) return false;
  if (done_ == 0 || done_ < kEarliest * budget_) return false;
  const Node& root = tree_.root();
  if (std::abs(root.mean()) > kDecided) return true;
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  for (const Node& child : tree_.children(root)) {
    second = std::max(second, std::min(most, child.visits));
    most = std::max(most, child.visits);
  }
  return most - second > static_cast<std::uint32_t>(budget_ - done_);
}

}  // namespace rulezero
