#include "eval/monster_hunt.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "games/chesslike/move.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr int kDepth = 16;  // turns of the longest hunt

// Black's men; the white king is told apart.
struct Army {
  std::array<Bits, kLetters> men;  // by kind
  Bits all;

  Bits attacks(Bits occupied) const {
    Bits seen = kNeighbours[first(men[kKing])];
    seen |= pawn_attacks<1>(men[kPawn]);
    for (Bits left = men[kKnight]; left;) seen |= kJumps[take_first(left)];
    for (Bits left = men[kBishop] | men[kQueen]; left;) {
      seen |= diagonal_sight(take_first(left), occupied);
    }
    for (Bits left = men[kRook] | men[kQueen]; left;) {
      seen |= straight_sight(take_first(left), occupied);
    }
    return seen;
  }

  Army without(int square) const {
    Army less = *this;
    for (Bits& kind : less.men) kind &= ~bit(square);
    less.all &= ~bit(square);
    return less;
  }

  std::uint64_t key(int king, int turns) const {
    Hash hash;
    for (Bits kind : men) hash.add(kind);
    return hash.add(static_cast<std::uint64_t>(king * kDepth + turns)).value();
  }
};

struct Shot {
  int from;
  int to;
  int kind;
  Bits replies;  // squares where the white king is safe after its turn
};

class Hunt {
 public:
  // Moves of the army after which White neither takes the king nor takes a man and lives, the
  // tightest first. The white king stands on `king`, which nobody attacks.
  void list(const Army& army, int king, std::vector<Shot>& shots) const {
    shots.clear();
    for (int kind = kKnight; kind <= kKing; ++kind) {
      for (Bits men = army.men[static_cast<std::size_t>(kind)]; men;) {
        const int from = take_first(men);
        for (Bits targets = sight(army, kind, from); targets;) {
          const int to = take_first(targets);
          const Army next = moved(army, kind, from, to);
          const Bits attacked = next.attacks(next.all);
          if (is_punished(next, attacked, king)) continue;
          const Bits replies = around(around(bit(king)) & ~next.all) & ~next.all & ~attacked;
          shots.push_back({from, to, kind, replies});
        }
      }
    }
    std::sort(shots.begin(), shots.end(),
              [](const Shot& a, const Shot& b) { return count(a.replies) < count(b.replies); });
  }

  // Whether Black, to move, takes the king within so many turns.
  bool wins(const Army& army, int king, int turns) {
    if (has(army.attacks(army.all), king)) return true;
    if (turns == 1) return false;
    const auto [known, is_new] = known_.try_emplace(army.key(king, turns), false);
    if (!is_new) return known->second;
    const bool won = find(army, king, turns) != nullptr;
    known_[army.key(king, turns)] = won;
    return won;
  }

  const Shot* find(const Army& army, int king, int turns) {
    std::vector<Shot>& shots = shots_[static_cast<std::size_t>(turns)];
    list(army, king, shots);
    for (const Shot& shot : shots) {
      // White keeps too many squares for the turns that are left.
      if (count(shot.replies) > kRepliesPerTurn * (turns - 2)) break;
      const Army next = moved(army, shot.kind, shot.from, shot.to);
      bool holds = true;
      for (Bits replies = shot.replies; holds && replies;) {
        holds = wins(next, take_first(replies), turns - 1);
      }
      if (holds) return &shot;
    }
    return nullptr;
  }

 private:
  static constexpr int kRepliesPerTurn = 3;

  // Squares that a man can go to; pawns stay where they are.
  static Bits sight(const Army& army, int kind, int from) {
    switch (kind) {
      case kKnight:
        return kJumps[from] & ~army.all;
      case kBishop:
        return diagonal_sight(from, army.all) & ~army.all;
      case kRook:
        return straight_sight(from, army.all) & ~army.all;
      case kQueen:
        return all_sight(from, army.all) & ~army.all;
      default:
        return kNeighbours[from] & ~army.all;
    }
  }

  static Army moved(const Army& army, int kind, int from, int to) {
    Army next = army;
    const Bits change = bit(from) | bit(to);
    next.men[static_cast<std::size_t>(kind)] ^= change;
    next.all ^= change;
    return next;
  }

  // Whether White's king can take Black's, or a man without being taken back.
  static bool is_punished(const Army& army, Bits attacked, int king) {
    const Bits near = around(bit(king));
    const Bits reached = near | around(near);
    if (army.men[kKing] & reached) return true;
    // With the second half, from a square that is empty.
    const Bits second = around(near & ~army.all) & army.all;
    if (second & ~attacked) return true;
    // With the first half; the second must lead to safety.
    for (Bits taken = near & army.all; taken;) {
      const int square = take_first(taken);
      const Army left = army.without(square);
      if (kNeighbours[square] & ~left.attacks(left.all)) return true;
    }
    return false;
  }

  std::unordered_map<std::uint64_t, bool> known_;
  std::array<std::vector<Shot>, kDepth + 1> shots_;
};

}  // namespace

std::optional<Action> forced_hunt(const Position& p, int turns) {
  if (p.side[0] != p.men(0, kKing) || p.mover != 1) return std::nullopt;
  Army army{};
  for (int kind = kPawn; kind <= kKing; ++kind) {
    army.men[static_cast<std::size_t>(kind)] = p.men(1, kind);
  }
  army.all = p.side[1];
  const int king = p.king(0);
  if (has(army.attacks(army.all), king)) return std::nullopt;  // anybody sees that
  Hunt hunt;
  for (int most = 2; most <= std::min(turns, kDepth); ++most) {
    if (const Shot* shot = hunt.find(army, king, most)) {
      return number_of({shot->from, shot->to, 0});
    }
  }
  return std::nullopt;
}

}  // namespace rulezero
