#include "games/chesslike/slots.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace rulezero::chesslike {
namespace {

struct Displacement {
  int right;
  int up;
  bool operator==(const Displacement&) const = default;
};

constexpr std::array<Displacement, 8> kDirections = {
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
constexpr std::array<Displacement, 8> kKnightMoves = {
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};
constexpr int kFirstKnightPlane = 56;
constexpr int kFirstPromotionPlane = 64;

template <class Use>
void for_each_displacement(const PieceTable& table, int kind, Bits zone, Use use) {
  if (!table.is_loaded(kind)) return;
  for (int from = 0; from < 64; ++from) {
    for (Bits targets = table.ever_reaches(kind, 0, from) & zone; targets;) {
      const int to = take_first(targets);
      use(Displacement{file_of(to) - file_of(from), rank_of(to) - rank_of(from)});
    }
  }
}

void add_sorted(std::vector<Displacement>& list, const Displacement& displacement) {
  const auto rank = [](const Displacement& d) {
    return std::tuple(std::abs(d.right) + std::abs(d.up), d.up, d.right);
  };
  const auto at = std::lower_bound(
      list.begin(), list.end(), displacement,
      [&](const Displacement& a, const Displacement& b) { return rank(a) < rank(b); });
  if (at == list.end() || !(*at == displacement)) list.insert(at, displacement);
}

}  // namespace

SlotMap::SlotMap(const PieceTable& table, bool absolute) {
  plane_.fill(-1);
  for (int direction = 0; direction < 8; ++direction) {
    const Displacement step = kDirections[direction];
    for (int distance = 1; distance <= 7; ++distance) {
      plane_[cell(step.right * distance, step.up * distance)] = direction * 7 + distance - 1;
    }
    const Displacement jump = kKnightMoves[direction];
    plane_[cell(jump.right, jump.up)] = kFirstKnightPlane + direction;
  }

  // Seen by the mover, all men move as White's do. Seen from White's side, Black's men also move
  // the other way.
  std::vector<Displacement> further;
  for (int kind = 0; kind < table.kinds(); ++kind) {
    for_each_displacement(table, kind, ~Bits{0}, [&](const Displacement& d) {
      if (plane_[cell(d.right, d.up)] < 0) add_sorted(further, d);
      if (absolute && plane_[cell(d.right, -d.up)] < 0) add_sorted(further, {d.right, -d.up});
    });
  }
  for (const Displacement& d : further) plane_[cell(d.right, d.up)] = planes_++;

  // A promotion is named by its displacement as the owner sees it.
  std::vector<Displacement> promoting;
  for_each_displacement(table, kPawn, table.promotion_zone(0),
                        [&](const Displacement& d) { add_sorted(promoting, d); });
  std::sort(promoting.begin(), promoting.end(), [](const Displacement& a, const Displacement& b) {
    return std::tuple(a.up, a.right) < std::tuple(b.up, b.right);
  });
  const std::vector<Displacement> usual = {{-1, 1}, {0, 1}, {1, 1}};
  for (std::size_t option = 1; option < table.promotions().size(); ++option) {
    auto& planes = promotion_.emplace_back();
    planes.fill(-1);
    for (const Displacement& d : promoting) {
      const auto found = std::find(usual.begin(), usual.end(), d);
      const bool has_usual_plane = found != usual.end() && option <= 3;
      const int ninth =
          static_cast<int>((option - 1) * 3) + static_cast<int>(found - usual.begin());
      planes[cell(d.right, d.up)] = has_usual_plane ? kFirstPromotionPlane + ninth : planes_++;
    }
  }
}

int SlotMap::slot(const Move& move, bool flipped) const {
  const int flip = flipped ? 56 : 0;
  const int from = move.from ^ flip;
  const int to = move.to ^ flip;
  const int right = file_of(to) - file_of(from);
  const int up = rank_of(to) - rank_of(from);
  int plane = plane_[cell(right, up)];
  if (move.promotion > 1) {
    // Promotions are always named as the owner sees them: upwards.
    plane = promotion_[move.promotion - 2][cell(right, std::abs(up))];
  }
  return plane * 64 + from;
}

}  // namespace rulezero::chesslike
