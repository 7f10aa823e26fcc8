#pragma once
// Implements Walk for one game.

#include <algorithm>
#include <array>
#include <limits>

#include "search/noise.h"
#include "search/walk.h"

namespace rulezero {

template <Game G>
class WalkOf final : public Walk {
 public:
  using Step = Moment<typename G::Position>;

  explicit WalkOf(const GameOf<G>& game) : facts_(&game.facts()), rules_(&game.rules()) {}

  void start(StatePtr root) override {
    root_ = std::static_pointer_cast<const StateOf<G>>(std::move(root));
    rewind();
  }

  void rewind() override {
    here_ = &root_->moment();
    depth_ = 0;
  }

  void forward(Action action) override {
    Step& next = step(depth_++);
    next = advance(*rules_, *here_, action);
    here_ = &next;
  }

  void back() override {
    --depth_;
    here_ = depth_ == 0 ? &root_->moment() : &step(depth_ - 1);
  }

  int mover() const override { return rules_->mover(here_->position); }
  Key key() const override { return here_->key; }
  int times() const override { return here_->times; }

  int exact_horizon() const override {
    if constexpr (HasExactHorizon<G>) return rules_->exact_horizon(here_->position);
    return std::numeric_limits<int>::max();
  }

  std::optional<Ending> expand(std::vector<Action>& actions) const override {
    return rules_->expand(*here_, actions);
  }

  void chances(std::span<const Action> faces, std::vector<float>& into) const override {
    into.assign(faces.size(), 1.0f / static_cast<float>(faces.size()));
    if constexpr (WeighsChances<G>) {
      const auto weighed = rules_->chances(here_->position, faces);
      std::copy(weighed.begin(), weighed.end(), into.begin());
    }
  }

  bool is_encoder(const AnyGame& encoder) const override {
    return dynamic_cast<const GameOf<G>*>(&encoder) != nullptr;
  }

  void encode(const AnyGame& encoder, std::span<float> planes) const override {
    std::fill(planes.begin(), planes.end(), 0.0f);
    rules_of(encoder).encode(*here_, planes);
  }

  void slots(const AnyGame& encoder, std::span<const Action> actions,
             std::vector<int>& into) const override {
    const G& rules = rules_of(encoder);
    into.clear();
    for (Action action : actions) into.push_back(rules.slot(here_->position, action));
  }

  void use(std::shared_ptr<const Tables> tables) override {
    tables_ = std::dynamic_pointer_cast<const TablesOf<G>>(tables);
    if (tables && !tables_) {
      throw PlayerError("these endgame tables are not for " + facts_->name +
                        ": leave tables= out, or give tables of this game");
    }
  }

  std::optional<Proof> proof() const override {
    if (!tables_) return std::nullopt;
    return tables_->proof(*rules_, here_->position);
  }

  void tune(std::vector<float> weights) override {
    const std::size_t known = facts_->weights.size();
    if (known == 0) throw PlayerError(facts_->name + " has no tunable weights: leave weights out");
    if (weights.size() != known) {
      throw PlayerError(facts_->name + " has " + std::to_string(known) + " tunable weights, not " +
                        std::to_string(weights.size()) + ": give one number for each");
    }
    weights_ = std::move(weights);
  }

  const Facts& facts() const override { return *facts_; }

  float heuristic_value() const override {
    if constexpr (MayJudge<G>) return rules_->heuristic(here_->position);
    if constexpr (Tunable<G>) {
      if (!weights_.empty()) return heuristic(*rules_, *here_, weights_);
    }
    if constexpr (Judged<G>) return heuristic(*rules_, *here_);
    return 0.0f;
  }

  void features(int seat, std::span<Feature> places) const override {
    if constexpr (HasFeatures<G>) list_features(*rules_, here_->position, seat, places);
  }

  Advice advice(int turns) const override {
    if constexpr (Scripted<G>) return script(*rules_, *here_, turns);
    return {};
  }

  bool is_check() const override {
    if constexpr (KnowsCheck<G>) return rules_->is_check(here_->position);
    return false;
  }

  bool wins(Action action) const override {
    if constexpr (SeesWins<G>) return rules_->wins(here_->position, action);
    return false;
  }

  int gain(Action action) const override {
    if constexpr (OrdersCaptures<G>) return capture_gain(*rules_, here_->position, action);
    return 0;
  }

  float rollout(KeyedRandom& dice) override {
    std::vector<Action>& actions = scratch_;
    std::vector<float> weights;
    const std::size_t before = depth_;
    float outcome = 0.0f;  // a game that reaches max_plies counts as a draw
    for (int plies = 0; plies < facts_->max_plies; ++plies) {
      if (const auto ending = expand(actions)) {
        outcome = ending->outcome;
        break;
      }
      std::size_t chosen = dice.below(static_cast<std::uint32_t>(actions.size()));
      if constexpr (WeighsChances<G>) {
        if (mover() == kChance) {
          chances(actions, weights);
          chosen = index_at(dice.fraction(), weights);
        }
      }
      forward(actions[chosen]);
    }
    while (depth_ > before) back();
    return outcome;
  }

 private:
  static constexpr std::size_t kChunk = 32;  // steps allocated at a time; steps never move

  static const G& rules_of(const AnyGame& game) {
    return static_cast<const GameOf<G>&>(game).rules();
  }

  Step& step(std::size_t depth) {
    if (depth / kChunk == chunks_.size()) {
      chunks_.push_back(std::make_unique<std::array<Step, kChunk>>());
    }
    return (*chunks_[depth / kChunk])[depth % kChunk];
  }

  const Facts* facts_;
  const G* rules_;
  std::shared_ptr<const TablesOf<G>> tables_;
  std::vector<float> weights_;  // empty: the heuristic's defaults
  std::shared_ptr<const StateOf<G>> root_;
  const Step* here_ = nullptr;
  std::vector<std::unique_ptr<std::array<Step, kChunk>>> chunks_;
  std::size_t depth_ = 0;
  std::vector<Action> scratch_;
};

}  // namespace rulezero
