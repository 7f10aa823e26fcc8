#pragma once
// A player's mind. It asks for any number of evaluations and gets all the answers back; who else
// asks at the same time, and who answers, is not its business.

#include <memory>
#include <optional>
#include <span>

#include "search/player.h"
#include "search/thought.h"
#include "search/walk.h"

namespace rulezero {

// What a net said of one position.
struct Answer {
  std::span<const float> priors;  // beside the actions asked about, with sum 1
  float value;                    // the mover's, in [-1, 1]
  float draw;                     // probability
};

// Where positions are left for a net. An answer that is known already comes back at once; else it
// comes to Thinker::answer with the ticket.
class Desk {
 public:
  virtual ~Desk() = default;
  virtual std::optional<Answer> ask(const Walk& walk, std::span<const Action> actions,
                                    int ticket) = 0;
};

// Which choice it is: what randomness is keyed by.
struct Occasion {
  std::uint64_t seed;  // of the task
  std::uint64_t game;  // its number in the task
  std::uint64_t ply;   // choices so far in this game, dice included
  int turn;            // runs of plies of one mover so far, of both seats
  bool is_recorded;    // whether the thought will be learned from: then no short cuts
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
  virtual void begin(const StatePtr& state, const Occasion& occasion) = 0;
  virtual Progress advance(Desk& desk) = 0;
  virtual void answer(int ticket, const Answer& answer) = 0;
  virtual const Thought& thought() const = 0;
  virtual int simulations() const { return 0; }  // completed so far, of this choice
};

std::unique_ptr<Thinker> make_thinker(const Player& player, std::unique_ptr<Walk> walk);

}  // namespace rulezero
