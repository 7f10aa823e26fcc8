// Chess, random_chess and Monster: men by their price.

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"
#include "eval/ordering.h"
#include "games/chesslike/generator.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

// Centipawns of the six letters, where they move as usual.
constexpr std::array<int, kLetters> kPrices = {100, 320, 330, 500, 900, 0};
constexpr double kScale = 600;  // centipawns; a lead of this much is a value of 0.46

// Monster, in centipawns for White. The sides are unequal: a plain count would always favour
// Black, so White's men count more, and moving twice is worth something by itself. A
// first guess, until Monster has an evaluator of its own.
constexpr int kWhiteTimes = 2;     // each white man counts so often: it moves twice
constexpr int kMovesTwice = 1023;  // for White; the start is then worth about -0.13
constexpr int kKingNear = 15;      // a king step less between the kings, from seven
constexpr int kKingFree = 20;      // a square next to the white king that Black does not attack
constexpr int kBlackPawnStep = 8;  // a rank that a black pawn has gone
constexpr std::array<int, 8> kWhitePawnRank = {0,   480, 520, 570,
                                               650, 780, 950, 0};  // a white pawn by its rank

// Ordering.
constexpr int kVictims = 64;            // victims outweigh any attacker: his part is below this
constexpr int kAttackerUnit = 32;       // centipawns that make one place among attackers
constexpr int kKingTaken = 1000000000;  // in ordering units

int index_of_attacker(int centipawns) {
  return kVictims - 1 - std::clamp(centipawns / kAttackerUnit, 0, kVictims - 1);
}

int gain_of(const PieceTable& table, const Position& p, Action action) {
  const Move move = move_of(action);
  const bool takes = has(p.side[static_cast<std::size_t>(1 - p.mover)], move.to);
  const int kind = p.kind_at(move.from);
  if (takes && p.kind_at(move.to) == kKing) return kKingTaken;
  int gain = 0;
  if (takes) {
    gain = std::max(0, worth(table, p.kind_at(move.to)));
  } else if (move.to == p.en_passant && is_en_passant(table, p, move)) {
    gain = worth(table, kPawn);
  } else if (move.promotion == 0) {
    return 0;
  }
  if (move.promotion != 0) {
    const int to = table.promotions()[static_cast<std::size_t>(move.promotion - 1)];
    gain += std::max(0, worth(table, to) - worth(table, kPawn));
  }
  // A king counts as a cheap attacker: where it may take, nobody takes back.
  return gain * kVictims + index_of_attacker(worth(table, kind)) + 1;
}

int distance(int a, int b) {
  return std::max(std::abs(file_of(a) - file_of(b)), std::abs(rank_of(a) - rank_of(b)));
}

// Whether White, with both halves to come, takes the king on `target` by way of one more square:
// king or pawn goes there with the first half and takes with the second.
bool takes_in_two(const Position& p, int king, int target) {
  const Bits open = ~p.side[0];
  if (kNeighbours[king] & kNeighbours[target] & open) return true;
  const Bits pawns = p.men(0, kPawn);
  const Bits empty = ~p.occupied();
  const Bits one = forward<0>(pawns) & empty;
  const Bits two = forward<0>(one & rank_bits(2)) & empty;
  const Bits stops = one | two | (pawn_attacks<0>(pawns) & p.side[1]);
  return (stops & kPawnStrikes[1][target]) != 0;
}

// Whether the mover can take the enemy's king within this turn, as far as is seen at a glance.
bool takes_king(const PieceTable& table, const Position& p, const std::array<int, 2>& kings) {
  const int target = kings[static_cast<std::size_t>(1 - p.mover)];
  if (is_attacked(table, p, target, p.mover, p.occupied())) return true;
  return p.mover == 0 && !p.half_made && takes_in_two(p, kings[0], target);
}

int monster_lead(const PieceTable& table, const Position& p, const std::array<int, 2>& kings) {
  int lead = kMovesTwice + material(table, p);
  for (int kind = kPawn; kind < kKing; ++kind) {
    lead += (kWhiteTimes - 1) * kPrices[static_cast<std::size_t>(kind)] * count(p.men(0, kind));
  }
  for (Bits pawns = p.men(0, kPawn); pawns;) {
    lead += kWhitePawnRank[static_cast<std::size_t>(rank_of(take_first(pawns)))];
  }
  for (Bits pawns = p.men(1, kPawn); pawns;) {
    lead -= kBlackPawnStep * (6 - rank_of(take_first(pawns)));
  }
  lead += kKingNear * (7 - distance(kings[0], kings[1]));
  lead += kKingFree * count(kNeighbours[kings[0]] & ~orthodox_attacks<1>(p, p.occupied()));
  return lead;
}

}  // namespace

float value_of_lead(double centipawns) {
  // tanh(x / 2) is 2 / (1 + exp(-x)) - 1, and exactly odd.
  const auto value = static_cast<float>(std::tanh(centipawns / (2 * kScale)));
  return std::clamp(value, -kSurest, kSurest);
}

int worth(const PieceTable& table, int kind) {
  if (kind == kKing) return 0;
  if (kind < kLetters && table.moves_as_usual(kind)) return kPrices[static_cast<std::size_t>(kind)];
  return static_cast<int>(std::lround(100 * table.spec(kind).value));
}

int material(const PieceTable& table, const Position& position) {
  int lead = 0;
  Bits others = position.occupied() & ~position.letter[kKing];
  for (int kind = kPawn; kind < kKing; ++kind) {
    const Bits men = position.letter[static_cast<std::size_t>(kind)];
    if (men == 0) continue;
    others &= ~men;
    lead += worth(table, kind) * (count(men & position.side[0]) - count(men & position.side[1]));
  }
  while (others) {
    const int square = take_first(others);
    const int price = worth(table, position.kind_at(square));
    lead += position.seat_at(square) == 0 ? price : -price;
  }
  return lead;
}

float heuristic(const CheckedGame& rules, const Moment<Position>& moment) {
  return value_of_lead(material(rules.table(), moment.position));
}

float heuristic(const Monster& rules, const Moment<Monster::Position>& moment) {
  const Position& p = moment.position;
  const std::array<int, 2> kings = {p.king(0), p.king(1)};
  if (takes_king(rules.table(), p, kings)) return p.mover == 0 ? kSurest : -kSurest;
  return value_of_lead(monster_lead(rules.table(), p, kings));
}

int capture_gain(const CheckedGame& rules, const Position& position, Action action) {
  return gain_of(rules.table(), position, action);
}

int capture_gain(const Monster& rules, const Monster::Position& position, Action action) {
  return gain_of(rules.table(), position, action);
}

}  // namespace rulezero
