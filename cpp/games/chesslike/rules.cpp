#include "games/chesslike/rules.h"

#include <cstdlib>

namespace rulezero::chesslike {

bool read_choice(const Options& options, std::string_view name, std::string_view usual,
                 std::string_view other) {
  const std::string& value = options.find(name)->second;
  if (value != usual && value != other) {
    throw GameError(std::string(name) + " is " + std::string(usual) + " or " + std::string(other) +
                    ", not " + quoted(value));
  }
  return value == other;
}

std::vector<PieceSpec> orthodox_pieces() {
  const std::vector<Vector> straight = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
  const std::vector<Vector> diagonal = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
  const std::vector<Vector> knight = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                      {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
  std::vector<Vector> all = straight;
  all.insert(all.end(), diagonal.begin(), diagonal.end());

  PatternSpec step{
      .kind = PatternSpec::Kind::kSlide, .vectors = {{0, 1}}, .range = 1, .captures = false};
  PatternSpec double_step = step;
  double_step.range = 2;
  double_step.initial_only = true;
  PatternSpec strike{
      .kind = PatternSpec::Kind::kLeap, .vectors = {{-1, 1}, {1, 1}}, .moves = false};

  std::vector<PieceSpec> pieces(kLetters);
  pieces[kPawn] = {.name = "pawn",
                   .symbol = "P",
                   .value = 1,
                   .patterns = {step, double_step, strike},
                   .en_passant = true,
                   .promotion = PromotionSpec{8, {"Q", "R", "B", "N"}}};
  pieces[kKnight] = {.name = "knight",
                     .symbol = "N",
                     .value = 3,
                     .patterns = {{.kind = PatternSpec::Kind::kLeap, .vectors = knight}}};
  pieces[kBishop] = {.name = "bishop",
                     .symbol = "B",
                     .value = 3,
                     .patterns = {{.kind = PatternSpec::Kind::kSlide, .vectors = diagonal}}};
  pieces[kRook] = {.name = "rook",
                   .symbol = "R",
                   .value = 5,
                   .patterns = {{.kind = PatternSpec::Kind::kSlide, .vectors = straight}}};
  pieces[kQueen] = {.name = "queen",
                    .symbol = "Q",
                    .value = 9,
                    .patterns = {{.kind = PatternSpec::Kind::kSlide, .vectors = all}}};
  pieces[kKing] = {.name = "king",
                   .symbol = "K",
                   .royal = true,
                   .patterns = {{.kind = PatternSpec::Kind::kLeap, .vectors = all}},
                   .castles_kingside = true,
                   .castles_queenside = true};
  return pieces;
}

std::vector<Cell> BaseGame::cells(const Position& p) const {
  std::vector<Cell> cells(64);
  for (Bits men = p.occupied(); men;) {
    const int square = take_first(men);
    cells[square] = {table().spec(p.kind_at(square)).symbol, p.seat_at(square), ""};
  }
  return cells;
}

Move BaseGame::read_action(const Position& p, Action action) const {
  Move move = move_of(action);
  if (!rules_.two_square_castling || p.kind_at(move.from) != kKing) return move;
  const int files = file_of(move.to) - file_of(move.from);
  if (std::abs(files) != 2) return move;
  move.to = p.castling[p.mover][files > 0 ? kKingside : kQueenside];
  return move;
}

void BaseGame::write_castling_actions(const Position& p, std::vector<Action>& actions) const {
  const auto& rights = p.castling[p.mover];
  const bool has_rights = rights[kKingside] != kNone || rights[kQueenside] != kNone;
  if (!rules_.two_square_castling || !has_rights) return;
  for (Action& action : actions) {
    const Move move = move_of(action);
    const int wing = castling_wing(p, move);
    if (wing < 0) continue;
    action = number_of({move.from, castling_squares(p.mover, wing).king, 0});
  }
}

void BaseGame::write_move_events(const Position& p, Action action, std::span<float> row) const {
  const Move move = read_action(p, action);
  const bool en_passant = is_en_passant(table(), p, move);
  row[0] = en_passant || has(p.side[1 - p.mover], move.to);
  row[1] = move.promotion != 0;
  row[2] = castling_wing(p, move) >= 0;
  row[3] = en_passant;
}

}  // namespace rulezero::chesslike
