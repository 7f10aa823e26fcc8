#include "endgame/connect4_solver.h"

#include <algorithm>
#include <utility>

#include "endgame/connect4_moves.h"

namespace rulezero {

using namespace connect4;

namespace {

constexpr std::uint64_t kStretch = 1 << 20;  // positions between two calls of pause
constexpr int kLate = 28;                    // men: from here, searching is faster than looking up

}  // namespace

Connect4Solver::Connect4Solver(std::size_t table_bytes)
    : proofs_(std::bit_floor(std::max(table_bytes / sizeof(Proof), std::size_t{1} << 10))),
      shift_(64 - std::countr_zero(proofs_.size())) {}

int Connect4Solver::value(const Connect4Position& position, const Pause& pause) {
  const Bits both = position.men[0] | position.men[1];
  const int mover = count(both) % 2;
  pause_ = &pause;
  const int value = solve({position.men[mover], both});
  return mover == 0 ? value : -value;
}

Connect4Solver::Values Connect4Solver::values(const Connect4Position& position,
                                              const Pause& pause) {
  const Bits both = position.men[0] | position.men[1];
  const int mover = count(both) % 2;
  Values values;
  if (has_four(position.men[1 - mover])) return values;
  const Bits moves = playable(both);
  for (int column = 0; column < kColumns; ++column) {
    const Bits move = moves & column_bits(column);
    if (!move) continue;
    Connect4Position next = position;
    next.men[mover] |= move;
    values[column] = value(next, pause);
  }
  return values;
}

// The mover's value of any position.
int Connect4Solver::solve(const Board& board) {
  if (has_four(board.both & ~board.own)) return -1;
  if (board.both == kBoard) return 0;
  if (wins_of(board.own, board.both) & playable(board.both)) return 1;
  return reaches(board, 1) ? 1 : reaches(board, 0) ? 0 : -1;
}

// Whether the mover's value is at least the goal, 0 or 1. Call it only if the mover cannot win at
// once.
bool Connect4Solver::reaches(const Board& board, int goal) {
  const std::uint64_t before = visited_++;
  if (visited_ % kStretch == 0 && *pause_) (*pause_)();
  const Bits other = board.both & ~board.own;
  const Bits moves = safe_moves(other, board.both);
  if (moves == 0) return false;
  const int men = count(board.both);
  if (men >= kCells - 2) return goal <= 0;  // neither of the last two men wins: a draw
  const int their_goal = 1 - goal;          // value of the other side that prevents the goal
  if (!more_than_one(moves)) return !reaches({other, board.both | moves}, their_goal);

  const Bits code = code_of(board.own, board.both);
  Bounds known = find(code);
  const Bits empty = kBoard & ~board.both;
  if (!has_four(board.own | empty)) known.high = std::min(known.high, 0);
  if (!has_four(other | empty)) known.low = std::max(known.low, 0);
  if (known.low >= goal) return true;
  if (known.high < goal) return false;

  // Orders moves by the number of threats that they make, then by nearness to the centre.
  std::array<std::pair<int, Bits>, kColumns> ranked;
  std::size_t size = 0;
  for (Bits column : kCentreFirst) {
    const Bits move = moves & column;
    if (!move) continue;
    const int threats = count(wins_of(board.own | move, board.both));
    std::size_t at = size++;
    for (; at > 0 && ranked[at - 1].first < threats; --at) ranked[at] = ranked[at - 1];
    ranked[at] = {threats, move};
  }

  bool is_reached = false;
  // The table may already prove that some move is good enough, not necessarily the first.
  for (std::size_t i = 0; i < size && men < kLate && !is_reached; ++i) {
    is_reached = find(code_of(other, board.both | ranked[i].second)).high < their_goal;
  }
  for (std::size_t i = 0; i < size && !is_reached; ++i) {
    is_reached = !reaches({other, board.both | ranked[i].second}, their_goal);
  }
  if (is_reached) {
    known.low = goal;
  } else {
    known.high = goal - 1;
  }
  keep(code, known, visited_ - before);
  return is_reached;
}

std::size_t Connect4Solver::slot(Bits code) const {
  return static_cast<std::size_t>((code * 0x9e3779b97f4a7c15) >> shift_);
}

Connect4Solver::Bounds Connect4Solver::find(Bits code) const {
  const std::size_t first = slot(code);
  for (std::size_t at : {first, first ^ 1}) {
    const Proof& proof = proofs_[at];
    if (proof.code != code) continue;
    return {static_cast<int>(proof.low) - 1, static_cast<int>(proof.high) - 1};
  }
  return {};
}

// A code has two slots: one keeps the proof that took more effort, the other is always replaced.
void Connect4Solver::keep(Bits code, Bounds bounds, std::uint64_t visits) {
  std::size_t at = slot(code) & ~std::size_t{1};
  const auto effort = static_cast<Bits>(std::bit_width(visits));
  if (proofs_[at + 1].code == code) {
    ++at;
  } else if (proofs_[at].code != code && proofs_[at].effort > effort) {
    ++at;
  }
  proofs_[at] = {.code = code & ((Bits{1} << 49) - 1),
                 .low = static_cast<Bits>(bounds.low + 1) & 3,
                 .high = static_cast<Bits>(bounds.high + 1) & 3,
                 .effort = effort & 63};
}

}  // namespace rulezero
