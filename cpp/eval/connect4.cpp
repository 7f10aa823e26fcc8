// The heuristic of Connect Four: open lines and the centre.

#include "games/connect4.h"

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"

namespace rulezero {

using namespace connect4;

namespace {

// The sum s of these terms gives the value tanh(s).
constexpr float kThree = 0.16f;     // per empty cell that would make four
constexpr float kGoodRow = 0.12f;   // added if its owner fills this row when one column is left
constexpr float kPlayable = 0.06f;  // added if it can be filled now
constexpr float kTwo = 0.02f;       // per line of four with two men and two empty cells
constexpr float kCentre = 0.03f;    // per man in the middle column

// Rows 1, 3 and 5, counted from 1. When all columns but one are full, seat 0 fills these.
constexpr Bits kOddRows = each_column(0b010101);

struct Lines {
  Bits wins = 0;  // empty cells that would make four
  int twos = 0;
};

Lines lines_of(Bits own, Bits empty) {
  Lines found;
  for (int step : kSteps) {
    // Bit i of each word stands for the line of four cells that starts at cell i.
    const Bits a = own;
    const Bits b = own >> step;
    const Bits c = own >> (2 * step);
    const Bits d = own >> (3 * step);
    const Bits open = (a | empty) & (b | (empty >> step)) & (c | (empty >> (2 * step))) &
                      (d | (empty >> (3 * step)));
    const Bits odd = a ^ b ^ c ^ d;
    const Bits pair = (a & b) | (c & d) | ((a ^ b) & (c ^ d));  // two or more
    const Bits threes = open & odd & pair;
    found.twos += count(open & pair & ~odd);
    const Bits cells = threes | threes << step | threes << (2 * step) | threes << (3 * step);
    found.wins |= cells & empty;
  }
  return found;
}

float standing(const Connect4Position& position, int seat, const Lines& lines, Bits open) {
  const Bits good_rows = seat == 0 ? kOddRows : kBoard & ~kOddRows;
  const Bits men = position.men[seat];
  return times(count(lines.wins), kThree) + times(count(lines.wins & good_rows), kGoodRow) +
         times(count(lines.wins & open), kPlayable) + times(lines.twos, kTwo) +
         times(count(men & column_bits(kColumns / 2)), kCentre);
}

}  // namespace

float heuristic(const Connect4& rules, const Moment<Connect4::Position>& moment) {
  const Connect4Position& position = moment.position;
  const Bits both = position.men[0] | position.men[1];
  const Bits empty = kBoard & ~both;
  const Bits open = playable(both);
  const std::array<Lines, 2> lines = {lines_of(position.men[0], empty),
                                      lines_of(position.men[1], empty)};
  const int mover = rules.mover(position);
  const float for_mover = mover == 0 ? kSurest : -kSurest;
  if (lines[mover].wins & open) return for_mover;
  // The mover can fill one threat, but not two, and not one with another just above it.
  const Bits threats = lines[1 - mover].wins;
  const Bits must_fill = threats & open;
  if (more_than_one(must_fill) || ((must_fill << 1) & threats)) return -for_mover;
  const float lead = standing(position, 0, lines[0], open) - standing(position, 1, lines[1], open);
  return std::clamp(std::tanh(lead), -kSurest, kSurest);
}

}  // namespace rulezero
