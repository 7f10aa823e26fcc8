#include "endgame/monster_solver.h"

#include <algorithm>

#include "base/error.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr std::array<int, 4> kPromotions = {kQueen, kRook, kBishop, kKnight};

}  // namespace

// The effect of one move on the men: one is taken, a pawn becomes another kind, or both.
struct MonsterSolver::Change {
  std::size_t taken;     // index of the man, or kNobody
  std::size_t promoted;  // index of the pawn, or kNobody
  int kind = 0;          // kind that the pawn becomes
};

template <class Visit>
void MonsterSolver::for_each_change(const Material& material, Visit visit) {
  const auto& men = material.men();
  for (std::size_t i = 0; i < men.size(); ++i) visit(Change{i, kNobody});
  for (std::size_t pawn = 0; pawn < men.size(); ++pawn) {
    if (men[pawn].kind != kPawn) continue;
    for (int kind : kPromotions) {
      visit(Change{kNobody, pawn, kind});
      for (std::size_t i = 0; i < men.size(); ++i) {
        if (men[i].seat == 1) visit(Change{i, pawn, kind});
      }
    }
  }
}

std::vector<Material::Man> MonsterSolver::men_after(const Material& material,
                                                    const Change& change) {
  std::vector<Material::Man> men = material.men();
  if (change.promoted != kNobody) men[change.promoted].kind = change.kind;
  if (change.taken != kNobody) {
    men.erase(men.begin() + static_cast<std::ptrdiff_t>(change.taken));
  }
  return men;
}

// A set-up with its sets of squares.
struct MonsterSolver::Board {
  const Setup& setup;
  std::size_t index;
  Bits white = 0;     // men, without the king
  Bits black = 0;     // men, with the king
  Bits attacked = 0;  // by Black

  Board(const Material& material, const Setup& here, std::size_t number)
      : setup(here), index(number), black(bit(here.king)), attacked(kNeighbours[here.king]) {
    const auto& men = material.men();
    for (std::size_t i = 0; i < men.size(); ++i) {
      (men[i].seat == 0 ? white : black) |= bit(setup.men[i]);
    }
    for (std::size_t i = 0; i < men.size(); ++i) {
      if (men[i].seat == 1) attacked |= orthodox_sight(men[i].kind, setup.men[i], occupied());
    }
  }

  Bits occupied() const { return white | black; }
  Bits open() const { return ~occupied(); }

  // Index of the man on the square, which must not be empty.
  std::size_t man_on(int square) const {
    std::size_t i = 0;
    while (setup.men[i] != square) ++i;
    return i;
  }

  Setup moved(std::size_t man, int to) const {
    Setup next = setup;
    next.men[man] = static_cast<std::uint8_t>(to);
    return next;
  }
};

std::vector<Material> MonsterSolver::needs(const Material& material) {
  std::vector<Material> found;
  for_each_change(material, [&](const Change& change) {
    Material next(men_after(material, change));
    const auto is_it = [&](const Material& other) { return other.text() == next.text(); };
    if (std::none_of(found.begin(), found.end(), is_it)) found.push_back(std::move(next));
  });
  return found;
}

MonsterSolver::MonsterSolver(Material material, const std::vector<MonsterTable>& smaller,
                             std::span<Verdict> verdicts)
    : material_(std::move(material)), verdicts_(verdicts) {
  if (verdicts_.size() != MonsterTable::size(material_)) {
    throw GameError("a table of " + material_.text() + " has " +
                    std::to_string(MonsterTable::size(material_)) + " verdicts");
  }
  for_each_change(material_, [&](const Change& change) {
    const auto& [taken, promoted, kind] = change;
    Next& becomes = promoted == kNobody ? without_[taken] : promoted_[promoted][kind][taken];
    becomes = next(smaller, change);
  });
  for (Stage stage : {kFirstHalf, kSecondHalf, kBlackTurn}) {
    known_[stage].resize(material_.setups());
    for (std::size_t index = 0; index < material_.setups(); ++index) {
      Known& known = known_[stage][index];
      for (int square = 0; square < 64; ++square) {
        const Verdict verdict = row(index, stage)[square];
        if (verdict > 0) known.white |= bit(square);
        if (verdict < 0) known.black |= bit(square);
      }
    }
  }
}

