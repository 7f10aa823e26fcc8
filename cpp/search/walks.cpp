#include "games/chess.h"
#include "games/connect4.h"
#include "games/exchange.h"
#include "games/monster.h"
#include "games/random_chess.h"
#include "games/razzle.h"
#include "search/walk_of.h"

namespace rulezero {
namespace {

// A walk over the first of these games that this one is.
template <class... Games>
std::unique_ptr<Walk> walk_among(const AnyGame& game) {
  std::unique_ptr<Walk> walk;
  const auto try_one = [&]<class G>(const GameOf<G>* match) {
    if (match) walk = std::make_unique<WalkOf<G>>(*match);
  };
  (try_one(dynamic_cast<const GameOf<Games>*>(&game)), ...);
  return walk;
}

}  // namespace

std::unique_ptr<Walk> make_walk(const AnyGame& game) {
  auto walk = walk_among<Chess, Monster, RandomChess, Exchange, Razzle, Connect4>(game);
  if (!walk) throw GameError("the search does not know the game " + quoted(game.text()));
  return walk;
}

}  // namespace rulezero
