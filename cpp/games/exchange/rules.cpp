#include "games/exchange/rules.h"

#include "base/hash.h"
#include "games/exchange/action.h"
#include "games/exchange/reach.h"

namespace rulezero::exchange {
namespace {

void list_overextends(const Position& p, int from, std::vector<Action>& actions) {
  const Bits enemies = p.men[1 - p.side];
  const Bits men = occupied(p) & ~bit(from);
  // Sight is mutual: an enemy is seen from exactly the squares that the enemies see.
  for (Bits landings = moves_of(p, from) & sight_within_three(enemies, men); landings;) {
    const int landing = take_first(landings);
    for (Bits victims = all_sight(landing, men) & kWithinThree[landing] & enemies; victims;) {
      actions.push_back(dash(from, landing, take_first(victims)));
    }
  }
}

void list_combos(const Position& p, int from, std::vector<Action>& actions) {
  const Bits enemies = p.men[1 - p.side];
  for (Bits landings = moves_of(p, from) & beside(enemies); landings;) {
    const int landing = take_first(landings);
    for (Bits victims = kBeside[landing] & enemies; victims;) {
      actions.push_back(dash(from, landing, take_first(victims)));
    }
  }
}

void list_skirmishes(const Position& p, int from, std::vector<Action>& actions) {
  for (Bits victims = kBeside[from] & p.men[1 - p.side]; victims;) {
    const int victim = take_first(victims);
    for (Bits steps = kNeighbours[from] & ~occupied(p); steps;) {
      actions.push_back(skirmish(from, victim, take_first(steps)));
    }
  }
}

// Takes HP from a man, who leaves the board at 0. Returns the HP that he lost, at most what he had.
int wound(Position& p, int square, int amount) {
  const int lost = std::min<int>(amount, p.hp[square]);
  p.hp[square] = static_cast<std::uint8_t>(p.hp[square] - lost);
  if (p.hp[square] == 0) lift(p, square);
  return lost;
}

// Deals a strike's damage to the victim and to a rook that shields him.
void hit(Position& p, int victim, int damage, Deeds& deeds) {
  const int before = count(occupied(p));
  const int guard = guard_of(p, victim, occupied(p));
  int share = damage;
  if (guard >= 0) {
    share = damage / 2;
    set_charges(p, guard, charges_at(p, guard) - 1);
    set_counter(p, guard, kCooldown);
    deeds.interpose = 1;
    deeds.absorbed = wound(p, guard, damage - share);
  }
  deeds.damage = deeds.absorbed + wound(p, victim, share);
  deeds.killed = before - count(occupied(p));
}

void relocate(Position& p, int from, int to) {
  const Man man = man_at(p, from);
  lift(p, from);
  put(p, to, man);
}

// Spends one charge and starts the cooldown of the man on this square.
void spend(Position& p, int square) {
  if (charges_at(p, square) > 0) set_charges(p, square, charges_at(p, square) - 1);
  set_counter(p, square, kCooldown);
}

void move_pawn(Position& p, int from, int to, Deeds& deeds) {
  Man man = man_at(p, from);
  lift(p, from);
  deeds.pawn_advance = 1;
  const bool is_advance = king_steps(from, to) == 2 && !has(start_rank(man.seat), from);
  if (is_advance) man.counter = kAdvanceWait;
  if (has(last_rank(man.seat), to)) {
    deeds.promoted = 1;
    const int hp = std::max(1, kKinds[kQueen].hp * man.hp / kKinds[kPawn].hp);
    man = {kQueen, man.seat, hp, kKinds[kQueen].charges, 0, true};
  }
  put(p, to, man);
}

// Counts down the counters of these men by one.
void tick(Position& p, Bits men) {
  for (men &= p.waiting; men;) {
    const int square = take_first(men);
    set_counter(p, square, counter_at(p, square) - 1);
  }
}

void end_ply(Position& p, bool dealt_damage, bool activated_decree) {
  const int mover = p.side;
  p.quiet = dealt_damage ? std::uint16_t{0}
                         : static_cast<std::uint16_t>(std::min<int>(p.quiet + 1, kLastPly));
  ++p.ply;
  p.side = static_cast<std::uint8_t>(1 - mover);
  if (p.decree[mover] > 0 && !activated_decree) --p.decree[mover];
  tick(p, p.men[mover] & ~p.types[kPawn]);
  tick(p, p.men[p.side] & p.types[kPawn]);
}

}  // namespace

void list_actions(const Position& p, std::vector<Action>& actions) {
  const Bits enemies = p.men[1 - p.side];
  for (Bits men = p.men[p.side]; men;) {
    const int from = take_first(men);
    for (Bits to = moves_of(p, from); to;) actions.push_back(move(from, take_first(to)));
    for (Bits victims = standing_reach(p, from) & enemies; victims;) {
      actions.push_back(strike(from, take_first(victims)));
    }
    switch (type_at(p, from)) {
      case kKing:
        if (is_ready(p, from)) actions.push_back(kDecreeAction);
        break;
      case kQueen:
        if (is_ready(p, from)) list_overextends(p, from, actions);
        break;
      case kBishop:
        for (Bits allies = healable(p, from); allies;) {
          actions.push_back(heal(from, take_first(allies)));
        }
        break;
      case kKnight:
        list_combos(p, from, actions);
        if (is_ready(p, from)) list_skirmishes(p, from, actions);
        break;
      case kRook:
      case kPawn:
        break;
    }
  }
}

Position carry_out(const Position& before, Action action, int roll, Deeds& deeds) {
  Position p = before;
  p.pending = kNoAction;
  const int mover = p.side;
  const Choice choice = choice_of(action);
  const int bonus = bonus_of(p, mover);
  const int enemy_king = king_square(p, 1 - mover);
  if (choice.to >= 0 && enemy_king >= 0) {
    deeds.king_distance = king_steps(choice.from, enemy_king) - king_steps(choice.to, enemy_king);
  }
  const auto strike_with = [&](int striker) {
    deeds.decree_bonus = bonus;
    hit(p, choice.target, kKinds[type_at(p, striker)].damage + roll + bonus, deeds);
  };
  switch (choice.deed) {
    case Deed::kMove:
      if (type_at(p, choice.from) == kPawn) {
        move_pawn(p, choice.from, choice.to, deeds);
      } else {
        relocate(p, choice.from, choice.to);
      }
      break;
    case Deed::kStrike:
      deeds.strike = 1;
      strike_with(choice.from);
      break;
    case Deed::kHeal:
      deeds.consecration = 1;
      deeds.decree_bonus = bonus;
      deeds.missing = missing_at(p, choice.target);
      deeds.healed = std::min(roll + bonus, deeds.missing);
      p.hp[choice.target] = static_cast<std::uint8_t>(p.hp[choice.target] + deeds.healed);
      spend(p, choice.from);
      break;
    case Deed::kDecree:
      deeds.decree = 1;
      p.decree[mover] = kDecreeLength;
      if (const int king = king_square(p, mover); king >= 0) {
        set_charges(p, king, charges_at(p, king) - 1);
      }
      break;
    case Deed::kDash: {
      const bool is_queen = type_at(p, choice.from) == kQueen;
      relocate(p, choice.from, choice.to);
      strike_with(choice.to);
      if (is_queen) {
        deeds.overextend = 1;
        spend(p, choice.to);
        deeds.self_damage = wound(p, choice.to, kOverextendCost);
      } else {
        deeds.combo = 1;
      }
      break;
    }
    case Deed::kSkirmish:
      deeds.skirmish = 1;
      strike_with(choice.from);
      spend(p, choice.from);
      relocate(p, choice.from, choice.to);
      break;
    case Deed::kFace:
      break;
  }
  end_ply(p, deeds.damage > 0, choice.deed == Deed::kDecree);
  return p;
}

std::optional<Ending> ending_of(const Position& p, int times) {
  const Bits kings = p.types[kKing];
  for (int seat : {0, 1}) {
    if (!(p.men[seat] & kings)) return Ending{to_seat0(-1, seat), "king"};
  }
  if (occupied(p) == kings) return Ending{0.0f, "only kings"};
  if (times >= 3) return Ending{0.0f, "repetition"};
  if (p.ply >= kLastPly) return Ending{0.0f, "300 plies"};
  return std::nullopt;
}

Key key_of(const Position& p) {
  Hash hash;
  const auto add_bytes = [&](const BySquare<std::uint8_t>& bytes) {
    for (int at = 0; at < kSquares; at += 8) {
      std::uint64_t word = 0;
      for (int i = 0; i < 8; ++i) word |= std::uint64_t{bytes[at + i]} << (8 * i);
      hash.add(word);
    }
  };
  add_bytes(p.hp);
  add_bytes(p.gear);
  hash.add(p.men[0]);
  hash.add(std::uint64_t{p.pending} << 32 | std::uint64_t{p.side} << 16 |
           std::uint64_t{p.decree[0]} << 8 | std::uint64_t{p.decree[1]});
  return hash.value();
}

}  // namespace rulezero::exchange
