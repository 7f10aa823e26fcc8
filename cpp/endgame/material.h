#pragma once
// The men of an endgame, and a number for each way to set them up.
//
// A set-up is the squares of all men except the white king. Tables keep the results for all squares
// of the white king together, as one word of 64 bits or one row of 64 bytes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "endgame/symmetry.h"
#include "games/chesslike/position.h"

namespace rulezero {

// Two white men can never block their king completely: White always has a move.
constexpr std::size_t kMostWhiteMen = 2;
constexpr std::size_t kMostBlackMen = 3;
constexpr std::size_t kMostMen = kMostWhiteMen + kMostBlackMen;

struct Setup {
  int king = 0;                                 // the black king's square
  std::array<std::uint8_t, kMostMen> men = {};  // the other men's squares, in the material's order
};

// Where a table keeps a set-up: the number of its image under a symmetry.
struct Place {
  std::size_t index;
  Symmetry turned;
};

class Material {
 public:
  struct Man {
    int seat;
    int kind;

    bool operator==(const Man&) const = default;
  };

  // The material of a text such as KPvKQR: White's men, v, Black's men, in any order and case.
  // Throws GameError for any other text.
  static Material read(std::string_view text);

  // From the men without the kings, in any order. Throws GameError if there are too many men, or
  // black pawns.
  explicit Material(std::vector<Man> men);

  // White's men before Black's, each from the queen down to the pawn.
  const std::vector<Man>& men() const { return men_; }
  std::string text() const;

  std::size_t setups() const { return setups_; }

  // The set-up with a number below setups(). Two men may share a square: then it is not possible.
  Setup setup(std::size_t index) const;
  Bits squares(const Setup& setup) const;  // the squares that its men stand on
  bool is_possible(const Setup& setup) const {
    return count(squares(setup)) == static_cast<int>(men_.size()) + 1;
  }
  Place place(const Setup& setup) const;

  // The number of the set-up after a man moves to `to`; `index` is the number of `setup`. The black
  // king does not move, so both have the same symmetry.
  std::size_t moved(std::size_t index, const Setup& setup, std::size_t man, int to) const {
    const Group& group = groups_[group_of_[man]];
    if (group.size == 1) {
      return index + static_cast<std::size_t>(to - setup.men[man]) * group.stride;
    }
    return index + moved_among(group, setup, man, to) * group.stride;
  }

  // How many of the eight (or two) symmetric boards a set-up with this number stands for.
  int images(std::size_t index) const;

 private:
  // Men of the same seat and kind: their squares are a set.
  struct Group {
    std::size_t first;
    std::size_t size;
    int low;  // the first square they may stand on
    std::size_t ways;
    std::size_t stride;  // between set-ups that differ by one way
  };

  static std::size_t moved_among(const Group& group, const Setup& setup, std::size_t man, int to);

  std::vector<Man> men_;
  std::vector<Group> groups_;
  std::array<std::size_t, kMostMen> group_of_ = {};
  bool has_pawns_ = false;
  std::size_t setups_ = 0;
};

}  // namespace rulezero
