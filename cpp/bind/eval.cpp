// Hand-written judgements as Python sees them.

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "bind/parts.h"
#include "eval/heuristic.h"
#include "eval/monster.h"
#include "eval/ordering.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

// Asks about the state as the game it is of, if it is one of these; what for is told if it is not.
template <class... Games, class Ask>
auto ask_as(const AnyState& state, const char* what, Ask ask) {
  using Answer = std::common_type_t<decltype(ask(static_cast<const StateOf<Games>&>(state)))...>;
  std::optional<Answer> answer;
  const auto try_as = [&]<class G>(std::type_identity<G>) {
    const auto* known = dynamic_cast<const StateOf<G>*>(&state);
    if (known) answer = ask(*known);
    return known != nullptr;
  };
  if ((try_as(std::type_identity<Games>{}) || ...)) return *answer;
  throw GameError("nobody has written " + std::string(what) + " for " + state.game().facts().name);
}

template <class Ask>
auto ask_judged(const AnyState& state, Ask ask) {
  return ask_as<Chess, Monster, RandomChess, Exchange, Razzle, Connect4>(state, "a heuristic", ask);
}

float heuristic_of(const AnyState& state) {
  return ask_judged(state, [](const auto& known) {
    if (known.ending()) {
      throw PositionError("the game is over (" + std::string(known.ending()->reason) +
                          "): it has an outcome, no heuristic");
    }
    return heuristic(known.owner().rules(), known.moment());
  });
}

int material_of(const AnyState& state) {
  return ask_as<Chess, Monster, RandomChess>(state, "prices of men", [](const auto& known) {
    return material(known.owner().rules().table(), known.moment().position);
  });
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
  return ask_judged(state, [action](const auto& known) {
    known.say(action, false);  // a MoveError unless it is legal
    return capture_gain(known.owner().rules(), known.moment().position, action);
  });
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
