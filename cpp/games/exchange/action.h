#pragma once
// The numbers, policy slots and texts of actions.
//
//   from*64 + to                                0 ..   4095   move: step, slide, jump, double
//                                                             step, Advance
//   4096 + from*64 + victim                  4096 ..   8191   strike
//   8192 + from*64 + ally                    8192 ..  12287   Consecration
//   12288                                                     Decree
//   12289 + face - 1                        12289 ..  12294   a die shows 1 .. 6
//   12295 + (from*64 + landing)*64 + victim 12295 .. 274438   dash: a knight's combo, a queen's
//                                                             Overextend
//   274439 + (from*64 + victim)*64 + step  274439 .. 536582   Skirmish

#include <string>

#include "games/exchange/geometry.h"
#include "games/game.h"

namespace rulezero::exchange {

constexpr Action kStrikes = 4096;
constexpr Action kHeals = 8192;
constexpr Action kDecreeAction = 12288;
constexpr Action kFaces = 12289;
constexpr Action kDashes = kFaces + 6;
constexpr Action kSkirmishes = kDashes + 64 * 64 * 64;
constexpr Action kActions = kSkirmishes + 64 * 64 * 64;

// 64*64 for pairs of squares and 64*8 for a square with the file of a dash's victim.
constexpr int kSlots = 4608;

enum class Deed { kMove, kStrike, kHeal, kDecree, kFace, kDash, kSkirmish };

// The parts of an action. Squares that a deed does not have are -1.
struct Choice {
  Deed deed;
  int from = -1;
  int to = -1;      // where the man stands afterwards, if he moves
  int target = -1;  // the square of the man that he strikes or heals
};

constexpr Action pair(int a, int b) { return static_cast<Action>(a * 64 + b); }
constexpr Action move(int from, int to) { return pair(from, to); }
constexpr Action strike(int from, int victim) { return kStrikes + pair(from, victim); }
constexpr Action heal(int from, int ally) { return kHeals + pair(from, ally); }
constexpr Action dash(int from, int landing, int victim) {
  return kDashes + pair(from, landing) * 64 + static_cast<Action>(victim);
}
constexpr Action skirmish(int from, int victim, int step) {
  return kSkirmishes + pair(from, victim) * 64 + static_cast<Action>(step);
}
constexpr Action face(int roll) { return kFaces + static_cast<Action>(roll - 1); }
constexpr bool is_face(Action action) { return action >= kFaces && action < kDashes; }
constexpr int roll_of(Action action) { return static_cast<int>(action - kFaces) + 1; }

// Whether the die decides what the action does.
constexpr bool needs_die(Action action) {
  return action >= kStrikes && action != kDecreeAction && !is_face(action);
}

constexpr Choice choice_of(Action action) {
  const auto square = [](Action number, int place) {
    return static_cast<int>((number >> (6 * place)) & 63);
  };
  if (action >= kSkirmishes) {
    const Action n = action - kSkirmishes;
    return {Deed::kSkirmish, square(n, 2), square(n, 0), square(n, 1)};
  }
  if (action >= kDashes) {
    const Action n = action - kDashes;
    return {Deed::kDash, square(n, 2), square(n, 1), square(n, 0)};
  }
  if (action >= kFaces) return {Deed::kFace};
  if (action == kDecreeAction) return {Deed::kDecree};
  if (action >= kStrikes) {
    return {action >= kHeals ? Deed::kHeal : Deed::kStrike, square(action, 1), -1,
            square(action, 0)};
  }
  return {Deed::kMove, square(action, 1), square(action, 0)};
}

// The policy slot of an action, or -1 for a die's face; `king` is the square of the king of the
// side to move. Dashes share a slot if only the landing square or the victim's rank differs,
// Skirmishes if only the step differs.
int slot_of(Action action, int king);

// e2e4, d1xd4, b1c3xc4, b1xb2c3, c1+d2, decree, 1 .. 6: squares in the order of events.
std::string say_action(Action action);

}  // namespace rulezero::exchange
