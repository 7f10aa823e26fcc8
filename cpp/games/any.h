#pragma once
// The common interface to games and states of any kind, which the Python bindings use.

#include <algorithm>
#include <memory>

#include "games/board_text.h"
#include "games/game.h"
#include "games/perft.h"

namespace rulezero {

constexpr std::size_t kLongestText = 1 << 16;  // bytes; longer texts are refused before parsing

class AnyState;
using StatePtr = std::shared_ptr<const AnyState>;

// A game with its rule options fixed. Immutable.
class AnyGame : public std::enable_shared_from_this<AnyGame> {
 public:
  virtual ~AnyGame() = default;
  virtual const std::string& text() const = 0;  // canonical: loading it gives this game
  virtual const Facts& facts() const = 0;
  virtual std::size_t position_bytes() const = 0;
  virtual bool has_mirror() const = 0;
  virtual StatePtr start(std::uint64_t seed, const Options& options) const = 0;
  virtual StatePtr parse(std::string_view text) const = 0;
};

// A position with its history. Immutable; legal(), ending() and ply() are cached.
class AnyState : public std::enable_shared_from_this<AnyState> {
 public:
  virtual ~AnyState() = default;
  virtual const AnyGame& game() const = 0;
  virtual StatePtr before() const = 0;               // the state this one came from, or null
  virtual std::optional<Action> action() const = 0;  // the action that led here

  virtual std::string text() const = 0;
  virtual Key key() const = 0;
  virtual int times() const = 0;
  virtual int mover() const = 0;
  virtual const std::vector<Action>& legal() const = 0;
  virtual const std::optional<Ending>& ending() const = 0;
  virtual std::vector<double> chances() const = 0;
  virtual StatePtr apply(Action action) const = 0;
  virtual void encode(std::span<float> planes) const = 0;
  virtual void events(std::span<float> row) const = 0;  // of the action that led here
  virtual int slot(Action action) const = 0;
  virtual std::string say(Action action, bool san) const = 0;
  virtual Action read(std::string_view text) const = 0;
  virtual std::vector<Cell> cells() const = 0;
  virtual std::uint64_t perft(int depth) const = 0;
  virtual bool has_mirror() const = 0;  // whether the position is worth as much as its mirror image
  virtual void encode_mirrored(std::span<float> planes) const = 0;  // if it has one
  virtual int mirrored_slot(Action action) const = 0;
  virtual bool is_check() const = 0;  // whether the mover's king is attacked; false without kings
  virtual InfoRows info() const = 0;  // for people: facts that the men on their squares do not show
  virtual std::string kind(Action action) const = 0;          // "moves" unless the game names kinds
  virtual Touches touches(Action action) const = 0;           // how a person makes it on the board
  virtual std::vector<Feature> features(int seat) const = 0;  // by place; [] if the game has none
  virtual float heuristic_value() const = 0;  // for seat 0; 0 without a heuristic, or at a die
  virtual int ply() const = 0;                // number of the players' choices so far
  virtual int actor() const = 0;              // who moves, or whose die is pending
  virtual std::optional<int> move_number() const = 0;  // the number that PGN writes before a move
};

template <Game G>
class GameOf;

template <Game G>
class StateOf final : public AnyState {
 public:
  using Position = typename G::Position;

  StateOf(std::shared_ptr<const GameOf<G>> game, Moment<Position> moment,
          std::shared_ptr<const StateOf> before, Action action)
      : game_(std::move(game)), moment_(moment), before_(std::move(before)), action_(action) {}

  // Frees the chain of states in a loop: recursion could overflow the stack after a long game.
  ~StateOf() override {
    while (before_ && before_.use_count() == 1) {
      before_ = std::move(const_cast<StateOf&>(*before_).before_);
    }
  }

  const G& rules() const { return game_->rules(); }
  const Moment<Position>& moment() const { return moment_; }

  const AnyGame& game() const override { return *game_; }
  StatePtr before() const override { return before_; }
  std::optional<Action> action() const override {
    return before_ ? std::optional(action_) : std::nullopt;
  }

  std::string text() const override { return rules().text(moment_.position); }
  Key key() const override { return moment_.key; }
  int times() const override { return moment_.times; }
  int mover() const override { return rules().mover(moment_.position); }

  const std::vector<Action>& legal() const override {
    expand();
    return legal_;
  }

  const std::optional<Ending>& ending() const override {
    expand();
    return ending_;
  }

  std::vector<double> chances() const override {
    if (ending() || mover() != kChance) return {};
    if constexpr (WeighsChances<G>) return rules().chances(moment_.position, legal_);
    return std::vector<double>(legal_.size(), 1.0 / static_cast<double>(legal_.size()));
  }

