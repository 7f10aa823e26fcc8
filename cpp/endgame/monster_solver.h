#pragma once
// Monster endgames solved backwards, from captured kings to the longest wins.
//
// For each set-up of the other men, the white king's squares are one word of 64 bits: a step of the
// king is a dilation of that word, and a move of any other man takes the word of another set-up.
// Legality need not be checked: a side that leaves its king attacked loses it at once, which is the
// worst result, and the rules allow this only if every move does so. The white king does not block
// black men either: a man whose way it blocks captures it.

#include "endgame/monster_table.h"

namespace rulezero {

// Squares of the white king from which White, or Black, is known to win.
struct Known {
  Bits white = 0;
  Bits black = 0;
};

class MonsterSolver {
 public:
  // The other materials that one move can lead to. Their tables are needed.
  static std::vector<Material> needs(const Material& material);

  // Number of bytes that solving takes, including the verdicts but not the smaller tables, which
  // are mapped into memory.
  static std::size_t memory(const Material& material) {
    return MonsterTable::size(material) + material.setups() * kStages * sizeof(Known);
  }

  // `verdicts` are all zero, or those of the layers already solved. They and the smaller tables
  // must outlive the solver.
  MonsterSolver(Material material, const std::vector<MonsterTable>& smaller,
                std::span<Verdict> verdicts);

  // Finds wins in `turns` turns for the set-ups from `begin` up to (not including) `end`. Returns
  // the number of positions that were decided. Layers must be solved in the order 1, 2, ..., and
  // within a layer second halves, first halves, Black's turns. Threads may share the set-ups of one
  // stage.
  std::size_t work(Stage stage, int turns, std::size_t begin, std::size_t end);

 private:
  // Another material that one move leads to.
  struct Next {
    const MonsterTable* table;
    std::array<std::size_t, kMostMen> from;  // index of our man, for each man of that table
  };

  struct Row {
    const Verdict* verdicts;
    Symmetry turned;
  };

  // Only wins of up to this many turns count.
  struct Limits {
    int white;
    int black;
  };

  // Squares of the white king from which White can reach a position that it wins, or does not lose.
  struct Reached {
    Bits wins = 0;
    Bits escapes = 0;

    void add(const Known& known, Bits free) {
      wins |= known.white & free;
      escapes |= ~known.black & free;
    }
  };

  static constexpr std::size_t kNobody = kMostMen;

  struct Board;
  struct Change;

  template <class Visit>
  static void for_each_change(const Material& material, Visit visit);
  static std::vector<Material::Man> men_after(const Material& material, const Change& change);
  Next next(const std::vector<MonsterTable>& smaller, const Change& change) const;
  Verdict* row(std::size_t index, Stage stage);
  Known after_king(const Setup& setup, Stage stage) const;
  static Row row_of(const Next& next, const Setup& setup, Stage stage);
  static Known other(const Next& next, const Setup& setup, Stage stage, Limits limits);
  Known white_to_move(const Board& board, Stage stage, Limits limits) const;
  Known black_to_move(const Board& board, Limits limits) const;
  void step(const Board& board, Stage stage, Limits limits, Reached& reached) const;
  void move_man(const Board& board, std::size_t man, Stage stage, Limits limits,
                Reached& reached) const;

  Material material_;
  std::span<Verdict> verdicts_;
  std::array<std::vector<Known>, kStages> known_;  // by set-up
  std::array<Next, kMostMen> without_ = {};        // by the man that is taken
  // By the pawn, the kind it becomes, and the man it takes (or none).
  std::array<std::array<std::array<Next, kMostMen + 1>, 6>, kMostWhiteMen> promoted_ = {};
};

}  // namespace rulezero
