#include "search/known.h"

namespace rulezero {
namespace {

class Knowing final : public Thinker {
 public:
  Knowing(std::shared_ptr<const Tables> tables, std::unique_ptr<Thinker> other)
      : tables_(std::move(tables)), other_(std::move(other)) {}

  void begin(const StatePtr& state, const Occasion& occasion) override {
    const auto proof = tables_->proof(*state);
    knows_ = proof && proof->value != 0 && choose(*state, proof->value);
    if (!knows_) other_->begin(state, occasion);
  }

  Progress advance(Desk& desk) override {
    return knows_ ? Progress::kDone : other_->advance(desk);
  }
  void answer(int ticket, const Answer& answer) override { other_->answer(ticket, answer); }
  const Thought& thought() const override { return knows_ ? thought_ : other_->thought(); }
  int simulations() const override { return knows_ ? 0 : other_->simulations(); }

 private:
  // Takes an action that keeps the value: to the nearest win, or to the farthest loss. False if no
  // table tells where one of them leads.
  bool choose(const AnyState& state, float value) {
    thought_ = Thought{};
    const bool wins = (value > 0) == (state.mover() == 0);
    int best = 0;
    for (Action action : state.legal()) {
      const StatePtr next = state.apply(action);
      Proof after{};
      if (next->ending()) {
        after = {next->ending()->outcome, 0};
      } else if (const auto known = tables_->proof(*next)) {
        after = *known;
      } else {
        return false;
      }
      if (after.value != value) continue;
      const bool is_better =
          thought_.actions.empty() || (wins ? after.distance < best : after.distance > best);
      if (is_better) {
        thought_.actions.clear();
        best = after.distance;
      }
      if (is_better || after.distance == best) thought_.actions.push_back(action);
    }
    if (thought_.actions.empty()) return false;
    const auto many = static_cast<float>(thought_.actions.size());
    thought_.weights.assign(thought_.actions.size(), 1.0f / many);
    thought_.action = thought_.actions.front();
    thought_.line = {thought_.action};
    thought_.value = thought_.raw_value = value;
    thought_.draw = 0;
    thought_.surprise = 0;
    thought_.sims = 1;
    return true;
  }

  std::shared_ptr<const Tables> tables_;
  std::unique_ptr<Thinker> other_;
  bool knows_ = false;
  Thought thought_;
};

}  // namespace

std::unique_ptr<Thinker> make_knowing(const Player& player, std::unique_ptr<Thinker> other) {
  return std::make_unique<Knowing>(player.tables, std::move(other));
}

}  // namespace rulezero
