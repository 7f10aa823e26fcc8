// The heuristic of Razzle Dazzle: the rank of the ball, its passes, the men, and forced passes.

#include "games/razzle.h"

#include <algorithm>
#include <cmath>

#include "eval/heuristic.h"
#include "games/razzle_reach.h"

namespace rulezero {

using namespace razzle;

namespace {

// The sum s of these terms gives the value tanh(s). Ranks are as the seat sees them.
constexpr float kBallRank = 0.05f;     // per rank that the ball has advanced
constexpr float kChainRank = 0.03f;    // per rank that a chain of passes could advance it further
constexpr float kOpenPass = 0.015f;    // per man who can receive at once
constexpr float kForwardPass = 0.02f;  // per rank that such a pass goes forward
constexpr float kManRank = 0.012f;     // per rank that a man has advanced
constexpr float kBarred = 0.025f;      // penalty per man that may not receive
constexpr float kWinThreat = 0.7f;     // for a chain to the far rank, if the other seat is to move
constexpr float kForced = 0.06f;       // penalty for a mover who must pass
constexpr float kCanBeForced = 0.03f;  // penalty for a seat whom the mover can force to pass
constexpr float kNoReceiver = 0.04f;   // penalty if no man can receive

constexpr int kFarRank = kRanks - 1;

// Move ordering.
constexpr int kWinningPass = 1000;
constexpr int kPassRank = 10;  // per rank that a pass brings the ball forward

constexpr Bits rank_bits(int seat, int rank) {
  return Bits{(1 << kFiles) - 1} << (kFiles * (seat == 0 ? rank : kFarRank - rank));
}

// The sum of the ranks that the men have advanced, as their seat sees them.
int ranks_gone(Bits men, int seat) {
  int sum = 0;
  while (men) sum += rank_seen_by(seat, take_first(men));
  return sum;
}

// The squares strictly between two squares on one line; all bits set if they are not on one line.
constexpr std::array<std::array<Bits, kSquares>, kSquares> kBetween = [] {
  std::array<std::array<Bits, kSquares>, kSquares> table;
  for (int from = 0; from < kSquares; ++from) {
    table[from].fill(~Bits{0});
    for (Bits ray : kReach[from].rising) {
      for (Bits to = ray; to; to &= to - 1) {
        table[from][first(to)] = ray & ((to & (0 - to)) - 1);
      }
    }
    for (Bits ray : kReach[from].falling) {
      for (Bits to = ray; to; to &= to - 1) {
        table[from][first(to)] = ray & to & (to - 1);
      }
    }
  }
  return table;
}();

// The men that a seat's ball can reach.
struct Passes {
  Bits now = 0;      // with one pass
  Bits reached = 0;  // within one turn, including the carrier
};

// Passes do not move men, and a chain gains nothing by returning to a man. So only the lines
// between men decide whom the ball can reach within a turn.
Passes passes_of(const RazzlePosition& position, int seat) {
  const Bits all = position.men[0] | position.men[1];
  const Bits carrier = bit(position.ball[seat]);
  Bits waiting = position.men[seat] & ~position.barred & ~carrier;
  const auto receive_from = [&](int source) {
    Bits found = 0;
    for (Bits men = waiting; men;) {
      const int man = take_first(men);
      if (!(kBetween[source][man] & all)) found |= bit(man);
    }
    waiting &= ~found;
    return found;
  };
  Passes passes;
  passes.now = receive_from(position.ball[seat]);
  passes.reached = carrier | passes.now;
  for (Bits ahead = passes.now; ahead && waiting;) {
    const Bits fresh = receive_from(take_first(ahead));
    passes.reached |= fresh;
    ahead |= fresh;
  }
  return passes;
}

// Whether the mover has a knight move next to the other seat's ball.
bool can_force(const RazzlePosition& position) {
  const int mover = position.side;
  const Bits empty = ~(position.men[0] | position.men[1]);
  const Bits landings = kReach[position.ball[1 - mover]].around & empty;
  for (Bits men = position.men[mover] & ~bit(position.ball[mover]); men;) {
    if (kReach[take_first(men)].knight & landings) return true;
  }
  return false;
}

float standing(const RazzlePosition& position, int seat, const Passes& passes) {
  const int rank = rank_seen_by(seat, position.ball[seat]);
  int forward = 0;
  for (Bits men = passes.now; men;) {
    forward += std::max(0, rank_seen_by(seat, take_first(men)) - rank);
  }
  const int best = rank_seen_by(seat, seat == 0 ? last(passes.reached) : first(passes.reached));
  return times(rank, kBallRank) + times(best - rank, kChainRank) +
         times(count(passes.now), kOpenPass) + times(forward, kForwardPass) +
         times(ranks_gone(position.men[seat], seat), kManRank) -
         times(count(position.men[seat] & position.barred), kBarred) -
         (passes.now ? 0 : kNoReceiver);
}

}  // namespace

float heuristic(const Razzle&, const Moment<Razzle::Position>& moment) {
  const RazzlePosition& position = moment.position;
  const int mover = position.side;
  const int other = 1 - mover;
  const auto sign = static_cast<float>(1 - 2 * mover);
  const std::array<Passes, 2> passes = {passes_of(position, 0), passes_of(position, 1)};
  const Passes& mine = passes[mover];
  const Passes& theirs = passes[other];
  if (mine.reached & rank_bits(mover, kFarRank)) return sign * kSurest;

  float for_mover = standing(position, mover, mine) - standing(position, other, theirs);
  if (theirs.reached & rank_bits(other, kFarRank)) for_mover -= kWinThreat;
  if (position.in_chain) {
    // Only passes and the end of the turn are left: no pass is forced, and no knight move is legal.
  } else if (must_pass(position, mine.now)) {
    for_mover -= kForced;
  } else if (theirs.now && can_force(position)) {
    for_mover += kCanBeForced;
  }
  return sign * std::clamp(std::tanh(for_mover), -kSurest, kSurest);
}

int capture_gain(const Razzle&, const Razzle::Position& position, Action action) {
  const int source = source_of(action);
  const int mover = position.side;
  if (source != position.ball[mover]) return 0;
  const int rank = rank_seen_by(mover, target_of(action));
  if (rank == kFarRank) return kWinningPass;
  return kPassRank * std::max(0, rank - rank_seen_by(mover, source));
}

}  // namespace rulezero
