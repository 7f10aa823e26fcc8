#pragma once
// The decision maker of a player: a state machine that requests any number of evaluations and
// receives all the answers. It does not depend on other thinkers or on what computes the answers.

#include <memory>
#include <optional>
#include <span>

#include "search/clock.h"
#include "search/player.h"
#include "search/thought.h"
#include "search/walk.h"

namespace rulezero {

// The evaluation of a position without a search.
struct Evaluation {
  float value = 0;  // for seat 0, in [-1, 1]
  float draw = 0;   // probability of a draw
};

// A net's answer for one position.
struct Answer {
  std::span<const float> priors;  // one per action in the request; they sum to 1
  Evaluation evaluation;
};

// Where a thinker requests evaluations by its net. ask() returns a cached answer at once; any other
// answer is passed to Thinker::answer later, with the request id.
class EvalQueue {
 public:
  virtual ~EvalQueue() = default;
  virtual std::optional<Answer> ask(const Walk& walk, std::span<const Action> actions,
                                    int request) = 0;
};

// Identifies one move decision of one game; its random numbers are keyed by this.
struct ChoiceKey {
  std::uint64_t seed;  // seed of the task
  std::uint64_t game;  // number of the game in the task
  std::uint64_t ply;   // plies of this game so far, including dice
  int turn;            // turns of both seats so far; a turn is a run of plies by one mover
  bool is_recorded;    // whether the thought is training data, so the search must not stop early
  bool is_judge;       // whether this is the judge, which annotates moves and does not play
  TimeLimit limit{};   // of the thinker, for this choice

  KeyedRandom random(std::uint64_t purpose) const {
    return KeyedRandom({seed, game, ply, is_judge, purpose});
  }
};

// What random numbers are used for; each purpose has its own key.
enum Purpose : std::uint64_t {
  kDiceDraw,
  kMoveDraw,
  kNoiseDraw,
  kGumbelDraw,
  kBudgetDraw,
  kSearchDice,
  kOrderDraw,
  kRolloutDraw,
};

enum class Progress {
  kWaiting,  // needs answers from the net
  kBusy,     // not done; returned so that other games can continue
  kDone,     // thought() is ready
};

class Thinker {
 public:
  virtual ~Thinker() = default;
  virtual void begin(const StatePtr& state, const ChoiceKey& choice) = 0;
  virtual Progress advance(EvalQueue& queue) = 0;
  virtual void answer(int, const Answer&) {}  // takes the answer to a request, by its id
  virtual void hurry() {}                     // asks to choose now, with what is known so far
  virtual StatePtr question() const { return nullptr; }  // the state that it asks about outside
  virtual void reply(Thought) {}                         // takes the answer from outside
  const Thought& thought() const { return thought_; }
  virtual int simulations() const { return 0; }  // completed so far for this move

 protected:
  Thought thought_;
};

std::unique_ptr<Thinker> make_thinker(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
