#include "games/monster.h"

#include "games/board_text.h"
#include "games/chesslike/orthodox.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr int kTurnLimit = 150;
constexpr int kPlanes = 15;

// Number of turns so far; White's pair of moves is one turn.
int turns_played(const Position& p) { return 2 * (p.number - 1) + p.mover; }

bool has_lost_king(const Position& p, int seat) { return p.men(seat, kKing) == 0; }

// Clears castling rights, en passant and the second half when a king is gone.
void clear_pending(Position& p) {
  for (auto& wings : p.castling) wings = {kNone, kNone};
  p.en_passant = kNone;
  p.half_made = false;
}

// Whether a pawn of the mover can capture en passant, without regard to the king's safety.
bool can_use_en_passant(const Position& p) {
  return p.mover == 0 ? en_passant_takers<0>(p) : en_passant_takers<1>(p);
}

}  // namespace

Monster::Monster()
    : BaseGame({.table = std::make_shared<PieceTable>(orthodox_pieces()),
                .castling = CastlingField::kHomeSquares,
                .two_square_castling = true}) {
  facts_ = {.name = std::string(kName),
            .actions = 5 * 4096,
            .slots = 4096,
            .planes = {kPlanes, 8, 8},
            .max_plies = 225,
            .has_tables = true,
            .events = {"capture", "promotion", "castling", "en_passant", "king"},
            .human_seat = 1,
            .plane_names = {"White pawns", "White knights", "White bishops", "White rooks",
                            "White queens", "White king", "Black pawns", "Black knights",
                            "Black bishops", "Black rooks", "Black queens", "Black king",
                            "White to move", "second half", "rank of White pawns"},
            .policy_layout = "from_to",
            .typical_plies = 92,
            .typical_moves = 15,
            .pgn_variants = {"Monster", "monsterchess"}};
}

Monster::Position Monster::start(std::uint64_t, const Options& options) const {
  check_options(options, {}, "the start of monster");
  return parse("rnbqkbnr/pppppppp/8/8/8/8/2PPPP2/4K3 w kq - 0 1");
}

Monster::Position Monster::parse(std::string_view text) const {
  const auto fields = split(text, ' ');
  if (fields.size() != 6 && fields.size() != 7) {
    throw PositionError(
        "a position is a FEN with six fields, and a seventh field + if White's second half is "
        "pending, not " +
        quoted(text));
  }
  Position p = empty_position();
  read_men(table(), fields[0], p);
  check_men(table(), p, true);
  p.mover = read_side(fields[1], "wb");
  if (fields[2].find_first_of("KQ") != std::string_view::npos) {
    throw PositionError("White never castles: drop K and Q from the castling field");
  }
  read_castling(table(), rules_.castling, fields[2], p);
  if (fields.size() == 7) {
    if (fields[6] != "+") throw PositionError("the seventh field is +, not " + quoted(fields[6]));
    if (p.mover != 0) throw PositionError("only White has a second half: + needs White to move");
    p.half_made = true;
  }
  if (const int square = read_en_passant(fields[3]); square != kNone) {
    if (p.half_made) {
      throw PositionError("en passant is not possible with the second half: write -");
    }
    // A pawn of the other side must have just passed the square.
    const int step = p.mover == 0 ? -8 : 8;
    const int rank = p.mover == 0 ? 5 : 2;
    if (rank_of(square) != rank || !has(p.men(1 - p.mover, kPawn), square + step) ||
        has(p.occupied(), square) || has(p.occupied(), square - step)) {
      throw PositionError("no pawn has just passed the en-passant square " + quoted(fields[3]) +
                          ": write -");
    }
    p.en_passant = static_cast<std::uint8_t>(square);
    if (!can_use_en_passant(p)) p.en_passant = kNone;
  }
  // Any number is accepted as the clock and ignored: the rules of Monster do not use it.
  if (fields[4].empty() || fields[4].find_first_not_of("0123456789") != std::string_view::npos) {
    throw PositionError("the fifth field is a number, not " + quoted(fields[4]));
  }
  const auto number = read_number(fields[5], kLargestCounter);
  if (!number || *number == 0) {
    throw PositionError("the sixth field is a move number from 1 to 9999, not " +
                        quoted(fields[5]));
  }
  p.number = static_cast<std::uint16_t>(*number);
  for (int seat = 0; seat < 2; ++seat) {
    if (!has_lost_king(p, seat)) continue;
    clear_pending(p);
    p.mover = static_cast<std::uint8_t>(seat);
  }
  return p;
}

