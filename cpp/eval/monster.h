#pragma once
// What a Monster position seems worth: each term by its name, with its weight in one place.

#include <array>
#include <string_view>
#include <utility>

#include "games/monster.h"

namespace rulezero {

// Weights of the terms below; all count for White where they are added, against it where not.
struct MonsterWeights {
  // White's men.
  float white_pawn = 0.18f;
  float white_pawn_step = 0.05f;  // a rank beyond its second
  float passed_pawn = 0.02f;      // doubled with every rank beyond the third
  float passed_support = 0.5f;    // so much of that again with the king within two squares
  float blocked_pawn = 0.08f;     // whose way is taken, or attacked and not defended
  float eliminated_pawn = 0.10f;  // of the four
  float white_queen = 0.30f;
  float white_rook = 0.20f;
  float white_minor = 0.10f;

  // Black's men.
  float black_heavy = 0.08f;  // a queen or a rook
  float black_minor = 0.03f;
  float black_pawn_step = 0.03f;    // a rank beyond its second
  float black_extra_queen = 0.35f;  // beyond the first

  // The white king hunts.
  float king_near = 0.15f;     // the kings are at most two squares apart
  float king_nearer = 0.05f;   // at most four
  float free_capture = 0.03f;  // an undefended man, within two squares of the king

  // The white king is hunted; what is marked * grows with Black's queens and rooks.
  float displacement = 0.06f;       // * in the corner, less towards the centre
  float edge = 0.10f;               // * a rank or file nearer to the edge than the fourth
  float adjacent_attacked = 0.06f;  // * a square next to the king
  float king_line = 0.08f;          // a queen or rook on the king's rank or file
  float king_mobility = 0.01f;      // a square less than twenty to go to with both halves
  float barrier = 0.12f;            // a rank or file that is covered like the one beside it
};

// The weights by name.
inline constexpr std::pair<std::string_view, float MonsterWeights::*> kMonsterWeights[] = {
    {"white_pawn", &MonsterWeights::white_pawn},
    {"white_pawn_step", &MonsterWeights::white_pawn_step},
    {"passed_pawn", &MonsterWeights::passed_pawn},
    {"passed_support", &MonsterWeights::passed_support},
    {"blocked_pawn", &MonsterWeights::blocked_pawn},
    {"eliminated_pawn", &MonsterWeights::eliminated_pawn},
    {"white_queen", &MonsterWeights::white_queen},
    {"white_rook", &MonsterWeights::white_rook},
    {"white_minor", &MonsterWeights::white_minor},
    {"black_heavy", &MonsterWeights::black_heavy},
    {"black_minor", &MonsterWeights::black_minor},
    {"black_pawn_step", &MonsterWeights::black_pawn_step},
    {"black_extra_queen", &MonsterWeights::black_extra_queen},
    {"king_near", &MonsterWeights::king_near},
    {"king_nearer", &MonsterWeights::king_nearer},
    {"free_capture", &MonsterWeights::free_capture},
    {"displacement", &MonsterWeights::displacement},
    {"edge", &MonsterWeights::edge},
    {"adjacent_attacked", &MonsterWeights::adjacent_attacked},
    {"king_line", &MonsterWeights::king_line},
    {"king_mobility", &MonsterWeights::king_mobility},
    {"barrier", &MonsterWeights::barrier},
};

// Terms by number; their sum, clamped, is the value. All are seat 0's.
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

// Adjacent ranks (or files) that both hold some of these men, apart from the white king's own.
template <class Line>
int covered_pairs(Bits men, Line line, int king_place = chesslike::kNone) {
  int pairs = 0;
  for (int place = 0; place < 7; ++place) {
    if (place == king_place || place + 1 == king_place) continue;
    if ((men & line(place)) && (men & line(place + 1))) ++pairs;
  }
  return pairs;
}

// Whether the mover can take the enemy's king within this turn, as far as is seen at a glance.
bool takes_king(const Monster& rules, const chesslike::Position& position);

}  // namespace rulezero
