// The script of Black's hunt in Monster, which drives the white king into a corner. The heuristic
// (monster.h) estimates who is better; the script measures how far the hunt has come.

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"
#include "eval/monster.h"
#include "eval/monster_hunt.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

// Points for Black. In solved endgames with three heavy men, a win that comes one turn sooner is
// worth about ten points.
constexpr double kPoints = 500;                                      // give a value of 0.46
constexpr std::array<int, 6> kBlackMan = {30, 60, 60, 250, 320, 0};  // by kind
constexpr std::array<int, 6> kWhiteMan = {80, 250, 250, 350, 600, 0};
constexpr int kPawnRank = 30;      // per rank that a white pawn has advanced
constexpr int kRoom = 2;           // per square that the white king can reach if Black stands still
constexpr int kNextTurns = 5;      // ... within two turns
constexpr int kNextTurn = 2;       // ... within one turn
constexpr int kHanging = 70;       // if it can safely take a man within one turn
constexpr int kNearest = 16;       // per step from it to the nearest queen or rook
constexpr int kMostSteps = 5;      // largest number of steps that count
constexpr int kNearMan = 8;        // per queen or rook that is not far from it (see kFarEnough)
constexpr int kFarKing = 5;        // distance at which the black king is safe from the white one
constexpr int kNearKing = 65;      // if the black king is nearer
constexpr int kKingStep = 10;      // per step between the kings
constexpr int kMostKingSteps = 6;  // largest number of steps that count
constexpr int kFence = 10;         // per pair of adjacent ranks or files that far heavy men cover
constexpr int kAgain = 40;         // per earlier occurrence of a position
constexpr int kLookBack = 4;       // number of latest positions that are checked for this
constexpr int kFarEnough = 3;      // steps: more than the white king makes in one turn

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
  // The squares that the white king can reach if Black does not move. It may step onto attacked
  // squares with its first half, but must not stay there.
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
  // Repetitions are penalised, so that the hunt makes progress.
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