std::string Monster::text(const Position& p) const {
  return write_fields(table(), p) + "0 " + std::to_string(p.number) + (p.half_made ? " +" : "");
}

// A first half is legal if it captures the king, or if a second half can follow that captures the
// king or leaves the own king unattacked. If there is no such first half, any second half will do.
void Monster::list_first_halves(const Position& p, std::vector<Action>& actions) const {
  list_pseudo(table(), p, actions);
  const auto keep = [&](auto begins) {
    std::vector<Action> kept;
    for (Action action : actions) {
      const Position next = apply(p, action);
      if (has_lost_king(next, 1) || begins(next)) kept.push_back(action);
    }
    return kept;
  };
  std::vector<Action> good = keep([&](const Position& next) { return has_careful(table(), next); });
  if (good.empty()) {
    std::vector<Action> seconds;
    good = keep([&](const Position& next) {
      seconds.clear();
      list_pseudo(table(), next, seconds);
      return !seconds.empty();
    });
  }
  actions = std::move(good);
}

int Monster::turns_left(const Position& p) const { return kTurnLimit - turns_played(p); }

int Monster::exact_horizon(const Position& p) const { return turns_left(p) - 1; }

std::optional<Ending> Monster::expand(const Moment<Position>& moment,
                                      std::vector<Action>& actions) const {
  const Position& p = moment.position;
  actions.clear();
  if (has_lost_king(p, 1)) return Ending{1.0f, "king"};
  if (has_lost_king(p, 0)) return Ending{-1.0f, "king"};
  if (turns_played(p) >= kTurnLimit) return Ending{0.0f, "150 turns"};
  if (p.mover == 0 && !p.half_made) {
    list_first_halves(p, actions);
  } else {
    list_careful(table(), p, actions);
    if (actions.empty()) list_pseudo(table(), p, actions);
    write_castling_actions(p, actions);
  }
  if (actions.empty()) return Ending{0.0f, "no action"};
  return std::nullopt;
}

Monster::Position Monster::apply(const Position& p, Action action) const {
  Position next = move_men(table(), p, read_action(p, action));
  next.half_made = false;
  if (p.mover == 0 && !p.half_made && !has_lost_king(next, 1)) {
    next.half_made = true;
    next.en_passant = kNone;
    return next;
  }
  end_turn(next);
  if (has_lost_king(next, next.mover)) {
    clear_pending(next);
  } else if (!can_use_en_passant(next)) {
    next.en_passant = kNone;
  }
  return next;
}

void Monster::encode(const Moment<Position>& moment, std::span<float> planes) const {
  const Position& p = moment.position;
  const auto at = [&](int plane, int square) -> float& { return planes[plane * 64 + square]; };
  for (Bits men = p.occupied(); men;) {
    const int square = take_first(men);
    at(p.seat_at(square) * kLetters + p.kind_at(square), square) = 1;
  }
  for (int square = 0; square < 64; ++square) {
    at(12, square) = p.mover == 0;
    at(13, square) = p.half_made;
  }
  for (Bits pawns = p.men(0, kPawn); pawns;) {
    const int square = take_first(pawns);
    at(14, square) = static_cast<float>(rank_of(square)) / 6;
  }
}

int Monster::slot(const Position&, Action action) const { return static_cast<int>(action) % 4096; }

bool Monster::has_mirror(const Position& p) const { return !chesslike::may_castle(p); }

bool Monster::is_check(const Position& p) const {
  return !has_lost_king(p, p.mover) && in_check(table(), p);
}

void Monster::events(const Position& p, Action action, std::span<float> row) const {
  write_move_events(p, action, row);
  row[4] = wins(p, action);
}

bool Monster::wins(const Position& p, Action action) const {
  return move_of(action).to == p.king(1 - p.mover);
}

std::string Monster::san(const Moment<Position>& moment, Action action,
                         std::span<const Action> legal) const {
  const Position& p = moment.position;
  return unmarked_san(p, action, legal) + (wins(p, action) ? "#" : "");
}

}  // namespace rulezero
