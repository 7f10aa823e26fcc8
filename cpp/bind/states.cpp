// Python bindings of states, and perft.

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/parts.h"
#include "bind/python_game.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

std::vector<Action> actions_of(const AnyState& state) {
  std::vector<Action> actions;
  StatePtr earlier;
  for (const AnyState* at = &state; at->action(); at = earlier.get()) {
    actions.push_back(*at->action());
    earlier = at->before();
  }
  return {actions.rbegin(), actions.rend()};
}

// Whether both are the same position of the same game, reached in the same way.
bool same_state(const AnyState& one, const AnyState& other) {
  if (one.game().text() != other.game().text()) return false;
  StatePtr one_before;
  StatePtr other_before;
  const AnyState* a = &one;
  const AnyState* b = &other;
  while (a != b) {
    if (a->key() != b->key() || a->action() != b->action()) return false;
    if (!a->action()) return a->text() == b->text();
    one_before = a->before();
    other_before = b->before();
    a = one_before.get();
    b = other_before.get();
  }
  return true;
}

// What pickle stores of a state: the game, the first position and the actions. Unpickling replays
// the actions, which checks them.
nb::tuple reduced(const AnyState& state) {
  StatePtr earlier;
  const AnyState* first = &state;
  while (first->action()) {
    earlier = first->before();
    first = earlier.get();
  }
  const nb::object restore = nb::module_::import_("rulezero.games.load").attr("restore");
  return nb::make_tuple(restore,
                        nb::make_tuple(state.game().text(), first->text(), actions_of(state)));
}

// perft that Ctrl-C can stop: the core counts short paths, and signals are checked in between.
// Other threads can run meanwhile, except for rules in Python, which need the GIL.
std::uint64_t count_paths(const AnyState& state, int depth) {
  constexpr int kStretch = 4;
  if (depth <= kStretch) return beside_python(state.game(), [&] { return state.perft(depth); });
  std::uint64_t paths = 0;
  for (Action action : state.legal()) {
    paths += count_paths(*state.apply(action), depth - 1);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return paths;
}

// Calls a member function of a state with an action from Python.
template <auto Member>
auto of_action(const AnyState& state, nb::handle action) {
  return (state.*Member)(to_action(action, state));
}

}  // namespace

Action to_action(nb::handle number, const AnyState& state) {
  const nb::object index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || value < 0 || value >= state.game().facts().actions) {
    throw MoveError("action " + nb::cast<std::string>(nb::str(index)) + " is not legal here: " +
                    state.game().facts().name + " numbers its actions from 0 to " +
                    std::to_string(state.game().facts().actions - 1));
  }
  return static_cast<Action>(value);
}

