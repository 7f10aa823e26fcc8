// Features of chess, random_chess and Monster Chess for efficiently updatable nets.
//
// Two blocks of 64 places hold each man on his square: by seat and kind, and the same once more
// beside the zone of a king. So a net learns what a man is worth on a square in general, and what
// changes with that king. The board is turned so that the king stands on files a to d.

#include <algorithm>

#include "games/chesslike/checked.h"
#include "games/monster.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr int kFirstRight = 2 * kSquares;   // places of the four rights to castle
constexpr int kHalfMade = kFirstRight + 4;  // place of Monster's half-made turn
constexpr int kPlaces = kHalfMade + 1;
constexpr int kRights = 4;

// Zones of a king behind his own men, as his seat sees him.
constexpr int kHomeZones = 5;
constexpr int home_zone(int square) {
  const int rank = rank_of(square);
  if (rank == 0) return file_of(square) < 2 ? 0 : 1;
  return rank == 1 ? 2 : rank < 4 ? 3 : 4;
}

// Zones of a king who hunts all over the board: two by two squares of the left half.
constexpr int kOpenZones = 8;
constexpr int open_zone(int square) { return rank_of(square) / 2 * 2 + file_of(square) / 2; }

// How a seat sees the board.
struct View {
  int seat;
  int flip;  // a square s is seen as s ^ flip
  int zone;
};

int men_features(const PieceTable& table) { return 2 * table.kinds() * kSquares; }

int features_of(const PieceTable& table, int zones) {
  return men_features(table) * (1 + zones) + kRights + 1;
}

View view_of(int seat, int turn, int king) {
  View view{seat, turn, 0};
  if (king < kSquares && file_of(king) >= 4) view.flip ^= 7;
  return view;
}

void list_men(const PieceTable& table, const Position& p, const View& view, int first,
              std::span<Feature> places) {
  const int block = men_features(table);
  const int beside = first + block * (1 + view.zone);
  for (Bits men = p.occupied(); men;) {
    const int square = take_first(men);
    const int seen = square ^ view.flip;
    const int other = p.seat_at(square) != view.seat;
    const int man = (other * table.kinds() + p.kind_at(square)) * kSquares + seen;
    places[seen] = static_cast<Feature>(first + man);
    places[kSquares + seen] = static_cast<Feature>(beside + man);
  }
}

void list_rights(const Position& p, const View& view, int first, std::span<Feature> places) {
  for (int seat : {0, 1}) {
    for (std::uint8_t rook : p.castling[seat]) {
      if (rook == kNone) continue;
      const bool is_right = (rook ^ view.flip) > (p.king(seat) ^ view.flip);
      const int number = 2 * (seat != view.seat) + is_right;
      places[kFirstRight + number] = static_cast<Feature>(first + number);
    }
  }
}

}  // namespace

FeatureSpace chesslike::feature_space(const CheckedGame& rules) {
  return {features_of(rules.table(), kHomeZones), kPlaces, 1};
}

void chesslike::list_features(const CheckedGame& rules, const Position& p, int seat,
                              std::span<Feature> places) {
  std::ranges::fill(places, kNoFeature);
  const int turn = seat == 0 ? 0 : 56;
  View view = view_of(seat, turn, p.king(seat));
  view.zone = home_zone(p.king(seat) ^ view.flip);
  list_men(rules.table(), p, view, 0, places);
  list_rights(p, view, men_features(rules.table()) * (1 + kHomeZones), places);
}

// The sides differ, so each has features of its own. Both see the board by the white king.
FeatureSpace feature_space(const Monster& rules) {
  return {2 * features_of(rules.table(), kOpenZones), kPlaces, 1};
}

void list_features(const Monster& rules, const Position& p, int seat, std::span<Feature> places) {
  std::ranges::fill(places, kNoFeature);
  const int first = seat * features_of(rules.table(), kOpenZones);
  const int king = p.king(0);
  View view = view_of(seat, 0, king);
  if (king < kSquares) view.zone = open_zone(king ^ view.flip);
  list_men(rules.table(), p, view, first, places);
  const int rights = first + men_features(rules.table()) * (1 + kOpenZones);
  list_rights(p, view, rights, places);
  if (p.half_made) places[kHalfMade] = static_cast<Feature>(rights + kRights);
}

}  // namespace rulezero
