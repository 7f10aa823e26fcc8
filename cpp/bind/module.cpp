// The module rulezero._core: games, states and pieces as Python sees them.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/python_game.h"
#include "games/registry.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

const nb::sig kReduceSignature("def __reduce__(self) -> tuple[object, tuple[object, ...]]");

using FloatArray = nb::ndarray<nb::numpy, float, nb::c_contig>;

// A zeroed float32 array that Python owns.
FloatArray zeros(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (std::size_t length : shape) size *= length;
  auto* data = new float[size]();
  nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<float*>(memory); });
  return FloatArray(data, shape, owner);
}

// Any whole number is an action to ask about; those that no game has are illegal, not wrong types.
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

// The seed as given, wherever a 64-bit word can hold it.
std::uint64_t to_seed(nb::handle number) {
  const nb::object index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const std::uint64_t seed = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw GameError("a seed is a whole number from 0 to 2**64 - 1");
  }
  return seed;
}

// The letters of a text, for as long as it lives; nothing where UTF-8 cannot write it.
std::optional<std::string_view> to_utf8(const nb::str& text) {
  Py_ssize_t size = 0;
  const char* letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (letters) return std::string_view(letters, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

StatePtr parse(const AnyGame& game, const nb::str& text) {
  const auto letters = to_utf8(text);
  if (!letters) throw PositionError("the text has letters that are no letters (lone surrogates)");
  return game.parse(*letters);
}

Options to_options(const nb::kwargs& given) {
  Options options;
  for (const auto& [name, value] : given) {
    const std::string key = nb::cast<std::string>(name);
    std::string text;
    if (!nb::try_cast(value, text)) throw GameError("the start option " + key + " takes a text");
    options.emplace(key, text);
  }
  return options;
}

std::vector<Action> actions_of(const AnyState& state) {
  std::vector<Action> actions;
  StatePtr earlier;
  for (const AnyState* at = &state; at->action(); at = earlier.get()) {
    actions.push_back(*at->action());
    earlier = at->before();
  }
  return {actions.rbegin(), actions.rend()};
}

// Whether both came to the same position of the same game by the same way.
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

// What pickle keeps of a state: the game, where it began and what was done. Replaying it checks it.
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

void bind_pieces(nb::module_& m) {
  nb::class_<PatternSpec>(m, "Pattern", "One way a piece moves: a slide, a leap or a hop.")
      .def(
          "__init__",
          [](PatternSpec* self, std::string_view kind,
             const std::vector<std::array<int, 2>>& vectors, int range, int hurdles, int land,
             bool moves, bool captures, bool initial_only) {
            using Kind = PatternSpec::Kind;
            if (kind != "slide" && kind != "leap" && kind != "hop") {
              throw GameError("a pattern is a slide, a leap or a hop, not " + quoted(kind));
            }
            const Kind type = kind == "slide"  ? Kind::kSlide
                              : kind == "leap" ? Kind::kLeap
                                               : Kind::kHop;
            new (self) PatternSpec{type, {}, range, hurdles, land, moves, captures, initial_only};
            for (const auto& [right, forward] : vectors) self->vectors.push_back({right, forward});
          },
          nb::kw_only(), "kind"_a, "vectors"_a, "range"_a = 0, "hurdles"_a = 1, "land"_a = 0,
          "moves"_a = true, "captures"_a = true, "initial_only"_a = false,
          "vectors are [right, forward]; range 0 is unlimited, land 0 is any square.");

  nb::class_<PieceSpec>(m, "Piece", "A piece as its designer describes it.")
      .def(
          "__init__",
          [](PieceSpec* self, std::string name, std::string symbol, double value, bool royal,
             std::vector<PatternSpec> patterns, bool en_passant, int promotion_rank,
             std::vector<std::string> promotion_options, bool castles_kingside,
             bool castles_queenside) {
            new (self) PieceSpec{std::move(name), std::move(symbol),   value,
                                 royal,           std::move(patterns), en_passant,
                                 std::nullopt,    castles_kingside,    castles_queenside};
            if (promotion_rank != 0) {
              self->promotion = PromotionSpec{promotion_rank, std::move(promotion_options)};
            }
          },
          nb::kw_only(), "name"_a, "symbol"_a, "value"_a, "royal"_a = false, "patterns"_a,
          "en_passant"_a = false, "promotion_rank"_a = 0,
          "promotion_options"_a = std::vector<std::string>{}, "castles_kingside"_a = false,
          "castles_queenside"_a = false)
      .def_ro("name", &PieceSpec::name)
      .def_ro("symbol", &PieceSpec::symbol)
      .def_ro("value", &PieceSpec::value)
      .def_ro("royal", &PieceSpec::royal);
}

void bind_games(nb::module_& m) {
  nb::class_<Facts>(m, "Facts", "What never changes about a game.")
      .def_ro("name", &Facts::name)
      .def_ro("version", &Facts::version, "Version of the rules.")
      .def_ro("encoding", &Facts::encoding, "Version of the planes and slots.")
      .def_ro("actions", &Facts::actions, "Action numbers are below this.")
      .def_ro("slots", &Facts::slots, "Policy slots are below this.")
      .def_prop_ro(
          "planes",
          [](const Facts& facts) {
            return nb::make_tuple(facts.planes[0], facts.planes[1], facts.planes[2]);
          },
          nb::sig("def planes(self) -> tuple[int, int, int]"), "(channels, rows, columns).")
      .def_prop_ro(
          "board",
          [](const Facts& facts) { return nb::make_tuple(facts.board[0], facts.board[1]); },
          nb::sig("def board(self) -> tuple[int, int]"), "(rows, columns) of the board.")
      .def_ro("max_plies", &Facts::max_plies, "Choices after which a runner stops a game.")
      .def_ro("has_chance", &Facts::has_chance, "Whether some plies are a die's.")
      .def_ro("events", &Facts::events, "Columns of the events table.")
      .def("__repr__", [](const Facts& facts) {
        return "Facts(" + facts.name + ", version " + std::to_string(facts.version) + ", " +
               std::to_string(facts.actions) + " actions, " + std::to_string(facts.slots) +
               " slots, planes " + std::to_string(facts.planes[0]) + "x" +
               std::to_string(facts.planes[1]) + "x" + std::to_string(facts.planes[2]) + ")";
      });

  nb::class_<Cell>(m, "Cell", "One square as people see it.")
      .def_ro("man", &Cell::man, "Its symbol, empty on an empty square.")
      .def_ro("seat", &Cell::seat, "Whose man it is, -1 for nobody's.")
      .def_ro("note", &Cell::note, "What the symbol does not say, such as hit points.")
      .def("__repr__", [](const Cell& cell) {
        return "Cell(man='" + cell.man + "', seat=" + std::to_string(cell.seat) + ", note='" +
               cell.note + "')";
      });

  nb::class_<AnyGame>(m, "Game", "A game with its rule options fixed.")
      .def_prop_ro("facts", &AnyGame::facts, nb::rv_policy::reference_internal)
      .def_prop_ro("text", &AnyGame::text,
                   "The game's canonical text: load(game.text) is this game.")
      .def_prop_ro("position_bytes", &AnyGame::position_bytes,
                   "Size of a position inside the core.")
      .def(
          "start",
          [](const AnyGame& game, nb::handle seed, const nb::kwargs& options) {
            return game.start(to_seed(seed), to_options(options));
          },
          "seed"_a = 0, "options"_a,
          nb::sig("def start(self, seed: int = 0, **options: str) -> State"),
          "The first state; the seed draws what the rules leave to chance.")
      .def("parse", &parse, "text"_a,
           "The state a text describes, with a new history. PositionError if it is none.")
      .def(
          "replay",
          [](const AnyGame& game, const nb::str& text, const nb::iterable& actions) {
            StatePtr state = parse(game, text);
            std::size_t ply = 0;
            for (nb::handle action : actions) {
              try {
                state = state->apply(to_action(action, *state));
              } catch (const MoveError& error) {
                throw MoveError("at ply " + std::to_string(ply) + ", in " + state->text() + ": " +
                                error.what());
              }
              ++ply;
            }
            return state;
          },
          "text"_a, "actions"_a,
          nb::sig("def replay(self, text: str, actions: collections.abc.Iterable[int]) -> State"),
          "The state after these actions from the position a text describes.")
      .def(
          "__reduce__",
          [](const AnyGame& game) {
            const nb::object load = nb::module_::import_("rulezero.games.load").attr("load");
            return nb::make_tuple(load, nb::make_tuple(game.text()));
          },
          kReduceSignature)
      .def("__repr__", [](const AnyGame& game) { return "<game " + game.text() + ">"; });
}

void bind_states(nb::module_& m) {
  nb::class_<AnyState>(m, "State", "A position with its past: an immutable value.")
      .def_prop_ro("game", [](const AnyState& state) { return state.game().shared_from_this(); })
      .def_prop_ro("text", &AnyState::text, "The position as text: game.parse reads it.")
      .def_prop_ro("key", &AnyState::key, "Equal where the repetition rule sees one position.")
      .def_prop_ro("times", &AnyState::times, "How often this key has occurred, now included.")
      .def_prop_ro("mover", &AnyState::mover, "Who chooses now: 0, 1 or CHANCE.")
      .def_prop_ro("legal", &AnyState::legal, nb::rv_policy::copy,
                   "Legal action numbers; [] when the game is over.")
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
            return state.ending() ? std::optional<std::string>(state.ending()->reason)
                                  : std::nullopt;
          },
          "What ended the game; None before that.")
      .def_prop_ro("chances", &AnyState::chances,
                   "Probabilities beside `legal`; [] unless the mover is CHANCE.")
      .def_prop_ro("actions", &actions_of, "The actions that led here.")
      .def_prop_ro("before", &AnyState::before, nb::sig("def before(self) -> State | None"),
                   "The state this one came from, or None.")
      .def(
          "apply",
          [](const AnyState& state, nb::handle action) {
            return state.apply(to_action(action, state));
          },
          "action"_a, nb::sig("def apply(self, action: int) -> State"),
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
          "What a net sees: float32 [channels, rows, columns] in [0, 1].")
      .def(
          "slot",
          [](const AnyState& state, nb::handle action) {
            return state.slot(to_action(action, state));
          },
          "action"_a, nb::sig("def slot(self, action: int) -> int"),
          "The policy slot of a legal action.")
      .def(
          "say",
          [](const AnyState& state, nb::handle action, bool san) {
            return state.say(to_action(action, state), san);
          },
          "action"_a, "san"_a = false,
          nb::sig("def say(self, action: int, san: bool = False) -> str"),
          "The move text of a legal action; chess-like games also speak SAN.")
      .def(
          "read",
          [](const AnyState& state, const nb::str& text) {
            return state.read(to_utf8(text).value_or("?"));
          },
          "text"_a, "The legal action a move text means. MoveError if there is none.")
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
          "What the action that led here did, by the names in facts.events.")
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
          "The board as people see it: rows from the top, each from the left.")
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
      .def("__reduce__", &reduced, kReduceSignature)
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
        // Rules in Python need the GIL; the core's own let other threads run meanwhile.
        if (dynamic_cast<const GameOf<PythonRules>*>(&state.game())) {
          return state.perft(static_cast<int>(choices));
        }
        nb::gil_scoped_release release;
        return state.perft(static_cast<int>(choices));
      },
      "state"_a, "depth"_a, nb::sig("def perft(state: State, depth: int) -> int"),
      "Paths of exactly `depth` choices.");
}

}  // namespace

