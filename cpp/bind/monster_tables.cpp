// Python bindings of Monster's endgame tables. Python owns the bytes: files mapped into memory, or
// arrays that a solver fills.

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include "bind/parts.h"
#include "endgame/monster_solver.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

using Bytes = nb::ndarray<const Verdict, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Filled = nb::ndarray<Verdict, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Sums = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A table in Python: its verdicts, and a checksum for each of their blocks.
using Parts = std::pair<Bytes, Sums>;

MonsterTable table_of(const std::string& men, const Parts& parts) {
  Material material = Material::read(men);
  Guarded verdicts("the table of " + material.text(), {parts.first.data(), parts.first.size()},
                   {parts.second.data(), parts.second.size()});
  return MonsterTable(std::move(material), std::move(verdicts));
}

// Tables, and the arrays that hold their bytes.
class BoundTables final : public MonsterTables {
 public:
  void add_parts(const std::string& men, Bytes verdicts, Sums sums) {
    kept_.emplace_back(std::move(verdicts), std::move(sums));
    add(table_of(men, kept_.back()));
  }

  std::optional<int> verdict_on(const AnyState& state) const {
    return verdict(state_of<Monster>(state, "these tables are for").moment().position);
  }

  Summary summary(const std::string& men) const {
    const MonsterTable& table = of_men(men);
    const nb::gil_scoped_release release;
    return summarise(table);
  }

  std::optional<std::string> error(const std::string& men, std::uint64_t samples,
                                   std::uint64_t seed) const {
    const MonsterTable& table = of_men(men);
    const nb::gil_scoped_release release;
    const auto found = find_error(rules_, *this, table, samples, seed);
    return found ? std::optional(rules_.text(*found)) : std::nullopt;
  }

  const Monster& rules() const { return rules_; }

 private:
  const MonsterTable& of_men(const std::string& men) const {
    const MonsterTable* table = find(Material::read(men));
    if (!table) throw GameError("there is no table of " + men);
    return *table;
  }

  Monster rules_;
  std::vector<Parts> kept_;
};

class BoundSolver {
 public:
  BoundSolver(const std::string& men, std::map<std::string, Parts> smaller, Filled verdicts)
      : kept_(std::move(smaller)),
        smaller_(tables_of(kept_)),
        verdicts_(std::move(verdicts)),
        solver_(Material::read(men), smaller_, {verdicts_.data(), verdicts_.size()}) {}

  std::size_t work(int stage, int turns, std::size_t begin, std::size_t end) {
    const nb::gil_scoped_release release;
    return solver_.work(static_cast<Stage>(stage), turns, begin, end);
  }

 private:
  static std::vector<MonsterTable> tables_of(const std::map<std::string, Parts>& smaller) {
    std::vector<MonsterTable> tables;
    for (const auto& [text, parts] : smaller) tables.push_back(table_of(text, parts));
    return tables;
  }

  std::map<std::string, Parts> kept_;
  std::vector<MonsterTable> smaller_;
  Filled verdicts_;
  MonsterSolver solver_;
};

std::vector<std::array<std::uint64_t, 3>> counts_of(const std::array<Count, 2>& by_mover) {
  std::vector<std::array<std::uint64_t, 3>> counts;
  for (const Count& count : by_mover) counts.push_back({count.white, count.drawn, count.black});
  return counts;
}

std::vector<std::string> needs_of(const Material& material) {
  std::vector<std::string> texts;
  for (const Material& next : MonsterSolver::needs(material)) texts.push_back(next.text());
  return texts;
}

}  // namespace

void bind_monster_tables(nb::module_& m) {
  nb::class_<Tables>(m, "Tables", "Solved positions of a game.");
  nb::class_<BoundTables, Tables>(m, "MonsterTables", "Solved Monster endgames, by their men.")
      .def(nb::init<>())
      .def("add", &BoundTables::add_parts, "men"_a, "verdicts"_a, "sums"_a,
           "Adds the table of an endgame, such as KPvKQR.")
      .def("verdict", &BoundTables::verdict_on, "state"_a,
           "n: White takes the king in its n-th turn from here, -n: Black does, 0: neither can; "
           "None without a table.")
      .def(
          "summary",
          [](const BoundTables& self, const std::string& men) {
            const Summary found = self.summary(men);
            std::vector<std::pair<int, std::optional<std::string>>> longest;
            for (const Longest& win : found.longest) {
              longest.emplace_back(win.turns, win.position
                                                  ? std::optional(self.rules().text(*win.position))
                                                  : std::nullopt);
            }
            return std::tuple(counts_of(found.all), counts_of(found.quiet), longest);
          },
          "men"_a,
          "Numbers of all and of quiet positions by mover (won by White, drawn, won by Black), and "
          "the longest win by winner, with its position.")
      .def("find_error", &BoundTables::error, "men"_a, "samples"_a, "seed"_a,
           "A position whose verdict contradicts those after its legal actions, among `samples` "
           "random positions of the table, or None.");

  nb::class_<BoundSolver>(m, "MonsterSolver", "Solves Monster endgames backwards, layer by layer.")
      .def(nb::init<const std::string&, std::map<std::string, Parts>, Filled>(), "men"_a,
           "smaller"_a, "verdicts"_a)
      .def("work", &BoundSolver::work, "stage"_a, "turns"_a, "begin"_a, "end"_a,
           "Finds wins in this many turns among these set-ups; returns the number of positions "
           "that were decided.");

  m.def(
      "block_sums",
      [](const Bytes& verdicts) { return Guarded::sums_of({verdicts.data(), verdicts.size()}); },
      "verdicts"_a, "A checksum for each block of a table, to detect damage.");
  const auto def = [&](const char* name, auto answer, const char* help) {
    m.def(
        name, [answer](const std::string& men) { return std::invoke(answer, Material::read(men)); },
        "men"_a, help);
  };
  def("monster_men", &Material::text, "An endgame's men in the usual order, such as KPvKQR.");
  def("monster_setups", &Material::setups,
      "Number of set-ups of all men except the white king in a table.");
  def("monster_size", &MonsterTable::size, "Number of verdicts in a table.");
  def("monster_memory", &MonsterSolver::memory, "Number of bytes that solving a table takes.");
  def("monster_needs", &needs_of, "The other endgames that one move can lead to.");
}

}  // namespace rulezero
