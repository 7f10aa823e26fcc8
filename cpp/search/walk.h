#pragma once
// What a search sees of a game: a path from the root, one step at a time. The tree knows only this
// face, so it compiles once; WalkOf<Game> (walk_of.h) is the small part that knows the rules.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "games/tables.h"

namespace rulezero {

// Dice in a row that are looked behind where all faces count; more than any game has.
constexpr int kMostDice = 4;

class Walk {
 public:
  virtual ~Walk() = default;

  // Stands on a state of the walk's game; what repetition and history planes read lies behind it.
  virtual void start(StatePtr root) = 0;
  virtual void rewind() = 0;                // back to the root
  virtual void forward(Action action) = 0;  // plays a legal action
  virtual void back() = 0;                  // takes the last one back

  virtual int mover() const = 0;  // 0, 1 or kChance
  virtual Key key() const = 0;
  virtual int times() const = 0;  // how often this key has occurred up to now, now included

  // For this many plies the key alone determines the value: no move counter can end the game, and
  // no repetition draw is possible.
  virtual int exact_horizon() const = 0;

  // The legal actions, or none and how the game ended.
  virtual std::optional<Ending> expand(std::vector<Action>& actions) const = 0;

  // The probabilities beside the faces of a pending die.
  virtual void chances(std::span<const Action> faces, std::vector<float>& into) const = 0;

  // A net's view: `encoder` is this game, perhaps with other options for planes and slots.
  virtual bool is_encoder(const AnyGame& encoder) const = 0;
  virtual void encode(const AnyGame& encoder, std::span<float> planes) const = 0;  // zeroes first
  virtual void slots(const AnyGame& encoder, std::span<const Action> actions,
                     std::vector<int>& into) const = 0;

  // What tables prove of the position where the walk stands; nothing without them.
  virtual void use(std::shared_ptr<const Tables> tables) = 0;  // a PlayerError for another game's
  virtual std::optional<Proof> proof() const = 0;

  // Numbers for the heuristic, in the order of facts().weights. A PlayerError for another count.
  virtual void tune(std::vector<float> weights) = 0;

  virtual const Facts& facts() const = 0;
  virtual float heuristic_value() const = 0;     // seat 0's, never of a die or a finished game
  virtual Advice advice(int turns) const = 0;    // of the game's script, likewise
  virtual bool wins(Action action) const = 0;    // for its mover, as is seen without playing it
  virtual int gain(Action action) const = 0;     // what a capture promises, for move ordering
  virtual float rollout(KeyedRandom& dice) = 0;  // seat 0's outcome of one random game from here
};

// A walk over any game of the core, which must outlive it. Rules in Python have theirs in bind/.
std::unique_ptr<Walk> make_walk(const AnyGame& game);

}  // namespace rulezero
