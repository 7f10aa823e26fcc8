#include <algorithm>
#include <numeric>

#include "search/thinkers.h"

namespace rulezero {
namespace {

class TablebaseThinker final : public Thinker {
 public:
  TablebaseThinker(std::shared_ptr<const Tables> tables, std::unique_ptr<Thinker> other)
      : tables_(std::move(tables)), other_(std::move(other)) {}

  void begin(const StatePtr& state, const ChoiceKey& choice) override {
    root_ = state;
    proof_ = tables_->proof(*state);
    knows_ = proof_ && proof_->value != 0 && choose();
    if (!knows_) other_->begin(state, choice);
  }

  Progress advance(EvalQueue& queue) override {
    if (knows_) return Progress::kDone;
    const Progress progress = other_->advance(queue);
    if (progress == Progress::kDone) {
      thought_ = other_->thought();
      if (proof_ && proof_->value == 0) hold();
    }
    return progress;
  }

  void answer(int request, const Answer& answer) override { other_->answer(request, answer); }
  void hurry() override {
    if (!knows_) other_->hurry();
  }
  int simulations() const override { return knows_ ? 0 : other_->simulations(); }

 private:
  // What the rules or the tables prove about the state after an action.
  std::optional<Proof> after(Action action) const {
    const StatePtr next = root_->apply(action);
    if (const auto& ending = next->ending()) return Proof{ending->outcome, 0};
    return tables_->proof(*next);
  }

  // Plays an action that keeps the value, on the way to the nearest win or the farthest loss. False
  // if the tables do not cover every action.
  bool choose() {
    const float value = proof_->value;
    const bool wins = (value > 0) == (root_->mover() == 0);
    std::vector<Action> actions;
    int best = 0;
    for (Action action : root_->legal()) {
      const auto proof = after(action);
      if (!proof) return false;
      if (proof->value != value) continue;
      if (actions.empty() || (wins ? proof->distance < best : proof->distance > best)) {
        actions.clear();
        best = proof->distance;
      }
      if (proof->distance == best) actions.push_back(action);
    }
    if (actions.empty()) return false;
    thought_ = certain(std::move(actions), value);
    return true;
  }

  // For a drawn position: plays the action to which `other_` gives the most weight among those that
  // keep the draw.
  void hold() {
    thought_.value = 0;
    thought_.draw = 1;
    const auto keeps = [&](Action action) {
      const auto proof = after(action);
      return !proof || proof->value == 0;
    };
    if (keeps(thought_.action)) return;
    std::vector<std::size_t> order(thought_.actions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return thought_.weights[a] > thought_.weights[b];
    });
    for (std::size_t i : order) {
      if (keeps(thought_.actions[i])) return take(thought_.actions[i]);
    }
    for (Action action : root_->legal()) {
      if (keeps(action)) return take(action);
    }
  }

  void take(Action action) {
    thought_.action = action;
    thought_.line = {action};
  }

  std::shared_ptr<const Tables> tables_;
  std::unique_ptr<Thinker> other_;
  StatePtr root_;
  std::optional<Proof> proof_;
  bool knows_ = false;  // whether the tables alone determine the move
};

}  // namespace

std::unique_ptr<Thinker> make_tablebase(const Player& player, std::unique_ptr<Thinker> other) {
  return std::make_unique<TablebaseThinker>(player.tables, std::move(other));
}

}  // namespace rulezero
