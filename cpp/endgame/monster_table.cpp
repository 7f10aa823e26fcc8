#include "endgame/monster_table.h"

#include <algorithm>

#include "base/random.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr int kMostOnBoard = static_cast<int>(kMostMen) + 2;

// The number of men of each kind and side, in four bits each.
std::uint64_t key_of_men(const Material& material) {
  std::uint64_t key = 0;
  for (const auto& man : material.men()) key += Bits{1} << (4 * (man.seat * kLetters + man.kind));
  return key;
}

std::uint64_t key_of_men(const Position& p) {
  std::uint64_t key = 0;
  for (int seat = 0; seat < 2; ++seat) {
    for (int kind = kPawn; kind < kKing; ++kind) {
      key += static_cast<Bits>(count(p.men(seat, kind))) << (4 * (seat * kLetters + kind));
    }
  }
  return key;
}

Setup setup_of(const Material& material, const Position& p) {
  Setup setup;
  setup.king = p.king(1);
  std::size_t i = 0;
  while (i < material.men().size()) {
    const auto& man = material.men()[i];
    for (Bits men = p.men(man.seat, man.kind); men;) {
      setup.men[i++] = static_cast<std::uint8_t>(take_first(men));
    }
  }
  return setup;
}

// Whether verdict `a` is better than `b` for a seat: early wins and late losses are better.
bool is_better(int a, int b, int seat) {
  if (seat == 1) {
    a = -a;
    b = -b;
  }
  const auto rank = [](int verdict) { return verdict == 0 ? 0.0 : 1.0 / verdict; };
  return rank(a) > rank(b);
}

}  // namespace

Position position_of(const Material& material, const Setup& setup, Stage stage, int white_king) {
  Position p = empty_position();
  p.put(setup.king, 1, kKing);
  for (std::size_t i = 0; i < material.men().size(); ++i) {
    p.put(setup.men[i], material.men()[i].seat, material.men()[i].kind);
  }
  if (white_king != kNone) p.put(white_king, 0, kKing);
  p.mover = stage == kBlackTurn;
  p.half_made = stage == kSecondHalf;
  return p;
}

MonsterTable::MonsterTable(Material material, Guarded verdicts)
    : material_(std::move(material)), verdicts_(std::move(verdicts)) {
  if (verdicts_.size() != size(material_)) {
    throw GameError("a table of " + material_.text() + " has " + std::to_string(size(material_)) +
                    " verdicts, not " + std::to_string(verdicts_.size()));
  }
}

void MonsterTables::add(MonsterTable table) {
  const std::uint64_t key = key_of_men(table.material());
  tables_.insert_or_assign(key, std::move(table));
}

const MonsterTable* MonsterTables::find(const Material& material) const {
  const auto found = tables_.find(key_of_men(material));
  return found == tables_.end() ? nullptr : &found->second;
}

std::optional<Verdict> MonsterTables::verdict(const Position& p) const {
  if (count(p.occupied()) > kMostOnBoard || may_castle(p)) return std::nullopt;
  const int white_king = p.king(0);
  if (white_king == kNone || p.king(1) == kNone || p.en_passant != kNone) return std::nullopt;
  const auto found = tables_.find(key_of_men(p));
  if (found == tables_.end()) return std::nullopt;
  const MonsterTable& table = found->second;
  const Place place = table.material().place(setup_of(table.material(), p));
  return table.row(place.index, stage_of(p))[place.turned(white_king)];
}

std::optional<Proof> MonsterTables::proof(const Monster& rules, const Position& p) const {
  const auto known = verdict(p);
  if (!known) return std::nullopt;
  if (*known == 0) return Proof{0, 0};
  const int distance = std::abs(*known);
  const bool mover_wins = (*known > 0) == (p.mover == 0);
  const int turns = 2 * distance - (mover_wins ? 1 : 0);
  if (turns > rules.turns_left(p)) return Proof{0, 0};
  return Proof{*known > 0 ? 1.0f : -1.0f, distance};
}

Summary summarise(const MonsterTable& table) {
  Summary found;
  const Material& material = table.material();
  for (std::size_t index = 0; index < material.setups(); ++index) {
    const Setup setup = material.setup(index);
    if (!material.is_possible(setup)) continue;
    const Bits men = material.squares(setup);
    const Bits attacked = orthodox_attacks<1>(position_of(material, setup, kBlackTurn, kNone), men);
    const auto images = static_cast<std::uint64_t>(material.images(index));
    for (Stage stage : {kFirstHalf, kBlackTurn}) {
      const int mover = stage == kBlackTurn;
      const Verdict* row = table.row(index, stage);
      for (Bits squares = ~men; squares;) {
        const int square = take_first(squares);
        const int verdict = row[square];
        const auto add = [&](Count& count) {
          (verdict > 0 ? count.white : verdict < 0 ? count.black : count.drawn) += images;
        };
        add(found.all[mover]);
        if (!has(attacked, square)) add(found.quiet[mover]);
        Longest& longest = found.longest[verdict < 0];
        if (std::abs(verdict) > longest.turns) {
          longest = {std::abs(verdict), position_of(material, setup, stage, square)};
        }
      }
    }
  }
  return found;
}

std::optional<Position> find_error(const Monster& rules, const MonsterTables& tables,
                                   const MonsterTable& table, std::uint64_t samples,
                                   std::uint64_t seed) {
  const Material& material = table.material();
  std::vector<Action> actions;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    KeyedRandom dice({seed, sample});
    const Setup setup = material.setup(dice.below(static_cast<std::uint32_t>(material.setups())));
    const auto stage = static_cast<Stage>(dice.below(static_cast<std::uint32_t>(kStages)));
    const auto white_king = static_cast<int>(dice.below(64));
    if (!material.is_possible(setup) || has(material.squares(setup), white_king)) continue;
    const Position p = position_of(material, setup, stage, white_king);
    const auto moment = begin(rules, p);
    int best = 0;
    if (!rules.expand(moment, actions)) {
      bool is_first = true;
      for (Action action : actions) {
        const Position next = rules.apply(p, action);
        const bool is_over = next.king(0) == kNone || next.king(1) == kNone;
        const auto known = is_over ? std::optional<Verdict>(0) : tables.verdict(next);
        if (!known) throw GameError("there is no table for " + rules.text(next));
        int verdict = *known;
        if (is_over) {
          verdict = p.mover == 0 ? 1 : -1;
        } else if (verdict > 0 && stage == kSecondHalf) {
          ++verdict;  // White's turn ends with this half
        } else if (verdict < 0 && stage == kBlackTurn) {
          --verdict;
        }
        if (is_first || is_better(verdict, best, p.mover)) best = verdict;
        is_first = false;
      }
    }
    if (best != *tables.verdict(p)) return p;
  }
  return std::nullopt;
}

}  // namespace rulezero