std::optional<std::string_view> to_utf8(const nb::str& text) {
  Py_ssize_t size = 0;
  const char* letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (letters) return std::string_view(letters, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

std::string_view letters_of(const nb::str& text) {
  const auto letters = to_utf8(text);
  if (!letters) throw PositionError("the text has characters that are not valid (lone surrogates)");
  return *letters;
}

void bind_states(nb::module_& m) {
  nb::class_<AnyState>(m, "State", "A position with its history: an immutable value.")
      .def_prop_ro("game", [](const AnyState& state) { return state.game().shared_from_this(); })
      .def_prop_ro("text", &AnyState::text, "The position as text, which game.parse reads.")
      .def_prop_ro("key", &AnyState::key, "Equal for positions that are equal for repetition.")
      .def_prop_ro("times", &AnyState::times, "How often this key has occurred, including now.")
      .def_prop_ro("mover", &AnyState::mover, "Who chooses now: 0, 1 or CHANCE.")
      .def_prop_ro("legal", &AnyState::legal, nb::rv_policy::copy,
                   "Legal action numbers; [] if the game is over.")
      .def_prop_ro("is_over", [](const AnyState& state) { return state.ending().has_value(); })
      .def_prop_ro(
          "outcome",
          [](const AnyState& state) {
            return state.ending() ? std::optional(state.ending()->outcome) : std::nullopt;
          },
          "Seat 0's result, 1, 0 or -1; None before the end.")
      .def_prop_ro(
          "end_reason",
          [](const AnyState& state) {
            return state.ending() ? std::optional(state.ending()->reason) : std::nullopt;
          },
          "Why the game ended; None before the end.")
      .def_prop_ro("chances", &AnyState::chances,
                   "Probabilities in the order of `legal`; [] unless the mover is CHANCE.")
      .def_prop_ro("actions", &actions_of, "The actions that led here.")
      .def_prop_ro("ply", &AnyState::ply,
                   "Number of players' choices so far, as the game counts them; without dice.")
      .def_prop_ro("move_number", &AnyState::move_number,
                   "The number that PGN writes before a move; None in games without one.")
      .def_prop_ro("before", &AnyState::before, nb::sig("def before(self) -> State | None"),
                   "The state this one came from, or None.")
      .def("apply", &of_action<&AnyState::apply>, "action"_a,
           nb::sig("def apply(self, action: int) -> State"),
           "The state after a legal action. MoveError if it is not legal.")
      .def(
          "planes",
          [](const AnyState& state) {
            const auto [channels, rows, columns] = state.game().facts().planes;
            FloatArray planes =
                zeros({static_cast<std::size_t>(channels), static_cast<std::size_t>(rows),
                       static_cast<std::size_t>(columns)});
            state.encode({planes.data(), planes.size()});
            return planes;
          },
          nb::sig("def planes(self) -> numpy.typing.NDArray[numpy.float32]"),
          "The input of a net: float32 [channels, rows, columns] in [0, 1].")
      .def(
          "features",
          [](const AnyState& state, int seat) {
            if (seat != 0 && seat != 1) throw GameError("a seat is 0 or 1");
            std::vector<int> on;
            for (Feature feature : state.features(seat)) {
              if (feature != kNoFeature) on.push_back(feature);
            }
            return on;
          },
          "seat"_a,
          "The features that are on for an efficiently updatable net, as a seat sees the "
          "position;\n"
          "[] if the game has none (see Facts.features).")
      .def("slot", &of_action<&AnyState::slot>, "action"_a,
           nb::sig("def slot(self, action: int) -> int"), "The policy slot of a legal action.")
      .def(
          "say",
          [](const AnyState& state, nb::handle action, bool san) {
            return state.say(to_action(action, state), san);
          },
          "action"_a, "san"_a = false,
          nb::sig("def say(self, action: int, san: bool = False) -> str"),
          "The move text of a legal action; with san=True in SAN, for chess-like games.")
      .def(
          "read",
          [](const AnyState& state, const nb::str& text) {
            return state.read(to_utf8(text).value_or("?"));
          },
          "text"_a, "The legal action that a move text means. MoveError if there is none.")
      .def("kind", &of_action<&AnyState::kind>, "action"_a,
           nb::sig("def kind(self, action: int) -> str"),
           "The kind of a legal action: \"moves\" unless the game names kinds.")
      .def(
          "touches",
          [](const AnyState& state, nb::handle action) {
            std::vector<std::vector<std::string>> steps;
            for (const std::vector<Square>& step : state.touches(to_action(action, state))) {
              std::vector<std::string>& names = steps.emplace_back();
              for (const auto& [row, column] : step) names.push_back(square_text(row, column));
            }
            return steps;
          },
          "action"_a, nb::sig("def touches(self, action: int) -> list[list[str]]"),
          "How a person makes a legal action on the board: for each step the squares that mean it, "
          "the one to show first. [] for an action that names no square.")
      .def("info", &AnyState::info,
           "Facts that the men on their squares do not show: (label, words).")
      .def_prop_ro(
          "events",
          [](const AnyState& state) {
            const std::vector<std::string>& names = state.game().facts().events;
            std::vector<float> row(names.size());
            state.events(row);
            std::map<std::string, float> events;
            for (std::size_t i = 0; i < names.size(); ++i) events[names[i]] = row[i];
            return events;
          },
          "The effects of the action that led here, by the names in facts.events.")
      .def(
          "cells",
          [](const AnyState& state) {
            const auto [rows, columns] = state.game().facts().board;
            const std::vector<Cell> cells = state.cells();
            std::vector<std::vector<Cell>> board;
            for (int row = rows - 1; row >= 0; --row) {
              const auto begin = cells.begin() + row * columns;
              board.emplace_back(begin, begin + columns);
            }
            return board;
          },
          "The board for display: rows from the top, each from the left.")
      .def(
          "__eq__",
          [](const AnyState& state, nb::handle other) {
            const AnyState* second = nullptr;
            return nb::try_cast(other, second) && second && same_state(state, *second);
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
          "Whether both are the same position of the same game, reached in the same way.")
      .def("__hash__", &AnyState::key)
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a)
      .def("__reduce__", &reduced, nb::sig(kReduceSignature))
      .def(
          "_repr_svg_",
          [](const nb::handle& state) {
            return nb::module_::import_("rulezero.games.picture").attr("svg")(state);
          },
          nb::sig("def _repr_svg_(self) -> str"), "The board, as notebooks show it.")
      .def("__repr__", [](const AnyState& state) {
        return "<" + state.game().facts().name + " " + state.text() + ">";
      });

  m.def(
      "perft",
      [](const AnyState& state, nb::handle depth) {
        constexpr long long kDeepest = 1000;
        const nb::object index = nb::steal(PyNumber_Index(depth.ptr()));
        if (!index.is_valid()) throw nb::python_error();
        int overflow = 0;
        const long long choices = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
        if (overflow != 0 || choices < 0 || choices > kDeepest) {
          throw GameError("perft counts paths of 0 to 1000 choices, not " +
                          quoted(nb::cast<std::string>(nb::str(index))));
        }
        return count_paths(state, static_cast<int>(choices));
      },
      "state"_a, "depth"_a, nb::sig("def perft(state: State, depth: int) -> int"),
      "Number of paths of exactly `depth` choices.");
}

}  // namespace rulezero
