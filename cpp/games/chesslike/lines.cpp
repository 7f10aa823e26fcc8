#include "games/chesslike/lines.h"

#include <cstdlib>

namespace rulezero::chesslike {
namespace {

constexpr Bits leap(int square, int right, int up) {
  const int file = file_of(square) + right;
  const int rank = rank_of(square) + up;
  return on_board(file, rank) ? bit(rank * 8 + file) : 0;
}

// Every square along one direction, up to the first man met if any are given.
constexpr Bits ray(int square, int right, int up, Bits occupied = 0) {
  Bits squares = 0;
  for (int step = 1; Bits next = leap(square, right * step, up * step); ++step) {
    squares |= next;
    if (next & occupied) break;
  }
  return squares;
}

Geometry make_geometry() {
  Geometry g{};
  for (int square = 0; square < 64; ++square) {
    const auto at = static_cast<std::size_t>(square);
    for (int right = -2; right <= 2; ++right) {
      for (int up = -2; up <= 2; ++up) {
        const int sum = std::abs(right) + std::abs(up);
        if (sum == 3) g.knight[at] |= leap(square, right, up);
        if (sum > 0 && std::abs(right) <= 1 && std::abs(up) <= 1) {
          g.king[at] |= leap(square, right, up);
        }
      }
    }
    g.pawn[0][at] = leap(square, -1, 1) | leap(square, 1, 1);
    g.pawn[1][at] = leap(square, -1, -1) | leap(square, 1, -1);
    g.file[at] = ray(square, 0, 1) | ray(square, 0, -1);
    g.diagonal[at] = ray(square, 1, 1) | ray(square, -1, -1);
    g.antidiagonal[at] = ray(square, -1, 1) | ray(square, 1, -1);
    for (const auto& [right, up] : {std::pair{0, 1}, {1, 0}, {1, 1}, {-1, 1}}) {
      const Bits whole = ray(square, right, up) | ray(square, -right, -up) | bit(square);
      for (int sign : {1, -1}) {
        Bits passed = 0;
        for (int step = 1; Bits next = leap(square, sign * right * step, sign * up * step);
             ++step) {
          const auto to = static_cast<std::size_t>(first(next));
          g.between[at][to] = passed;
          g.line[at][to] = whole;
          passed |= next;
        }
      }
    }
  }
  for (int file = 0; file < 8; ++file) {
    for (int inner = 0; inner < 64; ++inner) {
      const Bits occupied = static_cast<Bits>(inner) << 1;
      g.rank[static_cast<std::size_t>(file)][static_cast<std::size_t>(inner)] =
          static_cast<std::uint8_t>(ray(file, 1, 0, occupied) | ray(file, -1, 0, occupied));
    }
  }
  return g;
}

}  // namespace

const Geometry kGeometry = make_geometry();

}  // namespace rulezero::chesslike
