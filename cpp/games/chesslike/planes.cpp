#include "games/chesslike/planes.h"

#include <algorithm>

namespace rulezero::chesslike {
namespace {

constexpr int kArea = 64;

void fill(std::span<float> planes, int plane, float value) {
  if (value == 0) return;
  std::fill_n(planes.begin() + plane * kArea, kArea, value);
}

// Whose men and rights come first and second.
using Sides = std::array<std::string, 2>;

std::string name_of(const PieceTable& table, int kind) {
  return table.is_loaded(kind) ? table.spec(kind).name : "unused";
}

void add_castling(const Sides& sides, std::vector<std::string>& names) {
  for (const std::string& side : sides) {
    for (const char* wing : {" kingside castling", " queenside castling"}) {
      names.push_back(side + wing);
    }
  }
}

}  // namespace

void encode_history(const Moment<Position>& moment, int kinds, bool absolute,
                    std::span<float> planes) {
  const Position& now = moment.position;
  const int viewer = absolute ? 0 : now.mover;
  const int flip = viewer == 0 ? 0 : 56;
  const int planes_per_step = 2 * kinds + 2;
  const Moment<Position>* earlier = &moment;
  for (int step = 0; step < kTimeSteps && earlier; ++step, earlier = earlier->before) {
    const int base = step * planes_per_step;
    const Position& p = earlier->position;
    for (int seat = 0; seat < 2; ++seat) {
      const int first_plane = base + (seat == viewer ? 0 : kinds);
      for (Bits men = p.side[seat]; men;) {
        const int square = take_first(men);
        const int plane = first_plane + p.kind_at(square);
        planes[plane * kArea + (square ^ flip)] = 1;
      }
    }
    fill(planes, base + 2 * kinds, earlier->times >= 2);
    fill(planes, base + 2 * kinds + 1, earlier->times >= 3);
  }
  const int meta = kTimeSteps * planes_per_step;
  const int plies = 2 * (now.number - 1) + now.mover;
  fill(planes, meta, now.mover == 0);
  fill(planes, meta + 1, std::min(1.0f, static_cast<float>(plies) / kPlyScale));
  for (int i = 0; i < 4; ++i) {
    const int seat = i < 2 ? viewer : 1 - viewer;
    fill(planes, meta + 2 + i, now.castling[seat][i % 2] != kNone);
  }
  fill(planes, meta + 6, std::min(1.0f, static_cast<float>(now.clock) / kClockScale));
}

std::vector<std::string> history_plane_names(const PieceTable& table, bool absolute) {
  const Sides sides = absolute ? Sides{"White", "Black"} : Sides{"own", "enemy"};
  std::vector<std::string> names;
  for (int step = 0; step < kTimeSteps; ++step) {
    const std::string ago =
        step == 0 ? "" : ", " + std::to_string(step) + (step == 1 ? " ply ago" : " plies ago");
    for (const std::string& side : sides) {
      for (int kind = 0; kind < table.kinds(); ++kind) {
        names.push_back(side + " " + name_of(table, kind) + ago);
      }
    }
    names.push_back("occurred before" + ago);
    names.push_back("occurred twice before" + ago);
  }
  names.insert(names.end(), {"White to move", "plies"});
  add_castling(sides, names);
  names.push_back("plies without progress");
  return names;
}

void encode_features(const Position& p, std::span<float> features) {
  const int flip = p.mover == 0 ? 0 : 56;
  for (int seat = 0; seat < 2; ++seat) {
    for (Bits men = p.side[seat]; men;) {
      const int square = take_first(men);
      const int plane = (seat == p.mover ? 0 : kLetters) + p.kind_at(square);
      features[plane * kArea + (square ^ flip)] = 1;
    }
  }
  int at = 2 * kLetters * kArea;
  for (int i = 0; i < 4; ++i) {
    const int seat = i < 2 ? p.mover : 1 - p.mover;
    features[at++] = p.castling[seat][i % 2] != kNone;
  }
  features[at++] = p.mover == 0;
  if (p.en_passant != kNone) features[at + file_of(p.en_passant)] = 1;
}

std::vector<std::string> feature_names(const PieceTable& table) {
  const Sides sides = {"own", "enemy"};
  std::vector<std::string> names;
  for (const std::string& side : sides) {
    for (int kind = 0; kind < kLetters; ++kind) {
      for (int square = 0; square < kArea; ++square) {
        names.push_back(side + " " + name_of(table, kind) + " on " + square_name(square));
      }
    }
  }
  add_castling(sides, names);
  names.push_back("White to move");
  for (char file = 'a'; file <= 'h'; ++file) names.push_back(std::string("en passant on ") + file);
  return names;
}

}  // namespace rulezero::chesslike
