// Python bindings of replays.

#include "play/replay.h"

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

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Legal = nb::ndarray<bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Slots = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

nb::tuple replay_all(const AnyGame& game, const nb::str& start, const Input<Action>& actions) {
  const std::string_view letters = letters_of(start);
  const std::size_t plies = actions.size();
  Replay result = beside_python(game, [&] { return replay(game, letters, span_of(actions)); });
  return nb::make_tuple(
      to_numpy(std::move(result.movers), {plies}), to_numpy(std::move(result.choices), {plies}),
      to_numpy(std::move(result.events), {plies, game.facts().events.size()}),
      to_numpy(std::move(result.checks), {plies}), to_numpy(std::move(result.actors), {plies}),
      to_numpy(std::move(result.numbers), {plies}), result.last);
}

void check_shape(bool fits, const char* name, const char* wanted) {
  if (!fits) throw nb::value_error((std::string(name) + " needs the shape " + wanted).c_str());
}

void remake_some(const AnyGame& game, const std::vector<std::pair<nb::str, Input<Action>>>& games,
                 const Input<std::uint32_t>& plies,
                 const std::optional<Input<std::uint32_t>>& which,
                 const std::optional<Planes>& planes, const std::optional<Legal>& legal,
                 const std::optional<Input<std::int64_t>>& offsets,
                 const std::optional<Input<Action>>& pairs, const std::optional<Slots>& slots,
                 const std::optional<Input<bool>>& mirrored) {
  const Facts& facts = game.facts();
  const auto is = [](std::size_t length, int wanted) {
    return length == static_cast<std::size_t>(wanted);
  };
  Wanted wanted;
  wanted.plies = span_of(plies);
  if (which) {
    check_shape(which->size() == plies.size(), "which", "[plies]");
    wanted.which = span_of(*which);
  }
  if (planes) {
    check_shape(planes->shape(0) == plies.size() && is(planes->shape(1), facts.planes[0]) &&
                    is(planes->shape(2), facts.planes[1]) && is(planes->shape(3), facts.planes[2]),
                "planes", "[plies, channels, rows, columns] of the game");
    wanted.planes = span_of(*planes);
  }
  if (legal) {
    check_shape(legal->shape(0) == plies.size() && is(legal->shape(1), facts.slots), "legal",
                "[plies, slots] of the game");
    wanted.legal = span_of(*legal);
  }
  if (mirrored) {
    check_shape(mirrored->size() == plies.size(), "mirrored", "[plies]");
    wanted.mirrored = span_of(*mirrored);
    const bool is_any = std::ranges::any_of(wanted.mirrored, [](bool each) { return each; });
    if (is_any && !game.has_mirror()) throw GameError(facts.name + " has no mirror");
  }
  if (offsets || pairs || slots) {
    if (!offsets || !pairs || !slots) {
      throw nb::value_error("offsets, pairs and slots must be given together");
    }
    const auto bounds = span_of(*offsets);
    check_shape(bounds.size() == plies.size() + 1, "offsets", "[plies + 1]");
    check_shape(pairs->size() == slots->size(), "slots", "[pairs]");
    const bool rises = std::is_sorted(bounds.begin(), bounds.end()) && bounds.front() >= 0 &&
                       bounds.back() <= static_cast<std::int64_t>(pairs->size());
    if (!rises) throw nb::value_error("offsets must be sorted, between 0 and the number of pairs");
    wanted.offsets = bounds;
    wanted.pairs = span_of(*pairs);
    wanted.slots = span_of(*slots);
  }
  std::vector<KeptGame> played;
  played.reserve(games.size());
  for (const auto& [start, actions] : games) {
    played.push_back({letters_of(start), span_of(actions)});
  }
  beside_python(game, [&] { remake(game, played, wanted); });
}

