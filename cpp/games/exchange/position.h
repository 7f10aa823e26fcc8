#pragma once
// The men of EXCHANGE and where they stand.

#include <cstdint>
#include <type_traits>

#include "games/exchange/geometry.h"
#include "games/game.h"

namespace rulezero::exchange {

enum Type : std::uint8_t { kKing, kQueen, kRook, kBishop, kKnight, kPawn };

constexpr int kTypes = 6;

template <class T>
using ByType = std::array<T, kTypes>;

// The numbers of a fresh man of each type.
struct Kind {
  char letter;
  int hp;
  int damage;   // a strike does this plus the die
  int charges;  // uses of its ability; 0 for unlimited
  int wait;     // largest value of its counter (cooldown, or a pawn's Advance); 0 for none
};

inline constexpr ByType<Kind> kKinds = {{{'K', 25, 1, 3, 0},
                                         {'Q', 10, 3, 0, 3},
                                         {'R', 13, 2, 5, 3},
                                         {'B', 10, 2, 3, 3},
                                         {'N', 11, 2, 5, 3},
                                         {'P', 7, 1, 0, 2}}};

constexpr int kCooldown = 3;        // set when an ability is used
constexpr int kAdvanceWait = 2;     // set on a pawn that Advances
constexpr int kDecreeLength = 2;    // own actions that a Decree buffs
constexpr int kDecreeBonus = 2;     // added to strikes and heals under a Decree
constexpr int kOverextendCost = 2;  // HP the queen pays
constexpr int kLastPly = 300;       // the ply number that ends the game

constexpr Action kNoAction = ~Action{0};

// A position; a die may be pending. The text determines every member, so equal positions have equal
// members. The bitboards repeat the information in `gear`, for speed.
struct Position {
  BySeat<Bits> men;
  ByType<Bits> types;
  Bits waiting;                 // men whose counter is above 0
  Bits promoted;                // queens that were pawns
  BySquare<std::uint8_t> hp;    // 0 on empty squares
  BySquare<std::uint8_t> gear;  // type, counter, charges: 3, 2 and 3 bits from the top
  BySeat<std::uint8_t> decree;  // own actions still buffed
  std::uint8_t side;            // the seat to act, or whose action waits for the die
  std::uint16_t quiet;          // plies since damage was last dealt
  std::uint16_t ply;            // players' actions so far
  Action pending;               // the action that waits for its die, or kNoAction

  bool operator==(const Position&) const = default;
};

static_assert(std::is_trivially_copyable_v<Position>);
static_assert(sizeof(Position) <= 256);

// One man with everything the rules know about him.
struct Man {
  Type type;
  int seat;
  int hp;
  int charges;  // 0 where unlimited
  int counter;  // cooldown, or a pawn's Advance counter
  bool promoted;

  bool operator==(const Man&) const = default;
};

// The man's letter in texts: capitals are White's.
constexpr char letter_of(Type type, int seat) {
  const char letter = kKinds[type].letter;
  return seat == 0 ? letter : static_cast<char>(letter - 'A' + 'a');
}

inline Bits occupied(const Position& p) { return p.men[0] | p.men[1]; }
inline Type type_at(const Position& p, int square) { return Type(p.gear[square] >> 5); }
inline int seat_at(const Position& p, int square) { return has(p.men[1], square) ? 1 : 0; }
inline int counter_at(const Position& p, int square) { return (p.gear[square] >> 3) & 3; }
inline int charges_at(const Position& p, int square) { return p.gear[square] & 7; }
inline int missing_at(const Position& p, int square) {
  return kKinds[type_at(p, square)].hp - p.hp[square];
}

// Whether charges and counter let the man on this square use his ability.
inline bool is_ready(const Position& p, int square) {
  const bool charged = kKinds[type_at(p, square)].charges == 0 || charges_at(p, square) > 0;
  return charged && !has(p.waiting, square);
}

// What a Decree adds to the seat's strikes and heals now.
inline int bonus_of(const Position& p, int seat) { return p.decree[seat] > 0 ? kDecreeBonus : 0; }

// The king's square, or -1 if he has left the board.
inline int king_square(const Position& p, int seat) {
  const Bits king = p.men[seat] & p.types[kKing];
  return king ? first(king) : -1;
}

// The rank a seat's pawns start from.
inline Bits start_rank(int seat) { return kRank1 << (seat == 0 ? 8 : 48); }
// The rank they are promoted on.
inline Bits last_rank(int seat) { return kRank1 << (seat == 0 ? 56 : 0); }
inline Bits forward(int seat, Bits set) { return seat == 0 ? north(set) : south(set); }

Position empty_board();
Position start_position();
Man fresh(Type type, int seat);
inline bool is_fresh(const Man& man) { return man == fresh(man.type, man.seat); }
Man man_at(const Position& p, int square);

// Puts a man on an empty square; takes a man from his square.
void put(Position& p, int square, const Man& man);
void lift(Position& p, int square);
void set_charges(Position& p, int square, int charges);
void set_counter(Position& p, int square, int counter);

}  // namespace rulezero::exchange
