#include <cmath>

#include "search/thinkers.h"

namespace rulezero {
namespace {

class ScriptedPlayer final : public Thinker {
 public:
  ScriptedPlayer(const Player& player, std::unique_ptr<Walk> walk)
      : turns_(player.settings.hunt),
        walk_(*walk),
        other_(make_alphabeta(player, std::move(walk))) {}

  void begin(const StatePtr& state, const ChoiceKey& choice) override {
    walk_.start(state);
    const Advice advice = walk_.advice(turns_);
    is_decided_ = advice.win.has_value();
    judgement_ = walk_.facts().has_heuristic ? walk_.heuristic_value() : advice.value;
    if (!is_decided_) return other_->begin(state, choice);
    thought_ = certain({*advice.win}, to_seat0(1, walk_.mover()));
  }

  Progress advance(EvalQueue& queue) override {
    if (is_decided_) return Progress::kDone;
    const Progress progress = other_->advance(queue);
    if (progress == Progress::kDone) {
      thought_ = other_->thought();
      thought_.raw_value = judgement_;
      // The script's points choose moves; they do not predict how the game will end.
      if (std::abs(thought_.value) < 1.0f) thought_.value = judgement_;
    }
    return progress;
  }

  void hurry() override {
    if (!is_decided_) other_->hurry();
  }

 private:
  const int turns_;                 // number of turns to look ahead for a forced win
  Walk& walk_;                      // owned by other_
  std::unique_ptr<Thinker> other_;  // chooses if the script finds no win
  bool is_decided_ = false;
  float judgement_ = 0.0f;  // value by the heuristic
};

}  // namespace

std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk) {
  if (!walk->facts().has_script) {
    throw PlayerError(walk->facts().name + " has no script: choose another player");
  }
  return std::make_unique<ScriptedPlayer>(player, std::move(walk));
}

}  // namespace rulezero