nb::tuple features_of(const AnyGame& game,
                      const std::vector<std::pair<nb::str, Input<Action>>>& games,
                      const Input<std::uint32_t>& plies, const Input<std::uint32_t>& which) {
  check_shape(which.size() == plies.size(), "which", "[plies]");
  if (game.facts().feature_space.features == 0) {
    throw GameError(game.facts().name + " has no features for an efficiently updatable net");
  }
  std::vector<KeptGame> played;
  played.reserve(games.size());
  for (const auto& [start, actions] : games) {
    played.push_back({letters_of(start), span_of(actions)});
  }
  const std::size_t size = plies.size();
  FeatureRows rows{{},
                   std::vector<std::int64_t>(size),
                   std::vector<std::uint16_t>(2 * size),
                   std::vector<float>(size)};
  Wanted wanted;
  wanted.plies = span_of(plies);
  wanted.which = span_of(which);
  wanted.features = &rows;
  beside_python(game, [&] { remake(game, played, wanted); });
  const std::size_t numbers = rows.numbers.size();
  return nb::make_tuple(
      to_numpy(std::move(rows.numbers), {numbers}), to_numpy(std::move(rows.begins), {size}),
      to_numpy(std::move(rows.counts), {size, 2}), to_numpy(std::move(rows.heuristics), {size}));
}

}  // namespace

void bind_replay(nb::module_& m) {
  m.def(
      "replay", &replay_all, "game"_a, "start"_a, "actions"_a,
      nb::sig("def replay(game: Game, start: str, actions: numpy.typing.NDArray[numpy.uint32])"
              " -> tuple[numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.int32],"
              " numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint8],"
              " numpy.typing.NDArray[numpy.int8], numpy.typing.NDArray[numpy.int32], State]"),
      "Movers [plies], numbers of legal actions [plies], events [plies, columns], whether the\n"
      "mover's king was attacked [plies], acting seats [plies] (for a die: the seat whose choice\n"
      "rolls it), numbers of players' choices before each ply [plies], last state.");
  m.def("features", &features_of, "game"_a, "games"_a, "plies"_a, "which"_a,
        nb::sig("def features(game: Game,"
                " games: collections.abc.Sequence[tuple[str, numpy.typing.NDArray[numpy.uint32]]],"
                " plies: numpy.typing.NDArray[numpy.uint32],"
                " which: numpy.typing.NDArray[numpy.uint32])"
                " -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64],"
                " numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.float32]]"),
        "The features of chosen plies for efficiently updatable nets: `plies` [k] of the games\n"
        "`which` [k]. Returns numbers [m], begins [k] and counts [k, 2]: those of row i are at\n"
        "numbers[begins[i]:], first as the mover sees the position, then as the other seat does;\n"
        "and the heuristic's values for the movers [k].");
  m.def("remake", &remake_some, "game"_a, "games"_a, "plies"_a, "which"_a.none() = nb::none(),
        "planes"_a.noconvert().none() = nb::none(), "legal"_a.noconvert().none() = nb::none(),
        "offsets"_a.none() = nb::none(), "pairs"_a.none() = nb::none(),
        "slots"_a.noconvert().none() = nb::none(), "mirrored"_a.none() = nb::none(),
        nb::sig("def remake(game: Game,"
                " games: collections.abc.Sequence[tuple[str, numpy.typing.NDArray[numpy.uint32]]],"
                " plies: numpy.typing.NDArray[numpy.uint32],"
                " which: numpy.typing.NDArray[numpy.uint32] | None = None,"
                " planes: numpy.typing.NDArray[numpy.float32] | None = None,"
                " legal: numpy.typing.NDArray[numpy.bool_] | None = None,"
                " offsets: numpy.typing.NDArray[numpy.int64] | None = None,"
                " pairs: numpy.typing.NDArray[numpy.uint32] | None = None,"
                " slots: numpy.typing.NDArray[numpy.int32] | None = None,"
                " mirrored: numpy.typing.NDArray[numpy.bool_] | None = None) -> None"),
        "Fills the given arrays for chosen plies of games. A game is a start and its actions;\n"
        "`plies` [k] are the chosen plies, and `which` [k] is the index of each ply's game.\n"
        "Fills planes [k, channels, rows, columns], legal [k, slots], and slots [m] for the\n"
        "actions in pairs [m]; those of the i-th chosen ply are from offsets[i] to\n"
        "offsets[i + 1]. Plies that are `mirrored` [k] are mirrored, if their positions have a\n"
        "mirror image.");
}

}  // namespace rulezero
