#pragma once
// The thinkers, each by its maker; make_thinker (thinker.h) chooses among them.

#include "search/thinker.h"

namespace rulezero {

// Players without a tree: at random, by the policy, by the values of the next positions.
std::unique_ptr<Thinker> make_random(const Player& player, std::unique_ptr<Walk> walk);
std::unique_ptr<Thinker> make_policy(const Player& player, std::unique_ptr<Walk> walk);
std::unique_ptr<Thinker> make_one_ply(const Player& player, std::unique_ptr<Walk> walk);

// Alpha-beta search to a fixed depth, for any game: movers need not alternate, and dice are
// averaged. PlayerError for a player with a net: evaluations are made inside the core.
std::unique_ptr<Thinker> make_alphabeta(const Player& player, std::unique_ptr<Walk> walk);

// A game's own scripted player: forced wins that its script sees, then a short look ahead by the
// script's values. PlayerError for a game without a script.
std::unique_ptr<Thinker> make_scripted(const Player& player, std::unique_ptr<Walk> walk);

// A player that knows solved positions: it wins them as soon as can be, and loses them as late. It
// asks `other` wherever the player's tables do not decide.
std::unique_ptr<Thinker> make_tablebase(const Player& player, std::unique_ptr<Thinker> other);

}  // namespace rulezero
