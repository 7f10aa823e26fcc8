#include "search/tree_search.h"

#include <algorithm>
#include <cmath>

#include "search/choose.h"
#include "search/noise.h"

namespace rulezero {
namespace {

constexpr int kSlice = 256;        // simulations before other games may continue
constexpr int kParts = 1024;       // answers that one simulation may wait for
constexpr int kLongestReuse = 64;  // plies between two thoughts of one player
constexpr double kEarliest = 0.3;  // share of the budget before a search may stop early
constexpr double kDecided = 0.95;  // absolute value above which a search may stop early

std::size_t nodes_in(int mebibytes) {
  return static_cast<std::size_t>(mebibytes) * (1 << 20) / sizeof(Node);
}

}  // namespace

TreeSearch::TreeSearch(const Player& player, std::unique_ptr<Walk> walk)
    : settings_(player.settings),
      tree_depth_(player.tree_depth),
      tree_visits_(player.tree_visits),
      walk_(std::move(walk)),
      evaluator_(player),
      tree_(nodes_in(player.settings.memory)),
      round_(static_cast<std::size_t>(player.settings.leaves)) {}

void TreeSearch::begin(const StatePtr& state, const ChoiceKey& choice) {
  limit_ = choice.limit;
  evaluator_.begin(limit_);
  if (!reuse_tree(state)) tree_.clear();
  if (limit_.exists()) tree_.reserve();
  root_ = state;
  choice_ = choice;
  walk_->start(state);
  dice_ = choice.random(kSearchDice);
  order_ = choice.random(kOrderDraw);
  root_sign_ = state->mover() == 0 ? 1 : -1;
  is_full_ = settings_.full_share >= 1 || !choice.is_recorded ||
             settings_.method == Method::kUcb1 ||
             choice.random(kBudgetDraw).fraction() < settings_.full_share;
  budget_ = is_full_ ? settings_.sims : settings_.fast_sims;
  done_ = 0;
  is_prepared_ = false;
}

// Keeps the subtree of the new state and returns true, if the tree contains that state. With
// contempt the values depend on the mover at the root, so the tree is not kept.
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

// A round has as many leaves as may wait at the same time. It ends when all answers have arrived.
// Only then are the leaves backed up, in the order of their requests, so the tree does not depend
// on cached answers or on the batches in which answers arrive.
Progress TreeSearch::advance(EvalQueue& queue) {
  while (true) {
    if (outstanding_ > 0) {
      if (limit_.exists() && missed_ == 0) {
        missed_ = outstanding_;
        waits_from_ = limit_.spent();
      }
      return Progress::kWaiting;
    }
    end_round();
    if (!tree_.root().has_children()) {
      walk_->rewind();
      path_.assign(1, Tree::kRoot);
      walk_->expand(actions_);
      open_leaf(queue, true);
      continue;
    }
    if (!is_prepared_) prepare_root();
    room_ = leaves_in_time();
    if (is_over() || room_ == 0) {
      finish();
      return Progress::kDone;
    }
    // A round is never cut short, or the tree would depend on kSlice.
    for (int done = 0; (done < kSlice || waiting_ > 0) && has_room(); ++done) {
      if (!simulate(queue)) break;
    }
    if (waiting_ == 0 && !is_over()) return Progress::kBusy;
  }
}

// The number of leaves that a net can evaluate in the time that is left; at most `leaves`.
int TreeSearch::leaves_in_time() const {
  if (!limit_.exists() || seconds_per_leaf_ <= 0) return settings_.leaves;
  const double leaves = limit_.left() / seconds_per_leaf_;
  return static_cast<int>(std::clamp<double>(leaves, 0, settings_.leaves));
}

bool TreeSearch::has_room() const {
  return waiting_ < room_ && done_ + waiting_ < budget_ && !is_over();
}

bool TreeSearch::is_over() const {
  return tree_.root().is_proven || done_ >= budget_ || limit_.is_over() || is_clear();
}

void TreeSearch::prepare_root() {
  is_prepared_ = true;
  const Node& root = tree_.root();
  const auto children = tree_.children(root);
  raw_priors_.clear();
  for (const Node& child : children) raw_priors_.push_back(child.prior);
  soften(raw_priors_, 1 / settings_.prior_temperature);
  if (settings_.draw_value == 0) raw_value_ = root.judged;
  find_win_in_one();
  if (settings_.method == Method::kGumbel) {
    gumbel_.begin(tree_, settings_, budget_, choice_.random(kGumbelDraw), limit_);
  }
  if (settings_.noise > 0 && is_full_) {
    const double alpha = settings_.alpha_total > 0
                             ? settings_.alpha_total / static_cast<double>(children.size())
                             : settings_.alpha;
    KeyedRandom random = choice_.random(kNoiseDraw);
    const auto noise = draw_dirichlet(random, children.size(), alpha);
    for (std::size_t i = 0; i < children.size(); ++i) {
      children[i].prior = static_cast<float>((1 - settings_.noise) * children[i].prior +
                                             settings_.noise * noise[i]);
    }
  }
}

// Whether the root's mover has won at the walk's position, for all results of pending dice.
bool TreeSearch::is_won_here(int most_dice) {
  std::vector<Action> actions;
  if (const auto ending = walk_->expand(actions)) return root_sign_ * ending->outcome >= 1;
  if (walk_->mover() != kChance || most_dice == 0) return false;
  return std::all_of(actions.begin(), actions.end(), [&](Action face) {
    walk_->forward(face);
    const bool is_won = is_won_here(most_dice - 1);
    walk_->back();
    return is_won;
  });
}

// Looks for a win in one before the search, so that few simulations cannot miss it.
void TreeSearch::find_win_in_one() {
  walk_->rewind();
  const Node& root = tree_.root();
  for (NodeIndex index = root.first; index < root.first + root.size; ++index) {
    walk_->forward(tree_[index].action);
    const bool is_won = is_won_here(kMostDice);
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
    const auto face = index_at(dice_.fraction(), tree_.children(node), &Node::prior);
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

// Makes one simulation, which is then complete or waits for the net. Returns false if it reached a
// leaf that already waits.
bool TreeSearch::simulate(EvalQueue& queue) {
  walk_->rewind();
  path_.assign(1, Tree::kRoot);
  NodeIndex at = Tree::kRoot;
  while (true) {
    const Node& node = tree_[at];
    if (node.is_proven) {
      tree_.back_up(path_, node.mean(), node.mean_draw());
      ++done_;
      return true;
    }
    if (!node.has_children()) {
      if (node.pending > 0) return false;
      const auto ending = walk_->expand(actions_);
      if (const auto known = ending ? std::optional(ending->outcome) : known_value()) {
        const double draw = *known == 0;
        const double value = *known + contempt(draw);
        tree_.back_up(path_, value, draw);
        tree_.prove(path_, value, draw);
        ++done_;
        return true;
      }
      if (walk_->mover() != kChance) return open_leaf(queue, true);
      walk_->chances(actions_, priors_);
      tree_.expand(at, kChance, actions_, priors_);
      if (!tree_[at].has_children()) return open_behind_die(queue);
    }
    at = choose(at);
    walk_->forward(tree_[at].action);
    path_.push_back(at);
  }
}

// The exact value of the walk's position, if it is known: by tables, or because the mover wins at
// once with one of `actions_`, its legal actions.
std::optional<float> TreeSearch::known_value() const {
  if (const auto proof = walk_->proof()) return proof->value;
  const auto wins = [&](Action action) { return walk_->wins(action); };
  if (std::none_of(actions_.begin(), actions_.end(), wins)) return std::nullopt;
  return to_seat0(1, walk_->mover());
}

// For a pending die in a full tree: rolls the die outside the tree, and continues from there.
bool TreeSearch::open_behind_die(EvalQueue& queue) {
  while (true) {
    walk_->forward(actions_[draw_index(dice_, priors_)]);
    if (const auto ending = walk_->expand(actions_)) {
      const double draw = ending->outcome == 0;
      tree_.back_up(path_, ending->outcome + contempt(draw), draw);
      ++done_;
      return true;
    }
    if (walk_->mover() != kChance) return open_leaf(queue, false);
    walk_->chances(actions_, priors_);
  }
}

// Evaluates the walk's position, at once or by the net; `actions_` are its legal actions. `is_node`
// is false if dice were rolled outside the tree: then the position is not the last node of the
// path.
bool TreeSearch::open_leaf(EvalQueue& queue, bool is_node) {
  Leaf& leaf = round_[waiting_];
  leaf.path = path_;
  leaf.actions = actions_;
  leaf.mover = walk_->mover();
  leaf.is_node = is_node;
  leaf.ends.clear();
  const bool in_turn = settings_.pass_quiescence && is_node && path_.size() > 1 &&
                       tree_[path_[path_.size() - 2]].mover == leaf.mover;
  if (in_turn) leaf.ends = find_chain_ends(*walk_, settings_.pass_quiescence_max_depth);
  evaluate(queue, leaf);
  if (settings_.uses_net()) {
    for (NodeIndex index : path_) ++tree_[index].pending;
    ++waiting_;
  } else {
    settle(leaf);
  }
  return true;
}

// Part 0 is the leaf itself, the others are the ends of its turn.
void TreeSearch::evaluate(EvalQueue& queue, Leaf& leaf) {
  const bool uses_net = settings_.uses_net();
  const auto evaluate_here = [&](std::span<const Action> actions, int part, Evaluation& into) {
    if (!uses_net) {
      into = evaluator_.evaluate(*walk_, dice_);
      return;
    }
    ++outstanding_;
    const int request = waiting_ * kParts + part;
    if (const auto known = queue.ask(*walk_, actions, request)) answer(request, *known);
  };
  evaluate_here(leaf.actions, 0, leaf.evaluation);
  if (!uses_net) evaluator_.priors(*walk_, leaf.actions, leaf.priors);
  for (int part = 1; ChainEnd& end : leaf.ends) {
    if (!end.is_over) {
      for (Action action : end.way) walk_->forward(action);
      evaluate_here({}, part, end.evaluation);
      for (std::size_t ply = 0; ply < end.way.size(); ++ply) walk_->back();
    }
    ++part;
  }
}

void TreeSearch::answer(int request, const Answer& answer) {
  --outstanding_;
  Leaf& leaf = round_[request / kParts];
  const int part = request % kParts;
  if (part > 0) {
    leaf.ends[part - 1].evaluation = answer.evaluation;
    return;
  }
  leaf.priors.assign(answer.priors.begin(), answer.priors.end());
  leaf.evaluation = answer.evaluation;
}

// Backs up every leaf of the round. All answers have arrived.
void TreeSearch::end_round() {
  if (missed_ > 0) {
    // One slow answer, on a busy machine, should not end a search long before its time.
    const double seconds =
        (limit_.spent() - waits_from_) / std::min(missed_, std::max(1, waiting_));
    const double most = seconds_per_leaf_ > 0 ? 2 * seconds_per_leaf_ : seconds;
    seconds_per_leaf_ = std::min(seconds, most);
    missed_ = 0;
  }
  for (int i = 0; i < waiting_; ++i) {
    for (NodeIndex index : round_[i].path) --tree_[index].pending;
  }
  for (int i = 0; i < waiting_; ++i) settle(round_[i]);
  waiting_ = 0;
}

// Adds the children of an evaluated leaf, and backs up its value. With pass_quiescence in the
// middle of a turn, this is the value of the best end of the turn for the mover.
void TreeSearch::settle(Leaf& leaf) {
  const double sign = leaf.mover == 0 ? 1 : -1;
  const auto worth = [&](Evaluation each) { return each.value + contempt(each.draw); };
  Evaluation best = leaf.evaluation;
  for (const ChainEnd& end : leaf.ends) {
    const bool is_first = &end == &leaf.ends.front();
    if (is_first || sign * worth(end.evaluation) > sign * worth(best)) best = end.evaluation;
  }
  const bool is_root = leaf.path.size() == 1;
  if (is_root) raw_value_ = leaf.evaluation.value;
  const double value = worth(best);
  if (leaf.is_node) {
    if (settings_.method == Method::kUcb1) shuffle(leaf);
    soften(leaf.priors, settings_.prior_temperature);
    tree_.expand(leaf.path.back(), leaf.mover, leaf.actions, leaf.priors);
    tree_[leaf.path.back()].judged = static_cast<float>(value);
  }
  tree_.back_up(leaf.path, value, best.draw);
  if (!is_root) ++done_;
}

// UCB1 uses no priors, and tries moves in random order.
void TreeSearch::shuffle(Leaf& leaf) {
  for (std::size_t left = leaf.actions.size(); left > 1; --left) {
    std::swap(leaf.actions[left - 1], leaf.actions[order_.below(static_cast<std::uint32_t>(left))]);
  }
  leaf.priors.assign(leaf.actions.size(), 1.0f / static_cast<float>(leaf.actions.size()));
}

// Whether the choice is clear before the budget is spent. Never for recorded choices, because nets
// are trained on their visits.
bool TreeSearch::is_clear() const {
  if (!settings_.early_stop || choice_.is_recorded) return false;
  if (done_ == 0 || done_ < kEarliest * budget_) return false;
  const Node& root = tree_.root();
  if (std::abs(root.mean()) > kDecided) return true;
  std::uint32_t most = 0;
  std::uint32_t second = 0;
  for (const Node& child : tree_.children(root)) {
    if (child.is_proven && root_sign_ * child.mean() <= -1) continue;  // never chosen
    second = std::max(second, std::min(most, child.visits));
    most = std::max(most, child.visits);
  }
  return most - second > static_cast<std::uint32_t>(budget_ - done_);
}

}  // namespace rulezero
