#include "games/exchange/text.h"

#include "games/board_text.h"
#include "games/exchange/action.h"

namespace rulezero::exchange {
namespace {

constexpr std::string_view kSides = "wb";
constexpr std::string_view kDie = "die:";

std::string details_of(const Position& p, int square) {
  const Man man = man_at(p, square);
  if (is_fresh(man)) return {};
  const Kind& kind = kKinds[man.type];
  std::string tags;
  if (man.charges != kind.charges) tags += ":u" + std::to_string(man.charges);
  if (man.counter > 0) tags += (man.type == kPawn ? ":a" : ":c") + std::to_string(man.counter);
  if (man.promoted) tags += ":p";
  return square_name(square) + "=" + std::to_string(man.hp) + tags;
}

int read_in(std::string_view text, int lowest, int highest, const std::string& what) {
  const auto number = read_number(text, highest);
  if (!number || *number < lowest) {
    throw PositionError(what + " is a number from " + std::to_string(lowest) + " to " +
                        std::to_string(highest) + ", not " + quoted(text));
  }
  return *number;
}

void read_men(Position& p, std::string_view field) {
  read_board(field, 8, 8, [&](int rank, int file, std::string_view text) {
    for (int type = 0; type < kTypes; ++type) {
      for (int seat : {0, 1}) {
        if (text.size() != 1 || text[0] != letter_of(Type(type), seat)) continue;
        const int square = rank * 8 + file;
        if (type == kPawn && (rank == 0 || rank == 7)) {
          throw PositionError("a pawn cannot stand on " + square_name(square) +
                              ": ranks 1 and 8 have no pawns");
        }
        put(p, square, fresh(Type(type), seat));
        return;
      }
    }
    throw PositionError("the men are KQRBNP and kqrbnp, not " + quoted(text));
  });
  for (int seat : {0, 1}) {
    if (more_than_one(p.men[seat] & p.types[kKing])) {
      throw PositionError(std::string(seat == 0 ? "White" : "Black") +
                          " has more than one king; a side has one, or none once it has lost");
    }
  }
  if (!p.types[kKing]) throw PositionError("both kings are missing; at most one can have fallen");
}

void read_tag(Man& man, std::string_view tag, const std::string& where) {
  const Kind& kind = kKinds[man.type];
  const char name = tag.empty() ? ' ' : tag[0];
  const std::string_view number = tag.substr(tag.empty() ? 0 : 1);
  if (name == 'u') {
    if (kind.charges == 0) {
      throw PositionError("the man on " + where + " has no charges to count: drop :u");
    }
    man.charges = read_in(number, 0, kind.charges, "the count of charges on " + where);
  } else if (name == 'c') {
    if (man.type == kKing || man.type == kPawn) {
      throw PositionError("kings and pawns have no cooldown: drop :c on " + where);
    }
    man.counter = read_in(number, 0, kind.wait, "the cooldown on " + where);
  } else if (name == 'a') {
    if (man.type != kPawn) {
      throw PositionError("only pawns have an Advance counter: drop :a on " + where);
    }
    man.counter = read_in(number, 0, kind.wait, "the Advance counter on " + where);
  } else if (tag == "p") {
    if (man.type != kQueen) {
      throw PositionError("only queens can be promoted pawns: drop :p on " + where);
    }
    man.promoted = true;
  } else {
    throw PositionError("details on " + where + " are :u, :c or :a with a number, or :p, not " +
                        quoted(tag));
  }
}

void read_details(Position& p, std::string_view field) {
  if (field == "-") return;
  Bits seen = 0;
  for (std::string_view detail : split(field, ',')) {
    const int square = read_square(detail.substr(0, 2));
    if (square == kNone || detail.size() < 3 || detail[2] != '=') {
      throw PositionError("a detail is a square and its man's HP, like e1=15:u2, not " +
                          quoted(detail));
    }
    const std::string where = square_name(square);
    if (p.hp[square] == 0) throw PositionError("details for " + where + ", which is empty");
    if (has(seen, square)) throw PositionError("details for " + where + " are given twice");
    seen |= bit(square);
    Man man = man_at(p, square);
    const auto tags = split(detail.substr(3), ':');
    man.hp = read_in(tags[0], 1, kKinds[man.type].hp, "HP on " + where);
    std::string names;
    for (std::size_t i = 1; i < tags.size(); ++i) {
      read_tag(man, tags[i], where);
      if (names.find(tags[i][0]) != std::string::npos) {
        throw PositionError("details on " + where + " have a tag twice: " + quoted(detail));
      }
      names += tags[i][0];
    }
    lift(p, square);
    put(p, square, man);
  }
}

}  // namespace

std::string write_position(const Position& p) {
  std::string text = write_board(8, 8, [&](int rank, int file) {
    const int square = rank * 8 + file;
    if (p.hp[square] == 0) return std::string();
    return std::string(1, letter_of(type_at(p, square), seat_at(p, square)));
  });
  text += std::string(" ") + kSides[p.side] + " " + std::to_string(p.decree[0]) + "/" +
          std::to_string(p.decree[1]) + " " + std::to_string(p.quiet) + " " +
          std::to_string(p.ply) + " ";
  std::string details;
  for (Bits men = occupied(p); men;) {
    const std::string detail = details_of(p, take_first(men));
    if (!detail.empty()) details += (details.empty() ? "" : ",") + detail;
  }
  text += details.empty() ? "-" : details;
  if (p.pending != kNoAction) text.append(" ").append(kDie).append(say_action(p.pending));
  return text;
}

Position read_position(std::string_view text, std::string_view& pending) {
  const auto fields = split(text, ' ');
  if (fields.size() != 6 && fields.size() != 7) {
    throw PositionError(
        "a position is board, side, decrees, quiet plies, ply and details, separated by one space, "
        "like '... w 0/0 0 0 -', not " +
        quoted(text));
  }
  Position p = empty_board();
  read_men(p, fields[0]);
  p.side = read_side(fields[1], kSides);
  const auto decrees = split(fields[2], '/');
  if (decrees.size() != 2) {
    throw PositionError("the Decree counters are two numbers like 0/2, not " + quoted(fields[2]));
  }
  for (int seat : {0, 1}) {
    p.decree[seat] =
        static_cast<std::uint8_t>(read_in(decrees[seat], 0, kDecreeLength, "a Decree counter"));
  }
  p.quiet = static_cast<std::uint16_t>(
      read_in(fields[3], 0, kLastPly, "the count of plies without damage"));
  p.ply = static_cast<std::uint16_t>(read_in(fields[4], 0, kLastPly, "the ply number"));
  read_details(p, fields[5]);
  pending = {};
  if (fields.size() == 7) {
    if (!fields[6].starts_with(kDie) || fields[6].size() == kDie.size()) {
      throw PositionError("the last field is die: and the move text that waits for the die, not " +
                          quoted(fields[6]));
    }
    pending = fields[6].substr(kDie.size());
  }
  return p;
}

}  // namespace rulezero::exchange
