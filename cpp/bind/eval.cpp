// Hand-written judgements as Python sees them.

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "bind/parts.h"
#include "eval/heuristic.h"
#include "eval/monster.h"
#include "games/all.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

// The answer of ask(state as the game it is of, rules), where `Has` that game; else a GameError.
template <class Ask, class... Games>
auto ask_as(const AnyState& state, const char* what, Ask ask, TypeList<Games...>) {
  using Answer = std::common_type_t<decltype(ask(static_cast<const StateOf<Games>&>(state)))...>;
  Answer answer;
  const auto try_as = [&]<class G>(std::type_identity<G>) {
    const auto* known = dynamic_cast<const StateOf<G>*>(&state);
    if (known) answer = ask(*known);
    return known != nullptr;
  };
  if ((try_as(std::type_identity<Games>{}) || ...) && answer) return *answer;
  throw GameError(state.game().facts().name + " has no " + what);
}

float heuristic_of(const AnyState& state) {
  const auto ask = []<class G>(const StateOf<G>& known) -> std::optional<float> {
    if constexpr (Judged<G>) {
      if (known.ending()) {
        throw PositionError("the game is over (" + known.ending()->reason +
                            "): it has an outcome, no heuristic");
      }
      return heuristic(known.owner().rules(), known.moment());
    }
    return std::nullopt;
  };
  return ask_as(state, "heuristic", ask, AllGames{});
}

int material_of(const AnyState& state) {
  const auto ask = []<class G>(const StateOf<G>& known) -> std::optional<int> {
    if constexpr (requires(const G& rules) { rules.table(); }) {
      return material(known.owner().rules().table(), known.moment().position);
    }
    return std::nullopt;
  };
  return ask_as(state, "prices of men", ask, AllGames{});
}

std::map<std::string, float> terms_of(const AnyState& state, const MonsterWeights& weights) {
  const auto* known = dynamic_cast<const StateOf<Monster>*>(&state);
  if (!known) throw GameError("these are terms of monster, not of " + state.game().facts().name);
  if (known->ending()) throw PositionError("the game is over: it has an outcome, no heuristic");
  const MonsterTerms terms = monster_terms(known->moment().position, weights);
  std::map<std::string, float> named;
  for (std::size_t i = 0; i < terms.size(); ++i) named.emplace(kMonsterTerms[i], terms[i]);
  return named;
}

int capture_gain_of(const AnyState& state, nb::handle number) {
  const Action action = to_action(number, state);
  state.kind(action);  // a MoveError unless it is legal
  const auto ask = [action]<class G>(const StateOf<G>& known) -> std::optional<int> {
    if constexpr (OrdersCaptures<G>) {
      return capture_gain(known.owner().rules(), known.moment().position, action);
    }
    return 0;
  };
  return ask_as(state, "order of captures", ask, AllGames{});
}

}  // namespace

void bind_eval(nb::module_& m) {
  m.def("heuristic", &heuristic_of, "state"_a,
        "Seat 0's value by a hand-written rule, between -0.98 and 0.98. GameError for a game that "
        "has none, PositionError once the game is over.");
  m.def("material", &material_of, "state"_a,
        "Seat 0's men minus seat 1's, in centipawns, also where the game is over. GameError for a "
        "game whose men have no prices.");
  nb::class_<MonsterWeights> weights(m, "MonsterWeights",
                                     "What each term of Monster's judgement counts.");
  weights.def(nb::init<>());
  for (const auto& [name, member] : kMonsterWeights) {
    weights.def_prop_rw(
        std::string(name).c_str(), [member](const MonsterWeights& w) { return w.*member; },
        [member](MonsterWeights& w, float value) { w.*member = value; });
  }
  m.def("monster_terms", &terms_of, "state"_a, "weights"_a = MonsterWeights(),
        nb::sig("def monster_terms(state: State, weights: MonsterWeights = ...) "
                "-> dict[str, float]"),
        "The terms of Monster's judgement by name, seat 0's; the value is their sum, clamped, "
        "unless a king can be taken at once.");
  m.def("capture_gain", &capture_gain_of, "state"_a, "action"_a,
        nb::sig("def capture_gain(state: State, action: int) -> int"),
        "How much a legal action seems to take at once: 0 if it is quiet, else the more the "
        "sooner a search should try it.");
}

}  // namespace rulezero
