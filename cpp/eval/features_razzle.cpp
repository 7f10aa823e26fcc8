// Features of Razzle Dazzle for efficiently updatable nets: each man on his square, each man by his
// way from the seat's own ball (so that a net sees the lines of passes wherever the ball is), the
// square where the last knight move landed, and a begun chain. The board is turned so that the ball
// is on files a to d.

#include <algorithm>

#include "games/razzle.h"
#include "games/razzle_reach.h"

namespace rulezero {

using namespace razzle;

namespace {

constexpr int kStates = 6;  // man, barred man, carrier, of the seat and of the other one
constexpr int kMen = kStates * kSquares;
constexpr int kLeftFiles = 4;
constexpr int kWaysRight = 2 * kFiles - 1;            // from -6 to 6 files ...
constexpr int kWays = kWaysRight * (2 * kRanks - 1);  // ... and from -7 to 7 ranks
constexpr int kFirstLanding = kMen + kStates * kWays;
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
  const auto way_to = [&](int seen) {
    const int right = seen % kFiles - ball_seen % kFiles;
    const int up = seen / kFiles - ball_seen / kFiles;
    return (up + kRanks - 1) * kWaysRight + right + kFiles - 1;
  };
  for (int side : {0, 1}) {
    for (Bits men = p.men[side]; men;) {
      const int square = take_first(men);
      const int state = square == p.ball[side] ? 2 : has(p.barred, square);
      const int seen = seen_from(square);
      const int man = (side != seat) * (kStates / 2) + state;
      places[seen] = static_cast<Feature>(man * kSquares + seen);
      places[kSquares + seen] = static_cast<Feature>(kMen + man * kWays + way_to(seen));
    }
  }
  if (p.landing != RazzlePosition::kNowhere) {
    places[kLandingPlace] = static_cast<Feature>(kFirstLanding + seen_from(p.landing));
  }
  if (p.in_chain) places[kChainPlace] = kChain;
}

}  // namespace rulezero
