#include "games/exchange/planes.h"

#include "games/exchange/reach.h"

namespace rulezero::exchange {
namespace {

// The first channel of each group; where two seats have one each, White's comes first.
enum Channel {
  kMenOf = 0,  // six types of White, six of Black
  kHp = 12,    // six types
  kWait = 18,  // six types
  kOwnDecree = 24,
  kInterposers = 25,
  kWhiteToMove = 26,
  kViewerIsWhite = 27,
  kPly = 28,
  kQuiet = 29,
  kRepetition = 30,
  kHpShare = 31,
  kMenShare = 32,
  kMaterial = 33,
  kAttacks = 34,
  kContested = 36,
  kKingZone = 37,
  kPawnAdvancement = 39,
  kMobility = 41,
  kThreats = 43,
  kCentre = 45,
  kHanging = 46,
  kDefended = 48,
  kZoneAttackers = 50,
  kSafeSquares = 52,
  kPassedPawns = 54,
  kOpenFiles = 56,
  kDamageBalance = 57,
  kCharges = 58,
  kOwnDecreeLeft = 59,
  kBuffed = 60,
  kPromoted = 61,
  kEndangered = 62,
  kShielded = 64,
  kHealTargets = 66,
  kForcing = 67,
  kBuffedNow = 68,
  kPromotionNear = 69,
  kEnemyDecreeLeft = 70,
  kEnemyReady = 71,
  kKingNear = 72,
  kSafeAttacks = 73,
  kEnemyCharges = 74,
};

constexpr ByType<int> kMaterialValue = {0, 9, 5, 3, 3, 1};
constexpr int kArmyValue = 39;     // of a fresh army
constexpr int kQueenMoves = 27;    // largest number of squares that a man can move to
constexpr int kManyThreats = 4;    // strikers on one man for which the channel is 1
constexpr int kManyAttackers = 8;  // men that attack a king's zone for which the channel is 1
constexpr int kQuietSpan = 30;     // plies without damage for which the channel is 1
constexpr int kDamageSpan = 80;    // half points of damage from one end of the scale to the other

float share(int part, int whole) { return static_cast<float>(part) / static_cast<float>(whole); }

class Planes {
 public:
  explicit Planes(std::span<float> planes) : planes_(planes) {}

  float& at(int channel, int square) { return planes_[channel * kSquares + square]; }

  void mark(int channel, Bits squares, float value = 1) {
    float* plane = &at(channel, 0);
    while (squares) plane[take_first(squares)] = value;
  }

  void fill(int channel, float value) {
    float* plane = &at(channel, 0);
    std::fill(plane, plane + kSquares, value);
  }

 private:
  std::span<float> planes_;
};

// How many of the sets added so far hold each square, up to four; bit i of each word is square i.
struct Tally {
  Bits ones = 0;
  Bits twos = 0;
  Bits four_or_more = 0;

  void add(Bits set) {
    const Bits carry = ones & set;
    ones ^= set;
    four_or_more |= twos & carry;
    twos ^= carry;
  }

