// Features of EXCHANGE for efficiently updatable nets: each man on his square by a third of his hit
// points, the same beside the zone of the seat's king, his exact hit points, his charges with
// whether he waits, and the Decrees. The board is turned so that the seat plays up and its king
// stands on files a to d.

#include <algorithm>

#include "games/exchange.h"

namespace rulezero {

using namespace exchange;

namespace {

constexpr int kThirds = 3;  // of a man's hit points
constexpr int kMostHp = 25;
constexpr int kChargeStates = 6;  // 0 to 5 charges
constexpr int kDecreeStates = kDecreeLength + 1;
constexpr int kKingZones = 6;

// The first feature of each block.
constexpr int kMen = 2 * kTypes * kThirds * kSquares;
constexpr int kFirstBeside = kMen;
constexpr int kBesideKing = 2 * kTypes * kSquares;
constexpr int kFirstHp = kFirstBeside + kKingZones * kBesideKing;
constexpr int kFirstGear = kFirstHp + 2 * kTypes * (kMostHp + 1);
constexpr int kFirstDecree = kFirstGear + 2 * kTypes * kChargeStates * 2;
constexpr int kFeatures = kFirstDecree + 2 * kDecreeStates;

constexpr int kFirstDecreePlace = 4 * kSquares;
constexpr int kPlaces = kFirstDecreePlace + 2;

constexpr int king_zone(int square) {
  return std::min(rank_of(square), 2) * 2 + file_of(square) / 2;
}

}  // namespace

FeatureSpace feature_space(const Exchange&) { return {kFeatures, kPlaces, 1}; }

void list_features(const Exchange&, const Position& p, int seat, std::span<Feature> places) {
  std::ranges::fill(places, kNoFeature);
  const int king = king_square(p, seat);
  int flip = seat == 0 ? 0 : 56;
  if (king >= 0 && file_of(king) >= 4) flip ^= 7;
  const int zone = king < 0 ? 0 : king_zone(king ^ flip);
  for (Bits men = occupied(p); men;) {
    const int square = take_first(men);
    const int seen = square ^ flip;
    const Type type = type_at(p, square);
    const int hp = p.hp[square];
    const int man = (seat_at(p, square) != seat) * kTypes + type;
    const int third = (hp * kThirds - 1) / kKinds[type].hp;
    const int gear =
        std::min(charges_at(p, square), kChargeStates - 1) * 2 + has(p.waiting, square);
    const auto put = [&](int block, int feature) {
      places[block * kSquares + seen] = static_cast<Feature>(feature);
    };
    put(0, (man * kThirds + third) * kSquares + seen);
    put(1, kFirstBeside + zone * kBesideKing + man * kSquares + seen);
    put(2, kFirstHp + man * (kMostHp + 1) + hp);
    put(3, kFirstGear + man * kChargeStates * 2 + gear);
  }
  for (int side : {0, 1}) {
    const int other = side != seat;
    places[kFirstDecreePlace + other] =
        static_cast<Feature>(kFirstDecree + other * kDecreeStates + p.decree[side]);
  }
}

}  // namespace rulezero
