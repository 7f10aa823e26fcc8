// Hand-written judgements as Python sees them.

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

// A walk that stands on the state. A GameError where its game does not have `what`.
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
                        "): it has an outcome, no heuristic");
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
  if (!lead) throw GameError(state.game().facts().name + " has no prices of men");
  return *lead;
}

std::map<std::string, float> terms_of(const AnyState& state) {
  const StateOf<Monster>& known = state_of<Monster>(state, "these terms are of");
  if (known.ending()) throw PositionError("the game is over: it has an outcome, no heuristic");
  const MonsterTerms terms = monster_terms(known.moment().position, MonsterWeights());
  std::map<std::string, float> named;
  for (std::size_t i = 0; i < terms.size(); ++i) named.emplace(kMonsterTerms[i], terms[i]);
  return named;
}

int capture_gain_of(const AnyState& state, nb::handle number) {
  const Action action = to_action(number, state);
  state.kind(action);  // a MoveError unless it is legal
  return walk_on(state, true, "order of captures")->gain(action);
}

}  // namespace

void bind_eval(nb::module_& m) {
  m.def("heuristic", &heuristic_of, "state"_a, "weights"_a = std::vector<float>{},
        "Seat 0's value by a hand-written rule, between -0.98 and 0.98; `weights` are numbers in "
        "the order of Facts.weights ([]: its own). GameError for a game that has none, "
        "PositionError once the game is over.");
  m.def("material", &material_of, "state"_a,
        "Seat 0's men minus seat 1's, in centipawns, also where the game is over. GameError for a "
        "game whose men have no prices.");
  m.def("monster_terms", &terms_of, "state"_a,
        nb::sig("def monster_terms(state: State) -> dict[str, float]"),
        "The terms of Monster's judgement by name, seat 0's; the value is their sum, clamped, "
        "unless a king can be taken at once.");
  m.def("capture_gain", &capture_gain_of, "state"_a, "action"_a,
        nb::sig("def capture_gain(state: State, action: int) -> int"),
        "How much a legal action seems to take at once: 0 if it is quiet, else the more the "
        "sooner a search should try it.");
}

}  // namespace rulezero