NB_MODULE(_core, m) {
#ifdef NDEBUG
  // A Python game and the names of its file may hold each other until the process ends: no news.
  nb::set_leak_warnings(false);
#endif
  m.doc() = "The C++ core of rulezero.";
  m.attr("CHANCE") = kChance;

  auto base = nb::exception<std::runtime_error>(m, "RulezeroError", PyExc_ValueError);
  nb::exception<GameError>(m, "GameError", base);
  nb::exception<PositionError>(m, "PositionError", base);
  nb::exception<MoveError>(m, "MoveError", base);

  bind_pieces(m);
  bind_games(m);
  bind_states(m);

  m.def(
      "load_game",
      [](std::string_view name, const std::map<std::string, std::string>& options,
         const std::vector<PieceSpec>& pieces) {
        return load_game(name, Options(options.begin(), options.end()), pieces);
      },
      "name"_a, "options"_a, "pieces"_a = std::vector<PieceSpec>{},
      "The registered game with these rule options.");
  m.def(
      "load_python_game",
      [](nb::object rules, std::string text) {
        return std::shared_ptr<const AnyGame>(
            std::make_shared<GameOf<PythonRules>>(PythonRules(std::move(rules)), std::move(text)));
      },
      "rules"_a, "text"_a, "A game whose rules are a Python object.");
  m.def(
      "game_options",
      [] {
        std::map<std::string, std::vector<std::array<std::string, 3>>> games;
        for (const GameEntry& game : registered_games()) {
          auto& options = games[std::string(game.name)];
          for (const RuleOption& option : game.options) {
            options.push_back(
                {std::string(option.name), std::string(option.fallback), std::string(option.help)});
          }
        }
        return games;
      },
      "Every registered game with its rule options: name, fallback, help.");
}

}  // namespace rulezero
