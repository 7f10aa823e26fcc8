#include "endgame/material.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr std::string_view kLetterOf = "PNBRQK";  // by kind

// Without pawns the black king stands in the triangle a1-d1-d4, with pawns on the files a to d.
struct KingSquares {
  std::array<std::uint8_t, 32> square = {};
  std::array<std::uint8_t, 64> index = {};
  std::size_t count = 0;
};

constexpr KingSquares king_squares(bool has_pawns) {
  KingSquares found;
  for (int square = 0; square < 64; ++square) {
    if (file_of(square) > 3 || (!has_pawns && rank_of(square) > file_of(square))) continue;
    found.index[square] = static_cast<std::uint8_t>(found.count);
    found.square[found.count++] = static_cast<std::uint8_t>(square);
  }
  return found;
}

constexpr KingSquares kTriangle = king_squares(false);
constexpr KingSquares kHalf = king_squares(true);

const KingSquares& squares_of_king(bool has_pawns) { return has_pawns ? kHalf : kTriangle; }

constexpr std::size_t ways_to_choose(std::size_t many, std::size_t from) {
  std::size_t ways = 1;
  for (std::size_t i = 0; i < many; ++i) ways = ways * (from - i) / (i + 1);
  return ways;
}

using Set = std::array<std::uint8_t, kMostBlackMen>;

// The number of a set, counted in the order of its largest square, then the next. The squares may
// come in any order.
std::size_t rank_of_set(Set set, std::size_t size) {
  const auto order = [](std::uint8_t& a, std::uint8_t& b) {
    if (a > b) std::swap(a, b);
  };
  if (size > 2) {
    order(set[0], set[2]);
    order(set[1], set[2]);
  }
  if (size > 1) order(set[0], set[1]);
  std::size_t rank = set[0];
  if (size > 1) rank += ways_to_choose(2, set[1]);
  if (size > 2) rank += ways_to_choose(3, set[2]);
  return rank;
}

// Sets of this size by their number.
const std::vector<Set>& sets_of(std::size_t size) {
  static const std::array<std::vector<Set>, kMostBlackMen + 1> all = [] {
    std::array<std::vector<Set>, kMostBlackMen + 1> sets;
    for (std::uint8_t c = 0; c < 64; ++c) {
      sets[1].push_back({c});
      for (std::uint8_t b = 0; b < c; ++b) {
        sets[2].push_back({b, c});
        for (std::uint8_t a = 0; a < b; ++a) sets[3].push_back({a, b, c});
      }
    }
    return sets;
  }();
  return all[size];
}

}  // namespace

Material Material::read(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto sides = split(upper, 'V');
  if (sides.size() != 2) {
    throw GameError("men are White's, then v, then Black's, such as KPvKQR, not " + quoted(text));
  }
  std::vector<Man> men;
  for (int seat = 0; seat < 2; ++seat) {
    int kings = 0;
    for (std::string_view rest = sides[seat]; !rest.empty(); rest.remove_prefix(1)) {
      const auto kind = kLetterOf.find(rest.front());
      if (kind == std::string_view::npos) {
        throw GameError(quoted(first_letter(rest)) + " in " + quoted(text) +
                        " is not a man: use K, Q, R, B, N and P");
      }
      if (static_cast<int>(kind) == kKing) {
        ++kings;
      } else {
        men.push_back({seat, static_cast<int>(kind)});
      }
    }
    if (kings != 1) {
      throw GameError("each side of " + quoted(text) + " needs one king, as in KPvKQR");
    }
  }
  return Material(std::move(men));
}

Material::Material(std::vector<Man> men) : men_(std::move(men)) {
  std::sort(men_.begin(), men_.end(), [](const Man& a, const Man& b) {
    return a.seat != b.seat ? a.seat < b.seat : a.kind > b.kind;
  });
  std::array<std::size_t, 2> many = {};
  for (const Man& man : men_) {
    ++many[man.seat];
    if (man.kind != kPawn) continue;
    has_pawns_ = true;
    if (man.seat == 1) throw GameError("there are no tables with black pawns");
  }
  if (many[0] > kMostWhiteMen || many[1] > kMostBlackMen) {
    throw GameError("tables have at most two white and three black men in addition to the kings");
  }
  setups_ = squares_of_king(has_pawns_).count;
  for (std::size_t i = 0; i < men_.size();) {
    std::size_t size = 1;
    while (i + size < men_.size() && men_[i + size] == men_[i]) ++size;
    const bool is_pawn = men_[i].kind == kPawn;
    std::fill_n(group_of_.begin() + static_cast<std::ptrdiff_t>(i), size, groups_.size());
    groups_.push_back({i, size, is_pawn ? 8 : 0, ways_to_choose(size, is_pawn ? 48 : 64), 1});
    setups_ *= groups_.back().ways;
    i += size;
  }
  for (std::size_t i = groups_.size(); i-- > 1;) {
    groups_[i - 1].stride = groups_[i].stride * groups_[i].ways;
  }
}

std::string Material::text() const {
  std::string sides[2] = {"K", "K"};
  for (const Man& man : men_) sides[man.seat] += kLetterOf[man.kind];
  return sides[0] + "v" + sides[1];
}

Setup Material::setup(std::size_t index) const {
  Setup found;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    const Set& set = sets_of(group->size)[index % group->ways];
    index /= group->ways;
    for (std::size_t i = 0; i < group->size; ++i) {
      found.men[group->first + i] = static_cast<std::uint8_t>(set[i] + group->low);
    }
  }
  found.king = squares_of_king(has_pawns_).square[index];
  return found;
}

Bits Material::squares(const Setup& setup) const {
  Bits squares = bit(setup.king);
  for (std::size_t i = 0; i < men_.size(); ++i) squares |= bit(setup.men[i]);
  return squares;
}

Place Material::place(const Setup& setup) const {
  Place found{};
  int king = setup.king;
  found.turned.files = file_of(king) > 3;
  if (found.turned.files) king ^= 7;
  if (!has_pawns_) {
    found.turned.ranks = rank_of(king) > 3;
    if (found.turned.ranks) king ^= 56;
    found.turned.diagonal = rank_of(king) > file_of(king);
    if (found.turned.diagonal) king = (king >> 3) | ((king & 7) << 3);
  }
  found.index = squares_of_king(has_pawns_).index[king];
  for (const Group& group : groups_) {
    Set set = {};
    for (std::size_t i = 0; i < group.size; ++i) {
      set[i] = static_cast<std::uint8_t>(found.turned(setup.men[group.first + i]) - group.low);
    }
    found.index = found.index * group.ways + rank_of_set(set, group.size);
  }
  return found;
}

// The difference of the set's number after the move. It may wrap around, like the unsigned sum that
// it is added to.
std::size_t Material::moved_among(const Group& group, const Setup& setup, std::size_t man, int to) {
  Set before = {};
  Set after = {};
  for (std::size_t i = 0; i < group.size; ++i) {
    const std::size_t at = group.first + i;
    before[i] = static_cast<std::uint8_t>(setup.men[at] - group.low);
    after[i] = at == man ? static_cast<std::uint8_t>(to - group.low) : before[i];
  }
  return rank_of_set(after, group.size) - rank_of_set(before, group.size);
}

int Material::images(std::size_t index) const {
  if (has_pawns_) return 2;
  const int king = setup(index).king;
  return file_of(king) == rank_of(king) ? 4 : 8;
}

}  // namespace rulezero
