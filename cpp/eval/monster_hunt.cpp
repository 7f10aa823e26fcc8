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

constexpr std::size_t kMostTurns = 16;  // longest hunt
constexpr std::size_t kManyArmies = 10'000;

// Black's men; the white king is kept separately.
struct Army {
  std::array<Bits, kLetters> men;  // by kind
  Bits all;

  Bits attacks() const {
    return attacks_of<1>([&](Kind kind) { return men[kind]; }, all);
  }

  Army without(int square) const {
    Army less = *this;
    for (Bits& kind : less.men) kind &= ~bit(square);
    less.all &= ~bit(square);
    return less;
  }

  Army moved(int kind, int from, int to) const {
    Army next = *this;
    const Bits change = bit(from) | bit(to);
    next.men[kind] ^= change;
    next.all ^= change;
    return next;
  }

  // Calls visit(kind, from, to) for every move without a capture; pawns stay where they are.
  template <class Visit>
  void for_each_move(Visit visit) const {
    for (int kind = kKnight; kind <= kKing; ++kind) {
      for (Bits left = men[kind]; left;) {
        const int from = take_first(left);
        for (Bits to = orthodox_sight(kind, from, all) & ~all; to;)
          visit(kind, from, take_first(to));
      }
    }
  }

  // Squares from which the white king reaches one of these with its turn, without a capture.
  Bits before(Bits goals) const { return around(around(goals & ~all) & ~all) & ~all; }

  // Squares from which it can take Black's king, or a man without being recaptured.
  Bits punished(Bits attacked) const {
    const Bits near = around(men[kKing]);
    Bits found = near | around(near);
    // With the second half, from a square that is empty.
    found |= around(around(all & ~attacked) & ~all);
    // With the first half; the second must lead to safety.
    for (Bits left = all & ~men[kKing]; left;) {
      const int square = take_first(left);
      if (kNeighbours[square] & ~without(square).attacks()) found |= kNeighbours[square];
    }
    return found;
  }

  std::uint64_t key() const {
    Hash hash;
    for (Bits kind : men) hash.add(kind);
    return hash.value();
  }
};

struct Shot {
  int kind;
  int from;
  int to;
  Bits replies;  // squares where the white king is safe after its turn
};

// The results for an army that is to move, as sets of squares of the white king.
struct Ground {
  std::array<Bits, kMostTurns + 1> won = {};   // Black wins within this many turns
  std::array<Bits, kMostTurns + 1> open = {};  // no win within this many turns was found
};

class Hunt {
 public:
  // Whether a search one turn deeper would take too long.
  bool is_wide() const { return grounds_.size() > kManyArmies; }

  // Whether Black, to move, takes the king within this many turns.
  bool wins(const Army& army, int king, std::size_t turns) {
    Ground& known = ground(army);  // stays valid while others are added
    if (has(known.won[turns], king)) return true;
    if (has(known.open[turns], king)) return false;
    const bool is_won = find(army, king, turns).has_value();
    if (is_won) {
      for (std::size_t more = turns; more <= kMostTurns; ++more) known.won[more] |= bit(king);
    } else {
      for (std::size_t less = 0; less <= turns; ++less) known.open[less] |= bit(king);
    }
    return is_won;
  }

  // The first move of such a win, if one is found. The white king must not be attacked.
  std::optional<Shot> find(const Army& army, int king, std::size_t turns) {
    std::vector<Shot>& shots = shots_[turns];
    list(army, king, turns, shots);
    Bits refuting = 0;  // replies that have saved White from other moves
    for (const Shot& shot : shots) {
      const Army next = army.moved(shot.kind, shot.from, shot.to);
      if (shot.replies) {
        const Ground& known = ground(next);
        if (shot.replies & known.open[turns - 1]) {
          refuting |= shot.replies & known.open[turns - 1];
          continue;
        }
      }
      bool holds = true;
      for (Bits part : {shot.replies & refuting, shot.replies & ~refuting}) {
        while (holds && part) {
          const int reply = take_first(part);
          holds = wins(next, reply, turns - 1);
          if (!holds) refuting |= bit(reply);
        }
      }
      if (holds) return shot;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMostReplies = 5;

  // Lists the moves after which White can neither take the king nor take a man safely, and has at
  // most kMostReplies safe squares (none if two turns are left), by their number of safe squares.
  static void list(const Army& army, int king, std::size_t turns, std::vector<Shot>& shots) {
    shots.clear();
    const int most = turns == 2 ? 0 : kMostReplies;
    army.for_each_move([&](int kind, int from, int to) {
      const Army next = army.moved(kind, from, to);
      const Bits attacked = next.attacks();
      const Bits replies = around(around(bit(king)) & ~next.all) & ~next.all & ~attacked;
      if (count(replies) > most || has(next.punished(attacked), king)) return;
      shots.push_back({kind, from, to, replies});
    });
    std::sort(shots.begin(), shots.end(),
              [](const Shot& a, const Shot& b) { return count(a.replies) < count(b.replies); });
  }

  // The results for an army; those for up to two turns are always complete.
  Ground& ground(const Army& army) {
    const auto [place, is_new] = grounds_.try_emplace(army.key());
    Ground& known = place->second;
    if (is_new) {
      const Bits attacked = army.attacks();
      const Bits two = attacked | trapped(army);
      known.won.fill(two);
      known.won[0] = 0;
      known.won[1] = attacked;
      known.open[0] = ~Bits{0};
      known.open[1] = ~attacked;
      known.open[2] = ~two;
    }
    return known;
  }

  // The squares where the white king is lost after some move, whatever White replies.
  static Bits trapped(const Army& army) {
    Bits found = 0;
    army.for_each_move([&](int kind, int from, int to) {
      const Army next = army.moved(kind, from, to);
      const Bits attacked = next.attacks();
      const Bits caught = ~next.before(~attacked) & ~next.all & ~army.all & ~found;
      if (caught) found |= caught & ~next.punished(attacked);
    });
    return found;
  }

  std::unordered_map<std::uint64_t, Ground> grounds_;
  std::array<std::vector<Shot>, kMostTurns + 1> shots_;
};

}  // namespace

std::optional<Action> forced_hunt(const Position& p, int turns) {
  if (p.side[0] != p.men(0, kKing) || p.mover != 1) return std::nullopt;
  Army army{};
  for (int kind = kPawn; kind <= kKing; ++kind) {
    army.men[kind] = p.men(1, kind);
  }
  army.all = p.side[1];
  const int king = p.king(0);
  if (has(army.attacks(), king)) return std::nullopt;  // a search of one ply finds the capture
  Hunt hunt;
  const std::size_t last = std::min(static_cast<std::size_t>(turns), kMostTurns);
  for (std::size_t most = 2; most <= last && !hunt.is_wide(); ++most) {
    if (const auto shot = hunt.find(army, king, most)) return number_of({shot->from, shot->to, 0});
  }
  return std::nullopt;
}

}  // namespace rulezero
