#pragma once
// Monster endgames solved backwards, from captured kings to the longest wins.
//
// For each set-up of the other men, the white king's squares are one word of 64 bits: a step of
// the king is a dilation of that word, and a move of any other man takes the word of another
// set-up. Legality never matters: a side that leaves its king en prise loses it at once, which is
// the worst result, and the rules allow that only where every move does. Nor does the white king
// block black men: a man that it stands in the way of captures it.

#include "endgame/monster_table.h"

namespace rulezero {

// Squares of the white king from which White, or Black, is known to win.
struct Known {
  Bits white = 0;
  Bits black = 0;
};

class MonsterSolver {
 public:
  // What the men can turn into with one move: their tables are needed.
  static std::vector<Material> needs(const Material& material);

  // Bytes that solving takes, the verdicts included; smaller tables are mapped, and take none.
  static std::size_t memory(const Material& material) {
    return MonsterTable::size(material) + material.setups() * kStages * sizeof(Known);
  }

  // `verdicts` are all zero, or those of the layers already done; they must outlive the solver,
  // as must the smaller tables.
  MonsterSolver(Material material, const std::vector<MonsterTable>& smaller,
                std::span<Verdict> verdicts);

  // Finds wins in `turns` turns among the set-ups from `begin` up to `end`, and returns how many
  // positions were decided. Layers come in the order 1, 2, ...; in each, second halves before
  // first halves before Black's turns. Parts of one stage may be worked on at the same time.
  std::size_t work(Stage stage, int turns, std::size_t begin, std::size_t end);

 private:
  // A material that one move leads to.
  struct Next {
    const MonsterTable* table;
    std::array<std::size_t, kMostMen> from;  // which of our men is which of theirs
  };

  struct Row {
    const Verdict* verdicts;
    Symmetry turned;
  };

  // Wins of up to this many turns count.
  struct Limits {
    int white;
    int black;
  };

  // What White can reach: positions that it wins, and such as it does not lose.
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
