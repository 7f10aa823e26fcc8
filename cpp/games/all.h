#pragma once
// Every game of the core. To register a new game, add its header and its name here.

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
