#include "play/pool.h"

#include <algorithm>
#include <utility>

#include "search/noise.h"

namespace rulezero {
namespace {

constexpr int kQuickPlies = 8;  // choices without a net that a game makes before others continue

}  // namespace

struct Pool::Table {
  GameSpec spec;
  StatePtr state;
  std::vector<Ply> plies;
  std::uint64_t earlier = 0;  // plies before the start
  int turn = 0;
  int last_mover = kChance;           // the seat that chose last
  std::array<int, 2> hopeless{0, 0};  // by seat: its latest choices in a row with a lost value

  enum class Phase { kChoosing, kThinking, kParked, kOver } phase = Phase::kChoosing;
  std::optional<Action> given;  // by the script or a die; the judge may still think
  bool is_player_done = false;
  bool is_judge_done = false;
  Thinker* thinker = nullptr;  // of the player that chooses
  Thinker* judge = nullptr;
  std::vector<std::unique_ptr<Thinker>> thinkers;  // by player, then the judge's
};

namespace {

// Connects one player's thinker to the queue of its net.
class PlayerQueue final : public EvalQueue {
 public:
  PlayerQueue(BatchQueue* queue, Thinker& thinker) : queue_(queue), thinker_(thinker) {}

  std::optional<Answer> ask(const Walk& walk, std::span<const Action> actions,
                            int request) override {
    return queue_->ask(walk, actions, thinker_, request);
  }

