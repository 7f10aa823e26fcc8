#pragma once
// Where men can go, whom they can strike, who shields and heals whom.
//
// Reach is defined for every square, empty or not: a square in reach is one where an enemy
// could be struck.

#include "games/exchange/position.h"

namespace rulezero::exchange {

// The empty squares a man can move to: steps, slides, jumps, double steps and Advances.
Bits moves_of(const Position& p, int square);

// The squares that a man strikes without leaving his square; none for a knight.
Bits standing_reach(const Position& p, int square);

// Standing reach, and the reach of a knight's combo: strikes that cost no charge and no cooldown.
Bits free_reach(const Position& p, int square);

// The squares that a ready Overextend or Skirmish reaches.
Bits ability_reach(const Position& p, int square);

// Free and ability reach: all squares that one action can strike.
inline Bits full_reach(const Position& p, int square) {
  return free_reach(p, square) | ability_reach(p, square);
}

// The rook that shares a hit on `victim`, or -1. `men` are the occupied squares at the moment of
// the strike, which block lines of sight.
int guard_of(const Position& p, int victim, Bits men);

// The men of a seat that some rook would shield now.
Bits shielded(const Position& p, int seat);

// Whether the side to move can strike `victim` with a man of at least this base damage so that
// no rook shares the hit. Lines of sight count at the moment of the strike: a man who moves first
// can open or close them.
bool can_strike_unshielded(const Position& p, int victim, int damage);

// The hurt allies a ready bishop on this square can heal.
Bits healable(const Position& p, int square);

// How many men of `seat` can strike the enemy king with one action.
int king_attackers(const Position& p, int seat);

}  // namespace rulezero::exchange
