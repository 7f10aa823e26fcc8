#include "games/all.h"
#include "search/walk_of.h"

namespace rulezero {
namespace {

// A walk over the game if its type is in the list, else null.
template <class... Games>
std::unique_ptr<Walk> walk_among(const AnyGame& game, TypeList<Games...>) {
  std::unique_ptr<Walk> walk;
  const auto try_one = [&]<class G>(const GameOf<G>* match) {
    if (match) walk = std::make_unique<WalkOf<G>>(*match);
  };
  (try_one(dynamic_cast<const GameOf<Games>*>(&game)), ...);
  return walk;
}

}  // namespace

std::unique_ptr<Walk> make_walk(const AnyGame& game) {
  auto walk = walk_among(game, AllGames{});
  if (!walk) throw GameError("there is no search for the game " + quoted(game.text()));
  return walk;
}

}  // namespace rulezero
