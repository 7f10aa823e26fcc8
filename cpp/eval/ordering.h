#pragma once
// Which actions are worth a look before the others: the order in which alpha-beta tries them.
//
// capture_gain() is 0 for a quiet action and above 0 for one that takes something at once; the
// bigger, the sooner it is searched. Its numbers compare only with others of the same position.

#include "games/chess.h"
#include "games/connect4.h"
#include "games/exchange.h"
#include "games/monster.h"
#include "games/random_chess.h"
#include "games/razzle.h"

namespace rulezero {

// Captures and promotions: the most valuable victim first, then the least valuable attacker.
int capture_gain(const chesslike::CheckedGame& rules, const chesslike::Position& position,
                 Action action);
int capture_gain(const Monster& rules, const Monster::Position& position, Action action);

// Strikes, by what they take on the average of the die, and promotions.
int capture_gain(const Exchange& rules, const Exchange::Position& position, Action action);

// Passes that win, then those that bring the ball forward.
int capture_gain(const Razzle& rules, const Razzle::Position& position, Action action);

int capture_gain(const Connect4& rules, const Connect4::Position& position, Action action);

}  // namespace rulezero
