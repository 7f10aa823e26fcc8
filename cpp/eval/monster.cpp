#include "eval/monster.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "eval/heuristic.h"
#include "games/chesslike/generator.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr int kPawnsAtStart = 4;
constexpr int kFreeKing = 20;      // squares within one turn that cost the white king no penalty
constexpr int kFarthest = 6;       // non-diagonal steps from a corner to the four centre squares
constexpr int kFenceDistance = 3;  // from here the white king cannot take a man within one turn

// Distance of a rank or file from the middle two, 0 to 3.
int from_centre(int place) { return place < 4 ? 3 - place : place - 4; }

// The squares in front of a white pawn, on its file and the adjacent files. The pawn is passed if
// no black pawn stands there.
Bits way_of(int square) {
  const int file = file_of(square);
  Bits files = file_bits(file);
  files |= east(files) | west(files);
  Bits ahead = 0;
  for (int rank = rank_of(square) + 1; rank < 8; ++rank) ahead |= rank_bits(rank);
  return files & ahead;
}

// Whether White, with both halves to come, can take the king on `target` in two steps: king or pawn
// moves to another square with the first half and takes with the second.
bool takes_in_two(const Position& p, int king, int target) {
  const Bits open = ~p.side[0];
  if (kNeighbours[king] & kNeighbours[target] & open) return true;
  const Bits pawns = p.men(0, kPawn);
  const Bits empty = ~p.occupied();
  const Bits one = forward<0>(pawns) & empty;
  const Bits two = forward<0>(one & rank_bits(2)) & empty;
  const Bits stops = one | two | (pawn_attacks<0>(pawns) & p.side[1]);
  return (stops & kPawnStrikes[1][target]) != 0;
}

}  // namespace

MonsterTerms monster_terms(const Position& p, const MonsterWeights& w) {
  MonsterTerms terms{};
  const auto add = [&](MonsterTerm term, float value) { terms[static_cast<int>(term)] += value; };
  const Bits occupied = p.occupied();
  const Bits attacked = orthodox_attacks<1>(p, occupied);
  const Bits defended = orthodox_attacks<0>(p, occupied);
  const Bits heavy = p.men(1, kQueen) | p.men(1, kRook);
  const int king = p.king(0);
  const int target = p.king(1);
  const float scale = static_cast<float>(std::min(count(heavy) + 1, 4)) / 4.0f;

  const Bits pawns = p.men(0, kPawn);
  add(MonsterTerm::kWhitePawns, times(count(pawns), w.white_pawn));
  add(MonsterTerm::kEliminatedPawns,
      -times(std::max(0, kPawnsAtStart - count(pawns)), w.eliminated_pawn));
  const Bits stopped = south((occupied | (attacked & ~defended)));
  add(MonsterTerm::kBlockedPawns, -times(count(pawns & stopped), w.blocked_pawn));
  for (Bits left = pawns; left;) {
    const int square = take_first(left);
    const int rank = rank_of(square);
    add(MonsterTerm::kPawnSteps, times(rank - 1, w.white_pawn_step));
    if (way_of(square) & p.men(1, kPawn)) continue;
    const float passed = w.passed_pawn * static_cast<float>(1 << std::max(0, rank - 2));
    const bool is_supported = king_steps(king, square) <= 2;
    add(MonsterTerm::kPassedPawns, passed * (is_supported ? 1 + w.passed_support : 1));
  }
  add(MonsterTerm::kWhiteOfficers,
      times(count(p.men(0, kQueen)), w.white_queen) + times(count(p.men(0, kRook)), w.white_rook) +
          times(count(p.men(0, kBishop) | p.men(0, kKnight)), w.white_minor));

  add(MonsterTerm::kBlackHeavy, -times(count(heavy), w.black_heavy));
  add(MonsterTerm::kBlackMinors,
      -times(count(p.men(1, kBishop) | p.men(1, kKnight)), w.black_minor));
  add(MonsterTerm::kExtraQueens,
      -times(std::max(0, count(p.men(1, kQueen)) - 1), w.black_extra_queen));
  for (Bits left = p.men(1, kPawn); left;) {
    add(MonsterTerm::kBlackPawnSteps, -times(6 - rank_of(take_first(left)), w.black_pawn_step));
  }

  const int apart = king_steps(king, target);
  add(MonsterTerm::kKingNear, apart <= 2 ? w.king_near : apart <= 4 ? w.king_nearer : 0);
  const Bits near = around(bit(king)) | around(around(bit(king)));
  add(MonsterTerm::kFreeCaptures,
      times(count(near & p.side[1] & ~bit(target) & ~attacked), w.free_capture));

  const int file = file_of(king);
  const int rank = rank_of(king);
  const int off_centre = from_centre(file) + from_centre(rank);
  add(MonsterTerm::kDisplacement,
      -w.displacement * scale * static_cast<float>(off_centre) / kFarthest);
  const int to_edge = std::min({file, rank, 7 - file, 7 - rank});
  add(MonsterTerm::kEdge, -times(3 - to_edge, w.edge) * scale);
  add(MonsterTerm::kAdjacentAttacked,
      -times(count(kNeighbours[king] & attacked), w.adjacent_attacked) * scale);
  add(MonsterTerm::kKingLines,
      -times(count(heavy & (file_bits(file) | rank_bits(rank))), w.king_line));
  if (heavy) {
    const Bits open = ~p.side[0] | bit(king);
    const Bits reached = around(around(bit(king)) & open) & open & ~attacked;
    add(MonsterTerm::kKingMobility,
        -times(std::max(0, kFreeKing - count(reached)), w.king_mobility));
  }
  Bits fences = 0;
  for (Bits left = heavy; left;) {
    const int square = take_first(left);
    if (king_steps(square, king) >= kFenceDistance) fences |= bit(square);
  }
  const int barriers =
      covered_pairs(fences, rank_bits, rank) + covered_pairs(fences, file_bits, file);
  add(MonsterTerm::kBarriers, -times(barriers, w.barrier));
  return terms;
}

bool takes_king(const Monster& rules, const Position& p) {
  const int target = p.king(1 - p.mover);
  if (is_attacked(rules.table(), p, target, p.mover, p.occupied())) return true;
  return p.mover == 0 && !p.half_made && takes_in_two(p, p.king(0), target);
}

namespace {

float value_by(const MonsterWeights& weights, const Monster& rules, const Position& p) {
  if (takes_king(rules, p)) return p.mover == 0 ? kSurest : -kSurest;
  const MonsterTerms terms = monster_terms(p, weights);
  return std::clamp(std::accumulate(terms.begin(), terms.end(), 0.0f), -kSurest, kSurest);
}

}  // namespace

MonsterWeights monster_weights(std::span<const float> numbers) {
  assert(numbers.size() == std::size(kMonsterWeights));
  MonsterWeights weights;
  for (std::size_t i = 0; i < numbers.size(); ++i) weights.*kMonsterWeights[i].member = numbers[i];
  return weights;
}

std::vector<Weight> heuristic_weights(const Monster&) {
  static constexpr MonsterWeights kDefaults;
  std::vector<Weight> table;
  for (const auto& [name, member, help] : kMonsterWeights) {
    table.push_back({name, kDefaults.*member, help});
  }
  return table;
}

float heuristic(const Monster& rules, const Moment<Monster::Position>& moment) {
  static constexpr MonsterWeights kDefaults;
  return value_by(kDefaults, rules, moment.position);
}

float heuristic(const Monster& rules, const Moment<Monster::Position>& moment,
                std::span<const float> weights) {
  return value_by(monster_weights(weights), rules, moment.position);
}

}  // namespace rulezero
