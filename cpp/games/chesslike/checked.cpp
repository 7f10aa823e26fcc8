#include "games/chesslike/checked.h"

#include <algorithm>

#include "games/board_text.h"
#include "games/chesslike/planes.h"

namespace rulezero::chesslike {
namespace {

constexpr int kMaxPlies = 300;  // a game is stopped here; the rules themselves have no limit
constexpr int kFiftyMoves = 100;

// Exactly K v K, K+B v K and K+N v K.
bool lacks_material(const PieceTable& table, const Position& p) {
  if (count(p.occupied()) > 3) return false;
  Bits weak = p.letter[kKing];
  for (int kind : {kBishop, kKnight}) {
    if (table.moves_as_usual(kind)) weak |= p.letter[kind];
  }
  return p.occupied() == weak;
}

// Whether the enemy's last move can have been a double step over the en-passant square.
bool is_behind_double_step(const PieceTable& table, const Position& p) {
  const int square = p.en_passant;
  const int step = p.mover == 0 ? -8 : 8;  // how the enemy pawn moved
  const int to = square + step;
  const int from = square - step;
  if (!table.takes_en_passant() || from < 0 || from > 63 || to < 0 || to > 63) return false;
  const int them = 1 - p.mover;
  return !has(p.occupied(), square) && !has(p.occupied(), from) && has(p.men(them, kPawn), to) &&
         has(table.reach(kPawn, them, from, p.occupied() ^ bit(to)).moves, to);
}

}  // namespace

CheckedGame::CheckedGame(Rules rules, bool absolute_view)
    : BaseGame(std::move(rules)), absolute_view_(absolute_view), slots_(table(), absolute_view) {
  facts_ = {.actions = 4096 * (1 + static_cast<int>(table().promotions().size())),
            .slots = 64 * slots_.planes(),
            .planes = {history_plane_count(table().kinds()), 8, 8},
            .max_plies = kMaxPlies,
            .events = {"capture", "promotion", "castling", "en_passant", "check"},
            .plane_names = history_plane_names(table(), absolute_view),
            .policy_layout = "planes"};
}

CheckedGame::Position CheckedGame::parse(std::string_view text) const {
  const auto fields = split(text, ' ');
  if (fields.size() < 4 || fields.size() > 6) {
    throw PositionError(
        "a position is a FEN (men, side, castling, en passant, two counters), not " + quoted(text));
  }
  Position p = empty_position();
  read_men(table(), fields[0], p);
  check_men(table(), p, false);
  p.mover = read_side(fields[1], "wb");
  read_castling(table(), rules_.castling, fields[2], p);
  p.en_passant = static_cast<std::uint8_t>(read_en_passant(fields[3]));
  const auto counter = [&](std::size_t field, int fallback, const char* what) {
    if (fields.size() <= field) return fallback;
    const auto value = read_number(fields[field], kLargestCounter);
    if (!value) {
      throw PositionError(std::string(what) + " is a number from 0 to 9999, not " +
                          quoted(fields[field]));
    }
    return *value;
  };
  p.clock = static_cast<std::uint16_t>(counter(4, 0, "the fifth field"));
  p.number = static_cast<std::uint16_t>(std::max(1, counter(5, 1, "the sixth field")));

  Position other = p;
  other.mover ^= 1;
  if (in_check(table(), other)) {
    throw PositionError("the side not to move is in check: give the move to the other side");
  }
  if (p.en_passant != kNone &&
      !(is_behind_double_step(table(), p) && can_take_en_passant(table(), p))) {
    p.en_passant = kNone;
  }
  return p;
}

std::string CheckedGame::text(const Position& p) const {
  return write_fields(table(), p) + std::to_string(p.clock) + " " + std::to_string(p.number);
}

std::optional<Ending> CheckedGame::drawn(const Moment<Position>& moment) const {
  if (!rules_.has_draws) return std::nullopt;
  if (moment.position.clock >= kFiftyMoves) return Ending{0.0f, "fifty moves"};
  if (moment.times >= 3) return Ending{0.0f, "repetition"};
  if (lacks_material(table(), moment.position)) return Ending{0.0f, "material"};
  return std::nullopt;
}

int CheckedGame::exact_horizon(const Position& p) const {
  if (!rules_.has_draws) return std::numeric_limits<int>::max();
  return std::min(kShortestCycle, kFiftyMoves - 1 - p.clock);
}

std::optional<Ending> CheckedGame::expand(const Moment<Position>& moment,
                                          std::vector<Action>& actions) const {
  const Position& p = moment.position;
  actions.clear();
  list_legal(table(), p, actions);
  if (actions.empty()) {
    if (!in_check(table(), p)) return Ending{0.0f, "stalemate"};
    return Ending{to_seat0(-1, p.mover), "checkmate"};
  }
  if (const auto ending = drawn(moment)) {
    actions.clear();
    return ending;
  }
  write_castling_actions(p, actions);
  return std::nullopt;
}

std::uint64_t CheckedGame::count(const Moment<Position>& moment) const {
  return drawn(moment) ? 0 : count_legal(table(), moment.position);
}

CheckedGame::Position CheckedGame::apply(const Position& p, Action action) const {
  Position next = move_men(table(), p, read_action(p, action));
  end_turn(next);
  if (next.en_passant != kNone && !can_take_en_passant(table(), next)) next.en_passant = kNone;
  return next;
}

void CheckedGame::encode(const Moment<Position>& moment, std::span<float> planes) const {
  encode_history(moment, table().kinds(), absolute_view_, planes);
}

int CheckedGame::slot(const Position& p, Action action) const {
  return slots_.slot(move_of(action), p.mover == 1 && !absolute_view_);
}

void CheckedGame::events(const Position& p, Action action, std::span<float> row) const {
  write_move_events(p, action, row);
  row[4] = in_check(table(), apply(p, action));
}

std::string CheckedGame::san(const Moment<Position>& moment, Action action,
                             std::span<const Action> legal) const {
  const Position& p = moment.position;
  const std::string text = unmarked_san(p, action, legal);
  const Position next = apply(p, action);
  if (!in_check(table(), next)) return text;
  return text + (count_legal(table(), next) == 0 ? "#" : "+");
}

}  // namespace rulezero::chesslike
