// Material: the heuristic of chess and random_chess, and the order in which captures are tried.

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"
#include "games/chesslike/checked.h"

namespace rulezero {

using namespace chesslike;

namespace {

// Centipawns of the six kinds of chess, if they move as usual.
constexpr std::array<int, kLetters> kPrices = {100, 320, 330, 500, 900, 0};
constexpr double kScale = 600;  // centipawns; a lead of this much is a value of 0.46

// Move ordering.
constexpr int kVictims = 64;            // weight of the victim; the attacker's part is below this
constexpr int kAttackerUnit = 32;       // centipawns per step of the attacker's part
constexpr int kKingTaken = 1000000000;  // in ordering units

int index_of_attacker(int centipawns) {
  return kVictims - 1 - std::clamp(centipawns / kAttackerUnit, 0, kVictims - 1);
}

}  // namespace

int chesslike::capture_gain(const BaseGame& rules, const Position& p, Action action) {
  const PieceTable& table = rules.table();
  const Move move = move_of(action);
  const bool takes = has(p.side[1 - p.mover], move.to);
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
    const int to = table.promotions()[move.promotion - 1];
    gain += std::max(0, worth(table, to) - worth(table, kPawn));
  }
  // A king counts as a cheap attacker, because nothing can recapture where it may capture.
  return gain * kVictims + index_of_attacker(worth(table, kind)) + 1;
}

float value_of_lead(double centipawns) {
  // tanh(x / 2) is 2 / (1 + exp(-x)) - 1, and exactly odd.
  const auto value = static_cast<float>(std::tanh(centipawns / (2 * kScale)));
  return std::clamp(value, -kSurestLead, kSurestLead);
}

int worth(const PieceTable& table, int kind) {
  if (kind == kKing) return 0;
  if (kind < kLetters && table.moves_as_usual(kind)) return kPrices[kind];
  return static_cast<int>(std::lround(100 * table.spec(kind).value));
}

int material(const PieceTable& table, const Position& position) {
  int lead = 0;
  Bits others = position.occupied() & ~position.letter[kKing];
  for (int kind = kPawn; kind < kKing; ++kind) {
    const Bits men = position.letter[kind];
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

float chesslike::heuristic(const CheckedGame& rules, const Moment<Position>& moment) {
  return value_of_lead(material(rules.table(), moment.position));
}

}  // namespace rulezero
