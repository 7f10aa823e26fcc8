#pragma once
// A player's mind: a state machine that asks for any number of evaluations and gets all the answers
// back. It does not know who else asks at the same time, nor who answers.

#include <memory>
#include <optional>
#include <span>

#include "search/player.h"
#include "search/thought.h"
#include "search/walk.h"

namespace rulezero {

// What is known of a position without searching.
struct Evaluation {
  float value = 0;  // seat 0's, in [-1, 1]
  float draw = 0;   // probability
};

// What a net said of one position.
struct Answer {
  std::span<const float> priors;  // beside the actions asked about, with sum 1
  Evaluation evaluation;
};

// Where a thinker asks its net. An answer that is known already is returned; any other one is
// passed to Thinker::answer later, with the request id.
class EvalQueue {
 public:
  virtual ~EvalQueue() = default;
  virtual std::optional<Answer> ask(const Walk& walk, std::span<const Action> actions,
                                    int request) = 0;
};

// Which choice of which game it is: the key of its random numbers.
struct ChoiceKey {
  std::uint64_t seed;  // of the task
  std::uint64_t game;  // its number in the task
  std::uint64_t ply;   // choices so far in this game, dice included
  int turn;            // runs of plies of one mover so far, of both seats
  bool is_recorded;    // whether a net will learn from the thought: then no short cuts
  bool is_judge;       // whether it only comments

  KeyedRandom random(std::uint64_t purpose) const {
    return KeyedRandom({seed, game, ply, is_judge, purpose});
  }
};

// Purposes of random numbers, each with a key of its own.
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
  kWaiting,  // for answers
  kBusy,     // not done, but others may have a turn
  kDone,     // thought() is ready
};

class Thinker {
 public:
  virtual ~Thinker() = default;
  virtual void begin(const StatePtr& state, const ChoiceKey& choice) = 0;
  virtual Progress advance(EvalQueue& queue) = 0;
  virtual void answer(int, const Answer&) {}  // with the id of a request, for those who ask
  virtual void hurry() {}                     // chooses as soon as can be, by what is known then
  const Thought& thought() const { return thought_; }
  virtual int simulations() const { return 0; }  // completed so far, of this choice

 protected:
  Thought thought_;
};

std::unique_ptr<Thinker> make_thinker(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
