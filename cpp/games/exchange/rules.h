#pragma once
// What may be done, what it does, and when the game is over.

#include <optional>
#include <vector>

#include "games/exchange/position.h"

namespace rulezero::exchange {

// What one completed ply did, for its mover. Absorbing and shielding are done by the other side.
struct Deeds {
  int damage = 0;          // HP that enemy men lost, at most what they had; absorbed included
  int healed = 0;          // HP an ally got back
  int missing = 0;         // HP that ally lacked before
  int absorbed = 0;        // HP that the shielding rook lost
  int decree_bonus = 0;    // what a Decree added to this strike or heal
  int self_damage = 0;     // HP an Overextending queen lost by it
  int killed = 0;          // enemy men that left the board
  int promoted = 0;        // 1 if a pawn became a queen
  int pawn_advance = 0;    // 1 if a pawn moved
  int king_distance = 0;   // king steps the man who moved came nearer to the enemy king
  int king_attackers = 0;  // own men that can strike the enemy king afterwards
  int strike = 0;          // the kinds, 0 or 1
  int combo = 0;
  int overextend = 0;
  int skirmish = 0;
  int consecration = 0;
  int decree = 0;
  int interpose = 0;
};

// Appends the legal actions of the side to move: man by man from a1 to h8, each man's in the
// order of their numbers.
void list_actions(const Position& p, std::vector<Action>& actions);

// The position at the end of the ply in which the side to move takes this legal action and the
// die (where it needs one) shows `roll`. Leaves king_attackers to the caller.
Position carry_out(const Position& p, Action action, int roll, Deeds& deeds);

// How the game has ended, unless for lack of a legal action; `times` is how often this position has
// occurred.
std::optional<Ending> ending_of(const Position& p, int times);

// Equal for positions that the repetition rule holds equal; a pending die is never equal to a
// position without one.
Key key_of(const Position& p);

}  // namespace rulezero::exchange
