// Standard algebraic notation for any piece table.

#include "games/chesslike/rules.h"

namespace rulezero::chesslike {
namespace {

bool is_capture(const PieceTable& table, const Position& p, const Move& move) {
  return has(p.side[1 - p.mover], move.to) || is_en_passant(table, p, move);
}

bool changes_file(const Move& move) { return file_of(move.from) != file_of(move.to); }

const PieceSpec& promoted(const PieceTable& table, const Move& move) {
  return table.spec(table.promotions()[move.promotion - 1]);
}

// The text without the characters that do not distinguish moves: 'x', '-', '=', and the marks for
// check, mate and comments at the end.
std::string bare(std::string_view text) {
  while (!text.empty() && std::string_view("+#!?").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  std::string kept;
  bool in_braces = false;
  for (char letter : text) {
    in_braces = (in_braces || letter == '{') && letter != '}';
    if (in_braces || std::string_view("x-=").find(letter) == std::string_view::npos) {
      kept += letter;
    }
  }
  return kept;
}

// Whether a bare text means this move.
bool matches(const PieceTable& table, const Position& p, const Move& move, std::string_view given) {
  const int wing = castling_wing(p, move);
  if (wing >= 0) {
    const std::string_view castling = wing == kKingside ? "OO" : "OOO";
    const std::string_view zeros = wing == kKingside ? "00" : "000";
    return given == castling || given == zeros;
  }
  const int kind = p.kind_at(move.from);
  const std::string symbol = kind == kPawn ? "" : shown_symbol(table.spec(kind));
  std::string target = square_name(move.to);
  if (move.promotion != 0) target += shown_symbol(promoted(table, move));
  const std::string from = square_name(move.from);
  // A pawn move to another file must name the pawn's file: "d5" is not a short form of "exd5".
  const bool needs_file = kind == kPawn && changes_file(move);
  for (const std::string& hint : {std::string(), from.substr(0, 1), from.substr(1, 1), from}) {
    if (needs_file && (hint.empty() || hint[0] != from[0])) continue;
    if (given == symbol + hint + target) return true;
  }
  return false;
}

}  // namespace

std::string BaseGame::say(const Position&, Action action) const {
  const Move move = move_of(action);
  std::string text = square_name(move.from) + square_name(move.to);
  if (move.promotion == 0) return text;
  const std::string symbol = shown_symbol(promoted(table(), move));
  if (symbol.size() > 1) return text + symbol;
  return text + static_cast<char>(symbol[0] | 32);
}

std::string BaseGame::unmarked_san(const Position& p, Action action,
                                   std::span<const Action> legal) const {
  const Move move = read_action(p, action);
  const int wing = castling_wing(p, move);
  if (wing >= 0) return wing == kKingside ? "O-O" : "O-O-O";

  const int kind = p.kind_at(move.from);
  const bool captures = is_capture(table(), p, move);
  Bits others = 0;  // further men of this kind that may go to the same square
  for (Action number : legal) {
    const Move other = read_action(p, number);
    if (other.to == move.to && other.from != move.from && p.kind_at(other.from) == kind &&
        castling_wing(p, other) < 0) {
      others |= bit(other.from);
    }
  }
  const std::string from = square_name(move.from);
  std::string text;
  if (kind == kPawn) {
    const Bits same_file = others & file_bits(file_of(move.from));
    if (same_file) {
      text = from;
    } else if (captures || others || changes_file(move)) {
      text = from[0];
    }
  } else {
    text = shown_symbol(table().spec(kind));
    const bool same_file = others & file_bits(file_of(move.from));
    const bool same_rank = others & rank_bits(rank_of(move.from));
    if (others && (!same_file || same_rank)) text += from[0];
    if (same_file) text += from[1];
  }
  if (captures) text += 'x';
  text += square_name(move.to);
  if (move.promotion != 0) text += "=" + shown_symbol(promoted(table(), move));
  return text;
}

std::vector<Action> BaseGame::read_san(const Moment<Position>& moment, std::string_view text,
                                       std::span<const Action> legal) const {
  const Position& p = moment.position;
  const std::string given = bare(text);
  std::vector<Action> meant;
  for (Action action : legal) {
    if (matches(table(), p, read_action(p, action), given)) meant.push_back(action);
  }
  return meant;
}

}  // namespace rulezero::chesslike