  int at(int square) const {
    return has(four_or_more, square) ? 4 : has(ones, square) + 2 * has(twos, square);
  }
};

// What all men of one side can do together.
struct Survey {
  Bits moves = 0;              // squares some man can move to
  Bits attacks = 0;            // union of free reaches
  Bits all_attacks = 0;        // union of full reaches
  std::array<Bits, 4> hits{};  // full reaches by base damage
  Tally strikers;              // free reaches, counted
  Bits able = 0;               // men whose full reach is not empty
  Bits engaged = 0;            // men with an enemy in their full reach
  int zone_attackers = 0;      // men whose free reach meets the enemy king's zone
  int hp = 0;
  int material = 0;
};

Bits zone_of(const Position& p, int seat) {
  const int king = king_square(p, seat);
  return king < 0 ? 0 : kNeighbours[king] | bit(king);
}

// All squares in front of a seat's men, on their files.
Bits ahead(int seat, Bits men) {
  for (int step = 0; step < 7; ++step) men |= forward(seat, men);
  return forward(seat, men);
}

// Surveys the men of a seat. Adds each man's mean damage, in half points, to `balance` on the
// squares that he reaches; for Black it is subtracted.
Survey survey(const Position& p, int seat, BySquare<int>& balance, Planes& planes) {
  Survey side;
  const Bits enemies = p.men[1 - seat];
  const Bits enemy_zone = zone_of(p, 1 - seat);
  for (Bits men = p.men[seat]; men;) {
    const int square = take_first(men);
    const Type type = type_at(p, square);
    const Kind& kind = kKinds[type];
    const Bits moves = moves_of(p, square);
    const Bits free = free_reach(p, square);
    const Bits full = free | ability_reach(p, square);
    side.moves |= moves;
    side.attacks |= free;
    side.all_attacks |= full;
    side.hits[kind.damage] |= full;
    side.strikers.add(free);
    if (full) side.able |= bit(square);
    if (full & enemies) side.engaged |= bit(square);
    side.zone_attackers += (free & enemy_zone) != 0;
    side.hp += p.hp[square];
    side.material += kMaterialValue[type];
    planes.at(kMobility + seat, square) = share(count(moves), kQueenMoves);
    const int twice_damage =
        2 * (kind.damage + bonus_of(p, seat)) + 7;  // a die shows 3.5 on average
    const int change = seat == 0 ? twice_damage : -twice_damage;
    for (Bits reached = free; reached;) balance[take_first(reached)] += change;
  }
  return side;
}

// The channels about single men, each with a number on the man's square.
void encode_men(const Position& p, Planes& planes) {
  const int viewer = p.side;
  const BySeat<int> kings = {king_square(p, 0), king_square(p, 1)};
  for (Bits men = occupied(p); men;) {
    const int square = take_first(men);
    const int seat = seat_at(p, square);
    const int type = type_at(p, square);
    const Kind& kind = kKinds[type];
    const bool is_limited = kind.charges > 0;
    const float charges = is_limited ? share(charges_at(p, square), kind.charges) : 1;
    planes.at(kMenOf + seat * kTypes + type, square) = 1;
    planes.at(kHp + type, square) = share(p.hp[square], kind.hp);
    if (charges == 0) {
      planes.at(kWait + type, square) = 1;
    } else if (has(p.waiting, square)) {
      planes.at(kWait + type, square) = share(counter_at(p, square), kind.wait);
    }
    planes.at(kCharges, square) = charges;
    if (seat != viewer) {
      planes.at(kEnemyCharges, square) = charges;
      if (is_ready(p, square)) planes.at(kEnemyReady, square) = 1;
    }
    if (type == kRook && is_ready(p, square)) planes.at(kInterposers, square) = 1;
    if (type == kPawn) {
      const int gone = seat == 0 ? rank_of(square) : 7 - rank_of(square);
      planes.at(kPawnAdvancement + seat, square) = share(gone, 7);
      planes.at(kPromotionNear, square) = share(gone, 7);
    }
    if (const int king = kings[1 - seat]; king >= 0) {
      planes.at(kKingNear, square) = share(8 - king_steps(square, king), 7);
    }
  }
  planes.mark(kPromoted, p.promoted);
}

void encode_totals(const Position& p, int times, const BySeat<Survey>& sides, Planes& planes) {
  const int viewer = p.side;
  const BySeat<int> men = {count(p.men[0]), count(p.men[1])};
  if (p.decree[viewer] > 0) planes.fill(kOwnDecree, 1);
  if (viewer == 0) planes.fill(kWhiteToMove, 1);
  if (viewer == 0) planes.fill(kViewerIsWhite, 1);
  planes.fill(kPly, share(p.ply, kLastPly));
  planes.fill(kQuiet, std::min(1.0f, share(p.quiet, kQuietSpan)));
  planes.fill(kRepetition, std::min(1.0f, share(times, 3)));
  planes.fill(kHpShare, share(sides[0].hp, sides[0].hp + sides[1].hp));
  planes.fill(kMenShare, share(men[0], men[0] + men[1]));
  const float lead = share(sides[0].material - sides[1].material, kArmyValue);
  planes.fill(kMaterial, (std::clamp(lead, -1.0f, 1.0f) + 1) / 2);
  planes.fill(kOwnDecreeLeft, share(p.decree[viewer], kDecreeLength));
  planes.fill(kEnemyDecreeLeft, share(p.decree[1 - viewer], kDecreeLength));
}

// The channels about attacked squares and the men on them.
void encode_attacks(const Position& p, const BySeat<Survey>& sides, const BySquare<int>& balance,
                    Planes& planes) {
  const int viewer = p.side;
  for (int seat : {0, 1}) {
    const Survey& own = sides[seat];
    const Survey& enemy = sides[1 - seat];
    const Bits men = p.men[seat];
    planes.mark(kAttacks + seat, own.attacks);
    planes.mark(kKingZone + seat, zone_of(p, seat));
    for (Bits struck = men & enemy.attacks; struck;) {
      const int square = take_first(struck);
      planes.at(kThreats + seat, square) = share(enemy.strikers.at(square), kManyThreats);
    }
    planes.mark(kHanging + seat, men & enemy.attacks & ~own.attacks);
    planes.mark(kDefended + seat, men & own.attacks);
    planes.mark(kZoneAttackers + seat, zone_of(p, seat),
                std::min(1.0f, share(enemy.zone_attackers, kManyAttackers)));
    planes.mark(kSafeSquares + seat, own.moves & ~enemy.attacks);
    planes.mark(kEndangered + seat, men & enemy.all_attacks);
  }
  planes.mark(kContested, sides[0].attacks & sides[1].attacks);
  planes.mark(kSafeAttacks, sides[viewer].attacks & ~sides[1 - viewer].attacks);
  // Squares around the centre: d4 to e5, then c3 to f6, then b2 to g7; the edge counts 0.
  constexpr Bits kInner[] = {0x0000001818000000, 0x00003c3c3c3c0000, 0x007e7e7e7e7e7e00};
  for (int ring = 2; ring >= 0; --ring) {
    planes.mark(kCentre, sides[viewer].attacks & kInner[ring], share(3 - ring, 3));
  }
  for (int square = 0; square < kSquares; ++square) {
    const float lead = share(balance[square], kDamageSpan);
    planes.at(kDamageBalance, square) = std::clamp(0.5f + lead, 0.0f, 1.0f);
  }
}

void encode_pawns(const Position& p, Planes& planes) {
  const Bits pawns = p.types[kPawn];
  for (int seat : {0, 1}) {
    // A pawn has passed if no enemy pawn is ahead of it, on its own or a neighbouring file.
    const Bits enemies = pawns & p.men[1 - seat];
    const Bits held = ahead(1 - seat, enemies | east(enemies) | west(enemies));
    planes.mark(kPassedPawns + seat, pawns & p.men[seat] & ~held);
  }
  const Bits files = ahead(0, pawns) | ahead(1, pawns) | pawns;
  planes.mark(kOpenFiles, ~files);
}

// The channels about abilities and what the viewer can do with this action.
void encode_chances(const Position& p, const BySeat<Survey>& sides, Planes& planes) {
  const int viewer = p.side;
  const Survey& own = sides[viewer];
  const int bonus = bonus_of(p, viewer);
  const BySeat<Bits> covered = {shielded(p, 0), shielded(p, 1)};
  for (int seat : {0, 1}) planes.mark(kShielded + seat, covered[seat]);
  if (bonus > 0) {
    planes.mark(kBuffed, own.able);
    planes.mark(kBuffedNow, own.engaged);
  }

  Bits patients = 0;
  for (Bits bishops = p.men[viewer] & p.types[kBishop]; bishops;) {
    patients |= healable(p, take_first(bishops));
  }
  while (patients) {
    const int square = take_first(patients);
    const int missing = missing_at(p, square);
    int healed = 0;
    for (int roll = 1; roll <= 6; ++roll) healed += std::min(roll + bonus, missing);
    planes.at(kHealTargets, square) = share(healed, 6 * missing);
  }

  const Bits enemies = p.men[1 - viewer];
  for (Bits struck = enemies & own.all_attacks; struck;) {
    const int square = take_first(struck);
    int damage = 3;
    while (!has(own.hits[damage], square)) --damage;
    const int least = damage + 1 + bonus;
    const bool is_forcing =
        type_at(p, square) == kKing || least / 2 >= p.hp[square] ||
        (least >= p.hp[square] && can_strike_unshielded(p, square, p.hp[square] - 1 - bonus));
    if (is_forcing) planes.at(kForcing, square) = 1;
  }
  for (Bits pawns = p.men[viewer] & p.types[kPawn]; pawns;) {
    planes.mark(kForcing, moves_of(p, take_first(pawns)) & last_rank(viewer));
  }
}

}  // namespace

std::vector<std::string> channel_names() {
  return {
      "White king",
      "White queens",
      "White rooks",
      "White bishops",
      "White knights",
      "White pawns",
      "Black king",
      "Black queens",
      "Black rooks",
      "Black bishops",
      "Black knights",
      "Black pawns",
      "HP of kings",
      "HP of queens",
      "HP of rooks",
      "HP of bishops",
      "HP of knights",
      "HP of pawns",
      "wait of kings",
      "wait of queens",
      "wait of rooks",
      "wait of bishops",
      "wait of knights",
      "wait of pawns",
      "Decree active",
      "Interpose ready",
      "side to move",
      "playing as",
      "ply",
      "quiet plies",
      "repetition",
      "HP share",
      "men share",
      "material",
      "White attacks",
      "Black attacks",
      "contested",
      "White king zone",
      "Black king zone",
      "White pawn advancement",
      "Black pawn advancement",
      "White mobility",
      "Black mobility",
      "threats to White",
      "threats to Black",
      "centre control",
      "hanging White men",
      "hanging Black men",
      "defended White men",
      "defended Black men",
      "White king attackers",
      "Black king attackers",
      "safe squares White",
      "safe squares Black",
      "passed White pawns",
      "passed Black pawns",
      "open files",
      "damage balance",
      "charges",
      "Decree left",
      "buffed men",
      "promoted",
      "endangered White men",
      "endangered Black men",
      "shielded White men",
      "shielded Black men",
      "heal targets",
      "forcing",
      "buffed men with a target",
      "promotion near",
      "enemy Decree left",
      "enemy ready",
      "king proximity",
      "safe attacks",
      "enemy charges",
  };
}

void encode_planes(const Position& p, int times, std::span<float> out) {
  Planes planes(out);
  BySquare<int> balance{};
  BySeat<Survey> sides;
  for (int seat : {0, 1}) sides[seat] = survey(p, seat, balance, planes);
  encode_men(p, planes);
  encode_totals(p, times, sides, planes);
  encode_attacks(p, sides, balance, planes);
  encode_pawns(p, planes);
  encode_chances(p, sides, planes);
}

}  // namespace rulezero::exchange
