#include "search/scripted.h"

#include "eval/monster_hunt.h"
#include "search/alphabeta.h"

namespace rulezero {
namespace {

class Scripted final : public Thinker {
 public:
  Scripted(const Player& player, std::unique_ptr<Walk> walk)
      : turns_(player.settings.hunt), other_(make_alphabeta(player, std::move(walk))) {}

  void begin(const StatePtr& state, const Occasion& occasion) override {
    const auto& position = static_cast<const StateOf<Monster>&>(*state).moment().position;
    const auto action = forced_hunt(position, turns_);
    is_decided_ = action.has_value();
    if (!is_decided_) return other_->begin(state, occasion);
    thought_ = Thought{};
    thought_.action = *action;
    thought_.actions = thought_.line = {*action};
    thought_.weights = {1.0f};
    thought_.value = thought_.raw_value = -1.0f;
    thought_.draw = thought_.surprise = 0.0f;
    thought_.sims = 1;
  }

  Progress advance(Desk& desk) override {
    return is_decided_ ? Progress::kDone : other_->advance(desk);
  }
  void answer(int, const Answer&) override {}  // it never asks
  const Thought& thought() const override { return is_decided_ ? thought_ : other_->thought(); }

 private:
  const int turns_;
  std::unique_ptr<Thinker> other_;
  bool is_decided_ = false;
  Thought thought_;
};

}  // namespace

std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk) {
  if (!walk->has_script()) {
    throw SeatError("nobody has written a script for this game: monster has one");
  }
  return std::make_unique<Scripted>(player, std::move(walk));
}

}  // namespace rulezero
