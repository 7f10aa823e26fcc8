#pragma once
// One factory function per kind of thinker; make_thinker (thinker.h) picks the right one.

#include "search/thinker.h"

namespace rulezero {

// Players without a search tree: they choose at random, by the policy, or by the values of the next
// positions.
std::unique_ptr<Thinker> make_random(const Player& player, std::unique_ptr<Walk> walk);
std::unique_ptr<Thinker> make_policy(const Player& player, std::unique_ptr<Walk> walk);
std::unique_ptr<Thinker> make_one_ply(const Player& player, std::unique_ptr<Walk> walk);

// Alpha-beta search to a fixed depth, for any game: movers need not alternate, and dice are
// averaged. Throws PlayerError for a player with a batched net, since alpha-beta evaluates
// positions one by one inside the core.
std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk);

// A game's scripted player: plays forced wins that the script finds, else a short alpha-beta search
// with the script's values. Throws PlayerError for a game without a script.
std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk);

// A player outside the core, such as an engine: it is asked by question() and answers by reply().
std::unique_ptr<Thinker> make_outside();

// A player with endgame tables: it wins as fast and loses as slowly as possible. `other` chooses
// where the tables do not determine the move.
std::unique_ptr<Thinker> make_tablebase(const Player& player, std::unique_ptr<Thinker> other);

}  // namespace rulezero
