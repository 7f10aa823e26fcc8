#include "games/noughts.h"

#include "base/hash.h"
#include "games/board_text.h"

namespace rulezero {
namespace {

constexpr Bits kLines[] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
constexpr std::string_view kMen = "XO";

bool has_line(Bits men) {
  for (Bits line : kLines) {
    if ((men & line) == line) return true;
  }
  return false;
}

}  // namespace

Noughts::Position Noughts::start(std::uint64_t, const Options& options) const {
  check_options(options, {}, "the start of noughts");
  return {};
}

Noughts::Position Noughts::parse(std::string_view text) const {
  Position position{};
  read_board(text, 3, 3, [&](int row, int column, std::string_view man) {
    const std::size_t seat = man.size() == 1 ? kMen.find(man) : std::string_view::npos;
    if (seat == std::string_view::npos) {
      throw PositionError("the men are X and O, not " + quoted(man));
    }
    position.men[seat] |= bit(row * 3 + column);
  });
  const int lead = count(position.men[0]) - count(position.men[1]);
  if (lead != 0 && lead != 1)
    throw PositionError("X begins, so it has as many men as O or one more");
  if (has_line(position.men[mover(position)])) {
    throw PositionError("the side to move already has three in a line");
  }
  return position;
}

std::string Noughts::text(const Position& position) const {
  return write_board(3, 3, [&](int row, int column) {
    for (int seat : {0, 1}) {
      if (has(position.men[seat], row * 3 + column)) return std::string(1, kMen[seat]);
    }
    return std::string();
  });
}

Key Noughts::key(const Position& position) const {
  return Hash().add(position.men[0]).add(position.men[1]).value();
}

int Noughts::mover(const Position& position) const {
  return (count(position.men[0]) + count(position.men[1])) % 2;
}

std::optional<Ending> Noughts::expand(const Moment<Position>& moment,
                                      std::vector<Action>& actions) const {
  const auto& men = moment.position.men;
  actions.clear();
  if (has_line(men[0])) return Ending{1.0f, "line"};
  if (has_line(men[1])) return Ending{-1.0f, "line"};
  for (int cell = 0; cell < 9; ++cell) {
    if (!has(men[0] | men[1], cell)) actions.push_back(static_cast<Action>(cell));
  }
  if (actions.empty()) return Ending{0.0f, "full board"};
  return std::nullopt;
}

Noughts::Position Noughts::apply(const Position& position, Action cell) const {
  Position next = position;
  next.men[mover(position)] |= bit(static_cast<int>(cell));
  return next;
}

void Noughts::encode(const Moment<Position>& moment, std::span<float> planes) const {
  const int seat = mover(moment.position);
  for (int cell = 0; cell < 9; ++cell) {
    planes[cell] = has(moment.position.men[seat], cell);
    planes[9 + cell] = has(moment.position.men[1 - seat], cell);
  }
}

std::string Noughts::say(const Position&, Action cell) const {
  return {static_cast<char>('a' + cell % 3), static_cast<char>('1' + cell / 3)};
}

std::vector<Cell> Noughts::cells(const Position& position) const {
  std::vector<Cell> cells(9);
  for (int cell = 0; cell < 9; ++cell) {
    for (int seat : {0, 1}) {
      if (has(position.men[seat], cell)) cells[cell] = {std::string(1, kMen[seat]), seat, ""};
    }
  }
  return cells;
}

}  // namespace rulezero
