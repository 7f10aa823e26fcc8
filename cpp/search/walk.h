#pragma once
// A search's view of a game: a path from the root, one ply at a time. Searches use only this
// interface, so they compile once; WalkOf<Game> (walk_of.h) implements it for each game.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "games/tables.h"

namespace rulezero {

// Largest number of consecutive dice that are expanded face by face; more than any game has.
constexpr int kMostDice = 4;

class Walk {
 public:
  virtual ~Walk() = default;

  // Moves to a state of the walk's game. Repetition and history planes read the state's history.
  virtual void start(StatePtr root) = 0;
  virtual void rewind() = 0;                // returns to the root
  virtual void forward(Action action) = 0;  // plays a legal action
  virtual void back() = 0;                  // undoes the last action

  virtual int mover() const = 0;  // 0, 1 or kChance
  virtual Key key() const = 0;
  virtual int times() const = 0;  // how often this key has occurred so far, including now

  // For this many plies the key alone determines the value: no move counter can end the game, and
  // no repetition draw is possible.
  virtual int exact_horizon() const = 0;

  // Fills in the legal actions, or returns how the game ended and leaves them empty.
  virtual std::optional<Ending> expand(std::vector<Action>& actions) const = 0;

  // Fills in the probability of each face of a pending die, in the order of `faces`.
  virtual void chances(std::span<const Action> faces, std::vector<float>& into) const = 0;

  // A net's input and output. `encoder` is this game, possibly with other options for planes and
  // slots.
  virtual bool is_encoder(const AnyGame& encoder) const = 0;
  virtual void encode(const AnyGame& encoder, std::span<float> planes) const = 0;  // overwrites all
  virtual void slots(const AnyGame& encoder, std::span<const Action> actions,
                     std::vector<int>& into) const = 0;

  // use() sets the endgame tables and throws PlayerError for tables of another game. proof() is
  // what they prove about the current position; nullopt without tables or if they do not cover it.
  virtual void use(std::shared_ptr<const Tables> tables) = 0;
  virtual std::optional<Proof> proof() const = 0;

  // Sets the weights of the heuristic, in the order of facts().weights. Throws PlayerError if their
  // number is wrong.
  virtual void tune(std::vector<float> weights) = 0;

  virtual const Facts& facts() const = 0;
  // heuristic_value and advice must not be called at a pending die or after the end of the game.
  virtual float heuristic_value() const = 0;  // for seat 0
  // Fills in the features that a seat sees, by place; only if facts().feature_space has any.
  virtual void features(int seat, std::span<Feature> places) const = 0;
  virtual Advice advice(int turns) const = 0;    // from the game's script
  virtual bool is_check() const = 0;             // whether the mover's king is attacked
  virtual bool wins(Action action) const = 0;    // whether it wins at once; false if unsure
  virtual int gain(Action action) const = 0;     // expected gain of a capture, for move ordering
  virtual float rollout(KeyedRandom& dice) = 0;  // outcome for seat 0 of a random game from here
};

// A walk over a game written in C++; the game must outlive it. bind/ has the one for Python games.
std::unique_ptr<Walk> make_walk(const AnyGame& game);

}  // namespace rulezero
