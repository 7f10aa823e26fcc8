#include "games/connect4.h"

#include "base/hash.h"
#include "games/board_text.h"

namespace rulezero {

using namespace connect4;

namespace {

constexpr std::string_view kMen = "XO";    // by seat
constexpr std::string_view kSides = "xo";  // by seat, as the side to move

constexpr int square(int column, int row) { return column * kStride + row; }

Bits both_seats(const Connect4Position& position) { return position.men[0] | position.men[1]; }

}  // namespace

Connect4::Connect4()
    : facts_{.name = std::string(kName),
             .actions = kColumns,
             .slots = kColumns,
             .planes = {3, kRows, kColumns},
             .board = {kRows, kColumns},
             .max_plies = kColumns * kRows,
             .seat_names = {"X", "O"},
             .plane_names = {"own men", "enemy men", "X to move"},
             .typical_plies = 33,
             .typical_moves = 6,
             .pictures = {{"X", "disc"}, {"O", "disc"}}} {}

Connect4::Position Connect4::start(std::uint64_t, const Options& options) const {
  check_options(options, {}, "the start of connect4");
  return {};
}

Connect4::Position Connect4::parse(std::string_view text) const {
  const auto fields = split(text, ' ');
  if (fields.size() != 2) {
    throw PositionError("a connect4 position is a board and a side, like '7/7/7/7/7/7 x', not " +
                        quoted(text));
  }
  Position position{};
  read_board(fields[0], kRows, kColumns, [&](int row, int column, std::string_view man) {
    if (man != "X" && man != "O") {
      throw PositionError("the men are X and O, not " + quoted(man));
    }
    position.men[man == "O"] |= bit(square(column, row));
  });
  const int side = read_side(fields[1], kSides);
  const Bits both = both_seats(position);
  for (int column = 0; column < kColumns; ++column) {
    if (both & column_bits(column) & (both + kBottom)) {
      throw PositionError(std::string("column ") + static_cast<char>('a' + column) +
                          " has a man with nothing below it");
    }
  }
  const int lead = count(position.men[0]) - count(position.men[1]);
  if (lead != 0 && lead != 1) {
    throw PositionError("X begins, so it has as many men as O or one more; here it has " +
                        std::to_string(count(position.men[0])) + " and O " +
                        std::to_string(count(position.men[1])));
  }
  if (lead != side) {
    throw PositionError(std::string("by the number of men it is ") + kSides[lead] +
                        "'s turn, but the side to move is " + kSides[side]);
  }
  if (has_four(position.men[lead])) {
    throw PositionError("the side to move already has four in a line");
  }
  return position;
}

std::string Connect4::text(const Position& position) const {
  const std::string board = write_board(kRows, kColumns, [&](int row, int column) {
    for (int seat : {0, 1}) {
      if (has(position.men[seat], square(column, row))) return std::string(1, kMen[seat]);
    }
    return std::string();
  });
  return board + " " + kSides[mover(position)];
}

Key Connect4::key(const Position& position) const {
  return Hash().add(position.men[0]).add(position.men[1]).value();
}

int Connect4::mover(const Position& position) const { return count(both_seats(position)) % 2; }

std::optional<Ending> Connect4::expand(const Moment<Position>& moment,
                                       std::vector<Action>& actions) const {
  actions.clear();
  const Position& position = moment.position;
  const int last_mover = 1 - mover(position);
  if (has_four(position.men[last_mover])) return Ending{to_seat0(1, last_mover), "four"};
  const Bits open = playable(both_seats(position));
  for (int column = 0; column < kColumns; ++column) {
    if (open & column_bits(column)) actions.push_back(static_cast<Action>(column));
  }
  if (actions.empty()) return Ending{0.0f, "full board"};
  return std::nullopt;
}

Connect4::Position Connect4::apply(const Position& position, Action column) const {
  Position next = position;
  const Bits cells = column_bits(static_cast<int>(column));
  next.men[mover(position)] |= playable(both_seats(position)) & cells;
  return next;
}

void Connect4::encode(const Moment<Position>& moment, std::span<float> planes) const {
  const Position& position = moment.position;
  const int seat = mover(position);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const int cell = row * kColumns + column;
      const Bits here = bit(square(column, row));
      constexpr int kArea = kRows * kColumns;
      planes[cell] = (position.men[seat] & here) != 0;
      planes[kArea + cell] = (position.men[1 - seat] & here) != 0;
      planes[2 * kArea + cell] = seat == 0;
    }
  }
}

std::string Connect4::say(const Position&, Action column) const {
  return std::string(1, static_cast<char>('a' + column));
}

Touches Connect4::touches(const Position& position, Action column) const {
  const std::vector<Cell> now = cells(position);
  const int at = static_cast<int>(column);
  std::vector<Square> squares;
  for (int row = 0; row < kRows; ++row) {  // a man falls to the lowest empty square
    if (now[row * kColumns + at].man.empty()) squares.push_back({row, at});
  }
  for (int row = 0; row < kRows; ++row) {
    if (!now[row * kColumns + at].man.empty()) squares.push_back({row, at});
  }
  return {squares};
}

std::vector<Cell> Connect4::cells(const Position& position) const {
  std::vector<Cell> cells(kRows * kColumns);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      for (int seat : {0, 1}) {
        if (!has(position.men[seat], square(column, row))) continue;
        cells[row * kColumns + column] = {std::string(1, kMen[seat]), seat, ""};
      }
    }
  }
  return cells;
}

}  // namespace rulezero
