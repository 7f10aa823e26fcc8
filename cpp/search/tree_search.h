#pragma once
// Tree search by simulations. PUCT, Gumbel and UCB1 share everything but the selection rule.

#include "search/gumbel.h"
#include "search/leaf_evaluator.h"
#include "search/quiescence.h"
#include "search/thinker.h"
#include "search/tree.h"

namespace rulezero {

class TreeSearch final : public Thinker {
 public:
  TreeSearch(const Player& player, std::unique_ptr<Walk> walk);

  void begin(const StatePtr& state, const ChoiceKey& choice) override;
  Progress advance(EvalQueue& queue) override;
  void answer(int request, const Answer& answer) override;
  void hurry() override { budget_ = std::min(budget_, std::max(1, done_ + waiting_)); }
  int simulations() const override { return done_; }

 private:
  // The end of a simulation, to be evaluated.
  struct Leaf {
    std::vector<NodeIndex> path;  // from the root
    std::vector<Action> actions;  // its legal actions
    int mover = 0;
    bool is_node = true;  // false after a die that was rolled outside the full tree
    std::vector<float> priors;
    Evaluation evaluation;
    ChainEnds ends;  // of the current turn, with pass_quiescence
  };

  bool reuse_tree(const StatePtr& state);
  void prepare_root();
  bool is_won_here(int most_dice);
  void find_win_in_one();

  int leaves_in_time() const;
  bool has_room() const;
  bool is_over() const;
  NodeIndex choose(NodeIndex at);
  bool simulate(EvalQueue& queue);
  std::optional<float> known_value() const;
  bool open_behind_die(EvalQueue& queue);
  bool open_leaf(EvalQueue& queue, bool is_node);
  void evaluate(EvalQueue& queue, Leaf& leaf);
  void end_round();
  void settle(Leaf& leaf);
  void shuffle(Leaf& leaf);
  bool is_clear() const;

  void finish();
  void find_candidates();
  std::size_t most_visited() const;
  NodeIndex choose_by_visits();
  std::vector<float> pruned_visits() const;
  void follow_line(NodeIndex chosen);
  void drop_weightless();
  void show_tree();

  // What a draw with this probability adds to seat 0's value, by the root mover's draw_value.
  double contempt(double draw) const { return root_sign_ * settings_.draw_value * draw; }

  const Settings settings_;
  const int tree_depth_;             // plies of the tree to show; 0: none
  const std::uint32_t tree_visits_;  // visits that a node needs to be shown
  std::unique_ptr<Walk> walk_;
  LeafEvaluator evaluator_;
  Tree tree_;
  GumbelRoot gumbel_;
  std::vector<Leaf> round_;
  int waiting_ = 0;      // leaves of the round so far
  int outstanding_ = 0;  // answers for them that have not arrived

  TimeLimit limit_;
  int room_ = 0;                 // leaves that this round may have
  int missed_ = 0;               // answers that were outstanding when the round began to wait
  double waits_from_ = 0;        // when it began to wait, in seconds of the time limit
  double seconds_per_leaf_ = 0;  // of the last rounds that waited

  StatePtr root_;
  ChoiceKey choice_{};
  KeyedRandom dice_{{}};           // faces of dice, and rollouts
  KeyedRandom order_{{}};          // order of unvisited moves in UCB1
  double root_sign_ = 1;           // converts seat 0's values to the root mover's
  int budget_ = 0;                 // simulations for this choice
  int done_ = 0;                   // completed simulations
  bool is_full_ = true;            // false for a fast search
  bool is_prepared_ = false;       // whether the root is evaluated and has its noise
  std::vector<float> raw_priors_;  // of the root's children, as evaluated
  float raw_value_ = 0;            // of the root, seat 0's

  // Scratch memory, kept to save allocations.
  std::vector<NodeIndex> path_;
  std::vector<Action> actions_;
  std::vector<float> priors_;
  std::vector<double> scratch_;
  std::vector<bool> candidates_;  // by the root's children
};

}  // namespace rulezero
