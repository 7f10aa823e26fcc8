// Python bindings of efficiently updatable nets.

#include "eval/nnue.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bind/parts.h"
#include "games/any.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

// The value for the mover. The sums of `before`, if it is given, are brought up to date.
float evaluate(const Nnue& net, const AnyState& state, const AnyState* before) {
  net.check(state.game().facts());
  if (before) net.check(before->game().facts());
  if (state.ending() || state.mover() == kChance) {
    throw PositionError("a net judges positions in which a player is to move");
  }
  NnueSums sums(std::make_shared<Nnue>(net));
  const auto judge = [&](const AnyState& at) {
    const float heuristic = to_seat0(at.heuristic_value(), at.mover());
    return sums.evaluate(at.mover(), heuristic, [&](int seat, std::span<Feature> places) {
      std::ranges::copy(at.features(seat), places.begin());
    });
  };
  if (before) judge(*before);
  return judge(state);
}

}  // namespace

void bind_nnue(nb::module_& m) {
  nb::class_<Nnue>(m, "Nnue", "An efficiently updatable net, which is computed inside the core.")
      .def_static(
          "read",
          [](const nb::bytes& file) {
            return std::make_shared<Nnue>(
                Nnue::read({static_cast<const std::byte*>(file.data()), file.size()}));
          },
          "file"_a, "The net in the bytes of a .nnue file. NetError for any other bytes.")
      .def_prop_ro("game", &Nnue::game, "The name of the game that it judges.")
      .def_prop_ro("width", &Nnue::width, "Sums of each view.")
      .def_prop_ro("phases", &Nnue::phases, "Sets of output weights.")
      .def_prop_ro(
          "features", [](const Nnue& net) { return net.space().features; }, "Inputs of each view.")
      .def(
          "check", [](const Nnue& net, const AnyGame& game) { net.check(game.facts()); }, "game"_a,
          "Raises NetError unless it can judge positions of this game.")
      .def("evaluate", &evaluate, "state"_a, "before"_a.none() = nb::none(),
           "The value for the mover. With `before`, the sums of that position are updated to this "
           "one's, which gives the same value.");
}

}  // namespace rulezero
