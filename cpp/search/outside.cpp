#include "search/thinkers.h"

namespace rulezero {
namespace {

class OutsideThinker final : public Thinker {
 public:
  void begin(const StatePtr& state, const ChoiceKey&) override { question_ = state; }
  Progress advance(EvalQueue&) override { return question_ ? Progress::kWaiting : Progress::kDone; }
  StatePtr question() const override { return question_; }

  void reply(Thought thought) override {
    thought_ = std::move(thought);
    question_.reset();
  }

 private:
  StatePtr question_;
};

}  // namespace

std::unique_ptr<Thinker> make_outside() { return std::make_unique<OutsideThinker>(); }

}  // namespace rulezero