  StatePtr apply(Action action) const override {
    check(action);
    auto self = std::static_pointer_cast<const StateOf>(shared_from_this());
    return std::make_shared<StateOf>(game_, advance(rules(), moment_, action), std::move(self),
                                     action);
  }

  void encode(std::span<float> planes) const override {
    if (!ending() && mover() == kChance) {
      throw PositionError("a die is pending: the position has no planes; apply a face first");
    }
    rules().encode(moment_, planes);
  }

  void events(std::span<float> row) const override {
    if (before_) rules().events(before_->moment_.position, action_, row);
  }

  int slot(Action action) const override {
    check(action);
    if (mover() == kChance) {
      throw MoveError("a die is pending: its faces have no policy slots");
    }
    return rules().slot(moment_.position, action);
  }

  std::string say(Action action, bool san) const override {
    check(action);
    if (!san) return rules().say(moment_.position, action);
    if constexpr (SpeaksSan<G>) return rules().san(moment_, action, legal());
    throw GameError(rules().facts().name + " has no SAN: use say(action), its own move text");
  }

  Action read(std::string_view text) const override {
    if (ending()) {
      throw MoveError("the game is over (" + ending()->reason + "): no move is legal");
    }
    if (text.size() > kLongestText) throw MoveError(quoted(text) + " is too long for a move");
    for (Action action : legal()) {
      if (rules().say(moment_.position, action) == text) return action;
    }
    if constexpr (SpeaksSan<G>) {
      const std::vector<Action> meant = rules().read_san(moment_, text, legal());
      if (meant.size() == 1) return meant[0];
      if (meant.size() > 1) {
        throw MoveError(quoted(text) + " is ambiguous: it could be " +
                        rules().say(moment_.position, meant[0]) + " or " +
                        rules().say(moment_.position, meant[1]));
      }
    }
    throw MoveError(quoted(text) + " is not a legal move here; legal: " + examples(false));
  }

  std::vector<Cell> cells() const override { return rules().cells(moment_.position); }

  std::uint64_t perft(int depth) const override { return rulezero::perft(rules(), moment_, depth); }

  bool has_mirror() const override {
    if constexpr (MirrorsSome<G>) return rules().has_mirror(moment_.position);
    return HasMirror<G>;
  }

  void encode_mirrored(std::span<float> planes) const override {
    if constexpr (MayMirror<G>) {
      rules().encode(begin(rules(), rules().mirror(moment_.position)), planes);
    } else {
      encode(planes);
      const int columns = rules().facts().planes[2];
      for (auto row = planes.begin(); row != planes.end(); row += columns) {
        std::reverse(row, row + columns);
      }
    }
  }

  int mirrored_slot(Action action) const override {
    const int own = slot(action);
    if constexpr (MayMirror<G>) {
      const Position image = rules().mirror(moment_.position);
      return rules().slot(image, rules().mirror(moment_.position, action));
    } else if constexpr (HasMirror<G>) {
      return rules().mirror(own);
    }
    return own;
  }

  bool is_check() const override {
    if constexpr (KnowsCheck<G>) return rules().is_check(moment_.position);
    return false;
  }

  InfoRows info() const override {
    if constexpr (TellsInfo<G>) return rules().info(moment_.position);
    return {};
  }

  std::string kind(Action action) const override {
    check(action);
    if constexpr (NamesKinds<G>) return rules().kind(moment_.position, action);
    return "moves";
  }

  Touches touches(Action action) const override {
    check(action);
    if constexpr (KnowsTouches<G>) return rules().touches(moment_.position, action);
    Touches found;
    const auto [rows, columns] = game_->facts().board;
    for (const Square& square : squares_in(rules().say(moment_.position, action), rows, columns)) {
      found.push_back({square});
    }
    return found;
  }

  std::vector<Feature> features(int seat) const override {
    if constexpr (HasFeatures<G>) {
      if (!ending() && mover() == kChance) {
        throw PositionError("a die is pending: the position has no features; apply a face first");
      }
      std::vector<Feature> places(static_cast<std::size_t>(game_->facts().feature_space.places));
      list_features(rules(), moment_.position, seat, places);
      return places;
    }
    return {};
  }

  float heuristic_value() const override {
    if (ending() || mover() == kChance) return 0.0f;
    if constexpr (MayJudge<G>) return rules().heuristic(moment_.position);
    if constexpr (Judged<G>) return heuristic(rules(), moment_);
    return 0.0f;
  }

