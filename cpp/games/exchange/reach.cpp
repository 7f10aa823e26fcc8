#include "games/exchange/reach.h"

namespace rulezero::exchange {
namespace {

Bits pawn_moves(const Position& p, int square) {
  const int seat = seat_at(p, square);
  const Bits empty = ~occupied(p);
  const Bits one = forward(seat, bit(square)) & empty;
  const Bits two = forward(seat, one) & empty;
  const bool may_go_two = has(start_rank(seat), square) || !has(p.waiting, square);
  return may_go_two ? one | two : one;
}

}  // namespace

Bits moves_of(const Position& p, int square) {
  const Bits men = occupied(p);
  switch (type_at(p, square)) {
    case kKing:
      return kNeighbours[square] & ~men;
    case kQueen:
      return all_sight(square, men) & ~men;
    case kRook:
      return straight_sight(square, men) & ~men;
    case kBishop:
      return diagonal_sight(square, men) & ~men;
    case kKnight:
      return kJumps[square] & ~men;
    case kPawn:
      return pawn_moves(p, square);
  }
  return 0;
}

Bits standing_reach(const Position& p, int square) {
  const Bits men = occupied(p);
  switch (type_at(p, square)) {
    case kKing:
      return kNeighbours[square];
    case kQueen:
      return all_sight(square, men) & kWithinThree[square];
    case kRook:
      return kNeighbours[square] | (straight_sight(square, men) & kTwoBeside[square]);
    case kBishop:
      return diagonal_sight(square, men) & kWithinThree[square] & ~kNeighbours[square];
    case kKnight:
      return 0;
    case kPawn:
      return kPawnStrikes[seat_at(p, square)][square];
  }
  return 0;
}

Bits free_reach(const Position& p, int square) {
  // The knight's own square is never next to a landing square, so leaving it does not matter.
  if (type_at(p, square) == kKnight) return beside(kJumps[square] & ~occupied(p));
  return standing_reach(p, square);
}

Bits ability_reach(const Position& p, int square) {
  const Type type = type_at(p, square);
  if ((type != kQueen && type != kKnight) || !is_ready(p, square)) return 0;
  const Bits men = occupied(p);
  if (type == kKnight) return kNeighbours[square] & ~men ? kBeside[square] : 0;
  // After the queen has moved, her old square is empty and may be in her reach.
  const Bits landings = all_sight(square, men) & ~men;
  return sight_within_three(landings, men & ~bit(square));
}

int guard_of(const Position& p, int victim, Bits men) {
  const int seat = seat_at(p, victim);
  Bits rooks = p.men[seat] & p.types[kRook] & ~p.waiting & kWithinThree[victim];
  if (!rooks) return -1;
  rooks &= straight_sight(victim, men);
  int guard = -1;
  while (rooks) {
    const int rook = take_first(rooks);
    if (charges_at(p, rook) == 0) continue;
    // The rook on the lower file shields; on one file, the rook nearer to its own back rank. Rooks
    // are visited from rank 1 up, so that is White's first rook and Black's last.
    const bool better = guard < 0 || file_of(rook) < file_of(guard) ||
                        (file_of(rook) == file_of(guard) && seat == 1);
    if (better) guard = rook;
  }
  return guard;
}

Bits shielded(const Position& p, int seat) {
  Bits covered = 0;
  for (Bits rooks = p.men[seat] & p.types[kRook] & ~p.waiting; rooks;) {
    const int rook = take_first(rooks);
    if (charges_at(p, rook) == 0) continue;
    covered |= straight_sight(rook, occupied(p)) & kWithinThree[rook];
  }
  return covered & p.men[seat];
}

bool can_strike_unshielded(const Position& p, int victim, int damage) {
  const Bits men = occupied(p);
  const bool is_open = guard_of(p, victim, men) < 0;
  for (Bits strikers = p.men[p.side]; strikers;) {
    const int from = take_first(strikers);
    const Type type = type_at(p, from);
    if (kKinds[type].damage < damage) continue;
    const Bits in_place = standing_reach(p, from) | (type == kKnight ? ability_reach(p, from) : 0);
    if (is_open && has(in_place, victim)) return true;
    Bits landings = 0;
    if (type == kKnight) landings = moves_of(p, from) & kBeside[victim];
    if (type == kQueen && is_ready(p, from)) {
      landings = moves_of(p, from) & all_sight(victim, men & ~bit(from)) & kWithinThree[victim];
    }
    while (landings) {
      const Bits moved = (men & ~bit(from)) | bit(take_first(landings));
      if (guard_of(p, victim, moved) < 0) return true;
    }
  }
  return false;
}

Bits healable(const Position& p, int square) {
  if (!is_ready(p, square)) return 0;
  Bits allies =
      diagonal_sight(square, occupied(p)) & kWithinThree[square] & p.men[seat_at(p, square)];
  Bits hurt = 0;
  while (allies) {
    const int ally = take_first(allies);
    if (missing_at(p, ally) > 0) hurt |= bit(ally);
  }
  return hurt;
}

int king_attackers(const Position& p, int seat) {
  const int king = king_square(p, 1 - seat);
  if (king < 0) return 0;
  int attackers = 0;
  for (Bits men = p.men[seat]; men;) attackers += has(full_reach(p, take_first(men)), king);
  return attackers;
}

}  // namespace rulezero::exchange