 private:
  BatchQueue* queue_;
  Thinker& thinker_;
};

}  // namespace

Pool::Pool(std::shared_ptr<const AnyGame> game, std::vector<Player> players,
           std::vector<std::shared_ptr<const AnyGame>> nets, std::uint64_t seed, std::size_t width,
           std::size_t cache, WalkMaker make_walk)
    : game_(std::move(game)),
      players_(std::move(players)),
      seed_(seed),
      width_(width),
      make_walk_(std::move(make_walk)) {
  const auto walk = make_walk_(*game_);
  for (const auto& encoder : nets) {
    if (!walk->is_encoder(*encoder)) {
      throw GameError("a net for " + encoder->text() + " cannot evaluate positions of " +
                      game_->text());
    }
    queues_.emplace_back(encoder, cache);
  }
  for (const Player& player : players_) {
    is_timed_ = is_timed_ || player.settings.time > 0;
    const bool has_net = player.net >= 0 && player.net < static_cast<int>(queues_.size());
    const bool has_mlp = player.mlp && player.encoder && walk->is_encoder(*player.encoder);
    if ((player.settings.source == Source::kNet && !has_net) ||
        (player.settings.source == Source::kMlp && !has_mlp)) {
      throw PlayerError("a player has no net to evaluate positions: give it a net of this pool");
    }
    if (player.settings.method == Method::kHuman) continue;
    make_thinker(player, make_walk_(*game_));  // throws now if the player is not valid
  }
}

Pool::~Pool() = default;

void Pool::add(GameSpec game) {
  const auto check_player = [&](int player, int least) {
    if (player < least || player >= static_cast<int>(players_.size())) {
      throw GameError("there is no player " + std::to_string(player) + " in this pool: it has " +
                      std::to_string(players_.size()));
    }
  };
  for (int player : game.players) check_player(player, 0);
  check_player(game.judge, -1);
  if (!game.start || game.start->game().text() != game_->text()) {
    throw GameError("the start of a game of " + game_->text() + " must be a state of this game");
  }
  waiting_.push_back(std::move(game));
}

void Pool::seat_next() {
  auto table = std::make_unique<Table>();
  table->spec = std::move(waiting_.front());
  waiting_.pop_front();
  table->state = table->spec.start;
  table->thinkers.resize(players_.size() + 1);
  // Turns and plies are counted from the beginning of the start's history.
  std::vector<int> movers;
  for (StatePtr at = table->state->before(); at; at = at->before()) movers.push_back(at->mover());
  table->earlier = movers.size();
  for (auto mover = movers.rbegin(); mover != movers.rend(); ++mover) {
    if (*mover == kChance) continue;
    table->turn += table->last_mover != kChance && *mover != table->last_mover;
    table->last_mover = *mover;
  }
  tables_.push_back(std::move(table));
}

std::vector<std::size_t> Pool::collect(std::span<const std::span<float>> planes) {
  check_whole();
  is_broken_ = true;  // until this call has succeeded
  for (std::size_t net = 0; net < queues_.size(); ++net) queues_[net].open(planes[net]);
  for (std::size_t at = 0; at < width_;) {
    if (at == tables_.size()) {
      if (waiting_.empty()) break;
      seat_next();
    }
    if (step(*tables_[at])) {
      ++at;
    } else {
      // The game is over: another one takes its place at once, so that batches stay full.
      tables_.erase(tables_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  std::vector<std::size_t> rows;
  for (BatchQueue& queue : queues_) {
    queue.close();
    rows.push_back(queue.rows());
  }
  is_broken_ = false;
  return rows;
}

void Pool::apply(std::size_t net, std::span<const float> policy, std::span<const float> value,
                 std::span<const float> draw) {
  check_whole();
  is_broken_ = true;
  queues_[net].answer(policy, value, draw);
  is_broken_ = false;
}

void Pool::check_whole() const {
  if (is_broken_)
    throw GameError("an error has stopped this pool: start its games again in a new pool");
}

std::vector<Played> Pool::take_finished() { return std::exchange(finished_, {}); }

// Continues a game until it waits or has made kQuickPlies choices. Returns false when it is over.
bool Pool::step(Table& table) {
  for (int quick = 0; quick < kQuickPlies; ++quick) {
    if (table.phase == Table::Phase::kOver) return false;
    if (table.phase == Table::Phase::kChoosing && !begin_choice(table)) return false;
    if (table.phase == Table::Phase::kParked) return true;
    if (table.phase == Table::Phase::kThinking && !think_on(table)) return true;
  }
  return true;
}

// Begins the next choice: by the script, a die, a thinker, or from outside. Returns false when the
// game is over.
bool Pool::begin_choice(Table& table) {
  const AnyState& state = *table.state;
  const std::size_t made = table.plies.size();
  if (const auto& ending = state.ending()) {
    finish(table, ending->outcome, ending->reason);
    return false;
  }
  if (made >= static_cast<std::size_t>(table.spec.most_plies)) {
    finish(table, 0.0f, "cap");
    return false;
  }
  const bool is_scripted = made < table.spec.script.size();
  if (is_scripted) table.given = table.spec.script[made];
  if (state.mover() == kChance && (!is_scripted || is_retraced(table))) {
    KeyedRandom random = key_of(table, false).random(kDiceDraw);
    const Action face = state.legal()[draw_index(random, state.chances())];
    if (table.given.value_or(face) != face) {
      finish(table, 0.0f, "die");
      return false;
    }
    table.given = face;
  }
  if (state.mover() == kChance) {
    make_move(table, {*table.given, std::nullopt, std::nullopt});
    return true;
  }
  table.turn += table.last_mover != kChance && state.mover() != table.last_mover;
  table.last_mover = state.mover();
  table.phase = Table::Phase::kThinking;
  table.is_player_done = table.given.has_value() && !is_retraced(table);
  if (!table.is_player_done) {
    const int player = table.spec.players[state.mover()];
    if (players_[player].settings.method == Method::kHuman) {
      table.phase = Table::Phase::kParked;
      return true;
    }
    ChoiceKey key = key_of(table, false);
    key.limit = TimeLimit(players_[player].settings.time);
    table.thinker = &thinker_of(table, player, player);
    table.thinker->begin(table.state, key);
  }
  table.judge = nullptr;
  table.is_judge_done = table.spec.judge < 0;
  // Limits of time must not count the time of other searches, so such a judge waits.
  if (!is_timed_) begin_note(table);
  return true;
}

// Whether the players think about a scripted ply.
bool Pool::is_retraced(const Table& table) const {
  const std::size_t made = table.plies.size();
  return table.spec.retrace_from && made >= *table.spec.retrace_from &&
         made < table.spec.script.size();
}

void Pool::begin_note(Table& table) {
  if (table.is_judge_done) return;
  ChoiceKey key = key_of(table, true);
  key.limit = TimeLimit(players_[table.spec.judge].settings.time);
  // The judge has its own thinker, even if it is one of the players.
  table.judge = &thinker_of(table, players_.size(), table.spec.judge);
  table.judge->begin(table.state, key);
}

ChoiceKey Pool::key_of(const Table& table, bool is_judge) const {
  return {seed_,      table.spec.index,       table.earlier + table.plies.size(),
          table.turn, table.spec.is_recorded, is_judge,
          {}};
}

// Continues the searches of the player and the judge. Returns false until both have finished.
bool Pool::think_on(Table& table) {
  const auto go_on = [&](Thinker& thinker, int player) {
    const int net = players_[player].net;
    PlayerQueue queue(net < 0 ? nullptr : &queues_[net], thinker);
    return thinker.advance(queue) == Progress::kDone;
  };
  if (!table.is_player_done) {
    const int player = table.spec.players[table.state->mover()];
    table.is_player_done = go_on(*table.thinker, player);
  }
  if (is_timed_ && !table.is_player_done) return false;
  if (!table.is_judge_done && !table.judge) begin_note(table);
  if (!table.is_judge_done) table.is_judge_done = go_on(*table.judge, table.spec.judge);
  if (!table.is_player_done || !table.is_judge_done) return false;

  Ply ply{};
  if (table.given && !is_retraced(table)) {
    ply.action = *table.given;
  } else {
    ply.thought = table.thinker->thought();
    ply.action = table.given.value_or(ply.thought->action);
    simulations_ += ply.thought->sims;
    if (gives_up(table, *ply.thought) && !table.given) {
      finish(table, to_seat0(-1, table.state->mover()), "resigned");
      return true;
    }
  }
  if (table.spec.judge >= 0) ply.note = table.judge->thought();
  make_move(table, std::move(ply));
  return true;
}

std::uint64_t Pool::simulations() const {
  std::uint64_t sum = simulations_;
  for (const auto& table : tables_) {
    const bool is_choosing =
        table->phase == Table::Phase::kThinking && (!table->given || is_retraced(*table));
    if (is_choosing) sum += static_cast<std::uint64_t>(table->thinker->simulations());
  }
  return sum;
}

// Whether the mover resigns: its value was below -resign for resign_after of its choices in a row.
bool Pool::gives_up(Table& table, const Thought& thought) {
  const int mover = table.state->mover();
  const double value = to_seat0(thought.value, mover);
  int& times = table.hopeless[mover];
  times = value < -table.spec.resign ? times + 1 : 0;
  return table.spec.resign_after > 0 && times >= table.spec.resign_after;
}

void Pool::make_move(Table& table, Ply ply) {
  table.given.reset();
  table.state = table.state->apply(ply.action);
  table.plies.push_back(std::move(ply));
  table.phase = Table::Phase::kChoosing;
}

void Pool::finish(Table& table, float outcome, std::string reason) {
  table.phase = Table::Phase::kOver;
  const std::size_t unchosen = table.spec.retrace_from.value_or(table.spec.script.size());
  const std::size_t opening = std::min(unchosen, table.plies.size());
  finished_.push_back({table.spec.index, table.state, outcome, std::move(reason),
                       static_cast<int>(opening), std::move(table.plies)});
}

Thinker& Pool::thinker_of(Table& table, std::size_t place, int player) {
  auto& thinker = table.thinkers[place];
  if (!thinker) thinker = make_thinker(players_[player], make_walk_(*game_));
  return *thinker;
}

void Pool::hurry() {
  check_whole();
  for (const auto& table : tables_) {
    if (table->phase != Table::Phase::kThinking) continue;
    if (!table->is_player_done) table->thinker->hurry();
    if (!table->is_judge_done && table->judge) table->judge->hurry();
  }
}

std::vector<std::pair<std::uint64_t, StatePtr>> Pool::parked() const {
  std::vector<std::pair<std::uint64_t, StatePtr>> waiting;
  for (const auto& table : tables_) {
    if (table->phase == Table::Phase::kParked) {
      waiting.emplace_back(table->spec.index, table->state);
    }
  }
  return waiting;
}

std::vector<Pool::Question> Pool::questions() const {
  std::vector<Question> found;
  for (const auto& table : tables_) {
    if (table->phase != Table::Phase::kThinking) continue;
    const GameSpec& spec = table->spec;
    if (!table->is_player_done) {
      const int player = spec.players[table->state->mover()];
      if (StatePtr state = table->thinker->question()) {
        found.push_back({spec.index, false, player, std::move(state)});
      }
    }
    if (!table->is_judge_done && table->judge) {
      if (StatePtr state = table->judge->question()) {
        found.push_back({spec.index, true, spec.judge, std::move(state)});
      }
    }
  }
  return found;
}

void Pool::reply(std::uint64_t index, bool is_judge, Thought thought) {
  Table* table = find(index);
  const bool thinks = table && table->phase == Table::Phase::kThinking;
  Thinker* thinker = !thinks ? nullptr : is_judge ? table->judge : table->thinker;
  const StatePtr asked = thinker ? thinker->question() : nullptr;
  if (!asked) throw GameError("game " + std::to_string(index) + " asks nothing");
  const auto& legal = asked->legal();
  if (std::find(legal.begin(), legal.end(), thought.action) == legal.end()) {
    throw MoveError("action " + std::to_string(thought.action) + " is not legal here");
  }
  thinker->reply(std::move(thought));
}

bool Pool::waits() const {
  return std::all_of(tables_.begin(), tables_.end(), [](const auto& table) {
    const bool asks = table->phase == Table::Phase::kThinking &&
                      (table->is_player_done || table->thinker->question()) &&
                      (table->is_judge_done || !table->judge || table->judge->question());
    return asks || table->phase == Table::Phase::kParked;
  });
}

Pool::Table* Pool::find(std::uint64_t index) const {
  const auto table = std::ranges::find_if(tables_, [&](const auto& each) {
    return each->spec.index == index && each->phase != Table::Phase::kOver;
  });
  return table == tables_.end() ? nullptr : table->get();
}

void Pool::stop(std::uint64_t index, float outcome, const std::string& reason) {
  Table* table = find(index);
  if (!table) throw GameError("game " + std::to_string(index) + " is not being played");
  const bool asks = table->phase == Table::Phase::kThinking && !table->is_player_done &&
                    table->thinker->question();
  if (table->phase != Table::Phase::kParked && !asks) {
    throw GameError("game " + std::to_string(index) +
                    " can be stopped only while it waits for a move from outside");
  }
  finish(*table, outcome, reason);
}

}  // namespace rulezero
