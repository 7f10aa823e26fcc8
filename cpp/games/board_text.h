#pragma once
// The board field that the texts of all games share: rows from the top, separated by slashes. In a
// row, a digit is a number of empty squares, and a letter or a name in braces is a man.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace rulezero {

// Calls place(row, column, man) for every man; row 0 is the last row of the text. `man` is a
// letter, or a name with its braces. Throws PositionError for a malformed field.
template <class Place>
void read_board(std::string_view field, int rows, int columns, Place place) {
  const auto lines = split(field, '/');
  if (lines.size() != static_cast<std::size_t>(rows)) {
    throw PositionError("the board needs " + std::to_string(rows) +
                        " rows separated by slashes, not " + std::to_string(lines.size()) + ": " +
                        quoted(field));
  }
  for (int row = rows - 1; row >= 0; --row) {
    const std::string_view line = lines[rows - 1 - row];
    const auto fail = [&](const std::string& what) {
      throw PositionError("row " + std::to_string(row + 1) + " of the board " + what + ": " +
                          quoted(line));
    };
    int column = 0;
    bool after_digit = false;
    for (std::size_t at = 0; at < line.size();) {
      const bool is_digit = line[at] >= '1' && line[at] <= '9';
      if (is_digit) {
        if (after_digit) fail("has two digits in a row");
        column += line[at] - '0';
        ++at;
      } else {
        std::size_t length = first_letter(line.substr(at)).size();
        if (line[at] == '{') {
          const std::size_t close = line.find('}', at);
          if (close == std::string_view::npos) fail("has an open brace that is never closed");
          length = close - at + 1;
        }
        if (column < columns) place(row, column, line.substr(at, length));
        ++column;
        at += length;
      }
      after_digit = is_digit;
    }
    if (column != columns) {
      fail("has " + std::to_string(column) + " squares instead of " + std::to_string(columns));
    }
  }
}

// The seat to move by its letter; `sides` has seat 0's letter first. Throws PositionError for
// another text.
inline std::uint8_t read_side(std::string_view field, std::string_view sides) {
  if (field.size() != 1 || sides.find(field) == std::string_view::npos) {
    throw PositionError(std::string("the side to move is ") + sides[0] + " or " + sides[1] +
                        ", not " + quoted(field));
  }
  return field[0] == sides[1];
}

// The field for a board; man_at(row, column) is a man's text, empty for an empty square.
template <class ManAt>
std::string write_board(int rows, int columns, ManAt man_at) {
  std::string field;
  for (int row = rows - 1; row >= 0; --row) {
    int empty = 0;
    const auto close_gap = [&] {
      if (empty > 0) field += std::to_string(empty);
      empty = 0;
    };
    for (int column = 0; column < columns; ++column) {
      const std::string man = man_at(row, column);
      if (man.empty()) {
        ++empty;
      } else {
        close_gap();
        field += man;
      }
    }
    close_gap();
    if (row > 0) field += '/';
  }
  return field;
}

// The name of a square of any board: the column's letter and the row's number.
inline std::string square_text(int row, int column) {
  return std::string(1, static_cast<char>('a' + column)) + std::to_string(row + 1);
}

// The squares that a move text names, in its order: a letter for the column and a number for the
// row. Letters without a number, as in a promotion, are skipped.
inline std::vector<std::array<int, 2>> squares_in(std::string_view text, int rows, int columns) {
  std::vector<std::array<int, 2>> squares;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int column = text[at] - 'a';
    int row = 0;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9' && row < 1000) {
      row = 10 * row + (text[end++] - '0');
    }
    if (end == at + 1) continue;
    if (column >= 0 && column < columns && row >= 1 && row <= rows) {
      squares.push_back({row - 1, column});
    }
    at = end - 1;
  }
  return squares;
}

}  // namespace rulezero
