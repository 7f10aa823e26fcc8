// Python bindings of pools and players.

#include "play/pool.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/parts.h"
#include "bind/python_game.h"
#include "search/walk_of.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<Walk> make_any_walk(const AnyGame& game) {
  if (const auto* rules = dynamic_cast<const GameOf<PythonRules>*>(&game)) {
    return std::make_unique<WalkOf<PythonRules>>(*rules);
  }
  return make_walk(game);
}

// Marks a pool as busy for as long as it lives.
class Playing {
 public:
  explicit Playing(bool& flag) : flag_(flag) { flag_ = true; }
  Playing(const Playing&) = delete;
  Playing& operator=(const Playing&) = delete;
  ~Playing() { flag_ = false; }

 private:
  bool& flag_;
};

// A pool that only one thread may use at a time.
class PythonPool {
 public:
  PythonPool(const std::shared_ptr<const AnyGame>& game, const std::vector<Player>& players,
             const std::vector<std::shared_ptr<const AnyGame>>& nets, std::uint64_t seed,
             std::size_t width, std::size_t cache)
      : game_(game), nets_(nets), pool_(game, players, nets, seed, width, cache, make_any_walk) {}

  // Throws GameError while another thread uses the pool.
  Pool& pool() {
    if (is_playing_) throw GameError("this pool is playing in another thread");
    return pool_;
  }

  std::vector<std::size_t> collect(const std::vector<Planes>& arrays) {
    if (arrays.size() != nets_.size()) {
      throw GameError("collect needs one array for each of the " + std::to_string(nets_.size()) +
                      " nets");
    }
    std::vector<std::span<float>> planes;
    for (std::size_t net = 0; net < arrays.size(); ++net) {
      const auto& shape = nets_[net]->facts().planes;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (arrays[net].shape(axis + 1) != static_cast<std::size_t>(shape[axis])) {
          throw GameError("an array for " + nets_[net]->text() + " needs the shape [rows, " +
                          std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + ", " +
                          std::to_string(shape[2]) + "]");
        }
      }
      if (arrays[net].shape(0) == 0) throw GameError("an array for planes needs at least one row");
      planes.emplace_back(arrays[net].data(), arrays[net].size());
    }
    Pool& pool = this->pool();
    const Playing playing(is_playing_);
    return beside_python(*game_, [&] { return pool.collect(planes); });
  }

  void apply(std::size_t net, const Floats& policy, const Floats& value, const Floats& draw) {
    if (net >= nets_.size()) throw GameError("there is no net " + std::to_string(net));
    const std::size_t rows = pool().rows(net);
    const auto slots = static_cast<std::size_t>(nets_[net]->facts().slots);
    if (policy.size() != rows * slots || value.size() != rows || draw.size() != rows) {
      throw GameError("answers for " + std::to_string(rows) + " rows need " +
                      std::to_string(slots) + " logits, a value and a draw for each row");
    }
    const std::span<const float> logits(policy.data(), policy.size());
    const std::span<const float> values(value.data(), value.size());
    const std::span<const float> draws(draw.data(), draw.size());
    Pool& pool = this->pool();
    const Playing playing(is_playing_);
    beside_python(*game_, [&] { pool.apply(net, logits, values, draws); });
  }

 private:
  std::shared_ptr<const AnyGame> game_;
  std::vector<std::shared_ptr<const AnyGame>> nets_;
  bool is_playing_ = false;  // read and written under the GIL
  Pool pool_;
};

template <class T>
auto array_of(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

// The thoughts of a game as columns over its plies, with all pairs of action and weight one after
// another; data/thoughts.py packs them.
nb::dict columns_of(const std::vector<Ply>& plies, std::optional<Thought> Ply::* which) {
  static const Thought kNone;
  const auto thought_of = [&](const Ply& ply) -> const Thought& {
    return ply.*which ? *(ply.*which) : kNone;
  };
  nb::dict columns;
  const auto add = [&]<class T>(const PlyColumn<T>& column) {
    std::vector<T> numbers;
    for (const Ply& ply : plies) numbers.push_back(thought_of(ply).*column.member);
    columns[column.name] = array_of(std::move(numbers));
  };
  std::apply([&](const auto&... column) { (add(column), ...); }, kPlyColumns);
  std::vector<std::uint32_t> counts, pair_actions;
  std::vector<float> pair_weights, pair_targets;
  for (const Ply& ply : plies) {
    const Thought& thought = thought_of(ply);
    counts.push_back(static_cast<std::uint32_t>(thought.actions.size()));
    const auto& target = thought.target.empty() ? thought.weights : thought.target;
    pair_actions.insert(pair_actions.end(), thought.actions.begin(), thought.actions.end());
    pair_weights.insert(pair_weights.end(), thought.weights.begin(), thought.weights.end());
    pair_targets.insert(pair_targets.end(), target.begin(), target.end());
  }
  columns["counts"] = array_of(std::move(counts));
  columns["pair_actions"] = array_of(std::move(pair_actions));
  columns["pair_weights"] = array_of(std::move(pair_weights));
  columns["pair_targets"] = array_of(std::move(pair_targets));
  return columns;
}

}  // namespace

