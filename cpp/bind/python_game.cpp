#include "bind/python_game.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/hash.h"

namespace nb = nanobind;

namespace rulezero {
namespace {

// Reads an attribute or a result as T. Throws GameError if it is not what was wanted.
template <class T>
T as(const nb::object& value, const std::string& what, const std::string& wanted) {
  T result;
  if (!nb::try_cast<T>(value, result)) {
    const nb::object shown = nb::steal(PyObject_ASCII(value.ptr()));  // ASCII can show any text
    if (!shown.is_valid()) throw nb::python_error();
    throw GameError(what + " must be " + wanted + ", not " + quoted(nb::cast<std::string>(shown)));
  }
  return result;
}

// A number as people write it: 1.5, nan.
std::string shown(float value) {
  std::array<char, 32> letters;
  std::snprintf(letters.data(), letters.size(), "%g", value);
  return letters.data();
}

constexpr int kMostSlots = 1 << 20;
constexpr int kMostActions = 1 << 24;

}  // namespace

PythonRules::PythonRules(nb::object rules) : rules_(std::move(rules)) {
  const std::string owner = nb::cast<std::string>(nb::type_name(rules_.type()));
  const auto read = [&]<class T>(const char* name, const char* wanted, T& into) {
    if (!nb::hasattr(rules_, name)) {
      throw GameError(owner + " needs an attribute '" + name + "': " + wanted);
    }
    into = as<T>(rules_.attr(name), owner + "." + name, wanted);
  };
  read("name", "text", facts_.name);
  read("version", "a whole number", facts_.version);
  read("encoding", "a whole number", facts_.encoding);
  read("actions", "a whole number: how many actions there are, at most 16777216", facts_.actions);
  read("slots", "a whole number: how many policy slots there are, at most 1048576", facts_.slots);
  read("planes", "three numbers (channels, rows, columns)", facts_.planes);
  read("plane_names", "a list of names", facts_.plane_names);
  read("board", "two numbers (rows, columns)", facts_.board);
  read("max_plies", "the number of plies after which a game is stopped", facts_.max_plies);
  read("has_chance", "True or False", facts_.has_chance);
  read("has_random_start", "True or False", facts_.has_random_start);
  read("event_names", "a list of names", facts_.events);
  read("seat_names", "two names", facts_.seat_names);
  read("human_seat", "0 or 1", facts_.human_seat);
  read("policy_layout", "planes, from_to or flat", facts_.policy_layout);
  read("typical_plies", "a number", facts_.typical_plies);
  read("typical_moves", "a number", facts_.typical_moves);
  read("pgn_variants", "a list of names", facts_.pgn_variants);
  read("constants", "whole numbers by name", facts_.constants);
  read("pictures", "names of pictures by symbol", facts_.pictures);
  if (facts_.human_seat < 0 || facts_.human_seat > 1) {
    throw GameError(owner + ".human_seat must be 0 or 1");
  }
  const std::set<std::string> layouts = {"planes", "from_to", "flat"};
  if (!layouts.contains(facts_.policy_layout)) {
    throw GameError(owner + ".policy_layout must be planes, from_to or flat, not " +
                    quoted(facts_.policy_layout));
  }
  if (facts_.version < 1 || facts_.encoding < 1) {
    throw GameError(owner + " needs a version and an encoding of at least 1");
  }
  if (std::set(facts_.events.begin(), facts_.events.end()).size() != facts_.events.size()) {
    throw GameError(owner + ".event_names names an event twice");
  }
  if (facts_.name.empty() || facts_.actions < 1 || facts_.slots < 1 || facts_.max_plies < 1) {
    throw GameError(owner + " needs a name, and actions, slots and max_plies of at least 1");
  }
  const auto check_count = [&](const char* name, int count, int most, const char* why) {
    if (count > most) {
      throw GameError(owner + "." + name + " is " + std::to_string(count) + ", but at most " +
                      std::to_string(most) + " are possible: " + why);
    }
  };
  check_count("slots", facts_.slots, kMostSlots, "a net has an output for each slot");
  check_count("actions", facts_.actions, kMostActions, "number the choices more densely");
  const auto& [first, second] = facts_.seat_names;
  const auto is_plain = [](unsigned char letter) { return letter >= ' '; };
  if (first.empty() || second.empty() || first == second ||
      !std::ranges::all_of(first + second, is_plain)) {
    throw GameError(owner + ".seat_names must be two different names in plain letters");
  }
  const auto check_shape = [&](const char* name, std::span<const int> shape) {
    constexpr std::int64_t kLargest = 1 << 24;  // product of the lengths
    std::int64_t size = 1;
    for (int length : shape) size = length < 1 || size > kLargest ? kLargest + 1 : size * length;
    if (size > kLargest) {
      throw GameError(owner + "." + name +
                      " needs lengths of at least 1, with a product of at most " +
                      std::to_string(kLargest));
    }
  };
  check_shape("planes", facts_.planes);
  check_shape("board", facts_.board);
  const std::size_t named = facts_.plane_names.size();
  if (named != 0 && named != static_cast<std::size_t>(facts_.planes[0])) {
    throw GameError(owner + ".plane_names has " + std::to_string(named) + " names for " +
                    std::to_string(facts_.planes[0]) + " planes: give one for each, or none");
  }
  facts_.has_heuristic = nb::hasattr(rules_, "heuristic");
  has_mirror_ = nb::hasattr(rules_, "mirror");
  if (has_mirror_ != nb::hasattr(rules_, "mirror_action")) {
    throw GameError(owner + " needs both mirror(position) and mirror_action(position, action)," +
                    " or neither");
  }
}

// Turns an exception in a method into a GameError that says where it was raised, with the Python
// exception as its cause.
void PythonRules::blame(const char* method, nb::python_error& error) const {
  const nb::object core = nb::module_::import_("rulezero._core");
  const bool is_ours = error.matches(core.attr("RulezeroError"));
  if (is_ours || !error.matches(PyExc_Exception)) throw;
  const nb::object describe = nb::module_::import_("rulezero.games.python_game").attr("describe");
  const std::string where = nb::cast<std::string>(describe(error.value()));
  const std::string message = facts_.name + "." + method + "() " + where;
  nb::raise_from(error, core.attr("GameError").ptr(), "%s", message.c_str());
}

// The result of one method.
template <class... Arguments>
nb::object PythonRules::ask(const char* method, const Arguments&... arguments) const {
  try {
    return rules_.attr(method)(arguments...);
  } catch (nb::python_error& error) {
    blame(method, error);
  }
}

template <class T, class... Arguments>
T PythonRules::ask_for(const char* method, const char* wanted,
                       const Arguments&... arguments) const {
  return as<T>(ask(method, arguments...), facts_.name + "." + method + "()", wanted);
}

void PythonRules::fail(const std::string& method, const std::string& what) const {
  throw GameError(facts_.name + "." + method + "() " + what);
}

PythonRules::Position PythonRules::start(std::uint64_t seed, const Options& options) const {
  check_options(options, {}, "the start of " + facts_.name);
  return {ask("start", seed)};
}

PythonRules::Position PythonRules::parse(std::string_view text) const {
  try {
    return {rules_.attr("parse")(nb::str(text.data(), text.size()))};
  } catch (nb::python_error& error) {
    // A plain Python parser raises these for bad text.
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_LookupError)) {
      blame("parse", error);
    }
    if (error.matches(nb::module_::import_("rulezero._core").attr("RulezeroError"))) throw;
    throw PositionError(facts_.name + ": " + nb::cast<std::string>(nb::str(error.value())));
  }
}

