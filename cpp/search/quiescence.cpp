#include "search/quiescence.h"

namespace rulezero {
namespace {

constexpr std::size_t kMostEnds = 256;

// Collects the ends depth first; false if there are too many or a die is pending.
bool gather(Walk& walk, int mover, int depth, std::vector<Action>& way, ChainEnds& ends) {
  std::vector<Action> actions;
  const auto ending = walk.expand(actions);
  const bool goes_on = !ending && walk.mover() == mover && (depth > 0 || way.empty());
  if (!goes_on) {
    if (!ending && walk.mover() == kChance) return false;
    if (ends.size() == kMostEnds) return false;
    const float outcome = ending ? ending->outcome : 0.0f;
    const float draw = ending && outcome == 0.0f;
    ends.push_back({way, ending.has_value(), {outcome, draw}});
    return true;
  }
  for (Action action : actions) {
    walk.forward(action);
    way.push_back(action);
    const bool found = gather(walk, mover, depth - 1, way, ends);
    way.pop_back();
    walk.back();
    if (!found) return false;
  }
  return true;
}

}  // namespace

ChainEnds find_chain_ends(Walk& walk, int depth) {
  ChainEnds ends;
  std::vector<Action> way;
  if (!gather(walk, walk.mover(), depth, way, ends)) ends.clear();
  return ends;
}

}  // namespace rulezero
