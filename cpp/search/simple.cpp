#include "search/simple.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "search/noise.h"
#include "search/opinion.h"

namespace rulezero {
namespace {

// The best of them, equals by lot, or one drawn with shares ** (1 / temperature).
std::size_t pick(std::span<const float> shares, double temperature, KeyedRandom random) {
  const float highest = *std::max_element(shares.begin(), shares.end());
  std::vector<double> weights;
  for (float share : shares) {
    weights.push_back(temperature > 0 ? std::pow(share / highest, 1 / temperature)
                                      : share == highest);
  }
  return draw_index(random, weights);
}

class RandomMover final : public Thinker {
 public:
  RandomMover(const Player& player, std::unique_ptr<Walk> walk)
      : captures_(player.settings.captures), walk_(std::move(walk)) {}

  void begin(const StatePtr& state, const Occasion& occasion) override {
    walk_->start(state);
    std::vector<Action> actions;
    walk_->expand(actions);
    if (captures_ > 0 && occasion.random(kSearchDice).fraction() < captures_) {
      std::vector<Action> taking;
      for (Action action : actions) {
        if (walk_->gain(action) > 0) taking.push_back(action);
      }
      if (!taking.empty()) actions = std::move(taking);
    }
    KeyedRandom random = occasion.random(kMoveDraw);
    thought_.action = actions[random.below(static_cast<std::uint32_t>(actions.size()))];
  }
  Progress advance(Desk&) override { return Progress::kDone; }
  void answer(int, const Answer&) override {}
  const Thought& thought() const override { return thought_; }

 private:
  const double captures_;
  std::unique_ptr<Walk> walk_;
  Thought thought_;
};

class PolicyMover final : public Thinker {
 public:
  PolicyMover(const Player& player, std::unique_ptr<Walk> walk)
      : settings_(player.settings), walk_(std::move(walk)), opinion_(player) {}

  void begin(const StatePtr& state, const Occasion& occasion) override {
    walk_->start(state);
    occasion_ = occasion;
    thought_ = Thought{};
    walk_->expand(thought_.actions);
    has_asked_ = false;
  }

  Progress advance(Desk& desk) override {
    if (!thought_.weights.empty()) return Progress::kDone;
    if (has_asked_) return Progress::kWaiting;
    has_asked_ = true;
    if (settings_.uses_net()) {
      const auto known = desk.ask(*walk_, thought_.actions, 0);
      if (!known) return Progress::kWaiting;
      answer(0, *known);
    } else {
      KeyedRandom dice = occasion_.random(kSearchDice);
      const auto [value, draw] = opinion_.judge(*walk_, dice);
      std::vector<float> priors;
      opinion_.weigh(*walk_, thought_.actions, priors);
      answer(0, {priors, walk_->mover() == 0 ? value : -value, draw});
    }
    return Progress::kDone;
  }

  void answer(int, const Answer& answer) override {
    thought_.weights.assign(answer.priors.begin(), answer.priors.end());
    thought_.raw_value = walk_->mover() == 0 ? answer.value : -answer.value;
    thought_.value = thought_.raw_value;
    thought_.draw = answer.draw;
    thought_.sims = 1;
    thought_.surprise = 0;
    thought_.action = thought_.actions[pick(
        thought_.weights, settings_.temperature_at(occasion_.turn), occasion_.random(kMoveDraw))];
    thought_.line = {thought_.action};
  }

  const Thought& thought() const override { return thought_; }

 private:
  const Settings settings_;
  std::unique_ptr<Walk> walk_;
  Opinion opinion_;
  Occasion occasion_{};
  bool has_asked_ = false;
  Thought thought_;
};

// Judges every position that one choice leads to, and takes the best for the mover: the
// expectation over a die, exact values where the game ends.
class OnePlyMover final : public Thinker {
 public:
  OnePlyMover(const Player& player, std::unique_ptr<Walk> walk)
      : settings_(player.settings), walk_(std::move(walk)), opinion_(player) {}

