// Features of Razzle Dazzle for efficiently updatable nets: each man on his square, the same beside
// the square of the seat's own ball (so that a net sees the lines of passes), the square where the
// last knight move landed, and a begun chain. The board is turned so that the ball is on files a to
// d.

#include <algorithm>

#include "games/razzle.h"
#include "games/razzle_reach.h"

namespace rulezero {

using namespace razzle;

namespace {

constexpr int kStates = 6;  // man, barred man, carrier, of the seat and of the other one
constexpr int kMen = kStates * kSquares;
constexpr int kLeftFiles = 4;
constexpr int kBallSquares = kLeftFiles * kRanks;
constexpr int kFirstLanding = kMen * (1 + kBallSquares);
constexpr int kChain = kFirstLanding + kSquares;
constexpr int kFeatures = kChain + 1;

constexpr int kLandingPlace = 2 * kSquares;
constexpr int kChainPlace = kLandingPlace + 1;
constexpr int kPlaces = kChainPlace + 1;

static_assert(kFeatures < kNoFeature);

}  // namespace

FeatureSpace feature_space(const Razzle&) { return {kFeatures, kPlaces, 1}; }

void list_features(const Razzle&, const RazzlePosition& p, int seat, std::span<Feature> places) {
  std::ranges::fill(places, kNoFeature);
  const int ball = p.ball[seat];
  const bool is_mirrored = ball % kFiles >= kLeftFiles;
  const auto seen_from = [&](int square) {
    const int file = is_mirrored ? kFiles - 1 - square % kFiles : square % kFiles;
    return rank_seen_by(seat, square) * kFiles + file;
  };
  const int ball_seen = seen_from(ball);
  const int near = ball_seen / kFiles * kLeftFiles + ball_seen % kFiles;
  const int beside = kMen * (1 + near);
  for (int side : {0, 1}) {
    for (Bits men = p.men[side]; men;) {
      const int square = take_first(men);
      const int state = square == p.ball[side] ? 2 : has(p.barred, square);
      const int seen = seen_from(square);
      const int man = ((side != seat) * (kStates / 2) + state) * kSquares + seen;
      places[seen] = static_cast<Feature>(man);
      places[kSquares + seen] = static_cast<Feature>(beside + man);
    }
  }
  if (p.landing != RazzlePosition::kNowhere) {
    places[kLandingPlace] = static_cast<Feature>(kFirstLanding + seen_from(p.landing));
  }
  if (p.in_chain) places[kChainPlace] = kChain;
}

}  // namespace rulezero
