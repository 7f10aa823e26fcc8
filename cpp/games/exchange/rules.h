#pragma once
// The legal actions, their effects, and the end of the game.

#include <optional>
#include <vector>

#include "games/exchange/position.h"

namespace rulezero::exchange {

// The effects of one completed ply, counted for its mover; `absorbed` and `interpose` are the other
// side's.
struct Deeds {
  int damage = 0;          // HP that enemy men lost, at most what they had; absorbed included
  int healed = 0;          // HP an ally got back
  int missing = 0;         // HP that this ally was missing before
  int absorbed = 0;        // HP that the shielding rook lost
  int decree_bonus = 0;    // what a Decree added to this strike or heal
  int self_damage = 0;     // HP that a queen paid for an Overextend
  int killed = 0;          // enemy men that left the board
  int promoted = 0;        // 1 if a pawn became a queen
  int pawn_advance = 0;    // 1 if a pawn moved
  int king_distance = 0;   // king steps by which the man who moved came nearer to the enemy king
  int king_attackers = 0;  // own men that can strike the enemy king afterwards
  int strike = 0;          // 1 if it happened, as for the members below
  int combo = 0;
  int overextend = 0;
  int skirmish = 0;
  int consecration = 0;
  int decree = 0;
  int interpose = 0;
};

// Appends the legal actions of the side to move: man by man from a1 to h8, and for each man in the
// order of the action numbers.
void list_actions(const Position& p, std::vector<Action>& actions);

// The position at the end of the ply in which the side to move takes this legal action and the
// die (where it needs one) shows `roll`. Leaves king_attackers to the caller.
Position carry_out(const Position& p, Action action, int roll, Deeds& deeds);

// The ending of the game, or nullopt; does not look for a lack of legal actions. `times` is how
// often this position has occurred.
std::optional<Ending> ending_of(const Position& p, int times);

// Equal for positions that the repetition rule treats as equal. A position with a pending die never
// equals one without.
Key key_of(const Position& p);

}  // namespace rulezero::exchange