  void begin(const StatePtr& state, const Occasion& occasion) override {
    walk_->start(state);
    occasion_ = occasion;
    sign_ = walk_->mover() == 0 ? 1 : -1;
    dice_ = occasion.random(kSearchDice);
    thought_ = Thought{};
    walk_->expand(thought_.actions);
    parts_.clear();
    outstanding_ = 0;
    has_asked_ = false;
  }

  Progress advance(Desk& desk) override {
    if (!has_asked_) {
      has_asked_ = true;
      for (std::size_t choice = 0; choice < thought_.actions.size(); ++choice) {
        walk_->forward(thought_.actions[choice]);
        open(desk, choice, 1, kMostDice);
        walk_->back();
      }
    }
    if (outstanding_ > 0) return Progress::kWaiting;
    if (thought_.weights.empty()) finish();
    return Progress::kDone;
  }

  void answer(int ticket, const Answer& answer) override {
    --outstanding_;
    Part& part = parts_[static_cast<std::size_t>(ticket)];
    part.value = part.mover == 0 ? answer.value : -answer.value;
    part.draw = answer.draw;
  }

  const Thought& thought() const override { return thought_; }

 private:
  static constexpr int kMostDice = 4;  // in a row; what lies behind more of them counts as even

  // A position that a choice leads to with this chance.
  struct Part {
    std::size_t choice;
    double chance;
    int mover;
    double value = 0;  // seat 0's
    double draw = 0;
  };

  void open(Desk& desk, std::size_t choice, double chance, int most_dice) {
    std::vector<Action> actions;
    const auto ending = walk_->expand(actions);
    const int mover = walk_->mover();
    if (!ending && mover == kChance && most_dice > 0) {
      std::vector<float> chances;
      walk_->chances(actions, chances);
      for (std::size_t face = 0; face < actions.size(); ++face) {
        walk_->forward(actions[face]);
        open(desk, choice, chance * chances[face], most_dice - 1);
        walk_->back();
      }
      return;
    }
    Part& part = parts_.emplace_back(Part{choice, chance, mover});
    if (ending) {
      part.value = ending->outcome;
      part.draw = ending->outcome == 0;
    } else if (const auto proof = walk_->proof()) {
      part.value = proof->value;
      part.draw = proof->value == 0;
    } else if (mover != kChance) {
      ++thought_.sims;
      judge(desk, part);
    }
  }

  void judge(Desk& desk, Part& part) {
    if (!settings_.uses_net()) {
      std::tie(part.value, part.draw) = opinion_.judge(*walk_, dice_).pair();
      return;
    }
    ++outstanding_;
    const int ticket = static_cast<int>(parts_.size()) - 1;
    if (const auto known = desk.ask(*walk_, {}, ticket)) answer(ticket, *known);
  }

  void finish() {
    // Summed now and in order, so that it does not matter which answers came first.
    std::vector<double> values(thought_.actions.size(), 0);
    std::vector<double> draws(thought_.actions.size(), 0);
    for (const Part& part : parts_) {
      values[part.choice] += part.chance * part.value;
      draws[part.choice] += part.chance * part.draw;
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
    const double temperature = settings_.temperature_at(occasion_.turn);
    std::size_t best = 0;
    if (temperature > 0) {
      best = pick(thought_.weights, temperature, occasion_.random(kMoveDraw));
    } else {
      // By value, not by share: the softmax of close values may round to equal shares.
      std::vector<double> is_best;
      for (double worth : worths) is_best.push_back(worth == highest);
      KeyedRandom random = occasion_.random(kMoveDraw);
      best = draw_index(random, is_best);
    }
    thought_.action = thought_.actions[best];
    thought_.value = static_cast<float>(std::clamp(values[best], -1.0, 1.0));
    thought_.draw = static_cast<float>(draws[best]);
    thought_.line = {thought_.action};
  }

  const Settings settings_;
  std::unique_ptr<Walk> walk_;
  Opinion opinion_;
  Occasion occasion_{};
  KeyedRandom dice_{{}};
  double sign_ = 1;
  std::vector<Part> parts_;  // by ticket
  int outstanding_ = 0;
  bool has_asked_ = false;
  Thought thought_;
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
