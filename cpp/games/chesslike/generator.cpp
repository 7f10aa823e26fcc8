#include "games/chesslike/generator.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "games/chesslike/orthodox.h"

namespace rulezero::chesslike {
namespace {

// Counters stop at the largest number that a text can hold.
std::uint16_t count_up(int counter) {
  return static_cast<std::uint16_t>(std::min(counter + 1, kLargestCounter));
}

int promotion_count(const PieceTable& table) { return static_cast<int>(table.promotions().size()); }

// The threats to the mover's king, for the table path.
struct TableDanger {
  int king;
  Bits attacked = 0;  // squares the enemy attacks if the king is taken off the board
  Bits touchy = 0;    // squares whose men decide whether the king is attacked
  bool hops = false;  // whether a man arriving on a touchy square can open an attack
  int count = 0;      // enemy men that could attack the king on some board
  std::array<std::uint8_t, 64> men;
};

TableDanger find_table_danger(const PieceTable& table, const Position& p) {
  const int us = p.mover;
  const int them = 1 - us;
  TableDanger danger{.king = p.king(us), .men = {}};
  const Bits occupied = p.occupied() ^ bit(danger.king);
  for (Bits enemy = p.side[them]; enemy;) {
    const int square = take_first(enemy);
    const int kind = p.kind_at(square);
    danger.attacked |= table.captures(kind, them, square, occupied);
    if (!has(table.man(kind, them).ever_captures[square], danger.king)) continue;
    danger.men[danger.count++] = static_cast<std::uint8_t>(square);
    danger.touchy |= table.path(kind, them, square, danger.king);
    danger.hops |= table.man(kind, them).hops;
  }
  return danger;
}

// Whether the king is not attacked when the men stand on `occupied`, without the enemy men in
// `absent`.
bool stays_safe(const PieceTable& table, const Position& p, const TableDanger& danger,
                Bits occupied, Bits absent) {
  const int them = 1 - p.mover;
  for (int i = 0; i < danger.count; ++i) {
    const int square = danger.men[i];
    if (has(absent, square)) continue;
    if (has(table.captures(p.kind_at(square), them, square, occupied), danger.king)) return false;
  }
  return true;
}

template <class Sink>
void table_legal(const PieceTable& table, const Position& p, Sink& sink) {
  const int us = p.mover;
  const Bits own = p.side[us];
  const Bits enemy = p.side[1 - us];
  const Bits occupied = own | enemy;
  const TableDanger danger = find_table_danger(table, p);
  const bool checked = has(danger.attacked, danger.king);

  for (Bits men = own; men;) {
    const int from = take_first(men);
    const int kind = p.kind_at(from);
    const Reach reach = table.reach(kind, us, from, occupied);
    Bits targets = (reach.moves & ~occupied) | (reach.captures & enemy);
    if (from == danger.king) {
      sink.moves(from, targets & ~danger.attacked);
      continue;
    }
    const bool takes_en_passant = kind == kPawn && p.en_passant != kNone &&
                                  has(reach.captures, p.en_passant) && !has(occupied, p.en_passant);
    if (takes_en_passant) targets &= ~bit(p.en_passant);

    Bits doubtful = 0;
    if (checked || has(danger.touchy, from)) {
      doubtful = targets;
    } else if (danger.hops) {
      doubtful = targets & danger.touchy & ~occupied;
    }
    Bits safe = targets & ~doubtful;
    while (doubtful) {
      const Bits to = bit(take_first(doubtful));
      if (stays_safe(table, p, danger, (occupied ^ bit(from)) | to, to)) safe |= to;
    }
    if (kind == kPawn) {
      const Bits zone = table.promotion_zone(us);
      sink.promoting_moves(from, safe & zone);
      safe &= ~zone;
    }
    sink.moves(from, safe);
    if (takes_en_passant) {
      const Bits victim = bit(p.en_passant + (us == 0 ? -8 : 8));
      const Bits after = (occupied ^ bit(from) ^ victim) | bit(p.en_passant);
      if (stays_safe(table, p, danger, after, victim)) {
        const Bits to = bit(p.en_passant);
        to & table.promotion_zone(us) ? sink.promoting_moves(from, to) : sink.moves(from, to);
      }
    }
  }
  if (checked) return;
  for (int wing : {kKingside, kQueenside}) {
    if (may_castle(table, p, wing)) sink.move(danger.king, p.castling[us][wing]);
  }
}

template <int Seat, class Sink>
void fast_legal(const PieceTable& table, const Position& p, Sink& sink) {
  const Danger danger = find_danger<Seat>(p);
  orthodox_safe_moves<Seat>(p, danger, sink);
  if (danger.checkers) return;
  for (int wing : {kKingside, kQueenside}) {
    if (p.castling[Seat][wing] != kNone && may_castle(table, p, wing)) {
      sink.move(danger.king, p.castling[Seat][wing]);
    }
  }
}

template <class Sink>
void legal(const PieceTable& table, const Position& p, Sink& sink) {
  if (!table.is_plain(p)) {
    table_legal(table, p, sink);
  } else if (p.mover == 0) {
    fast_legal<0>(table, p, sink);
  } else {
    fast_legal<1>(table, p, sink);
  }
}

template <int Seat>
Bits king_capturers(const Position& p) {
  const int prey = p.king(1 - Seat);
  return prey == kNone ? 0 : orthodox_attackers(p, prey, Seat, p.occupied());
}

template <int Seat>
void careful(const PieceTable& table, const Position& p, std::vector<Action>& actions) {
  Lister sink{promotion_count(table), actions};
  fast_legal<Seat>(table, p, sink);
  Bits capturers = king_capturers<Seat>(p);
  if (!capturers) return;
  // Every king capture is allowed, safe or not: list each once.
  const int prey = p.king(1 - Seat);
  const bool last_rank = rank_of(prey) == (Seat == 0 ? 7 : 0);
  std::erase_if(actions, [&](Action action) { return move_of(action).to == prey; });
  while (capturers) {
    const int from = take_first(capturers);
    if (last_rank && p.kind_at(from) == kPawn) {
      sink.promoting_moves(from, bit(prey));
    } else {
      sink.move(from, prey);
    }
  }
}

template <int Seat>
bool any_careful(const PieceTable& table, const Position& p) {
  if (king_capturers<Seat>(p)) return true;
  const Danger danger = find_danger<Seat>(p);
  if (kNeighbours[danger.king] & ~p.side[Seat] & ~danger.attacked) return true;
  Counter sink{promotion_count(table)};
  orthodox_safe_moves<Seat>(p, danger, sink);  // castling needs a free neighbour square anyway
  return sink.total > 0;
}

template <int Seat>
void pseudo(const PieceTable& table, const Position& p, std::vector<Action>& actions) {
  Lister sink{promotion_count(table), actions};
  orthodox_pseudo_moves<Seat>(p, sink);
  for (int wing : {kKingside, kQueenside}) {
    if (may_castle(table, p, wing)) sink.move(p.king(Seat), p.castling[Seat][wing]);
  }
}

}  // namespace

bool is_attacked(const PieceTable& table, const Position& p, int square, int by, Bits occupied,
                 Bits absent) {
  if (table.is_plain(p)) return orthodox_attackers(p, square, by, occupied) & ~absent;
  for (Bits men = p.side[by] & ~absent; men;) {
    const int from = take_first(men);
    const int kind = p.kind_at(from);
    if (!has(table.man(kind, by).ever_captures[from], square)) continue;
    if (has(table.captures(kind, by, from, occupied), square)) return true;
  }
  return false;
}

bool in_check(const PieceTable& table, const Position& p) {
  return is_attacked(table, p, p.king(p.mover), 1 - p.mover, p.occupied());
}

CastlingSquares castling_squares(int seat, int wing) {
  const int rank = seat == 0 ? 0 : 56;
  return wing == kKingside ? CastlingSquares{rank + 6, rank + 5}
                           : CastlingSquares{rank + 2, rank + 3};
}

bool may_castle(const PieceTable& table, const Position& p, int wing) {
  const int us = p.mover;
  const int rook = p.castling[us][wing];
  if (rook == kNone) return false;
  const int king = p.king(us);
  const CastlingSquares to = castling_squares(us, wing);
  const Bits king_path = kBetween[king][to.king] | bit(to.king);
  const Bits rook_path = kBetween[rook][to.rook] | bit(to.rook);
  const Bits lifted = p.occupied() ^ bit(king) ^ bit(rook);
  if ((king_path | rook_path) & lifted) return false;

  const int them = 1 - us;
  if (is_attacked(table, p, king, them, p.occupied())) return false;
  for (Bits path = king_path; path;) {
    if (is_attacked(table, p, take_first(path), them, lifted)) return false;
  }
  return !is_attacked(table, p, to.king, them, lifted | bit(to.king) | bit(to.rook));
}

int castling_wing(const Position& p, const Move& move) {
  if (p.kind_at(move.from) != kKing || move.from != p.king(p.mover)) return -1;
  for (int wing : {kKingside, kQueenside}) {
    if (p.castling[p.mover][wing] == move.to) return wing;
  }
  return -1;
}

void list_legal(const PieceTable& table, const Position& p, std::vector<Action>& actions) {
  Lister sink{promotion_count(table), actions};
  legal(table, p, sink);
}

std::uint64_t count_legal(const PieceTable& table, const Position& p) {
  Counter sink{promotion_count(table)};
  legal(table, p, sink);
  return sink.total;
}

void list_careful(const PieceTable& table, const Position& p, std::vector<Action>& actions) {
  p.mover == 0 ? careful<0>(table, p, actions) : careful<1>(table, p, actions);
}

bool has_careful(const PieceTable& table, const Position& p) {
  return p.mover == 0 ? any_careful<0>(table, p) : any_careful<1>(table, p);
}

void list_pseudo(const PieceTable& table, const Position& p, std::vector<Action>& actions) {
  p.mover == 0 ? pseudo<0>(table, p, actions) : pseudo<1>(table, p, actions);
}

bool is_en_passant(const PieceTable& table, const Position& p, const Move& move) {
  return move.to == p.en_passant && p.kind_at(move.from) == kPawn &&
         has(table.captures(kPawn, p.mover, move.from, p.occupied()), move.to);
}

Position move_men(const PieceTable& table, const Position& p, const Move& move) {
  Position next = p;
  const int us = p.mover;
  const int kind = p.kind_at(move.from);
  const int wing = kind == kKing ? castling_wing(p, move) : -1;
  next.en_passant = kNone;
  next.clock = count_up(p.clock);
  next.remove(move.from, us);
  if (wing >= 0) {
    const CastlingSquares to = castling_squares(us, wing);
    next.remove(move.to, us);
    next.put(to.king, us, kKing);
    next.put(to.rook, us, kRook);
  } else {
    const bool captures = has(p.side[1 - us], move.to);
    if (captures) next.remove(move.to, 1 - us);
    next.put(move.to, us, move.promotion == 0 ? kind : table.promotions()[move.promotion - 1]);
    if (captures || kind == kPawn) next.clock = 0;
    if (kind == kPawn && table.takes_en_passant()) {
      const int step = us == 0 ? 8 : -8;
      if (is_en_passant(table, p, move)) {
        next.remove(move.to - step, 1 - us);
      } else if (move.to - move.from == 2 * step && move.promotion == 0 && !captures &&
                 !has(p.occupied(), move.from + step)) {
        next.en_passant = static_cast<std::uint8_t>(move.from + step);
      }
    }
  }
  if (kind == kKing) next.castling[us] = {kNone, kNone};
  for (auto& wings : next.castling) {
    for (std::uint8_t& rook : wings) {
      if (rook == move.from || rook == move.to) rook = kNone;
    }
  }
  return next;
}

void end_turn(Position& p) {
  if (p.mover == 1) p.number = count_up(p.number);
  p.mover ^= 1;
}

bool can_take_en_passant(const PieceTable& table, const Position& p) {
  if (p.en_passant == kNone) return false;
  const int us = p.mover;
  const Bits victim = bit(p.en_passant + (us == 0 ? -8 : 8));
  for (Bits pawns = p.men(us, kPawn); pawns;) {
    const int from = take_first(pawns);
    if (!has(table.man(kPawn, us).ever_captures[from], p.en_passant)) continue;
    if (!has(table.captures(kPawn, us, from, p.occupied()), p.en_passant)) continue;
    const Bits occupied = (p.occupied() ^ bit(from) ^ victim) | bit(p.en_passant);
    if (!is_attacked(table, p, p.king(us), 1 - us, occupied, victim)) return true;
  }
  return false;
}

Key key_of(const Position& p) {
  Hash hash;
  hash.add(p.side[0]).add(p.side[1]);
  Bits others = p.occupied();
  for (Bits men : p.letter) {
    hash.add(men);
    others &= ~men;
  }
  while (others) {
    const int square = take_first(others);
    hash.add(static_cast<std::uint64_t>(square * 64 + p.kind_at(square)));
  }
  std::uint64_t state = p.mover;
  for (const auto& wings : p.castling) {
    for (std::uint8_t rook : wings) state = state * 128 + rook;
  }
  state = state * 128 + p.en_passant;
  return hash.add(state * 2 + p.half_made).value();
}

}  // namespace rulezero::chesslike
