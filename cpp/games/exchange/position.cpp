#include "games/exchange/position.h"

namespace rulezero::exchange {

Position empty_board() {
  Position p{};
  p.pending = kNoAction;
  return p;
}

Position start_position() {
  constexpr std::array<Type, 8> kBackRank = {kRook, kKnight, kBishop, kQueen,
                                             kKing, kBishop, kKnight, kRook};
  Position p = empty_board();
  for (int file = 0; file < 8; ++file) {
    const Type type = kBackRank[file];
    put(p, file, fresh(type, 0));
    put(p, 8 + file, fresh(kPawn, 0));
    put(p, 48 + file, fresh(kPawn, 1));
    put(p, 56 + file, fresh(type, 1));
  }
  return p;
}

Man fresh(Type type, int seat) {
  return {type, seat, kKinds[type].hp, kKinds[type].charges, 0, false};
}

Man man_at(const Position& p, int square) {
  return {type_at(p, square),    seat_at(p, square),    p.hp[square],
          charges_at(p, square), counter_at(p, square), has(p.promoted, square)};
}

void put(Position& p, int square, const Man& man) {
  const Bits here = bit(square);
  p.men[man.seat] |= here;
  p.types[man.type] |= here;
  if (man.counter > 0) p.waiting |= here;
  if (man.promoted) p.promoted |= here;
  p.hp[square] = static_cast<std::uint8_t>(man.hp);
  p.gear[square] = static_cast<std::uint8_t>(man.type << 5 | man.counter << 3 | man.charges);
}

void lift(Position& p, int square) {
  const Bits others = ~bit(square);
  p.men[0] &= others;
  p.men[1] &= others;
  p.types[type_at(p, square)] &= others;
  p.waiting &= others;
  p.promoted &= others;
  p.hp[square] = 0;
  p.gear[square] = 0;
}

void set_charges(Position& p, int square, int charges) {
  p.gear[square] = static_cast<std::uint8_t>((p.gear[square] & ~7) | charges);
}

void set_counter(Position& p, int square, int counter) {
  p.gear[square] = static_cast<std::uint8_t>((p.gear[square] & ~24) | counter << 3);
  if (counter > 0) {
    p.waiting |= bit(square);
  } else {
    p.waiting &= ~bit(square);
  }
}

}  // namespace rulezero::exchange
