// Python bindings of the hand-written heuristics.

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/parts.h"
#include "bind/python_game.h"
#include "eval/heuristic.h"
#include "eval/monster.h"
#include "games/all.h"
#include "search/walk.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

// A walk at the state. Throws GameError if its game does not have `what`.
std::unique_ptr<Walk> walk_on(const AnyState& state, bool has, const char* what) {
  if (!has || is_python(state.game())) {
    throw GameError(state.game().facts().name + " has no " + what);
  }
  auto walk = make_walk(state.game());
  walk->start(state.shared_from_this());
  return walk;
}

float heuristic_of(const AnyState& state, const std::vector<float>& weights) {
  const auto walk = walk_on(state, state.game().facts().has_heuristic, "heuristic");
  if (state.ending()) {
    throw PositionError("the game is over (" + state.ending()->reason +
                        "): use its outcome, not the heuristic");
  }
  if (!weights.empty()) walk->tune(weights);
  return walk->heuristic_value();
}

// The material of a state of one of these games, if its men have prices.
template <class... Games>
std::optional<int> material_among(const AnyState& state, TypeList<Games...>) {
  std::optional<int> lead;
  const auto try_one = [&]<class G>(const StateOf<G>* match) {
    if constexpr (std::derived_from<G, chesslike::BaseGame>) {
      if (match) lead = material(match->rules().table(), match->moment().position);
    }
  };
  (try_one(dynamic_cast<const StateOf<Games>*>(&state)), ...);
  return lead;
}

int material_of(const AnyState& state) {
  const auto lead = material_among(state, AllGames{});
  if (!lead) throw GameError(state.game().facts().name + " has no prices for its men");
  return *lead;
}

std::map<std::string, float> terms_of(const AnyState& state) {
  const StateOf<Monster>& known = state_of<Monster>(state, "these terms are for");
  if (known.ending()) throw PositionError("the game is over: use its outcome, not the heuristic");
  const MonsterTerms terms = monster_terms(known.moment().position, MonsterWeights());
  std::map<std::string, float> named;
  for (std::size_t i = 0; i < terms.size(); ++i) named.emplace(kMonsterTerms[i], terms[i]);
  return named;
}

int capture_gain_of(const AnyState& state, nb::handle number) {
  const Action action = to_action(number, state);
  state.kind(action);  // throws MoveError unless it is legal
  return walk_on(state, true, "capture gains")->gain(action);
}

}  // namespace

void bind_eval(nb::module_& m) {
  m.def("heuristic", &heuristic_of, "state"_a, "weights"_a = std::vector<float>{},
        "Seat 0's value by the hand-written heuristic, between -0.98 and 0.98. `weights` are its "
        "weights in the order of Facts.weights ([]: the defaults). GameError for a game without a "
        "heuristic, PositionError if the game is over.");
  m.def("material", &material_of, "state"_a,
        "Seat 0's men minus seat 1's, in centipawns, also after the end of the game. GameError for "
        "a game whose men have no prices.");
  m.def("monster_terms", &terms_of, "state"_a,
        nb::sig("def monster_terms(state: State) -> dict[str, float]"),
        "The terms of Monster's heuristic by name, for seat 0. The heuristic's value is their sum, "
        "clamped, unless a king can be taken at once.");
  m.def("capture_gain", &capture_gain_of, "state"_a, "action"_a,
        nb::sig("def capture_gain(state: State, action: int) -> int"),
        "The immediate gain of a legal action, for move ordering: 0 for a quiet action; a search "
        "should try larger gains first.");
}

}  // namespace rulezero
