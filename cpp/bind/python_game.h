#pragma once
// A game whose rules are a Python object: satisfies the Game concept by calling Python.

#include <nanobind/nanobind.h>

#include "games/any.h"

namespace rulezero {

class PythonRules {
 public:
  // Any Python value that the rules never change; the GIL must be held while one is copied.
  struct Position {
    nanobind::object value;
  };
  static constexpr std::string_view kName = "python";
  static constexpr std::array<RuleOption, 0> kOptions{};

  explicit PythonRules(nanobind::object rules);

  const Facts& facts() const { return facts_; }
  Position start(std::uint64_t seed, const Options& options) const;
  Position parse(std::string_view text) const;
  std::string text(const Position& position) const;
  Key key(const Position& position) const;
  int lookback(const Position&) const { return facts_.max_plies; }
  int mover(const Position& position) const;
  std::optional<Ending> expand(const Moment<Position>& moment, std::vector<Action>& actions) const;
  std::vector<double> chances(const Position& position, std::span<const Action> legal) const;
  Position apply(const Position& position, Action action) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;
  int slot(const Position& position, Action action) const;
  void events(const Position& position, Action action, std::span<float> row) const;
  std::string say(const Position& position, Action action) const;
  std::vector<Cell> cells(const Position& position) const;
  InfoRows info(const Position& position) const;
  std::string kind(const Position& position, Action action) const;
  float heuristic(const Position& position) const;
  bool has_mirror() const { return has_mirror_; }
  bool has_mirror(const Position& position) const;
  Position mirror(const Position& position) const;
  Action mirror(const Position& position, Action action) const;

 private:
  template <class... Arguments>
  nanobind::object ask(const char* method, const Arguments&... arguments) const;
  template <class T, class... Arguments>
  T ask_for(const char* method, const char* wanted, const Arguments&... arguments) const;
  [[noreturn]] void blame(const char* method, nanobind::python_error& error) const;
  [[noreturn]] void fail(const std::string& method, const std::string& what) const;

  nanobind::object rules_;
  Facts facts_;
  bool has_mirror_ = false;
};

static_assert(Game<PythonRules>);

inline bool is_python(const AnyGame& game) {
  return dynamic_cast<const GameOf<PythonRules>*>(&game) != nullptr;
}

// Calls deed() with the GIL released, unless the rules are written in Python.
template <class Deed>
auto beside_python(const AnyGame& game, Deed deed) {
  if (is_python(game)) return deed();
  nanobind::gil_scoped_release release;
  return deed();
}

}  // namespace rulezero
