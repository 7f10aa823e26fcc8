#include "games/razzle.h"

#include "base/hash.h"
#include "games/board_text.h"
#include "games/razzle_reach.h"

namespace rulezero {

using namespace razzle;

namespace {

constexpr int kMenEach = 5;
constexpr int kLastTurn = 200;                    // the game is drawn when this many have ended
constexpr int kPliesATurn = kMenEach;             // four passes, because each bars a man, and end
constexpr Action kEndTurn = kSquares * kSquares;  // after the pairs of source and target
constexpr std::uint8_t kNowhere = RazzlePosition::kNowhere;
constexpr std::string_view kStart = "1nnbnn1/7/7/7/7/7/7/1NNBNN1 w - - 0";
constexpr std::string_view kSides = "wb";

enum Event : std::size_t { kKnightMove, kPass, kEnd, kBallProgress, kForcedPass, kWin };

bool has_won(const RazzlePosition& position, int seat) {
  return rank_seen_by(seat, position.ball[seat]) == kRanks - 1;
}

// The men the mover's ball can be passed to.
Bits receivers(const RazzlePosition& position) {
  return razzle::receivers(position, position.side, position.ball[position.side]);
}

std::string square_name(int square) {
  return {static_cast<char>('a' + square % kFiles), static_cast<char>('1' + square / kFiles)};
}

// N a man, B the carrier, T a man that may not receive; a space on an empty square.
char symbol(const RazzlePosition& position, int square) {
  if (!has(position.men[0] | position.men[1], square)) return ' ';
  if (square == position.ball[0] || square == position.ball[1]) return 'B';
  return has(position.barred, square) ? 'T' : 'N';
}

// Puts the men on the board. Throws PositionError unless each seat has five, including a carrier.
void read_men(std::string_view field, RazzlePosition& position) {
  std::array<int, 2> carriers = {};
  read_board(field, kRanks, kFiles, [&](int rank, int file, std::string_view man) {
    constexpr std::string_view kSymbols = "NBTnbt";
    const std::size_t at = kSymbols.find(man);
    if (at == std::string_view::npos) {
      throw PositionError("the men are N, B and T, in lower case for seat 1, not " + quoted(man));
    }
    const std::size_t seat = at / 3;
    const int square = rank * kFiles + file;
    position.men[seat] |= bit(square);
    if (at % 3 == 1) {
      position.ball[seat] = static_cast<std::uint8_t>(square);
      ++carriers[seat];
    }
    if (at % 3 == 2) position.barred |= bit(square);
  });
  for (std::size_t seat = 0; seat < 2; ++seat) {
    const int men = count(position.men[seat]);
    if (men == kMenEach && carriers[seat] == 1) continue;
    throw PositionError("seat " + std::to_string(seat) + " needs five men, one of them " +
                        (seat == 0 ? "B" : "b") + ", the carrier; it has " + std::to_string(men) +
                        " with " + std::to_string(carriers[seat]) + " carriers");
  }
}

// The landing square of the enemy's last turn, `-` for none.
std::uint8_t read_landing(std::string_view field, Bits enemies) {
  if (field == "-") return kNowhere;
  if (field.size() != 2 || field[0] < 'a' || field[0] >= 'a' + kFiles || field[1] < '1' ||
      field[1] >= '1' + kRanks) {
    throw PositionError("the landing square is a1 to g8 or -, not " + quoted(field));
  }
  const int square = (field[1] - '1') * kFiles + (field[0] - 'a');
  if (!has(enemies, square)) {
    throw PositionError("the landing square " + std::string(field) +
                        " has no man of the side that is not to move; write - for none");
  }
  return static_cast<std::uint8_t>(square);
}

}  // namespace

Razzle::Razzle()
    : facts_{.name = std::string(kName),
             .actions = kEndTurn + 1,
             .slots = kEndTurn + 1,
             .planes = {7, kRanks, kFiles},
             .board = {kRanks, kFiles},
             .max_plies = kLastTurn * kPliesATurn,
             .events = {"knight_move", "pass", "end_turn", "ball_progress", "forced_pass", "win"},
             .plane_names = {"own men", "own ball", "enemy men", "enemy ball", "cannot receive",
                             "White to move", "has passed in this turn"},
             .policy_layout = "from_to",
             .typical_plies = 36,
             .typical_moves = 16,
             .pictures = {{"N", "knight"}, {"B", "carrier"}, {"T", "barred"}}} {}

Razzle::Position Razzle::start(std::uint64_t, const Options& options) const {
  check_options(options, {}, "the start of razzle");
  return parse(kStart);
}

// Also accepts positions that no game leads to, if they can be played on: either side to move on an
// odd turn, a chain without a barred man or in turn 200, a landing square with a barred man or the
// carrier.
Razzle::Position Razzle::parse(std::string_view text) const {
  const auto fields = split(text, ' ');
  if (fields.size() != 5) {
    throw PositionError(
        "a razzle position is a board, side, landing square, chain and turn, like " +
        quoted(kStart) + ", not " + quoted(text));
  }
  Position position{};
  read_men(fields[0], position);
  position.side = read_side(fields[1], kSides);
  position.landing = read_landing(fields[2], position.men[1 - position.side]);
  if (fields[3] != "p" && fields[3] != "-") {
    throw PositionError("the chain is p after a pass in this turn, else -, not " +
                        quoted(fields[3]));
  }
  position.in_chain = fields[3] == "p";
  const std::optional<int> turn = read_number(fields[4], kLastTurn);
  if (!turn) {
    throw PositionError("the turn is a number from 0 to " + std::to_string(kLastTurn) + ", not " +
                        quoted(fields[4]));
  }
  position.turn = static_cast<std::uint8_t>(*turn);
  if (has_won(position, 0) && has_won(position, 1)) {
    throw PositionError("both balls are on their far ranks; the first to arrive ends the game");
  }
  return position;
}

std::string Razzle::text(const Position& position) const {
  const std::string board = write_board(kRanks, kFiles, [&](int rank, int file) {
    const int square = rank * kFiles + file;
    const char man = symbol(position, square);
    if (man == ' ') return std::string();
    constexpr char kToLower = 'a' - 'A';
    return std::string(1, has(position.men[1], square) ? static_cast<char>(man + kToLower) : man);
  });
  return board + " " + kSides[position.side] + " " +
         (position.landing == kNowhere ? "-" : square_name(position.landing)) +
         (position.in_chain ? " p " : " - ") + std::to_string(position.turn);
}

// Hashes everything but the turn number. The 56 squares leave the top byte of each word free for
// the other members.
Key Razzle::key(const Position& position) const {
  const auto beside = [](Bits squares, int rest) {
    return squares | static_cast<Bits>(rest) << kSquares;
  };
  const int rest = position.landing << 2 | position.side << 1 | int{position.in_chain};
  return Hash()
      .add(beside(position.men[0], position.ball[0]))
      .add(beside(position.men[1], position.ball[1]))
      .add(beside(position.barred, rest))
      .value();
}

int Razzle::exact_horizon(const Position& position) const {
  return std::min(kShortestCycle, kLastTurn - 1 - position.turn);
}

std::optional<Ending> Razzle::expand(const Moment<Position>& moment,
                                     std::vector<Action>& actions) const {
  actions.clear();
  const Position& position = moment.position;
  if (has_won(position, 0)) return Ending{1.0f, "ball"};
  if (has_won(position, 1)) return Ending{-1.0f, "ball"};
  if (moment.times >= 3 && !position.in_chain) return Ending{0.0f, "repetition"};
  if (position.turn >= kLastTurn) return Ending{0.0f, "200 turns"};

  const int carrier = position.ball[position.side];
  const Bits targets = receivers(position);
  const Bits empty = ~(position.men[0] | position.men[1]);
  const bool passes_only = position.in_chain || must_pass(position, targets);
  Bits sources = passes_only ? bit(carrier) : position.men[position.side];
  while (sources) {
    const int source = take_first(sources);
    Bits squares = source == carrier ? targets : kReach[source].knight & empty;
    while (squares) {
      actions.push_back(static_cast<Action>(source * kSquares + take_first(squares)));
    }
  }
  if (position.in_chain) actions.push_back(kEndTurn);
  // This cannot happen in a game: the four men without the ball reach at least seven squares other
  // than their own, and six other men cannot fill them. The rule exists all the same.
  if (actions.empty()) return Ending{0.0f, "no action"};
  return std::nullopt;
}

Razzle::Position Razzle::apply(const Position& position, Action action) const {
  Position next = position;
  const int seat = position.side;
  const int source = source_of(action);
  const auto target = static_cast<std::uint8_t>(target_of(action));
  if (source == position.ball[seat]) {
    next.ball[seat] = target;
    next.barred |= bit(source);
    next.in_chain = true;
    return next;
  }
  if (action == kEndTurn) {
    next.landing = kNowhere;
  } else {
    next.men[seat] ^= bit(source) | bit(target);
    next.barred &= ~bit(source);
    next.landing = target;
  }
  next.in_chain = false;
  next.side ^= 1;
  ++next.turn;
  return next;
}

void Razzle::encode(const Moment<Position>& moment, std::span<float> planes) const {
  const Position& position = moment.position;
  const int own = position.side;
  const auto mark = [&](int plane, Bits squares) {
    while (squares) planes[plane * kSquares + seen_by(own, take_first(squares))] = 1.0f;
  };
  const auto fill = [&](int plane) {
    std::ranges::fill(planes.subspan(plane * kSquares, kSquares), 1.0f);
  };
  mark(0, position.men[own]);
  mark(1, bit(position.ball[own]));
  mark(2, position.men[1 - own]);
  mark(3, bit(position.ball[1 - own]));
  mark(4, position.barred);
  if (own == 0) fill(5);
  if (position.in_chain) fill(6);
}

int Razzle::slot(const Position& position, Action action) const {
  if (action == kEndTurn) return kEndTurn;
  return seen_by(position.side, source_of(action)) * kSquares +
         seen_by(position.side, target_of(action));
}

int Razzle::mirror(int slot) const {
  if (slot == kEndTurn) return kEndTurn;
  const auto other_side = [](int square) { return square + kFiles - 1 - 2 * (square % kFiles); };
  return other_side(slot / kSquares) * kSquares + other_side(slot % kSquares);
}

void Razzle::events(const Position& position, Action action, std::span<float> row) const {
  if (action == kEndTurn) {
    row[kEnd] = 1.0f;
    return;
  }
  const int source = source_of(action);
  if (source != position.ball[position.side]) {
    row[kKnightMove] = 1.0f;
    return;
  }
  const int rank = rank_seen_by(position.side, target_of(action));
  row[kPass] = 1.0f;
  row[kBallProgress] = static_cast<float>(rank - rank_seen_by(position.side, source));
  row[kForcedPass] = must_pass(position, receivers(position));
  row[kWin] = rank == kRanks - 1;
}

std::string Razzle::say(const Position& position, Action action) const {
  if (action == kEndTurn) return "end";
  const int source = source_of(action);
  const std::string_view joint = source == position.ball[position.side] ? "-" : "";
  return square_name(source).append(joint) + square_name(target_of(action));
}

std::vector<Cell> Razzle::cells(const Position& position) const {
  std::vector<Cell> cells(kSquares);
  for (int square = 0; square < kSquares; ++square) {
    const char man = symbol(position, square);
    if (man == ' ') continue;
    cells[square] = {std::string(1, man), has(position.men[1], square), ""};
  }
  return cells;
}

}  // namespace rulezero
