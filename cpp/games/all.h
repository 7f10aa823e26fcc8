#pragma once
// Every game of the core. A new one is added here and nowhere else: its header and its name.

#include "games/chess.h"
#include "games/connect4.h"
#include "games/exchange.h"
#include "games/monster.h"
#include "games/random_chess.h"
#include "games/razzle.h"

namespace rulezero {

template <class... Types>
struct TypeList {};

using AllGames = TypeList<Chess, Monster, RandomChess, Exchange, Razzle, Connect4>;

}  // namespace rulezero
