#pragma once
// The heuristic of Monster: a sum of named terms, each with a weight.

#include <array>
#include <span>
#include <string_view>

#include "games/monster.h"

namespace rulezero {

// The weights of the terms below, with their defaults; kMonsterWeights describes each one.
struct MonsterWeights {
  // White's men.
  float white_pawn = 0.18f;
  float white_pawn_step = 0.05f;
  float passed_pawn = 0.02f;
  float passed_support = 0.5f;
  float blocked_pawn = 0.08f;
  float eliminated_pawn = 0.10f;
  float white_queen = 0.30f;
  float white_rook = 0.20f;
  float white_minor = 0.10f;

  // Black's men.
  float black_heavy = 0.08f;
  float black_minor = 0.03f;
  float black_pawn_step = 0.03f;
  float black_extra_queen = 0.35f;

  // The white king hunts.
  float king_near = 0.15f;
  float king_nearer = 0.05f;
  float free_capture = 0.03f;

  // The white king is hunted.
  float displacement = 0.06f;
  float edge = 0.10f;
  float adjacent_attacked = 0.06f;
  float king_line = 0.08f;
  float king_mobility = 0.01f;
  float barrier = 0.12f;
};

struct MonsterWeight {
  std::string_view name;
  float MonsterWeights::* member;
  std::string_view help;
};

// The weights that players may set, with their meanings; bonuses and penalties are for White.
// clang-format off
inline constexpr MonsterWeight kMonsterWeights[] = {
    {"white_pawn", &MonsterWeights::white_pawn, "bonus per white pawn"},
    {"white_pawn_step", &MonsterWeights::white_pawn_step, "bonus per rank that a white pawn has advanced"},
    {"passed_pawn", &MonsterWeights::passed_pawn, "bonus per passed white pawn; doubles with every rank beyond the third"},
    {"passed_support", &MonsterWeights::passed_support, "extra share of passed_pawn if the white king is within two squares of the pawn"},
    {"blocked_pawn", &MonsterWeights::blocked_pawn, "penalty per white pawn whose next square is occupied, or attacked and not defended"},
    {"eliminated_pawn", &MonsterWeights::eliminated_pawn, "penalty per white pawn missing of four"},
    {"white_queen", &MonsterWeights::white_queen, "bonus per white queen"},
    {"white_rook", &MonsterWeights::white_rook, "bonus per white rook"},
    {"white_minor", &MonsterWeights::white_minor, "bonus per white bishop or knight"},
    {"black_heavy", &MonsterWeights::black_heavy, "penalty per black queen or rook"},
    {"black_minor", &MonsterWeights::black_minor, "penalty per black bishop or knight"},
    {"black_pawn_step", &MonsterWeights::black_pawn_step, "penalty per rank that a black pawn has advanced"},
    {"black_extra_queen", &MonsterWeights::black_extra_queen, "penalty per black queen after the first"},
    {"king_near", &MonsterWeights::king_near, "bonus if the kings are at most two squares apart"},
    {"king_nearer", &MonsterWeights::king_nearer, "bonus if the kings are three or four squares apart"},
    {"free_capture", &MonsterWeights::free_capture, "bonus per undefended black man within two squares of the white king"},
    {"displacement", &MonsterWeights::displacement, "penalty for the white king in a corner, less towards the centre; scaled by (black queens and rooks + 1) / 4, at most 1"},
    {"edge", &MonsterWeights::edge, "penalty per rank or file that the white king is nearer to the edge than the fourth; scaled likewise"},
    {"adjacent_attacked", &MonsterWeights::adjacent_attacked, "penalty per attacked square next to the white king; scaled likewise"},
    {"king_line", &MonsterWeights::king_line, "penalty per black queen or rook on the white king's rank or file"},
    {"king_mobility", &MonsterWeights::king_mobility, "penalty per square short of 20 that the white king can reach safely in one turn, if Black has a queen or rook"},
    {"barrier", &MonsterWeights::barrier, "penalty per pair of adjacent ranks or files that both hold a black queen or rook three or more squares from the white king"},
};
// clang-format on

// The terms. Their sum, clamped, is the value for seat 0.
enum class MonsterTerm {
  kWhitePawns,
  kPawnSteps,
  kPassedPawns,
  kBlockedPawns,
  kEliminatedPawns,
  kWhiteOfficers,
  kBlackHeavy,
  kBlackMinors,
  kBlackPawnSteps,
  kExtraQueens,
  kKingNear,
  kFreeCaptures,
  kDisplacement,
  kEdge,
  kAdjacentAttacked,
  kKingLines,
  kKingMobility,
  kBarriers,
};

inline constexpr std::string_view kMonsterTerms[] = {
    "white pawns",
    "pawn steps",
    "passed pawns",
    "blocked pawns",
    "eliminated pawns",
    "white officers",
    "black heavy men",
    "black minor men",
    "black pawn steps",
    "extra queens",
    "kings near",
    "free captures",
    "displacement",
    "edge",
    "adjacent squares attacked",
    "heavy men on king lines",
    "king mobility",
    "barriers",
};

using MonsterTerms = std::array<float, std::size(kMonsterTerms)>;

MonsterTerms monster_terms(const chesslike::Position& position, const MonsterWeights& weights);

// The weights with these values, in the order of kMonsterWeights.
MonsterWeights monster_weights(std::span<const float> numbers);

// The number of pairs of adjacent ranks (or files) that both hold some of these men. Pairs that
// include the white king's rank (or file) do not count.
template <class Line>
int covered_pairs(Bits men, Line line, int king_place = chesslike::kNone) {
  int pairs = 0;
  for (int place = 0; place < 7; ++place) {
    if (place == king_place || place + 1 == king_place) continue;
    if ((men & line(place)) && (men & line(place + 1))) ++pairs;
  }
  return pairs;
}

// Whether the mover can take the enemy's king within this turn. A quick test, which misses some
// captures that need both of White's halves.
bool takes_king(const Monster& rules, const chesslike::Position& position);

}  // namespace rulezero