void bind_pool(nb::module_& m) {
  nb::class_<Player>(m, "Player", "A player inside the core.")
      .def(
          "__init__",
          [](Player* self, std::string_view kind, const Options& options, int net,
             std::shared_ptr<const Mlp> mlp, std::shared_ptr<const AnyGame> encoder,
             std::shared_ptr<const Nnue> nnue, std::shared_ptr<const Tables> tables,
             std::vector<float> weights, int tree_depth, std::uint32_t tree_visits) {
            new (self) Player{read_settings(kind, options),
                              net,
                              std::move(mlp),
                              std::move(encoder),
                              std::move(nnue),
                              std::move(tables),
                              std::move(weights),
                              tree_depth,
                              tree_visits};
            if (net >= 0) self->settings.source = Source::kNet;
            if (self->mlp) self->settings.source = Source::kMlp;
            if (self->nnue) self->settings.source = Source::kNnue;
          },
          "kind"_a, "options"_a, "net"_a = -1, "mlp"_a = nb::none(), "encoder"_a = nb::none(),
          "nnue_net"_a = nb::none(), "tables"_a = nb::none(), "weights"_a = std::vector<float>{},
          "tree_depth"_a = 0, "tree_visits"_a = 1,
          "A kind of player with its options. `net` is the number of its net in the pool, `mlp` "
          "a perceptron that reads the planes of `encoder`, `nnue_net` an efficiently updatable "
          "net, "
          "`tables` are solved endgames, "
          "`weights` the weights of its heuristic in the order of Facts.weights ([]: defaults). "
          "Thoughts show `tree_depth` plies of its search tree: the nodes with at least "
          "`tree_visits` visits.");

  m.def(
      "player_kinds",
      [] {
        std::vector<
            std::tuple<std::string, std::string, bool, std::vector<std::array<std::string, 3>>>>
            kinds;
        for (const PlayerKind& kind : player_kinds()) {
          std::vector<std::array<std::string, 3>> options;
          for (const PlayerOption& option : kind.options) {
            options.push_back(
                {std::string(option.name), option.fallback, std::string(option.help)});
          }
          kinds.emplace_back(kind.name, kind.help, kind.judges, std::move(options));
        }
        return kinds;
      },
      "Every kind of player: name, help, whether it takes a net, and its options.");

  nb::class_<TreeNode>(m, "CoreTreeNode", "A node of a search tree; its value is seat 0's.")
      .def_ro("action", &TreeNode::action)
      .def_ro("visits", &TreeNode::visits)
      .def_ro("value", &TreeNode::value)
      .def_ro("prior", &TreeNode::prior)
      .def_ro("is_proven", &TreeNode::is_proven)
      .def_ro("first", &TreeNode::first)
      .def_ro("size", &TreeNode::size);

  nb::class_<Thought> thought(m, "CoreThought", "What a player computed for one move.");
  thought.def_ro("action", &Thought::action)
      .def_ro("actions", &Thought::actions)
      .def_ro("weights", &Thought::weights)
      .def_ro("target", &Thought::target)
      .def_ro("visits", &Thought::visits)
      .def_ro("line", &Thought::line)
      .def_ro("tree", &Thought::tree);
  std::apply([&](const auto&... column) { (thought.def_ro(column.name, column.member), ...); },
             kPlyColumns);

  nb::class_<Played>(m, "Played", "A game that a pool has finished.")
      .def_ro("index", &Played::index)
      .def_ro("last", &Played::last, "The last state.")
      .def_ro("outcome", &Played::outcome, "Seat 0's outcome.")
      .def_ro("reason", &Played::reason,
              "The rules' end reason, cap, resigned, or the reason given to stop().")
      .def_ro("opening", &Played::opening, "Number of first plies that no player chose.")
      .def_prop_ro("plies", [](const Played& played) { return played.plies.size(); })
      .def(
          "thought",
          [](const Played& played, std::size_t ply) -> std::optional<Thought> {
            if (ply >= played.plies.size()) throw GameError("the game has no such ply");
            return played.plies[ply].thought;
          },
          "ply"_a, "The mover's thought, or None.")
      .def(
          "thoughts", [](const Played& played) { return columns_of(played.plies, &Ply::thought); },
          nb::sig("def thoughts(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "The movers' thoughts as columns over plies.")
      .def(
          "notes", [](const Played& played) { return columns_of(played.plies, &Ply::note); },
          nb::sig("def notes(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "The judge's thoughts as columns over plies.");

  nb::class_<PythonPool>(m, "Pool", "Plays many games at the same time.")
      .def(nb::init<const std::shared_ptr<const AnyGame>&, const std::vector<Player>&,
                    const std::vector<std::shared_ptr<const AnyGame>>&, std::uint64_t, std::size_t,
                    std::size_t>(),
           "game"_a, "players"_a, "nets"_a, "seed"_a, "width"_a, "cache"_a,
           "A pool that plays `width` games at a time; `nets` are the games whose planes and slots "
           "the nets use.")
      .def(
          "add",
          [](PythonPool& self, std::uint64_t index, StatePtr start, std::array<int, 2> players,
             int most_plies, int judge, std::vector<Action> script,
             std::optional<std::size_t> retrace_from, bool is_recorded, double resign,
             int resign_after) {
            self.pool().add({index, std::move(start), players, judge, std::move(script),
                             retrace_from, most_plies, is_recorded, resign, resign_after});
          },
          "index"_a, "start"_a, "players"_a, "most_plies"_a, "judge"_a = -1,
          "script"_a = std::vector<Action>{}, "retrace_from"_a = nb::none(), "is_recorded"_a = true,
          "resign"_a = 0.0, "resign_after"_a = 0, "Queues a game.")
      .def("collect", &PythonPool::collect, "planes"_a,
           nb::sig("def collect(self, planes: collections.abc.Sequence["
                   "numpy.typing.NDArray[numpy.float32]]) -> list[int]"),
           "Continues the games; fills one array per net and returns the number of rows in each.")
      .def("apply", &PythonPool::apply, "net"_a, "policy"_a, "value"_a, "draw"_a,
           nb::sig("def apply(self, net: int, policy: numpy.typing.NDArray[numpy.float32], "
                   "value: numpy.typing.NDArray[numpy.float32], "
                   "draw: numpy.typing.NDArray[numpy.float32]) -> None"),
           "Takes a net's answers: logits by slot, the mover's values, and draw probabilities.")
      .def("take_finished", [](PythonPool& self) { return self.pool().take_finished(); })
      .def_prop_ro("is_idle", [](PythonPool& self) { return self.pool().is_idle(); })
      .def(
          "hurry", [](PythonPool& self) { self.pool().hurry(); },
          "Asks all current searches to choose now, with what is known so far.")
      .def(
          "parked", [](PythonPool& self) { return self.pool().parked(); },
          "Games that wait for a move from outside: (index, state).")
      .def(
          "questions",
          [](PythonPool& self) {
            std::vector<std::tuple<std::uint64_t, bool, int, StatePtr>> found;
            for (auto& each : self.pool().questions()) {
              found.emplace_back(each.index, each.is_judge, each.player, std::move(each.state));
            }
            return found;
          },
          "What players outside the core are asked: (index, is_judge, player, state).")
      .def(
          "reply",
          [](PythonPool& self, std::uint64_t index, bool is_judge, Action action,
             std::optional<float> value, std::uint32_t sims, std::vector<Action> line) {
            Thought thought;
            thought.action = action;
            thought.actions = {action};
            thought.weights = {1.0f};
            thought.value = value.value_or(Thought::kUnknown);
            thought.sims = sims;
            thought.line = std::move(line);
            self.pool().reply(index, is_judge, std::move(thought));
          },
          "index"_a, "is_judge"_a, "action"_a, "value"_a = nb::none(), "sims"_a = 0,
          "line"_a = std::vector<Action>{},
          "Answers a question: the chosen action, seat 0's value if it is known, the number of "
          "positions searched, and the expected line.")
      .def_prop_ro(
          "waits", [](PythonPool& self) { return self.pool().waits(); },
          "Whether every game waits for a move or an answer from outside.")
      .def(
          "stop",
          [](PythonPool& self, std::uint64_t index, float outcome, const std::string& reason) {
            self.pool().stop(index, outcome, reason);
          },
          "index"_a, "outcome"_a, "reason"_a)
      .def_prop_ro("simulations", [](PythonPool& self) { return self.pool().simulations(); });
}

}  // namespace rulezero
