// The script of Black's hunt: what a Monster position is worth to an army that drives the white
// king into a corner. Where the evaluator (monster.h) asks who is better, this asks how far the
// hunt has come.

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"
#include "eval/monster.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

// For Black, in points.
constexpr double kPoints = 400;           // that are a value of 0.76
constexpr std::array<int, 6> kBlackMan = {30, 60, 60, 120, 200, 0};      // by kind
constexpr std::array<int, 6> kWhiteMan = {80, 250, 250, 350, 600, 0};
constexpr int kPawnRank = 30;             // a rank that a white pawn has gone
constexpr int kRoom = 6;                  // a square that the white king cannot come to, ever
constexpr int kReach = 8;                 // nor with its next turn, of the most it could
constexpr int kMostReach = 25;
constexpr int kEdge = 10;                 // a rank or file nearer to the edge than the fourth
constexpr int kFence = 15;                // a rank or file covered from afar, like the one beside it
constexpr int kNearMan = 20;              // a queen or rook that the white king can come to
constexpr int kFarEnough = 3;             // squares: more than the white king goes with a turn
constexpr int kBlackKing = 10;            // its king nearer than that
constexpr int kMostFar = 5;

Bits around(Bits set) {
  const Bits row = set | east(set) | west(set);
  return east(set) | west(set) | north(row) | south(row);
}

int apart(int a, int b) {
  return std::max(std::abs(file_of(a) - file_of(b)), std::abs(rank_of(a) - rank_of(b)));
}

template <class Line>
int fences(Bits heavy, Line line) {
  int found = 0;
  for (int place = 0; place < 7; ++place) {
    if ((heavy & line(place)) && (heavy & line(place + 1))) ++found;
  }
  return found;
}

}  // namespace

float script(const Monster& rules, const Moment<Monster::Position>& moment) {
  const Position& p = moment.position;
  if (takes_king(rules, p)) return p.mover == 0 ? kSurest : -kSurest;
  const int king = p.king(0);
  const Bits attacked = orthodox_attacks<1>(p, p.occupied() & ~bit(king));
  const Bits heavy = p.men(1, kQueen) | p.men(1, kRook);
  int points = 0;
  for (int kind = kPawn; kind < kKing; ++kind) {
    points += kBlackMan[static_cast<std::size_t>(kind)] * count(p.men(1, kind));
    points -= kWhiteMan[static_cast<std::size_t>(kind)] * count(p.men(0, kind));
  }
  for (Bits pawns = p.men(0, kPawn); pawns;) {
    points -= kPawnRank * (rank_of(take_first(pawns)) - 1);
  }
  // Where the white king can come to while Black stands still: it may step onto attacked squares
  // with its first half, but not stay there.
  const Bits open = ~(p.side[0] & ~bit(king));
  const Bits safe = open & ~attacked;
  const auto turn = [&](Bits from) { return around(around(from) & open) & safe; };
  const Bits reach = turn(bit(king));
  Bits room = reach;
  for (Bits before = 0; before != room;) {
    before = room;
    room |= turn(room);
  }
  points += kRoom * (64 - count(room)) + kReach * (kMostReach - count(reach));
  const int to_edge = std::min({file_of(king), rank_of(king), 7 - file_of(king), 7 - rank_of(king)});
  points += kEdge * (3 - to_edge);
  Bits far = 0;
  for (Bits men = heavy; men;) {
    const int square = take_first(men);
    if (apart(square, king) >= kFarEnough) far |= bit(square);
  }
  points += kFence * (fences(far, rank_bits) + fences(far, file_bits));
  points -= kNearMan * count(heavy & ~far);
  points += kBlackKing * std::min(apart(p.king(1), king), kMostFar);
  return std::clamp(static_cast<float>(-std::tanh(points / (2 * kPoints))), -kSurest, kSurest);
}

}  // namespace rulezero
