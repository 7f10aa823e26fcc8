// Python bindings of the solvers.

#include <nanobind/stl/map.h>

#include <mutex>

#include "bind/parts.h"
#include "endgame/connect4_scorer.h"
#include "endgame/connect4_solver.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

const Connect4Position& position_of(const AnyState& state) {
  return state_of<Connect4>(state, "this solver is for").moment().position;
}

// A solver that threads may share: they wait for each other, but do not hold the GIL.
class SharedSolver {
 public:
  explicit SharedSolver(std::size_t table_bytes) : solver_(table_bytes), bytes_(table_bytes) {}

  int score(const AnyState& state) {
    const Connect4Position& position = position_of(state);
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    if (!scorer_) scorer_.emplace(bytes_);
    return scorer_->score(position, hear_signals);
  }

  int value(const AnyState& state) {
    const Connect4Position& position = position_of(state);
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return solver_.value(position, hear_signals);
  }

  std::map<Action, int> values(const AnyState& state) {
    const Connect4Position& position = position_of(state);
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    const Connect4Solver::Values found = solver_.values(position, hear_signals);
    std::map<Action, int> values;
    for (std::size_t column = 0; column < found.size(); ++column) {
      if (found[column]) values[static_cast<Action>(column)] = *found[column];
    }
    return values;
  }

 private:
  // Lets Ctrl-C stop a long search.
  static void hear_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  std::mutex mutex_;
  Connect4Solver solver_;
  std::size_t bytes_;
  std::optional<Connect4Scorer> scorer_;
};

}  // namespace

void bind_endgame(nb::module_& m) {
  nb::class_<SharedSolver>(m, "Connect4Solver",
                           "Values of Connect Four positions under perfect play.")
      .def(
          "__init__",
          [](SharedSolver* self, int table) {
            constexpr int kMost = 65536;
            if (table < 1 || table > kMost) {
              throw GameError("a solver's table has 1 to 65536 MiB, not " + std::to_string(table));
            }
            new (self) SharedSolver(static_cast<std::size_t>(table) << 20);
          },
          "table"_a = 64, "A solver with a table of `table` MiB for positions that it has solved.")
      .def("value", &SharedSolver::value, "state"_a, "Seat 0's value: 1, 0 or -1.")
      .def("score", &SharedSolver::score, "state"_a,
           "The mover's score: 22 minus the number of men that the winner has on the board at the\n"
           "end under perfect play, negative if the mover loses, 0 for a draw.")
      .def("values", &SharedSolver::values, "state"_a,
           "Seat 0's value of every legal action; {} if the game is over.");
}

}  // namespace rulezero
