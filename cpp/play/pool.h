#pragma once
// Plays many games at the same time. Games that need a net's evaluation wait, and one batch
// evaluates the positions of all of them.

#include <deque>
#include <functional>
#include <string>

#include "play/batch_queue.h"

namespace rulezero {

// A game to be played.
struct GameSpec {
  std::uint64_t index = 0;           // its number in the task, which keys its random numbers
  StatePtr start;                    // with its history
  std::array<int, 2> players{0, 0};  // by seat
  int judge = -1;                    // the player that evaluates every choice; -1: none
  std::vector<Action> script;        // its first plies: an opening, or a game for the judge
  // The players think about the script's plies from this one on, as if they had chosen them; a die
  // that falls otherwise ends the game. Their searches are then those of the game that was played.
  std::optional<std::size_t> retrace_from = std::nullopt;
  int most_plies = 0;       // choices after which it is stopped
  bool is_recorded = true;  // whether nets are trained on its thoughts
  double resign = 0;        // a player resigns once its value is below -resign ...
  int resign_after = 0;     // ... for this many of its choices in a row; 0: never
};

struct Ply {
  Action action;
  std::optional<Thought> thought;  // the mover's, if a player chose
  std::optional<Thought> note;     // the judge's
};

// A game that is over.
struct Played {
  std::uint64_t index = 0;
  StatePtr last;
  float outcome = 0;  // seat 0's
  // The rules' end reason, cap, resigned, the reason given to stop(), or die: one of a retraced
  // game fell otherwise.
  std::string reason;
  int opening = 0;  // plies from the start that no player chose
  std::vector<Ply> plies;
};

class Pool {
 public:
  using WalkMaker = std::function<std::unique_ptr<Walk>(const AnyGame&)>;

  // Plays `width` games at a time. `nets` are the games that encode positions for each net.
  Pool(std::shared_ptr<const AnyGame> game, std::vector<Player> players,
       std::vector<std::shared_ptr<const AnyGame>> nets, std::uint64_t seed, std::size_t width,
       std::size_t cache, WalkMaker make_walk);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  void add(GameSpec game);
  bool is_idle() const { return tables_.empty() && waiting_.empty(); }

  // Continues every game until it waits or has made some choices. Fills one array per net and
  // returns the number of rows filled in each.
  std::vector<std::size_t> collect(std::span<const std::span<float>> planes);
  void apply(std::size_t net, std::span<const float> policy, std::span<const float> value,
             std::span<const float> draw);

  std::size_t rows(std::size_t net) const { return queues_[net].rows(); }  // of the last batch

  std::vector<Played> take_finished();

  // Asks all current searches to choose now, with what is known so far.
  void hurry();

  // Games that wait for a move from outside, with their states.
  std::vector<std::pair<std::uint64_t, StatePtr>> parked() const;
  // What players outside the core are asked.
  struct Question {
    std::uint64_t index;  // of the game
    bool is_judge;
    int player;
    StatePtr state;
  };
  std::vector<Question> questions() const;
  // Answers a question; a player's action must be legal.
  void reply(std::uint64_t index, bool is_judge, Thought thought);
  // Whether every game waits for a move or an answer from outside.
  bool waits() const;

  // Ends a game that waits for a move or an answer from outside, with this outcome and reason.
  void stop(std::uint64_t index, float outcome, const std::string& reason);

  std::uint64_t simulations() const;  // of all choices, including the current ones

 private:
  struct Table;

  Table* find(std::uint64_t index) const;
  void check_whole() const;
  void seat_next();
  bool step(Table& table);
  bool begin_choice(Table& table);
  bool think_on(Table& table);
  bool is_retraced(const Table& table) const;
  void begin_note(Table& table);
  ChoiceKey key_of(const Table& table, bool is_judge) const;
  bool gives_up(Table& table, const Thought& thought);
  void make_move(Table& table, Ply ply);
  void finish(Table& table, float outcome, std::string reason);
  Thinker& thinker_of(Table& table, std::size_t place, int player);

  std::shared_ptr<const AnyGame> game_;
  std::vector<Player> players_;
  std::vector<BatchQueue> queues_;
  std::uint64_t seed_;
  std::size_t width_;
  WalkMaker make_walk_;
  bool is_timed_ = false;  // whether a player has a time limit
  std::deque<GameSpec> waiting_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<Played> finished_;
  std::uint64_t simulations_ = 0;
  bool is_broken_ = false;  // whether an exception has left games in an undefined state
};

}  // namespace rulezero
