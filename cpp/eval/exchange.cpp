// The heuristic of EXCHANGE: men by price and hit points, the best strike, and threats to the king.

#include "games/exchange.h"

#include <algorithm>

#include "eval/heuristic.h"
#include "games/exchange/action.h"
#include "games/exchange/reach.h"

namespace rulezero {

using namespace exchange;

namespace {

// In centipawns: a fresh pawn is worth 100.
constexpr ByType<int> kPrices = {1500, 480, 360, 320, 420, 100};  // fresh K Q R B N P
constexpr double kAlive = 0.35;        // share of a man's price that he keeps down to his last HP
constexpr int kKingDead = 3000;        // more than the price of all his HP: the game is lost
constexpr double kMyThreat = 0.5;      // share of the best strike's gain that counts for the mover
constexpr double kTheirThreat = 0.25;  // the same for the other seat, which has to wait
constexpr double kShared = 0.7;        // share of a strike's gain if a rook takes half the damage
constexpr int kKingStriker = 30;       // per man who can strike the enemy king
constexpr int kDecreeLeft = 10;        // per own action that the Decree still buffs
constexpr int kDecreeCharge = 25;      // per use of the Decree that is left
constexpr int kCharge = 6;             // per use left of a bishop's, knight's or rook's ability
constexpr int kReady = 4;              // per man whose ability is ready
constexpr int kNear = 4;  // per king step nearer to the enemy king, except for king and pawns
constexpr BySeat<BySquare<int>> kPawnSquares = [] {
  constexpr std::array<int, 8> kRanks = {0, 0, 4, 12, 25, 60, 130, 0};  // a pawn by his rank
  BySeat<BySquare<int>> table{};
  for (int square = 0; square < kSquares; ++square) {
    table[0][square] = kRanks[rank_of(square)];
    table[1][square] = kRanks[7 - rank_of(square)];
  }
  return table;
}();

constexpr int kMostHp = 25;
constexpr int kMostBase = 5;  // a queen's damage under a Decree, before the die
constexpr int kFaceCount = 6;

using ByHp = std::array<int, kMostHp + 1>;

// The worth of a man by his HP. A wounded man strikes as hard as a fresh one; the last HP of a king
// are worth the most.
constexpr ByType<ByHp> kWorth = [] {
  ByType<ByHp> table{};
  for (int type = 0; type < kTypes; ++type) {
    const int most = kKinds[type].hp;
    for (int hp = 1; hp <= most; ++hp) {
      const double share = static_cast<double>(hp) / most;
      const double kept = type == kKing ? share * (2 - share) : kAlive + (1 - kAlive) * share;
      table[type][hp] = static_cast<int>(kPrices[type] * kept + 0.5);
    }
  }
  table[kKing][0] = -kKingDead;
  return table;
}();

// The mean loss of a man's worth by a strike over the faces of the die, by the strike's damage
// before the die and the man's HP.
constexpr ByType<std::array<ByHp, kMostBase + 1>> kGain = [] {
  ByType<std::array<ByHp, kMostBase + 1>> table{};
  for (int type = 0; type < kTypes; ++type) {
    for (int base = 0; base <= kMostBase; ++base) {
      for (int hp = 1; hp <= kKinds[type].hp; ++hp) {
        int sum = 0;
        for (int roll = 1; roll <= kFaceCount; ++roll) {
          sum += kWorth[type][hp] - kWorth[type][std::max(0, hp - base - roll)];
        }
        table[type][base][hp] = sum / kFaceCount;
      }
    }
  }
  return table;
}();

int gain_at(const Position& p, int victim, int base) {
  return kGain[type_at(p, victim)][base][p.hp[victim]];
}

// The worth of a seat's men, and the squares that they could strike.
struct Standing {
  int men = 0;
  std::array<Bits, 4> struck = {};  // by base damage
  int king_strikers = 0;            // number of men who can strike the enemy king
};

Standing standing(const Position& p, int seat) {
  Standing found;
  const int enemy_king = king_square(p, 1 - seat);
  for (Bits men = p.men[seat]; men;) {
    const int square = take_first(men);
    const Type type = type_at(p, square);
    found.men += kWorth[type][p.hp[square]];
    switch (type) {
      case kKing:
        found.men += kDecreeCharge * charges_at(p, square);
        break;
      case kPawn:
        found.men += kPawnSquares[seat][square];
        break;
      default:
        found.men += kCharge * charges_at(p, square);
        if (is_ready(p, square)) found.men += kReady;
        if (enemy_king >= 0) found.men += kNear * (7 - king_steps(square, enemy_king));
    }
    const Bits reach = full_reach(p, square);
    found.struck[kKinds[type].damage] |= reach;
    found.king_strikers += enemy_king >= 0 && has(reach, enemy_king);
  }
  found.men += kDecreeLeft * p.decree[seat];
  return found;
}

// The gain of the best strike that a seat could make now.
double best_strike(const Position& p, int seat, const Standing& from) {
  const Bits covered = shielded(p, 1 - seat);
  double best = 0;
  Bits left = p.men[1 - seat];
  for (int damage = 3; damage > 0; --damage) {
    Bits victims = from.struck[damage] & left;
    left &= ~victims;
    while (victims) {
      const int victim = take_first(victims);
      const double share = has(covered, victim) ? kShared : 1.0;
      best = std::max(best, share * gain_at(p, victim, damage + bonus_of(p, seat)));
    }
  }
  return best;
}

}  // namespace

float heuristic(const Exchange&, const Moment<Exchange::Position>& moment) {
  const Position& p = moment.position;
  const BySeat<Standing> seats = {standing(p, 0), standing(p, 1)};
  const auto threat = [&](int seat) {
    return (p.side == seat ? kMyThreat : kTheirThreat) * best_strike(p, seat, seats[seat]);
  };
  const auto total = [&](int seat) {
    return seats[seat].men + kKingStriker * seats[seat].king_strikers + threat(seat);
  };
  return value_of_lead(total(0) - total(1));
}

int capture_gain(const Exchange&, const Exchange::Position& p, Action action) {
  const Choice choice = choice_of(action);
  switch (choice.deed) {
    case Deed::kMove:
      if (type_at(p, choice.from) != kPawn || !has(last_rank(p.side), choice.to)) return 0;
      return kPrices[kQueen] - kPrices[kPawn];
    case Deed::kStrike:
    case Deed::kDash:
    case Deed::kSkirmish: {
      const Type type = type_at(p, choice.from);
      int gain = gain_at(p, choice.target, kKinds[type].damage + bonus_of(p, p.side));
      if (choice.deed == Deed::kDash && type == kQueen) {
        const int hp = p.hp[choice.from];
        gain -= kWorth[kQueen][hp] - kWorth[kQueen][std::max(0, hp - kOverextendCost)];
      }
      return std::max(1, gain);
    }
    case Deed::kHeal:
    case Deed::kDecree:
    case Deed::kFace:
      break;
  }
  return 0;
}

}  // namespace rulezero
