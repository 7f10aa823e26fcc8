// The Python module rulezero._core.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/parts.h"
#include "bind/python_game.h"
#include "games/registry.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {

NB_MODULE(_core, m) {
#ifdef NDEBUG
  // A Python game and the globals of its file may keep each other alive until the process ends.
  nb::set_leak_warnings(false);
#endif
  m.doc() = "The C++ core of rulezero.";
  m.attr("CHANCE") = kChance;

  auto base = nb::exception<std::runtime_error>(m, "RulezeroError", PyExc_ValueError);
  nb::exception<GameError>(m, "GameError", base);
  nb::exception<PositionError>(m, "PositionError", base);
  nb::exception<MoveError>(m, "MoveError", base);
  nb::exception<PlayerError>(m, "PlayerError", base);
  nb::exception<NetError>(m, "NetError", base);

  bind_pieces(m);
  bind_games(m);
  bind_states(m);
  bind_monster_tables(m);
  bind_pool(m);
  bind_eval(m);
  bind_mlp(m);
  bind_nnue(m);
  bind_endgame(m);
  bind_replay(m);
  bind_verify(m);

  m.def(
      "load_game",
      [](std::string_view name, const Options& options, const std::vector<PieceSpec>& pieces) {
        return load_game(name, options, pieces);
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
      "Every registered game with its rule options: name, default, help.");
}

}  // namespace rulezero
