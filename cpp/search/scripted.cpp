#include "search/scripted.h"

#include <cmath>

#include "eval/heuristic.h"
#include "eval/monster_hunt.h"
#include "search/alphabeta.h"

namespace rulezero {
namespace {

class ScriptedBlack final : public Thinker {
 public:
  ScriptedBlack(const Player& player, std::unique_ptr<Walk> walk)
      : turns_(player.settings.hunt), other_(make_alphabeta(player, std::move(walk))) {}

  void begin(const StatePtr& state, const Occasion& occasion) override {
    const auto& here = static_cast<const StateOf<Monster>&>(*state);
    const auto action = forced_hunt(here.moment().position, turns_);
    is_decided_ = action.has_value();
    judgement_ = heuristic(here.owner().rules(), here.moment());
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
    if (is_decided_) return Progress::kDone;
    const Progress progress = other_->advance(desk);
    if (progress == Progress::kDone) {
      thought_ = other_->thought();
      thought_.raw_value = judgement_;
      // The script's points choose moves; how the game will end they do not say.
      if (std::abs(thought_.value) < 1.0f) thought_.value = judgement_;
    }
    return progress;
  }
  void answer(int, const Answer&) override {}  // it never asks
  const Thought& thought() const override { return thought_; }

 private:
  const int turns_;
  std::unique_ptr<Thinker> other_;
  bool is_decided_ = false;
  float judgement_ = 0.0f;  // the heuristic's
  Thought thought_;
};

}  // namespace

std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk) {
  if (!walk->has_script()) {
    throw SeatError("nobody has written a script for this game: monster has one");
  }
  return std::make_unique<ScriptedBlack>(player, std::move(walk));
}

}  // namespace rulezero
