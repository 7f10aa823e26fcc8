#include <algorithm>
#include <cmath>

#include "search/leaf_evaluator.h"
#include "search/noise.h"
#include "search/thinkers.h"

namespace rulezero {
namespace {

// The index of the largest share, with ties broken at random, or with a temperature an index drawn
// in proportion to share ** (1 / temperature).
template <class Share>
std::size_t pick(const std::vector<Share>& shares, double temperature, KeyedRandom random) {
  const Share highest = *std::max_element(shares.begin(), shares.end());
  std::vector<double> weights;
  for (Share share : shares) {
    weights.push_back(temperature > 0 ? std::pow(share / highest, 1 / temperature)
                                      : share == highest);
  }
  return draw_index(random, weights);
}

class RandomMover final : public Thinker {
 public:
  RandomMover(const Player& player, std::unique_ptr<Walk> walk)
      : captures_(player.settings.captures), walk_(std::move(walk)) {}

  void begin(const StatePtr& state, const ChoiceKey& choice) override {
    walk_->start(state);
    std::vector<Action> actions;
    walk_->expand(actions);
    if (captures_ > 0 && choice.random(kSearchDice).fraction() < captures_) {
      std::vector<Action> taking;
      for (Action action : actions) {
        if (walk_->gain(action) > 0) taking.push_back(action);
      }
      if (!taking.empty()) actions = std::move(taking);
    }
    KeyedRandom random = choice.random(kMoveDraw);
    thought_.action = actions[random.below(static_cast<std::uint32_t>(actions.size()))];
  }
  Progress advance(EvalQueue&) override { return Progress::kDone; }

 private:
  const double captures_;
  std::unique_ptr<Walk> walk_;
};

class PolicyMover final : public Thinker {
 public:
  PolicyMover(const Player& player, std::unique_ptr<Walk> walk)
      : settings_(player.settings), walk_(std::move(walk)), evaluator_(player) {}

  void begin(const StatePtr& state, const ChoiceKey& choice) override {
    walk_->start(state);
    choice_ = choice;
    thought_ = Thought{};
    walk_->expand(thought_.actions);
    has_asked_ = false;
  }

  Progress advance(EvalQueue& queue) override {
    if (!thought_.weights.empty()) return Progress::kDone;
    if (has_asked_) return Progress::kWaiting;
    has_asked_ = true;
    if (settings_.uses_net()) {
      const auto known = queue.ask(*walk_, thought_.actions, 0);
      if (!known) return Progress::kWaiting;
      answer(0, *known);
    } else {
      KeyedRandom dice = choice_.random(kSearchDice);
      const Evaluation evaluation = evaluator_.evaluate(*walk_, dice);
      std::vector<float> priors;
      evaluator_.priors(*walk_, thought_.actions, priors);
      answer(0, {priors, evaluation});
    }
    return Progress::kDone;
  }

  void answer(int, const Answer& answer) override {
    thought_.weights.assign(answer.priors.begin(), answer.priors.end());
    thought_.value = thought_.raw_value = answer.evaluation.value;
    thought_.draw = answer.evaluation.draw;
    thought_.sims = 1;
    thought_.surprise = 0;
    thought_.action = thought_.actions[pick(
        thought_.weights, settings_.temperature_at(choice_.turn), choice_.random(kMoveDraw))];
    thought_.line = {thought_.action};
  }

 private:
  const Settings settings_;
  std::unique_ptr<Walk> walk_;
  LeafEvaluator evaluator_;
  ChoiceKey choice_{};
  bool has_asked_ = false;
};

// Evaluates every position that one choice leads to, and chooses the best for the mover. A die has
// its expected value, and the end of a game its exact value.
class OnePlyMover final : public Thinker {
 public:
  OnePlyMover(const Player& player, std::unique_ptr<Walk> walk)
      : settings_(player.settings), walk_(std::move(walk)), evaluator_(player) {}

  void begin(const StatePtr& state, const ChoiceKey& choice) override {
    walk_->start(state);
    choice_ = choice;
    sign_ = walk_->mover() == 0 ? 1 : -1;
    dice_ = choice.random(kSearchDice);
    thought_ = Thought{};
    walk_->expand(thought_.actions);
    parts_.clear();
    outstanding_ = 0;
    has_asked_ = false;
  }

