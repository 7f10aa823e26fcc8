#pragma once
// Hand-written judgements: what a position seems worth before anybody has searched or learned.
//
// heuristic() gives seat 0's value in [-kSurest, kSurest], or in [-kSurestLead, kSurestLead] where
// it counts men. It is asked of positions that are not over, where a player chooses; it looks at no
// list of legal moves and allocates nothing.

#include "games/chess.h"
#include "games/connect4.h"
#include "games/exchange.h"
#include "games/monster.h"
#include "games/random_chess.h"
#include "games/razzle.h"

namespace rulezero {

constexpr float kSurest = 0.95f;      // a guess is never taken for a proof
constexpr float kSurestLead = 0.98f;  // of a lead in men: a chance of 0.99, as nets are taught it

// Seat 0's value for its lead in centipawns: 2 / (1 + exp(-lead / 600)) - 1, at most kSurestLead.
float value_of_lead(double centipawns);

// What a man of this kind is worth in centipawns: the usual prices for men that move as usual,
// 100 times the value of their description for all others, and 0 for the king.
int worth(const chesslike::PieceTable& table, int kind);

// White's men minus Black's, in centipawns.
int material(const chesslike::PieceTable& table, const chesslike::Position& position);

float heuristic(const chesslike::CheckedGame& rules, const Moment<chesslike::Position>& moment);
float heuristic(const Monster& rules, const Moment<Monster::Position>& moment);
float heuristic(const Exchange& rules, const Moment<Exchange::Position>& moment);
float heuristic(const Razzle& rules, const Moment<Razzle::Position>& moment);
float heuristic(const Connect4& rules, const Moment<Connect4::Position>& moment);

// How far a hunt has come that somebody has scripted, seat 0's value like the heuristic's.
float script(const Monster& rules, const Moment<Monster::Position>& moment);

template <class G>
concept Scripted = requires(const G& rules, const Moment<typename G::Position>& moment) {
  { script(rules, moment) } -> std::same_as<float>;
};

// A game for which somebody has written a judgement.
template <class G>
concept Judged = requires(const G& rules, const Moment<typename G::Position>& moment) {
  { heuristic(rules, moment) } -> std::same_as<float>;
};

static_assert(Judged<Chess> && Judged<Monster> && Judged<RandomChess>);
static_assert(Judged<Exchange> && Judged<Razzle> && Judged<Connect4>);

}  // namespace rulezero
