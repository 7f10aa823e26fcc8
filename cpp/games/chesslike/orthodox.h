#pragma once
// The fast path: move generation for boards that hold only the six orthodox kinds. The table
// (generator.h) gives the same answers for any men; tests compare the two.

#include "games/board8.h"
#include "games/chesslike/position.h"

namespace rulezero::chesslike {

template <int Seat>
constexpr Bits forward(Bits men) {
  return Seat == 0 ? north(men) : south(men);
}

template <int Seat>
constexpr Bits pawn_attacks(Bits pawns) {
  const Bits ahead = forward<Seat>(pawns);
  return west(ahead) | east(ahead);
}

// The squares that a man of this kind, except a pawn, attacks from a square.
constexpr Bits orthodox_sight(int kind, int square, Bits occupied) {
  switch (kind) {
    case kQueen:
      return all_sight(square, occupied);
    case kRook:
      return straight_sight(square, occupied);
    case kBishop:
      return diagonal_sight(square, occupied);
    case kKnight:
      return kJumps[square];
    default:
      return kNeighbours[square];
  }
}

// Every square the seat's men attack, empty or not; men(kind) are the seat's men of a kind.
template <int Seat, class Men>
Bits attacks_of(Men men, Bits occupied) {
  Bits attacks = pawn_attacks<Seat>(men(kPawn));
  for (Bits knights = men(kKnight); knights;) attacks |= kJumps[take_first(knights)];
  for (Bits diagonal = men(kBishop) | men(kQueen); diagonal;) {
    attacks |= diagonal_sight(take_first(diagonal), occupied);
  }
  for (Bits straight = men(kRook) | men(kQueen); straight;) {
    attacks |= straight_sight(take_first(straight), occupied);
  }
  if (const Bits king = men(kKing)) attacks |= kNeighbours[first(king)];
  return attacks;
}

template <int Seat>
Bits orthodox_attacks(const Position& p, Bits occupied) {
  return attacks_of<Seat>([&](Kind kind) { return p.men(Seat, kind); }, occupied);
}

// Men of the seat that attack the square when the squares in `occupied` are occupied.
inline Bits orthodox_attackers(const Position& p, int square, int seat, Bits occupied) {
  const Bits diagonal = p.letter[kBishop] | p.letter[kQueen];
  const Bits straight = p.letter[kRook] | p.letter[kQueen];
  return p.side[seat] &
         ((kPawnStrikes[1 - seat][square] & p.letter[kPawn]) |
          (kJumps[square] & p.letter[kKnight]) | (kNeighbours[square] & p.letter[kKing]) |
          (diagonal_sight(square, occupied) & diagonal) |
          (straight_sight(square, occupied) & straight));
}

// Pawn moves of one seat onto the squares of `allowed`.
template <int Seat, class Sink>
void orthodox_pawns(const Position& p, Bits pawns, Bits allowed, Sink& sink) {
  constexpr int kStep = Seat == 0 ? 8 : -8;
  constexpr Bits kLastRank = rank_bits(Seat == 0 ? 7 : 0);
  constexpr Bits kThirdRank = rank_bits(Seat == 0 ? 2 : 5);
  const Bits empty = ~p.occupied();
  const Bits ahead = forward<Seat>(pawns);
  const Bits single = ahead & empty;
  const Bits twice = forward<Seat>(single & kThirdRank) & empty & allowed;
  const Bits targets = p.side[1 - Seat] & allowed;
  const Bits left = west(ahead) & targets;
  const Bits right = east(ahead) & targets;
  const Bits steps = single & allowed;
  sink.pawn_moves(kStep, steps & ~kLastRank);
  sink.pawn_moves(2 * kStep, twice);
  sink.pawn_moves(kStep - 1, left & ~kLastRank);
  sink.pawn_moves(kStep + 1, right & ~kLastRank);
  if ((steps | left | right) & kLastRank) {
    sink.promoting_pawn_moves(kStep, steps & kLastRank);
    sink.promoting_pawn_moves(kStep - 1, left & kLastRank);
    sink.promoting_pawn_moves(kStep + 1, right & kLastRank);
  }
}

// Moves of knights, bishops, rooks and queens among `men` onto the squares of `allowed`.
template <int Seat, class Sink>
void orthodox_officers(const Position& p, Bits men, Bits allowed, Sink& sink) {
  const Bits occupied = p.occupied();
  const auto list = [&](Kind kind, auto sight) {
    for (Bits left = men & p.letter[kind]; left;) {
      const int from = take_first(left);
      sink.moves(from, sight(from) & allowed);
    }
  };
  list(kKnight, [](int from) { return kJumps[from]; });
  list(kBishop, [&](int from) { return diagonal_sight(from, occupied); });
  list(kRook, [&](int from) { return straight_sight(from, occupied); });
  list(kQueen, [&](int from) { return all_sight(from, occupied); });
}

// Pawns that can capture en passant, without regard to the king's safety.
template <int Seat>
Bits en_passant_takers(const Position& p) {
  if (p.en_passant == kNone) return 0;
  return kPawnStrikes[1 - Seat][p.en_passant] & p.men(Seat, kPawn);
}

// Moves without regard to the king's safety, without castling.
template <int Seat, class Sink>
void orthodox_pseudo_moves(const Position& p, Sink& sink) {
  const Bits allowed = ~p.side[Seat];
  orthodox_pawns<Seat>(p, p.men(Seat, kPawn), allowed, sink);
  orthodox_officers<Seat>(p, p.side[Seat], allowed, sink);
  for (Bits takers = en_passant_takers<Seat>(p); takers;) {
    sink.move(take_first(takers), p.en_passant);
  }
  const int king = p.king(Seat);
  if (king != kNone) sink.moves(king, kNeighbours[king] & allowed);
}

// The threats to a king.
struct Danger {
  int king;
  Bits attacked;  // squares the enemy attacks if the king is taken off the board
  Bits checkers;  // enemy men that attack the king
  Bits pinned;    // own men, each the only man between the king and an enemy slider
};

template <int Seat>
Danger find_danger(const Position& p) {
  const int king = p.king(Seat);
  const Bits occupied = p.occupied();
  Danger danger{king, orthodox_attacks<1 - Seat>(p, occupied ^ bit(king)), 0, 0};
  if (has(danger.attacked, king)) {
    danger.checkers = orthodox_attackers(p, king, 1 - Seat, occupied);
  }
  const Bits enemy = p.side[1 - Seat];
  Bits snipers = (straight_sight(king, enemy) & enemy & (p.letter[kRook] | p.letter[kQueen])) |
                 (diagonal_sight(king, enemy) & enemy & (p.letter[kBishop] | p.letter[kQueen]));
  while (snipers) {
    const int sniper = take_first(snipers);
    const Bits screen = kBetween[king][sniper] & p.side[Seat];
    if (!more_than_one(screen)) danger.pinned |= screen;
  }
  return danger;
}

// Whether the king is safe after this en-passant capture.
template <int Seat>
bool may_take_en_passant(const Position& p, int king, int from) {
  const Bits victim = bit(p.en_passant + (Seat == 0 ? -8 : 8));
  const Bits occupied = (p.occupied() ^ bit(from) ^ victim) | bit(p.en_passant);
  return !(orthodox_attackers(p, king, 1 - Seat, occupied) & ~victim);
}

// Moves after which the own king is not attacked, without castling.
template <int Seat, class Sink>
void orthodox_safe_moves(const Position& p, const Danger& danger, Sink& sink) {
  const int king = danger.king;
  const Bits foreign = ~p.side[Seat];
  sink.moves(king, kNeighbours[king] & foreign & ~danger.attacked);
  if (more_than_one(danger.checkers)) return;

  Bits allowed = foreign;
  if (danger.checkers) {
    allowed = danger.checkers | kBetween[king][first(danger.checkers)];
  }
  const Bits free = p.side[Seat] & ~danger.pinned;
  orthodox_pawns<Seat>(p, free & p.letter[kPawn], allowed, sink);
  orthodox_officers<Seat>(p, free, allowed, sink);
  for (Bits pinned = danger.pinned; pinned;) {
    const int square = take_first(pinned);
    const Bits line = kLine[king][square] & allowed;
    orthodox_pawns<Seat>(p, bit(square) & p.letter[kPawn], line, sink);
    orthodox_officers<Seat>(p, bit(square), line, sink);
  }
  for (Bits takers = en_passant_takers<Seat>(p); takers;) {
    const int from = take_first(takers);
    if (may_take_en_passant<Seat>(p, danger.king, from)) sink.move(from, p.en_passant);
  }
}

}  // namespace rulezero::chesslike
