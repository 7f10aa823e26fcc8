// Python bindings of the verification of records.

#include "play/verify.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/parts.h"
#include "bind/python_game.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

using Columns = std::vector<nb::bytes>;
// Start, number of plies, actions, columns of plies, columns of pairs, outcome, end reason, and
// whether it was imported. Python's objects stay alive in it while the GIL is released.
using Claims = std::tuple<nb::str, std::size_t, nb::bytes, Columns, Columns, double, nb::str, bool>;

Bytes bytes_of(const nb::bytes& packed) {
  return {reinterpret_cast<const std::uint8_t*>(packed.c_str()), packed.size()};
}

PackedGame packed_of(const Claims& claims, std::size_t columns) {
  constexpr std::size_t kPairColumns = 5;
  const auto& [start, plies, actions, numbers, pairs, outcome, reason, is_imported] = claims;
  if (numbers.size() != columns || pairs.size() != kPairColumns) {
    throw nb::value_error("a record needs all columns of plies, and five of pairs");
  }
  PackedThoughts thoughts;
  for (const nb::bytes& column : numbers) thoughts.numbers.push_back(bytes_of(column));
  thoughts.counts = bytes_of(pairs[0]);
  thoughts.action_ids = bytes_of(pairs[1]);
  thoughts.action_steps = bytes_of(pairs[2]);
  thoughts.weights = bytes_of(pairs[3]);
  thoughts.target = bytes_of(pairs[4]);
  return {
      to_utf8(start).value_or("?"),  plies,      bytes_of(actions), std::move(thoughts), outcome,
      to_utf8(reason).value_or("?"), is_imported};
}

// Rules in Python may raise an error of rulezero's own, which says what is wrong with a position.
std::optional<std::string> fault_by_python(const AnyGame& game, const PackedGame& packed,
                                           std::span<const PlyNumber> numbers) {
  try {
    return fault_in(game, packed, numbers);
  } catch (nb::python_error& error) {
    if (!error.matches(nb::module_::import_("rulezero._core").attr("RulezeroError"))) throw;
    return game.text() + ": " + nb::cast<std::string>(nb::str(error.value()));
  }
}

std::vector<std::optional<std::string>> find_faults(
    const AnyGame& game, const std::vector<Claims>& records,
    const std::vector<std::tuple<std::string, double, double, double>>& columns) {
  std::vector<PlyNumber> numbers;
  for (const auto& [name, scale, low, high] : columns) numbers.push_back({name, scale, low, high});
  std::vector<PackedGame> games;
  for (const Claims& claims : records) games.push_back(packed_of(claims, numbers.size()));
  std::vector<std::optional<std::string>> faults;
  const auto find = is_python(game) ? fault_by_python : fault_in;
  beside_python(game, [&] {
    for (const PackedGame& packed : games) faults.push_back(find(game, packed, numbers));
  });
  return faults;
}

}  // namespace

void bind_verify(nb::module_& m) {
  m.attr("MOST_PLIES") = kMostPlies;
  m.attr("MOST_PAIRS") = kMostPairs;
  m.attr("MOST_ACTIONS") = kMostActions;
  m.def(
      "find_faults", &find_faults, "game"_a, "records"_a, "columns"_a,
      nb::sig("def find_faults(game: Game, records: collections.abc.Sequence[tuple[str, int,"
              " bytes, list[bytes], list[bytes], float, str, bool]],"
              " columns: collections.abc.Sequence[tuple[str, float, float, float]])"
              " -> list[str | None]"),
      "What is wrong with each record of a game; None if nothing is. A record is its start, the\n"
      "number of plies, the packed actions, the packed columns of plies, those of pairs (counts,\n"
      "action_ids, action_steps, weights, target), the outcome, the end reason, and whether it\n"
      "was imported. `columns` has name, scale (0: whole numbers), least and largest value of\n"
      "each column of plies.");
}

}  // namespace rulezero