std::string PythonRules::text(const Position& position) const {
  return ask_for<std::string>("text", "text", position.value);
}

Key PythonRules::key(const Position& position) const {
  Hash hash;
  for (char letter : text(position)) hash.add(static_cast<unsigned char>(letter));
  return hash.value();
}

int PythonRules::mover(const Position& position) const {
  const int mover = ask_for<int>("mover", "0, 1 or CHANCE", position.value);
  if (mover < kChance || mover > 1) fail("mover", "must be 0, 1 or CHANCE");
  if (mover == kChance && !facts_.has_chance)
    fail("mover", "gave CHANCE, but has_chance is False: set has_chance = True in the class");
  return mover;
}

std::optional<Ending> PythonRules::expand(const Moment<Position>& moment,
                                          std::vector<Action>& actions) const {
  actions.clear();
  const nb::object ending = ask("ending", moment.position.value);
  if (!ending.is_none()) {
    const auto [outcome, reason] = as<std::tuple<float, std::string>>(
        ending, facts_.name + ".ending()", "None, or seat 0's outcome and a reason");
    if (!(outcome >= -1.0f && outcome <= 1.0f)) {
      fail("ending", "gave the outcome " + shown(outcome) + ", which is outside [-1, 1]");
    }
    if (reason.empty() || reason.find('\0') != std::string::npos) {
      fail("ending", "must give a reason in plain words");
    }
    return Ending{outcome, reason};
  }
  actions =
      ask_for<std::vector<Action>>("legal", "a list of action numbers", moment.position.value);
  if (actions.empty()) fail("legal", "is empty, but ending() says that the game is not over");
  std::vector<Action> sorted = actions;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fail("legal", "names an action twice");
  }
  for (Action action : actions) {
    if (action >= static_cast<Action>(facts_.actions)) {
      fail("legal", "names action " + std::to_string(action) + ", but actions is " +
                        std::to_string(facts_.actions));
    }
  }
  return std::nullopt;
}