MonsterSolver::Next MonsterSolver::next(const std::vector<MonsterTable>& smaller,
                                        const Change& change) const {
  std::vector<Material::Man> men = men_after(material_, change);
  const Material wanted(men);
  for (const MonsterTable& table : smaller) {
    if (table.material().text() != wanted.text()) continue;
    Next found{&table, {}};
    for (std::size_t i = 0; i < men.size(); ++i) {  // take the first equal man that is left
      std::size_t at = 0;
      while (!(men[at] == wanted.men()[i])) ++at;
      found.from[i] = at + (at >= change.taken);  // our men include the one that is taken
      men[at].seat = -1;
    }
    return found;
  }
  throw GameError(material_.text() + " can turn into " + wanted.text() + ": solve that first");
}

Verdict* MonsterSolver::row(std::size_t index, Stage stage) {
  return verdicts_.data() + MonsterTable::offset(index, stage);
}

// The results after a move of the black king, which may change the symmetry.
Known MonsterSolver::after_king(const Setup& setup, Stage stage) const {
  const Place place = material_.place(setup);
  const Known& there = known_[stage][place.index];
  return {place.turned.undo(there.white), place.turned.undo(there.black)};
}

// The row of another table for what a set-up turns into.
MonsterSolver::Row MonsterSolver::row_of(const Next& next, const Setup& setup, Stage stage) {
  Setup theirs;
  theirs.king = setup.king;
  for (std::size_t i = 0; i < next.table->material().men().size(); ++i) {
    theirs.men[i] = setup.men[next.from[i]];
  }
  const Place place = next.table->material().place(theirs);
  return {next.table->row(place.index, stage), place.turned};
}

Known MonsterSolver::other(const Next& next, const Setup& setup, Stage stage, Limits limits) {
  const Row row = row_of(next, setup, stage);
  Known known;
  for (int square = 0; square < 64; ++square) {
    const int verdict = row.verdicts[square];
    known.white |= Bits{verdict > 0 && verdict <= limits.white} << square;
    known.black |= Bits{verdict < 0 && -verdict <= limits.black} << square;
  }
  return {row.turned.undo(known.white), row.turned.undo(known.black)};
}

// Adds the moves of the white king, which may take any black man.
void MonsterSolver::step(const Board& board, Stage stage, Limits limits, Reached& reached) const {
  Reached at;
  at.add(known_[stage][board.index], board.open());
  at.wins |= bit(board.setup.king);
  at.escapes |= bit(board.setup.king);
  for (Bits men = board.black & ~bit(board.setup.king); men;) {
    const int square = take_first(men);
    const Row row = row_of(without_[board.man_on(square)], board.setup, stage);
    const int verdict = row.verdicts[row.turned(square)];
    if (verdict > 0 && verdict <= limits.white) at.wins |= bit(square);
    if (verdict >= 0 || -verdict > limits.black) at.escapes |= bit(square);
  }
  reached.wins |= around(at.wins);
  reached.escapes |= around(at.escapes);
}

// Adds the moves of another white man, for white kings that are not in its way.
void MonsterSolver::move_man(const Board& board, std::size_t man, Stage stage, Limits limits,
                             Reached& reached) const {
  const int from = board.setup.men[man];
  const int kind = material_.men()[man].kind;
  Bits targets = orthodox_sight(kind, from, board.occupied()) & ~board.white;
  if (kind == kPawn) {
    const Bits one = north(bit(from)) & board.open();
    const Bits two = north(one & rank_bits(2)) & board.open();
    targets = one | two | (kPawnStrikes[0][from] & board.black);
  }
  while (targets) {
    const int to = take_first(targets);
    const Bits free = ~(kBetween[from][to] | bit(to));
    if (to == board.setup.king) {
      reached.add({.white = ~Bits{0}, .black = 0}, free);
      continue;
    }
    const std::size_t taken = has(board.black, to) ? board.man_on(to) : kNobody;
    if (kind == kPawn && rank_of(to) == 7) {
      for (int becomes : kPromotions) {
        const Next& next = promoted_[man][becomes][taken];
        reached.add(other(next, board.moved(man, to), stage, limits), free);
      }
    } else if (taken != kNobody) {
      reached.add(other(without_[taken], board.moved(man, to), stage, limits), free);
    } else {
      reached.add(known_[stage][material_.moved(board.index, board.setup, man, to)], free);
    }
  }
}

