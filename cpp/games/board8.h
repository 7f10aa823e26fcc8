#pragma once
// The 8x8 board: squares, leaps and lines, in compile-time tables.
//
//   56 57 58 59 60 61 62 63   rank 8      north is +8, east is +1
//   48 49 50 51 52 53 54 55
//   40 41 42 43 44 45 46 47
//   32 33 34 35 36 37 38 39
//   24 25 26 27 28 29 30 31
//   16 17 18 19 20 21 22 23
//    8  9 10 11 12 13 14 15
//    0  1  2  3  4  5  6  7   rank 1
//    a  b  c  d  e  f  g  h

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/bits.h"

namespace rulezero::board8 {

constexpr int kSquares = 64;
constexpr int kNone = 64;  // no square

template <class T>
using BySquare = std::array<T, kSquares>;

template <class T>
using BySeat = std::array<T, 2>;

constexpr int file_of(int square) { return square & 7; }
constexpr int rank_of(int square) { return square >> 3; }
constexpr bool on_board(int file, int rank) {
  return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

inline std::string square_name(int square) {
  return {static_cast<char>('a' + file_of(square)), static_cast<char>('1' + rank_of(square))};
}

// The square of a name such as "e4", or kNone.
constexpr int read_square(std::string_view name) {
  if (name.size() != 2 || !on_board(name[0] - 'a', name[1] - '1')) return kNone;
  return (name[1] - '1') * 8 + (name[0] - 'a');
}

constexpr Bits kFileA = 0x0101010101010101;
constexpr Bits kFileH = kFileA << 7;
constexpr Bits kRank1 = 0xff;

constexpr Bits file_bits(int file) { return kFileA << file; }
constexpr Bits rank_bits(int rank) { return kRank1 << (8 * rank); }

constexpr Bits north(Bits set) { return set << 8; }
constexpr Bits south(Bits set) { return set >> 8; }
constexpr Bits east(Bits set) { return (set & ~kFileH) << 1; }
constexpr Bits west(Bits set) { return (set & ~kFileA) >> 1; }

// Squares a king's step away from one of the set.
constexpr Bits around(Bits set) {
  const Bits row = set | east(set) | west(set);
  return east(set) | west(set) | north(row) | south(row);
}

namespace tables {

constexpr int size(int number) { return number < 0 ? -number : number; }

// All squares b for which holds(files from a to b, ranks from a to b).
template <class Holds>
constexpr BySquare<Bits> squares_where(Holds holds) {
  BySquare<Bits> sets{};
  for (int a = 0; a < kSquares; ++a) {
    for (int b = 0; b < kSquares; ++b) {
      if (a != b && holds(file_of(b) - file_of(a), rank_of(b) - rank_of(a))) sets[a] |= bit(b);
    }
  }
  return sets;
}

}  // namespace tables

// Steps of a king from one square to another.
constexpr int king_steps(int a, int b) {
  return std::max(tables::size(file_of(a) - file_of(b)), tables::size(rank_of(a) - rank_of(b)));
}

inline constexpr BySquare<Bits> kNeighbours = tables::squares_where(
    [](int f, int r) { return tables::size(f) <= 1 && tables::size(r) <= 1; });
inline constexpr BySquare<Bits> kJumps =
    tables::squares_where([](int f, int r) { return tables::size(f * r) == 2; });
inline constexpr BySeat<BySquare<Bits>> kPawnStrikes = {
    {tables::squares_where([](int f, int r) { return tables::size(f) == 1 && r == 1; }),
     tables::squares_where([](int f, int r) { return tables::size(f) == 1 && r == -1; })}};
inline constexpr BySquare<Bits> kDiagonal =
    tables::squares_where([](int f, int r) { return f == r; });
inline constexpr BySquare<Bits> kAntidiagonal =
    tables::squares_where([](int f, int r) { return f == -r; });

namespace tables {

// The places that a slider on place `at` of a line of eight sees; bit i of `men` is a man on place
// i + 1. Men on the two end places do not matter, because they hide nothing.
constexpr unsigned line_of_sight(int at, unsigned men) {
  unsigned seen = 0;
  for (int step : {-1, 1}) {
    for (int place = at + step; place >= 0 && place < 8; place += step) {
      seen |= 1u << place;
      if (((men << 1) >> place) & 1u) break;
    }
  }
  return seen;
}

using Sight = std::array<std::array<Bits, 64>, 8>;

// The squares seen along a rank, by file and by the men on files b to g. They are repeated on every
// rank, so that a mask selects them on a rank or a diagonal.
constexpr Sight along_files() {
  Sight sight{};
  for (int file = 0; file < 8; ++file) {
    for (int men = 0; men < 64; ++men) {
      sight[file][men] = kFileA * line_of_sight(file, static_cast<unsigned>(men));
    }
  }
  return sight;
}

// Gathers the inner six bits of file a into an index, rank 7 lowest: a "kindergarten" product
// whose summands never share a bit.
constexpr int index_of_file(Bits file_a) {
  return static_cast<int>((file_a * 0x0080402010080400) >> 58);
}

// The squares of file a whose ranks are these places of a line of eight.
constexpr Bits on_file_a(unsigned places) {
  Bits squares = 0;
  for (int rank = 0; rank < 8; ++rank) squares |= Bits{(places >> rank) & 1u} << (8 * rank);
  return squares;
}

// The squares seen along file a, by rank and by the gathered men.
constexpr Sight along_ranks() {
  Sight sight{};
  for (int rank = 0; rank < 8; ++rank) {
    for (unsigned men = 0; men < 64; ++men) {
      sight[rank][index_of_file(on_file_a(men << 1))] = on_file_a(line_of_sight(rank, men));
    }
  }
  return sight;
}

inline constexpr Sight kAlongFiles = along_files();
inline constexpr Sight kAlongRanks = along_ranks();

constexpr Bits along_diagonal(int square, Bits line, Bits men) {
  // All men of a diagonal stand on different files: the product stacks them onto the top rank.
  const auto index = static_cast<int>(((men & line) * (kFileA << 1)) >> 58);
  return kAlongFiles[file_of(square)][index] & line;
}

}  // namespace tables

// The squares seen along ranks and files (diagonals), up to and including the first man met.
constexpr Bits straight_sight(int square, Bits men) {
  const int start = square & 56;
  const auto index = static_cast<int>((men >> (start + 1)) & 63);
  const Bits rank = tables::kAlongFiles[file_of(square)][index] & (kRank1 << start);
  const Bits file_a = (men >> file_of(square)) & kFileA;
  return rank |
         (tables::kAlongRanks[rank_of(square)][tables::index_of_file(file_a)] << file_of(square));
}

constexpr Bits diagonal_sight(int square, Bits men) {
  return tables::along_diagonal(square, kDiagonal[square], men) |
         tables::along_diagonal(square, kAntidiagonal[square], men);
}

constexpr Bits all_sight(int square, Bits men) {
  return straight_sight(square, men) | diagonal_sight(square, men);
}

// For two squares of one line: the squares strictly between them, and the whole line through both.
extern const BySquare<BySquare<Bits>> kBetween;
extern const BySquare<BySquare<Bits>> kLine;

}  // namespace rulezero::board8