std::vector<double> PythonRules::chances(const Position& position,
                                         std::span<const Action> legal) const {
  const auto chances = ask_for<std::vector<double>>(
      "chances", "a list of probabilities in the order of legal()", position.value);
  double sum = 0;
  for (double chance : chances) sum += chance >= 0 ? chance : NAN;
  if (chances.size() != legal.size() || !(std::abs(sum - 1) < 1e-6)) {
    fail("chances", "must give one probability per legal action, with sum 1");
  }
  return chances;
}

PythonRules::Position PythonRules::apply(const Position& position, Action action) const {
  return {ask("apply", position.value, action)};
}

void PythonRules::encode(const Moment<Position>& moment, std::span<float> planes) const {
  const nb::object given = ask("encode", moment.position.value);
  nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu> array;
  const bool fits = nb::try_cast(given, array) && array.size() == planes.size() &&
                    array.shape(0) == static_cast<std::size_t>(facts_.planes[0]) &&
                    array.shape(1) == static_cast<std::size_t>(facts_.planes[1]);
  if (!fits) fail("encode", "must give a float32 array of the shape `planes`");
  std::copy_n(array.data(), planes.size(), planes.begin());
  for (float value : planes) {
    if (!(value >= 0 && value <= 1)) {
      fail("encode", "gave " + shown(value) + ", which is outside [0, 1]");
    }
  }
}

int PythonRules::slot(const Position& position, Action action) const {
  const int slot = ask_for<int>("slot", "a slot number", position.value, action);
  if (slot < 0 || slot >= facts_.slots) {
    fail("slot", "gave " + std::to_string(slot) + " for action " + std::to_string(action) +
                     ", but slots is " + std::to_string(facts_.slots));
  }
  return slot;
}

void PythonRules::events(const Position& position, Action action, std::span<float> row) const {
  const auto given =
      ask_for<std::vector<float>>("events", "a list of numbers", position.value, action);
  if (given.size() != row.size()) fail("events", "must give one number per event name");
  std::copy(given.begin(), given.end(), row.begin());
}

std::string PythonRules::say(const Position& position, Action action) const {
  return ask_for<std::string>("say", "text", position.value, action);
}

float PythonRules::heuristic(const Position& position) const {
  const float value =
      ask_for<float>("heuristic", "seat 0's value, a number in [-1, 1]", position.value);
  if (!(value >= -1.0f && value <= 1.0f)) {
    fail("heuristic", "gave " + shown(value) + ", which is outside [-1, 1]");
  }
  return value;
}

bool PythonRules::has_mirror(const Position& position) const {
  return has_mirror_ && !ask("mirror", position.value).is_none();
}

PythonRules::Position PythonRules::mirror(const Position& position) const {
  return {ask("mirror", position.value)};
}

Action PythonRules::mirror(const Position& position, Action action) const {
  return ask_for<Action>("mirror_action", "an action number", position.value, action);
}

InfoRows PythonRules::info(const Position& position) const {
  return ask_for<InfoRows>("info", "a list of (label, words)", position.value);
}

std::string PythonRules::kind(const Position& position, Action action) const {
  return ask_for<std::string>("kind", "text", position.value, action);
}

std::vector<Cell> PythonRules::cells(const Position& position) const {
  const auto given = ask_for<std::vector<std::tuple<std::string, int>>>(
      "cells", "a list of (man, seat)", position.value);
  if (given.size() != static_cast<std::size_t>(facts_.board[0] * facts_.board[1])) {
    fail("cells", "must give one (man, seat) per square of `board`, from the bottom row up");
  }
  std::vector<Cell> cells;
  for (const auto& [man, seat] : given) {
    const bool is_plain =
        std::none_of(man.begin(), man.end(), [](unsigned char letter) { return letter < ' '; });
    if (!is_plain) fail("cells", "gave a man with a control character");
    if (seat < -1 || seat > 1)
      fail("cells", "gave a seat other than 0, 1 or -1 for an empty square");
    cells.push_back({man, seat, ""});
  }
  return cells;
}

}  // namespace rulezero