// `stage` is the stage after White's half.
Known MonsterSolver::white_to_move(const Board& board, Stage stage, Limits limits) const {
  Reached reached;
  step(board, stage, limits, reached);
  for (std::size_t i = 0; i < material_.men().size() && material_.men()[i].seat == 0; ++i) {
    move_man(board, i, stage, limits, reached);
  }
  return {.white = reached.wins, .black = ~reached.escapes};
}

Known MonsterSolver::black_to_move(const Board& board, Limits limits) const {
  Known found{.white = ~Bits{0}, .black = board.attacked};
  bool has_moves = false;
  const auto add = [&](const Known& known) {
    found.white &= known.white;
    found.black |= known.black;
    has_moves = true;
  };
  const auto move_all = [&](Bits targets, auto moved, auto quiet) {
    for (targets &= ~board.black; targets;) {
      const int to = take_first(targets);
      if (has(board.white, to)) {
        add(other(without_[board.man_on(to)], moved(to), kFirstHalf, limits));
      } else {
        add(quiet(to));
      }
    }
  };
  const auto king_on = [&](int to) {
    Setup next = board.setup;
    next.king = to;
    return next;
  };
  move_all(kNeighbours[board.setup.king], king_on,
           [&](int to) { return after_king(king_on(to), kFirstHalf); });
  for (std::size_t i = 0; i < material_.men().size(); ++i) {
    if (material_.men()[i].seat == 0) continue;
    move_all(
        orthodox_sight(material_.men()[i].kind, board.setup.men[i], board.occupied()),
        [&](int to) { return board.moved(i, to); },
        [&](int to) {
          return known_[kFirstHalf][material_.moved(board.index, board.setup, i, to)];
        });
  }
  found.white = has_moves ? found.white & ~board.attacked : 0;
  return found;
}

std::size_t MonsterSolver::work(Stage stage, int turns, std::size_t begin, std::size_t end) {
  std::size_t decided = 0;
  // A turn of Black is over when White's first half begins. Black's wins in `turns` turns are not
  // yet known when White's stages of this layer are solved.
  const Limits limits{.white = stage == kSecondHalf ? turns - 1 : turns, .black = turns - 1};
  const int black_turns = stage == kBlackTurn ? turns : turns - 1;
  for (std::size_t index = begin; index < end; ++index) {
    const Setup setup = material_.setup(index);
    if (!material_.is_possible(setup)) continue;
    const Board board(material_, setup, index);
    Known& here = known_[stage][index];
    const Bits undecided = board.open() & ~(here.white | here.black);
    if (undecided == 0) continue;
    Known found =
        stage == kBlackTurn
            ? black_to_move(board, limits)
            : white_to_move(board, stage == kFirstHalf ? kSecondHalf : kBlackTurn, limits);
    found.white &= undecided;
    found.black &= undecided & ~found.white;
    if ((found.white | found.black) == 0) continue;
    if (turns > kLongestWin)
      throw GameError("a win takes more than 127 turns, which a table cannot store");
    here.white |= found.white;
    here.black |= found.black;
    Verdict* verdicts = row(index, stage);
    decided += static_cast<std::size_t>(count(found.white) + count(found.black));
    while (found.white) verdicts[take_first(found.white)] = static_cast<Verdict>(turns);
    while (found.black) verdicts[take_first(found.black)] = static_cast<Verdict>(-black_turns);
  }
  return decided;
}

}  // namespace rulezero
