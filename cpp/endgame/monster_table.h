#pragma once
// Solved Monster endgames: for every position, which side takes the king, and in which turn.

#include <map>
#include <optional>
#include <span>

#include "endgame/guarded.h"
#include "endgame/material.h"
#include "games/monster.h"
#include "games/tables.h"

namespace rulezero {

// n: White takes the king in its n-th turn from here, -n: Black does, 0: neither can force it. The
// winner plays for the shortest game, the loser for the longest.
using Verdict = std::int8_t;
constexpr int kLongestWin = 127;

// The choice to be made: White's first half, White's second half, or Black's turn.
enum Stage : int { kFirstHalf, kSecondHalf, kBlackTurn };
constexpr std::size_t kStages = 3;

constexpr Stage stage_of(const chesslike::Position& p) {
  if (p.mover == 1) return kBlackTurn;
  return p.half_made ? kSecondHalf : kFirstHalf;
}

// A row has a verdict for each square of the white king; the rows of a set-up are adjacent.
class MonsterTable {
 public:
  static std::size_t size(const Material& material) { return material.setups() * kStages * 64; }

  // Throws GameError if the number of verdicts is wrong for this material.
  MonsterTable(Material material, Guarded verdicts);

  const Material& material() const { return material_; }
  static std::size_t offset(std::size_t index, Stage stage) {
    return (index * kStages + static_cast<std::size_t>(stage)) * 64;
  }
  const Verdict* row(std::size_t index, Stage stage) const {
    return verdicts_.at(offset(index, stage));
  }

 private:
  Material material_;
  Guarded verdicts_;
};

// The position of a row's entry, with the counters of a new game.
Monster::Position position_of(const Material& material, const Setup& setup, Stage stage,
                              int white_king);

// All loaded tables, by their men.
class MonsterTables : public TablesOf<Monster> {
 public:
  void add(MonsterTable table);
  const MonsterTable* find(const Material& material) const;  // null without one

  // The verdict on a position; nullopt if it has no table, a castling right, an en-passant square,
  // or a captured king.
  std::optional<Verdict> verdict(const Monster::Position& position) const;

  // A win that needs more turns than are left counts as a draw, because the loser can delay it.
  using TablesOf<Monster>::proof;
  std::optional<Proof> proof(const Monster& rules,
                             const Monster::Position& position) const override;

 private:
  std::map<std::uint64_t, MonsterTable> tables_;
};

// Numbers of positions won by White, drawn, and won by Black. All placements of the men on
// different squares count, also those that are symmetric to each other.
struct Count {
  std::uint64_t white = 0;
  std::uint64_t drawn = 0;
  std::uint64_t black = 0;
};

// A position with the longest win of a side.
struct Longest {
  int turns = 0;  // 0: this side never wins
  std::optional<Monster::Position> position;
};

struct Summary {
  std::array<Count, 2> all;        // by mover
  std::array<Count, 2> quiet;      // by mover; only positions without an attack on the white king
  std::array<Longest, 2> longest;  // by the winner
};

Summary summarise(const MonsterTable& table);

// Draws random positions of a table and compares each verdict with those of the positions one ply
// later, by the rules of the game. Returns the first position that disagrees, or nullopt. `tables`
// must contain this table and the tables of everything that the men can turn into.
std::optional<Monster::Position> find_error(const Monster& rules, const MonsterTables& tables,
                                            const MonsterTable& table, std::uint64_t samples,
                                            std::uint64_t seed);

}  // namespace rulezero
