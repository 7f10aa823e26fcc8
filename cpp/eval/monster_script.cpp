// The script of Black's hunt: what a Monster position is worth to an army that drives the white
// king into a corner. Where the evaluator (monster.h) asks who is better, this asks how far the
// hunt has come.

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"
#include "eval/monster.h"
#include "eval/monster_hunt.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

// For Black, in points: about ten for a turn that its win comes sooner, as solved endgames with
// three heavy men say.
constexpr double kPoints = 500;                                      // that are a value of 0.46
constexpr std::array<int, 6> kBlackMan = {30, 60, 60, 250, 320, 0};  // by kind
constexpr std::array<int, 6> kWhiteMan = {80, 250, 250, 350, 600, 0};
constexpr int kPawnRank = 30;      // a rank that a white pawn has gone
constexpr int kRoom = 2;           // a square that the white king can reach if Black stands still
constexpr int kNextTurns = 5;      // ... with two turns
constexpr int kNextTurn = 2;       // ... with one
constexpr int kHanging = 70;       // it can take a man there and stay
constexpr int kNearest = 16;       // a step from it to the nearest queen or rook
constexpr int kMostSteps = 5;      // that count
constexpr int kNearMan = 8;        // a queen or rook that it reaches with a turn
constexpr int kFarKing = 5;        // steps from which the black king need not fear its next turn
constexpr int kNearKing = 65;      // a nearer one
constexpr int kKingStep = 10;      // a step between the kings
constexpr int kMostKingSteps = 6;  // that count
constexpr int kFence = 10;         // ranks or files side by side that heavy men cover from afar
constexpr int kAgain = 40;         // a position that has occurred before
constexpr int kLookBack = 4;       // plies that may be one
constexpr int kFarEnough = 3;      // steps: more than the white king goes with a turn

float hunt_value(const Monster& rules, const Moment<Monster::Position>& moment) {
  const Position& p = moment.position;
  if (takes_king(rules, p)) return p.mover == 0 ? kSurest : -kSurest;
  const int king = p.king(0);
  const Bits attacked = orthodox_attacks<1>(p, p.occupied() & ~bit(king));
  const Bits heavy = p.men(1, kQueen) | p.men(1, kRook);
  int points = 0;
  for (int kind = kPawn; kind < kKing; ++kind) {
    points += kBlackMan[kind] * count(p.men(1, kind));
    points -= kWhiteMan[kind] * count(p.men(0, kind));
  }
  for (Bits pawns = p.men(0, kPawn); pawns;) {
    points -= kPawnRank * (rank_of(take_first(pawns)) - 1);
  }
  // What the white king can reach while Black stands still: it may step onto attacked squares
  // with its first half, but not stay there.
  const Bits open = ~(p.side[0] & ~bit(king));
  const Bits safe = open & ~attacked;
  const auto turn = [&](Bits from) { return around(around(from) & open) & safe; };
  const Bits next = turn(bit(king));
  const Bits later = next | turn(next);
  Bits room = later;
  for (Bits before = 0; before != room;) {
    before = room;
    room |= turn(room);
  }
  points -= kRoom * count(room) + kNextTurns * count(later) + kNextTurn * count(next);
  if (next & p.side[1]) points -= kHanging;
  Bits far = 0;
  int nearest = kMostSteps;
  for (Bits men = heavy; men;) {
    const int square = take_first(men);
    const int steps = king_steps(square, king);
    nearest = std::min(nearest, steps);
    if (steps >= kFarEnough) far |= bit(square);
  }
  points += kNearest * nearest - kNearMan * count(heavy & ~far);
  points += kFence * (covered_pairs(far, rank_bits) + covered_pairs(far, file_bits));
  const int between = king_steps(p.king(1), king);
  if (between < kFarKing) points -= kNearKing;
  points += kKingStep * std::min(between, kMostKingSteps);
  // Going round in circles leads nowhere.
  const Moment<Position>* at = &moment;
  for (int ply = 0; at && ply < kLookBack; ++ply, at = at->before) {
    if (at->times > 1) points -= kAgain * (at->times - 1);
  }
  return std::clamp(static_cast<float>(-std::tanh(points / (2 * kPoints))), -kSurest, kSurest);
}

}  // namespace

Advice script(const Monster& rules, const Moment<Monster::Position>& moment, int turns) {
  return {hunt_value(rules, moment), forced_hunt(moment.position, turns)};
}

}  // namespace rulezero
