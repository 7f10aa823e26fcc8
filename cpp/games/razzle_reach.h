#pragma once
// Where men and ball of Razzle Dazzle can go on its 7x8 board; the rules and the heuristic use it.

#include "games/razzle.h"

namespace rulezero::razzle {

constexpr int kFiles = 7;
constexpr int kRanks = 8;
constexpr int kSquares = kFiles * kRanks;

struct Step {
  int right;
  int up;
};
inline constexpr std::array<Step, 8> kKnightSteps = {
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};
inline constexpr std::array<Step, 4> kRising = {
    {{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};  // to higher squares

// The squares reached from `square` by repeating a step, at most `reach` times.
constexpr Bits line(int square, Step step, int reach) {
  Bits squares = 0;
  int file = square % kFiles + step.right;
  int rank = square / kFiles + step.up;
  while (reach-- > 0 && file >= 0 && file < kFiles && rank >= 0 && rank < kRanks) {
    squares |= bit(rank * kFiles + file);
    file += step.right;
    rank += step.up;
  }
  return squares;
}

// The squares reached from a square on an empty board.
struct Reach {
  Bits knight = 0;
  Bits around = 0;                   // the adjacent squares
  std::array<Bits, 4> rising = {};   // lines towards higher squares: the first man met is lowest
  std::array<Bits, 4> falling = {};  // the same lines the other way: the first met is highest
};

inline constexpr std::array<Reach, kSquares> kReach = [] {
  std::array<Reach, kSquares> table;
  for (int square = 0; square < kSquares; ++square) {
    Reach& reach = table[square];
    for (Step step : kKnightSteps) reach.knight |= line(square, step, 1);
    for (std::size_t i = 0; i < kRising.size(); ++i) {
      const Step back = {-kRising[i].right, -kRising[i].up};
      reach.around |= line(square, kRising[i], 1) | line(square, back, 1);
      reach.rising[i] = line(square, kRising[i], kRanks);
      reach.falling[i] = line(square, back, kRanks);
    }
  }
  return table;
}();

// The square as a seat sees it. Seat 1 sees the board turned by 180 degrees, so that both play up.
constexpr int seen_by(int seat, int square) { return seat == 0 ? square : kSquares - 1 - square; }

constexpr int rank_seen_by(int seat, int square) { return seen_by(seat, square) / kFiles; }

// The two squares of an action that is not the end of a turn.
constexpr int source_of(Action action) { return static_cast<int>(action / kSquares); }
constexpr int target_of(Action action) { return static_cast<int>(action % kSquares); }

// The men of a seat that could receive its ball if it lay on `ball`: the first met on each line,
// if they are its own and not barred.
inline Bits receivers(const RazzlePosition& position, int seat, int ball) {
  const Reach& reach = kReach[ball];
  const Bits all = position.men[0] | position.men[1];
  Bits met = 0;
  for (Bits ray : reach.rising) met |= ray & all & (0 - (ray & all));
  for (Bits ray : reach.falling) met |= std::bit_floor(ray & all);
  return met & position.men[seat] & ~position.barred;
}

// Whether the mover must pass, because the enemy's last knight move ended next to its ball. This
// concerns only the first action of a turn, and only if a pass is possible.
inline bool must_pass(const RazzlePosition& position, Bits targets) {
  return !position.in_chain && targets != 0 && position.landing != RazzlePosition::kNowhere &&
         has(kReach[position.ball[position.side]].around, position.landing);
}

}  // namespace rulezero::razzle
