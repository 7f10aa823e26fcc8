#pragma once
// Moves by number, and the sinks that move generators write to.

#include <vector>

#include "games/chesslike/position.h"
#include "games/game.h"

namespace rulezero::chesslike {

// A move of one man. Castling is the king moving onto its own rook.
struct Move {
  int from;
  int to;
  int promotion;  // 0 for none, else the number of the promotion option, counted from 1
};

constexpr Action number_of(const Move& move) {
  return static_cast<Action>((move.promotion * 64 + move.from) * 64 + move.to);
}

constexpr Move move_of(Action action) {
  const int number = static_cast<int>(action);
  return {number / 64 % 64, number % 64, number / 4096};
}

// Counts moves without listing them.
struct Counter {
  int promotions;  // options of a promoting pawn
  std::uint64_t total = 0;

  void moves(int, Bits to) { total += static_cast<std::uint64_t>(count(to)); }
  void promoting_moves(int, Bits to) {
    total += static_cast<std::uint64_t>(count(to) * promotions);
  }
  void pawn_moves(int, Bits to) { total += static_cast<std::uint64_t>(count(to)); }
  void promoting_pawn_moves(int, Bits to) { promoting_moves(0, to); }
  void move(int, int) { ++total; }
};

// Lists moves as action numbers.
struct Lister {
  int promotions;
  std::vector<Action>& actions;

  void moves(int from, Bits to) {
    while (to) move(from, take_first(to));
  }
  void promoting_moves(int from, Bits to) {
    while (to) {
      const int square = take_first(to);
      for (int option = 1; option <= promotions; ++option) {
        actions.push_back(number_of({from, square, option}));
      }
    }
  }
  // Pawns that all make the same step.
  void pawn_moves(int step, Bits to) {
    while (to) {
      const int square = take_first(to);
      move(square - step, square);
    }
  }
  void promoting_pawn_moves(int step, Bits to) {
    while (to) {
      const int square = take_first(to);
      promoting_moves(square - step, bit(square));
    }
  }
  void move(int from, int to) { actions.push_back(number_of({from, to, 0})); }
};

}  // namespace rulezero::chesslike
