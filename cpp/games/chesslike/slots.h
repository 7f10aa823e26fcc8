#pragma once
// Policy slots of chess and random_chess: plane * 64 + from-square, seen by the mover or from
// White's side. A plane is a way to move:
//
//    0-55   queen moves: 8 directions (north, then clockwise) x 7 distances
//   56-63   knight moves, clockwise from one right and two ahead
//   64-72   promotions to the second, third and fourth option: to the left, ahead, to the right
//   73-     one per further displacement of the loaded men, then one per further promotion

#include <array>
#include <vector>

#include "games/chesslike/move.h"
#include "games/chesslike/table.h"

namespace rulezero::chesslike {

class SlotMap {
 public:
  SlotMap(const PieceTable& table, bool absolute);

  int planes() const { return planes_; }

  // The slot of a move whose displacement is from -> to as it is written.
  int slot(const Move& move, bool flipped) const;

 private:
  static constexpr int kSpan = 15;  // displacements run from -7 to 7
  static int cell(int right, int up) { return (up + 7) * kSpan + right + 7; }

  std::array<int, kSpan * kSpan> plane_;                   // by displacement, -1 for none
  std::vector<std::array<int, kSpan * kSpan>> promotion_;  // by option after the first
  int planes_ = 73;
};

}  // namespace rulezero::chesslike