  int ply() const override {
    if constexpr (CountsPlies<G>) return rules().ply(moment_.position);
    if (ply_ < 0) {
      int plies = 0;
      const StateOf* at = before_.get();
      for (; at && at->ply_ < 0; at = at->before_.get()) plies += at->mover() != kChance;
      ply_ = plies + (at ? at->ply_ + (at->mover() != kChance) : 0);
    }
    return ply_;
  }

  int actor() const override {
    if constexpr (KnowsActor<G>) return rules().actor(moment_.position);
    for (const StateOf* at = this; at; at = at->before_.get()) {
      if (const int seat = at->mover(); seat != kChance) return seat;
    }
    return kChance;  // a position read from a text does not say whose die is pending
  }

  std::optional<int> move_number() const override {
    if constexpr (NumbersMoves<G>) return rules().move_number(moment_.position);
    return std::nullopt;
  }

 private:
  void expand() const {
    if (expanded_) return;
    // Rules written in Python may let another thread run here, so results are stored only when they
    // are complete.
    std::vector<Action> legal;
    std::optional<Ending> ending = rules().expand(moment_, legal);
    if (expanded_) return;
    legal_ = std::move(legal);
    ending_ = ending;
    expanded_ = true;
  }

  // Throws unless the action may be played here.
  void check(Action action) const {
    if (ending()) {
      throw MoveError("the game is over (" + ending()->reason + "): no action is legal");
    }
    if (std::find(legal_.begin(), legal_.end(), action) == legal_.end()) {
      throw MoveError("action " + std::to_string(action) +
                      " is not legal here; legal: " + examples(true));
    }
  }

  // The first few legal moves, for an error message, with their action numbers if asked for.
  std::string examples(bool with_numbers) const {
    constexpr std::size_t kShown = 5;
    std::string list;
    for (std::size_t i = 0; i < legal_.size() && i < kShown; ++i) {
      if (i > 0) list += ", ";
      list += rules().say(moment_.position, legal_[i]);
      if (with_numbers) list += " (" + std::to_string(legal_[i]) + ")";
    }
    if (legal_.size() > kShown) list += " and " + std::to_string(legal_.size() - kShown) + " more";
    return list;
  }

  std::shared_ptr<const GameOf<G>> game_;
  Moment<Position> moment_;  // its `before` points into *before_
  std::shared_ptr<const StateOf> before_;
  Action action_;
  mutable std::vector<Action> legal_;
  mutable std::optional<Ending> ending_;
  mutable bool expanded_ = false;
  mutable int ply_ = -1;  // -1: not counted yet
};

template <Game G>
class GameOf final : public AnyGame {
 public:
  GameOf(G rules, std::string text)
      : rules_(std::move(rules)), facts_(rules_.facts()), text_(std::move(text)) {
    facts_.has_heuristic |= Judged<G>;
    if constexpr (Tunable<G>) facts_.weights = heuristic_weights(rules_);
    facts_.has_script = Scripted<G>;
    if constexpr (HasFeatures<G>) facts_.feature_space = feature_space(rules_);
  }

  const G& rules() const { return rules_; }
  const std::string& text() const override { return text_; }
  const Facts& facts() const override { return facts_; }
  std::size_t position_bytes() const override { return sizeof(typename G::Position); }
  bool has_mirror() const override {
    if constexpr (MayMirror<G>) return rules_.has_mirror();
    return HasMirror<G>;
  }

  StatePtr start(std::uint64_t seed, const Options& options) const override {
    return first(rules_.start(seed, options));
  }

  StatePtr parse(std::string_view position) const override {
    if (position.size() > kLongestText) {
      throw PositionError("a text of " + std::to_string(position.size()) +
                          " bytes is too long for a position: the limit is " +
                          std::to_string(kLongestText));
    }
    return first(rules_.parse(position));
  }

 private:
  StatePtr first(const typename G::Position& position) const {
    const auto self = std::static_pointer_cast<const GameOf>(shared_from_this());
    return std::make_shared<StateOf<G>>(self, begin(rules_, position), nullptr, 0);
  }

  G rules_;
  Facts facts_;
  std::string text_;
};

// The state as a state of game G. Throws GameError for a state of another game; the message begins
// with `who_knows`.
template <Game G>
const StateOf<G>& state_of(const AnyState& state, std::string_view who_knows) {
  const auto* known = dynamic_cast<const StateOf<G>*>(&state);
  if (known) return *known;
  throw GameError(std::string(who_knows) + " " + std::string(G::kName) + ", not " +
                  state.game().facts().name);
}

}  // namespace rulezero
