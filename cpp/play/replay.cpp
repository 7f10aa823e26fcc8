#include "play/replay.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rulezero {
namespace {

StatePtr step(std::size_t ply, const AnyState& state, Action action) {
  return at_ply(ply, state, [&] { return state.apply(action); });
}

// Fills row `row` of all wanted arrays, for one position.
void fill(const AnyState& state, const Wanted& wanted, std::size_t row) {
  const Facts& facts = state.game().facts();
  const bool is_mirrored = !wanted.mirrored.empty() && wanted.mirrored[row] && state.has_mirror();
  const auto slot_of = [&](Action action) {
    return is_mirrored ? state.mirrored_slot(action) : state.slot(action);
  };
  if (!wanted.planes.empty()) {
    const std::size_t size = wanted.planes.size() / wanted.plies.size();
    const std::span<float> planes = wanted.planes.subspan(row * size, size);
    std::fill(planes.begin(), planes.end(), 0.0f);
    if (is_mirrored) {
      state.encode_mirrored(planes);
    } else {
      state.encode(planes);
    }
  }
  if (wanted.features) {
    FeatureRows& rows = *wanted.features;
    rows.begins[row] = static_cast<std::int64_t>(rows.numbers.size());
    const float value = state.heuristic_value();
    rows.heuristics[row] = state.mover() == 0 ? value : -value;
    for (int view : {0, 1}) {
      const std::size_t before = rows.numbers.size();
      for (Feature feature : state.features(view == 0 ? state.mover() : 1 - state.mover())) {
        if (feature != kNoFeature) rows.numbers.push_back(feature);
      }
      rows.counts[2 * row + view] = static_cast<std::uint16_t>(rows.numbers.size() - before);
    }
  }
  if (!wanted.legal.empty()) {
    const auto slots = static_cast<std::size_t>(facts.slots);
    const std::span<bool> legal = wanted.legal.subspan(row * slots, slots);
    std::fill(legal.begin(), legal.end(), false);
    for (Action action : state.legal()) legal[slot_of(action)] = true;
  }
  if (!wanted.offsets.empty()) {
    for (auto i = wanted.offsets[row]; i < wanted.offsets[row + 1]; ++i) {
      wanted.slots[i] = slot_of(wanted.pairs[i]);
    }
  }
}

void check_row(std::span<const KeptGame> games, std::size_t number, std::uint32_t ply) {
  if (number >= games.size()) {
    throw std::out_of_range("there is no game " + std::to_string(number) + " among " +
                            std::to_string(games.size()));
  }
  const std::size_t plies = games[number].actions.size();
  if (ply > plies) {
    throw std::out_of_range("there is no ply " + std::to_string(ply) + " in a game of " +
                            std::to_string(plies));
  }
}

// Fills the rows of one game, which are in the order of their plies.
void remake_one(const AnyGame& game, const KeptGame& played, std::span<const std::size_t> rows,
                const Wanted& wanted) {
  StatePtr state = game.parse(played.start);
  std::size_t ply = 0;
  for (std::size_t row : rows) {
    for (; ply < wanted.plies[row]; ++ply) state = step(ply, *state, played.actions[ply]);
    at_ply(ply, *state, [&] { fill(*state, wanted, row); });
  }
}

}  // namespace

Replay replay(const AnyGame& game, std::string_view start, std::span<const Action> actions) {
  const std::size_t columns = game.facts().events.size();
  Replay result;
  result.movers.reserve(actions.size());
  result.choices.reserve(actions.size());
  result.checks.reserve(actions.size());
  result.actors.reserve(actions.size());
  result.numbers.reserve(actions.size());
  result.events.resize(actions.size() * columns);
  result.last = game.parse(start);
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    const StatePtr next = step(ply, *result.last, actions[ply]);
    result.movers.push_back(static_cast<std::int8_t>(result.last->mover()));
    result.choices.push_back(static_cast<std::int32_t>(result.last->legal().size()));
    result.checks.push_back(result.last->is_check());
    result.actors.push_back(static_cast<std::int8_t>(result.last->actor()));
    result.numbers.push_back(result.last->ply());
    result.last = next;
    if (columns > 0) result.last->events(std::span(result.events).subspan(ply * columns, columns));
  }
  return result;
}

void remake(const AnyGame& game, std::span<const KeptGame> games, const Wanted& wanted) {
  const auto game_of = [&](std::size_t row) -> std::size_t {
    return wanted.which.empty() ? 0 : wanted.which[row];
  };
  std::vector<std::size_t> rows(wanted.plies.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::size_t row : rows) check_row(games, game_of(row), wanted.plies[row]);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(game_of(a), wanted.plies[a]) < std::pair(game_of(b), wanted.plies[b]);
  });
  for (auto row = rows.begin(); row != rows.end();) {
    const std::size_t number = game_of(*row);
    const auto end =
        std::find_if(row, rows.end(), [&](std::size_t each) { return game_of(each) != number; });
    remake_one(game, games[number], std::span(row, end), wanted);
    row = end;
  }
}

}  // namespace rulezero
