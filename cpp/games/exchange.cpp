#include "games/exchange.h"

#include "games/exchange/action.h"
#include "games/exchange/planes.h"
#include "games/exchange/reach.h"
#include "games/exchange/rules.h"
#include "games/exchange/text.h"

namespace rulezero {

using namespace exchange;

namespace {

struct Column {
  const char* name;
  int Deeds::* number;
};

constexpr Column kColumns[] = {
    {"damage", &Deeds::damage},
    {"healed", &Deeds::healed},
    {"missing", &Deeds::missing},
    {"absorbed", &Deeds::absorbed},
    {"decree_bonus", &Deeds::decree_bonus},
    {"self_damage", &Deeds::self_damage},
    {"killed", &Deeds::killed},
    {"promoted", &Deeds::promoted},
    {"pawn_advance", &Deeds::pawn_advance},
    {"king_distance", &Deeds::king_distance},
    {"king_attackers", &Deeds::king_attackers},
    {"strike", &Deeds::strike},
    {"combo", &Deeds::combo},
    {"overextend", &Deeds::overextend},
    {"skirmish", &Deeds::skirmish},
    {"consecration", &Deeds::consecration},
    {"decree", &Deeds::decree},
    {"interpose", &Deeds::interpose},
};

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

// The roll that dice=fixed:N fixes, or 0 for d6.
int read_dice(std::string_view dice) {
  constexpr std::string_view kFixed = "fixed:";
  if (dice == "d6") return 0;
  if (dice.starts_with(kFixed)) {
    const auto roll = read_number(dice.substr(kFixed.size()), 6);
    if (roll && *roll >= 1) return *roll;
  }
  throw GameError("dice is d6 or fixed:1 to fixed:6, not " + quoted(dice));
}

}  // namespace

Exchange::Exchange(const Options& options)
    : fixed_roll_(read_dice(options.find("dice")->second)),
      facts_{
          .name = std::string(kName),
          .actions = static_cast<int>(kActions),
          .slots = kSlots,
          .planes = {kChannels, 8, 8},
          .max_plies = fixed_roll_ ? kLastPly : 2 * kLastPly,
          .has_chance = fixed_roll_ == 0,
          .events = column_names(),
          .plane_names = channel_names(),
          .policy_layout = "from_to",
          .typical_plies = fixed_roll_ ? 0.0 : 111.0,
          .typical_moves = fixed_roll_ ? 0.0 : 30.0,
          .constants = {{"decree_length", kDecreeLength}, {"overextend_cost", kOverextendCost}}} {}

Exchange::Position Exchange::start(std::uint64_t, const Options& options) const {
  check_options(options, {}, "the start of exchange");
  return start_position();
}

Exchange::Position Exchange::parse(std::string_view text) const {
  std::string_view pending;
  Position position = read_position(text, pending);
  if (pending.empty()) return position;
  if (fixed_roll_) {
    throw PositionError("with fixed dice no die is ever pending: drop the field die:" +
                        std::string(pending.substr(0, 8)));
  }
  std::vector<Action> actions;
  if (!expand(begin(*this, position), actions)) {
    for (Action action : actions) {
      if (!needs_die(action) || say_action(action) != pending) continue;
      position.pending = action;
      return position;
    }
  }
  throw PositionError(quoted(pending) + " cannot wait for a die: it is not a legal strike or " +
                      "heal in this position");
}

std::string Exchange::text(const Position& position) const { return write_position(position); }

Key Exchange::key(const Position& position) const { return key_of(position); }

int Exchange::lookback(const Position& position) const {
  // Damage is never undone: healing spends a charge, and charges do not come back. So a position
  // with an equal key comes after the last damage and the last heal. No die was rolled since then,
  // so every moment is one quiet ply. The shortest cycle is two moves away and two moves back.
  if (position.pending != kNoAction || position.quiet < kShortestCycle) return 0;
  return position.quiet;
}

int Exchange::exact_horizon(const Position& position) const {
  const int played = position.ply + (position.pending != kNoAction);
  return std::min(kShortestCycle, kLastPly - 1 - played);
}

int Exchange::mover(const Position& position) const {
  return position.pending == kNoAction ? position.side : kChance;
}

std::optional<Ending> Exchange::expand(const Moment<Position>& moment,
                                       std::vector<Action>& actions) const {
  actions.clear();
  const Position& position = moment.position;
  if (position.pending != kNoAction) {
    for (int roll = 1; roll <= 6; ++roll) actions.push_back(face(roll));
    return std::nullopt;
  }
  if (const auto ending = ending_of(position, moment.times)) return ending;
  list_actions(position, actions);
  if (actions.empty()) return Ending{0.0f, "no action"};
  return std::nullopt;
}

Exchange::Position Exchange::apply(const Position& position, Action action) const {
  Deeds deeds;
  if (is_face(action)) return carry_out(position, position.pending, roll_of(action), deeds);
  if (fixed_roll_ || !needs_die(action)) return carry_out(position, action, fixed_roll_, deeds);
  Position next = position;
  next.pending = action;
  return next;
}

void Exchange::encode(const Moment<Position>& moment, std::span<float> planes) const {
  encode_planes(moment.position, moment.times, planes);
}

int Exchange::slot(const Position& position, Action action) const {
  return slot_of(action, king_square(position, position.side));
}

void Exchange::events(const Position& position, Action action, std::span<float> row) const {
  const bool waits = !fixed_roll_ && needs_die(action);
  if (waits) return;
  Deeds deeds;
  const bool rolled = is_face(action);
  const Position next = carry_out(position, rolled ? position.pending : action,
                                  rolled ? roll_of(action) : fixed_roll_, deeds);
  deeds.king_attackers = king_attackers(next, position.side);
  std::size_t at = 0;
  for (const Column& column : kColumns) row[at++] = static_cast<float>(deeds.*column.number);
}

InfoRows Exchange::info(const Position& position) const {
  InfoRows rows;
  for (int seat : {0, 1}) {
    if (position.decree[seat] == 0) continue;
    rows.emplace_back("Decree", facts_.seat_names[seat] + " for " +
                                    std::to_string(position.decree[seat]) + " more actions");
  }
  for (Bits men = occupied(position); men;) {
    const int square = take_first(men);
    const Man man = man_at(position, square);
    const Kind& kind = kKinds[man.type];
    std::string words =
        facts_.seat_names[man.seat] + "'s " + kind.letter + ", " + std::to_string(man.hp) + " HP";
    if (man.charges != kind.charges) words += ", charges " + std::to_string(man.charges);
    if (man.counter > 0) {
      words += (man.type == kPawn ? ", Advance waits " : ", ability waits ") +
               std::to_string(man.counter);
    }
    if (man.promoted) words += ", a promoted pawn";
    if (!is_fresh(man)) rows.emplace_back(square_name(square), words);
  }
  return rows;
}

std::string Exchange::kind(const Position& position, Action action) const {
  const Choice choice = choice_of(action);
  switch (choice.deed) {
    case Deed::kStrike:
      return "strikes";
    case Deed::kDash:
      return type_at(position, choice.from) == kQueen ? "Overextend" : "combos";
    case Deed::kSkirmish:
      return "Skirmish";
    case Deed::kHeal:
      return "Consecration";
    case Deed::kDecree:
      return "Royal Decree";
    case Deed::kMove:
    case Deed::kFace:
      break;
  }
  return "moves";
}

std::string Exchange::say(const Position&, Action action) const { return say_action(action); }

std::vector<Cell> Exchange::cells(const Position& position) const {
  std::vector<Cell> cells(kSquares);
  for (Bits men = occupied(position); men;) {
    const int square = take_first(men);
    const int seat = seat_at(position, square);
    cells[square] = {std::string(1, letter_of(type_at(position, square), seat)), seat,
                     std::to_string(position.hp[square])};
  }
  return cells;
}

}  // namespace rulezero
