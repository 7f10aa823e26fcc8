// Python bindings of games and their facts.

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/parts.h"
#include "play/replay.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

// The seed as a 64-bit word. Throws GameError if it does not fit.
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

StatePtr parse(const AnyGame& game, const nb::str& text) { return game.parse(letters_of(text)); }

template <auto Member>
nb::tuple tuple_of(const Facts& facts) {
  return nb::tuple(nb::cast(facts.*Member));
}

Options to_options(const nb::kwargs& given) {
  Options options;
  for (const auto& [name, value] : given) {
    const std::string key = nb::cast<std::string>(name);
    std::string text;
    if (!nb::try_cast(value, text)) throw GameError("the start option " + key + " must be a text");
    options.emplace(key, text);
  }
  return options;
}

}  // namespace

void bind_games(nb::module_& m) {
  nb::class_<Weight>(m, "Weight", "A number in a heuristic that players may set.")
      .def_ro("name", &Weight::name)
      .def_ro("fallback", &Weight::fallback, "The default.")
      .def_ro("help", &Weight::help)
      .def_ro("low", &Weight::low, "The smallest value allowed.")
      .def_ro("high", &Weight::high, "The largest value allowed.");

  nb::class_<Facts>(m, "Facts", "The constants of a game.")
      .def_ro("name", &Facts::name)
      .def_ro("version", &Facts::version, "Version of the rules.")
      .def_ro("encoding", &Facts::encoding, "Version of the planes and slots.")
      .def_ro("actions", &Facts::actions, "Action numbers are below this.")
      .def_ro("slots", &Facts::slots, "Policy slots are below this.")
      .def_prop_ro("planes", &tuple_of<&Facts::planes>,
                   nb::sig("def planes(self) -> tuple[int, int, int]"),
                   "(channels, rows, columns).")
      .def_ro("plane_names", &Facts::plane_names,
              "What each plane shows, in a few words (docs/planes.md); [] without names.")
      .def_prop_ro("board", &tuple_of<&Facts::board>, nb::sig("def board(self) -> tuple[int, int]"),
                   "(rows, columns) of the board.")
      .def_ro("max_plies", &Facts::max_plies, "Choices after which a game is stopped.")
      .def_ro("has_chance", &Facts::has_chance, "Whether some plies are rolls of a die.")
      .def_ro("has_random_start", &Facts::has_random_start,
              "Whether the start position depends on the seed.")
      .def_ro("has_heuristic", &Facts::has_heuristic, "Whether it has a hand-written heuristic.")
      .def_ro("weights", &Facts::weights, "Weights of the heuristic that players may set.")
      .def_ro("has_script", &Facts::has_script, "Whether it has a scripted player.")
      .def_prop_ro(
          "features", [](const Facts& facts) { return facts.feature_space.features; },
          "Features of an efficiently updatable net are below this; 0: the game has none.")
      .def_prop_ro(
          "feature_places", [](const Facts& facts) { return facts.feature_space.places; },
          "At most this number of features is on.")
      .def_prop_ro(
          "features_version", [](const Facts& facts) { return facts.feature_space.version; },
          "Version of the features.")
      .def_ro("has_tables", &Facts::has_tables, "Whether players can use solved endgames.")
      .def_ro("events", &Facts::events, "Columns of the events table.")
      .def_prop_ro("seat_names", &tuple_of<&Facts::seat_names>,
                   nb::sig("def seat_names(self) -> tuple[str, str]"),
                   "Names of the seats, for people.")
      .def_ro("human_seat", &Facts::human_seat, "The seat that a person plays by default.")
      .def_prop_ro(
          "policy_layout", [](const Facts& facts) { return facts.policy_layout; },
          nb::sig("def policy_layout(self) -> typing.Literal['planes', 'from_to', 'flat']"),
          "How the policy slots are laid out (docs/planes.md).")
      .def_ro("typical_plies", &Facts::typical_plies,
              "Typical number of choices in a self-play game of a `small` run; 0: unknown.")
      .def_ro("typical_moves", &Facts::typical_moves, "Legal moves per choice in such games.")
      .def_ro("pgn_variants", &Facts::pgn_variants,
              "PGN's Variant tag, then other spellings that are accepted; [] without PGN.")
      .def_ro("uci", &Facts::uci,
              "What a UCI engine plays in this game: chess or chess960; '' if it cannot.")
      .def_ro("constants", &Facts::constants, "Numbers of the rules by name.")
      .def_ro("pictures", &Facts::pictures, "The picture for a man's symbol: {'K': 'king'}.")
      .def("__repr__", [](const Facts& facts) {
        return "Facts(" + facts.name + ", version " + std::to_string(facts.version) + ", " +
               std::to_string(facts.actions) + " actions, " + std::to_string(facts.slots) +
               " slots, planes " + std::to_string(facts.planes[0]) + "x" +
               std::to_string(facts.planes[1]) + "x" + std::to_string(facts.planes[2]) + ")";
      });

  nb::class_<Cell>(m, "Cell", "One square of the board, for display.")
      .def_ro("man", &Cell::man, "Its symbol, empty on an empty square.")
      .def_ro("seat", &Cell::seat, "Whose man it is; -1 on an empty square.")
      .def_ro("note", &Cell::note, "More about the man, such as hit points.")
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
      .def_prop_ro("has_mirror", &AnyGame::has_mirror,
                   "Whether positions have the same value as their mirror images. A position with\n"
                   "castling rights has no mirror image.")
      .def(
          "start",
          [](const AnyGame& game, nb::handle seed, const nb::kwargs& options) {
            return game.start(to_seed(seed), to_options(options));
          },
          "seed"_a = 0, "options"_a,
          nb::sig("def start(self, seed: int = 0, **options: str) -> State"),
          "The first state; the seed determines everything random about it.")
      .def("parse", &parse, "text"_a,
           "The state that a text describes, without a history. PositionError for any other text.")
      .def(
          "replay",
          [](const AnyGame& game, const nb::str& text, const nb::iterable& actions) {
            StatePtr state = parse(game, text);
            std::size_t ply = 0;
            for (nb::handle action : actions) {
              state =
                  at_ply(ply++, *state, [&] { return state->apply(to_action(action, *state)); });
            }
            return state;
          },
          "text"_a, "actions"_a,
          nb::sig("def replay(self, text: str, actions: collections.abc.Iterable[int]) -> State"),
          "The state after these actions from the position that a text describes.")
      .def(
          "__reduce__",
          [](const AnyGame& game) {
            const nb::object load = nb::module_::import_("rulezero.games.load").attr("load");
            return nb::make_tuple(load, nb::make_tuple(game.text()));
          },
          nb::sig(kReduceSignature))
      .def("__repr__", [](const AnyGame& game) { return "<game " + game.text() + ">"; });
}

}  // namespace rulezero
