#include "search/thinkers.h"

#include "search/tree_search.h"

namespace rulezero {
namespace {

std::unique_ptr<Thinker> make_plain(const Player& player, std::unique_ptr<Walk> walk) {
  switch (player.settings.method) {
    case Method::kRandom:
      return make_random(player, std::move(walk));
    case Method::kPolicy:
      return make_policy(player, std::move(walk));
    case Method::kOnePly:
      return make_one_ply(player, std::move(walk));
    case Method::kPuct:
    case Method::kGumbel:
    case Method::kUcb1:
      return std::make_unique<TreeSearch>(player, std::move(walk));
    case Method::kAlphaBeta:
      return make_alphabeta(player, std::move(walk));
    case Method::kScripted:
      return make_scripted(player, std::move(walk));
    case Method::kOutside:
      return make_outside();
    case Method::kHuman:
      break;
  }
  throw PlayerError("a human player has no search: choose another player, such as puct");
}

}  // namespace

std::unique_ptr<Thinker> make_thinker(const Player& player, std::unique_ptr<Walk> walk) {
  const Method method = player.settings.method;
  const bool judges =
      method != Method::kRandom && method != Method::kHuman && method != Method::kOutside;
  if (player.settings.source == Source::kHeuristic && !walk->facts().has_heuristic && judges) {
    throw PlayerError(
        "this game has no heuristic: choose a player such as puct:eval=rollout, or one with a net");
  }
  if (!player.weights.empty()) walk->tune(player.weights);
  if (!player.tables) return make_plain(player, std::move(walk));
  walk->use(player.tables);
  return make_tablebase(player, make_plain(player, std::move(walk)));
}

}  // namespace rulezero
