#pragma once
// What is known of Monster endgames: for every position, who takes the king, and in which turn.

#include <map>
#include <optional>
#include <span>

#include "endgame/guarded.h"
#include "endgame/material.h"
#include "games/monster.h"
#include "games/tables.h"

namespace rulezero {

// n: White takes the king with its n-th turn from here, -n: Black does, 0: neither ever can. The
// winner hurries, the loser delays.
using Verdict = std::int8_t;
constexpr int kLongestWin = 127;

// Who chooses: White with two halves to come, White with one, Black.
enum Stage : int { kFirstHalf, kSecondHalf, kBlackTurn };
constexpr std::size_t kStages = 3;

constexpr Stage stage_of(const chesslike::Position& p) {
  if (p.mover == 1) return kBlackTurn;
  return p.half_made ? kSecondHalf : kFirstHalf;
}

// A row has a verdict for each square of the white king; those of a set-up lie side by side.
class MonsterTable {
 public:
  static std::size_t size(const Material& material) { return material.setups() * kStages * 64; }

  // A GameError where these cannot be the verdicts of the men.
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

// The position of a row's entry; its counters stand at the start.
Monster::Position position_of(const Material& material, const Setup& setup, Stage stage,
                              int white_king);

// All loaded tables, by their men.
class MonsterTables : public TablesOf<Monster> {
 public:
  void add(MonsterTable table);
  const MonsterTable* find(const Material& material) const;  // null without one

  // The verdict on a position; none without a table, with a right to castle or a square to take en
  // passant on, or where a king is gone.
  std::optional<Verdict> verdict(const Monster::Position& position) const;

  // A win that does not fit into the turns left is a draw: the loser has the time to wait.
  using TablesOf<Monster>::proof;
  std::optional<Proof> proof(const Monster& rules,
                             const Monster::Position& position) const override;

 private:
  std::map<std::uint64_t, MonsterTable> tables_;
};

// Positions won by White, drawn, won by Black: any men on different squares, turned over or not.
struct Count {
  std::uint64_t white = 0;
  std::uint64_t drawn = 0;
  std::uint64_t black = 0;
};

// A position that takes its winner as long as any.
struct Longest {
  int turns = 0;  // 0: this side wins nowhere
  std::optional<Monster::Position> position;
};

struct Summary {
  std::array<Count, 2> all;        // by who is to move
  std::array<Count, 2> quiet;      // those where the white king is not attacked
  std::array<Longest, 2> longest;  // by the winner
};

Summary summarise(const MonsterTable& table);

// Draws positions of a table at random and compares each verdict with those of the positions one
// ply later, by the rules of the game: the first that does not agree, or none. The tables must
// hold whatever the men can turn into.
std::optional<Monster::Position> find_error(const Monster& rules, const MonsterTables& tables,
                                            const MonsterTable& table, std::uint64_t samples,
                                            std::uint64_t seed);

}  // namespace rulezero