  Progress advance(EvalQueue& queue) override {
    if (!has_asked_) {
      has_asked_ = true;
      for (std::size_t choice = 0; choice < thought_.actions.size(); ++choice) {
        walk_->forward(thought_.actions[choice]);
        open(queue, choice, 1, kMostDice);
        walk_->back();
      }
    }
    if (outstanding_ > 0) return Progress::kWaiting;
    if (thought_.weights.empty()) finish();
    return Progress::kDone;
  }

  void answer(int request, const Answer& answer) override {
    --outstanding_;
    parts_[request].evaluation = answer.evaluation;
  }

 private:
  // A position that a choice leads to with this probability.
  struct Part {
    std::size_t choice;
    double chance;
    Evaluation evaluation;  // 0 until it is made
  };

  void open(EvalQueue& queue, std::size_t choice, double chance, int most_dice) {
    std::vector<Action> actions;
    const auto ending = walk_->expand(actions);
    const int mover = walk_->mover();
    if (!ending && mover == kChance && most_dice > 0) {
      std::vector<float> chances;
      walk_->chances(actions, chances);
      for (std::size_t face = 0; face < actions.size(); ++face) {
        walk_->forward(actions[face]);
        open(queue, choice, chance * chances[face], most_dice - 1);
        walk_->back();
      }
      return;
    }
    Part& part = parts_.emplace_back(Part{choice, chance, {}});
    const auto settle = [&](float outcome) {
      part.evaluation = {outcome, static_cast<float>(outcome == 0)};
    };
    if (ending) {
      settle(ending->outcome);
    } else if (const auto proof = walk_->proof()) {
      settle(proof->value);
    } else if (mover != kChance) {
      ++thought_.sims;
      judge(queue, part);
    }
  }

  void judge(EvalQueue& queue, Part& part) {
    if (!settings_.uses_net()) {
      part.evaluation = evaluator_.evaluate(*walk_, dice_);
      return;
    }
    ++outstanding_;
    const int request = static_cast<int>(parts_.size()) - 1;
    if (const auto known = queue.ask(*walk_, {}, request)) answer(request, *known);
  }

  void finish() {
    // Summed only now and in a fixed order, so that the order of the answers does not matter.
    std::vector<double> values(thought_.actions.size(), 0);
    std::vector<double> draws(thought_.actions.size(), 0);
    for (const Part& part : parts_) {
      values[part.choice] += part.chance * part.evaluation.value;
      draws[part.choice] += part.chance * part.evaluation.draw;
    }
    std::vector<double> worths;
    for (std::size_t i = 0; i < values.size(); ++i) {
      worths.push_back(sign_ * values[i] + settings_.draw_value * draws[i]);
    }
    const double highest = *std::max_element(worths.begin(), worths.end());
    double sum = 0;
    for (double worth : worths) {
      const double share = std::exp(settings_.sharpness * (worth - highest));
      thought_.weights.push_back(static_cast<float>(share));
      sum += share;
    }
    for (float& weight : thought_.weights) weight = static_cast<float>(weight / sum);
    const double temperature = settings_.temperature_at(choice_.turn);
    // The best move is chosen by value: the softmax may round close values to equal shares.
    const KeyedRandom random = choice_.random(kMoveDraw);
    const std::size_t best = temperature > 0 ? pick(thought_.weights, temperature, random)
                                             : pick(worths, temperature, random);
    thought_.action = thought_.actions[best];
    thought_.value = static_cast<float>(std::clamp(values[best], -1.0, 1.0));
    thought_.draw = static_cast<float>(draws[best]);
    thought_.line = {thought_.action};
  }

  const Settings settings_;
  std::unique_ptr<Walk> walk_;
  LeafEvaluator evaluator_;
  ChoiceKey choice_{};
  KeyedRandom dice_{{}};
  double sign_ = 1;
  std::vector<Part> parts_;  // by request
  int outstanding_ = 0;
  bool has_asked_ = false;
};

}  // namespace

std::unique_ptr<Thinker> make_random(const Player& player, std::unique_ptr<Walk> walk) {
  return std::make_unique<RandomMover>(player, std::move(walk));
}

std::unique_ptr<Thinker> make_policy(const Player& player, std::unique_ptr<Walk> walk) {
  return std::make_unique<PolicyMover>(player, std::move(walk));
}

std::unique_ptr<Thinker> make_one_ply(const Player& player, std::unique_ptr<Walk> walk) {
  return std::make_unique<OnePlyMover>(player, std::move(walk));
}

}  // namespace rulezero
