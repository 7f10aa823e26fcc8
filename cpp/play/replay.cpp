#include "play/replay.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rulezero {
namespace {

// Does something at a ply; what goes wrong there is told with the ply and the position.
template <class Deed>
auto at_ply(std::size_t ply, const AnyState& state, Deed deed) {
  const auto where = [&] {
    return "at ply " + std::to_string(ply) + ", in " + state.text() + ": ";
  };
  try {
    return deed();
  } catch (const MoveError& error) {
    throw MoveError(where() + error.what());
  } catch (const PositionError& error) {
    throw PositionError(where() + error.what());
  }
}

StatePtr step(std::size_t ply, const AnyState& state, Action action) {
  return at_ply(ply, state, [&] { return state.apply(action); });
}

void turn_columns(std::span<float> planes, std::size_t columns) {
  for (auto row = planes.begin(); row != planes.end();
       row += static_cast<std::ptrdiff_t>(columns)) {
    std::reverse(row, row + static_cast<std::ptrdiff_t>(columns));
  }
}

// One wanted position: row `row` of everything that is asked for.
void fill(const AnyState& state, const Wanted& wanted, std::size_t row) {
  const AnyGame& game = state.game();
  const Facts& facts = game.facts();
  const bool is_mirrored = !wanted.mirrored.empty() && wanted.mirrored[row];
  const auto slot_of = [&](Action action) {
    const int slot = state.slot(action);
    return is_mirrored ? game.mirror(slot) : slot;
  };
  if (!wanted.planes.empty()) {
    const std::size_t size = wanted.planes.size() / wanted.plies.size();
    const std::span<float> planes = wanted.planes.subspan(row * size, size);
    std::fill(planes.begin(), planes.end(), 0.0f);
    state.encode(planes);
    if (is_mirrored) turn_columns(planes, static_cast<std::size_t>(facts.planes[2]));
  }
  if (!wanted.legal.empty()) {
    const auto slots = static_cast<std::size_t>(facts.slots);
    const std::span<bool> legal = wanted.legal.subspan(row * slots, slots);
    std::fill(legal.begin(), legal.end(), false);
    for (Action action : state.legal()) {
      legal[static_cast<std::size_t>(slot_of(action))] = true;
    }
  }
  if (!wanted.offsets.empty()) {
    const auto begin = static_cast<std::size_t>(wanted.offsets[row]);
    const auto end = static_cast<std::size_t>(wanted.offsets[row + 1]);
    for (std::size_t i = begin; i < end; ++i) wanted.slots[i] = slot_of(wanted.pairs[i]);
  }
}

}  // namespace

Course replay(const AnyGame& game, std::string_view start, std::span<const Action> actions) {
  const std::size_t columns = game.facts().events.size();
  Course course;
  course.movers.reserve(actions.size());
  course.choices.reserve(actions.size());
  course.events.resize(actions.size() * columns);
  course.last = game.parse(start);
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    const StatePtr next = step(ply, *course.last, actions[ply]);
    course.movers.push_back(static_cast<std::int8_t>(course.last->mover()));
    course.choices.push_back(static_cast<std::int32_t>(course.last->legal().size()));
    course.last = next;
    if (columns > 0) course.last->events(std::span(course.events).subspan(ply * columns, columns));
  }
  return course;
}

void remake(const AnyGame& game, std::string_view start, std::span<const Action> actions,
            const Wanted& wanted) {
  std::vector<std::size_t> rows(wanted.plies.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return wanted.plies[a] < wanted.plies[b]; });
  if (!rows.empty() && wanted.plies[rows.back()] > actions.size()) {
    throw std::out_of_range("there is no ply " + std::to_string(wanted.plies[rows.back()]) +
                            " in a game of " + std::to_string(actions.size()));
  }
  StatePtr state = game.parse(start);
  std::size_t ply = 0;
  for (std::size_t row : rows) {
    for (; ply < wanted.plies[row]; ++ply) state = step(ply, *state, actions[ply]);
    at_ply(ply, *state, [&] { fill(*state, wanted, row); });
  }
}

}  // namespace rulezero
