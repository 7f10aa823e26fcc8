#pragma once
// What the hand-written heuristics share. Each is declared beside its game and defined in this
// folder; its value lies in [-kSurest, kSurest], or in [-kSurestLead, kSurestLead] where it counts
// men.

#include "games/chesslike/table.h"

namespace rulezero {

constexpr float kSurest = 0.95f;      // a guess is never taken for a proof
constexpr float kSurestLead = 0.98f;  // of a lead in men: a chance of 0.99, as nets are taught it

// What this many of something count.
constexpr float times(int number, float weight) { return static_cast<float>(number) * weight; }

// Seat 0's value for its lead in centipawns: 2 / (1 + exp(-lead / 600)) - 1, at most kSurestLead.
float value_of_lead(double centipawns);

// What a man of this kind is worth in centipawns: the usual prices for men that move as usual,
// 100 times the value of their description for all others, and 0 for the king.
int worth(const chesslike::PieceTable& table, int kind);

// White's men minus Black's, in centipawns.
int material(const chesslike::PieceTable& table, const chesslike::Position& position);

}  // namespace rulezero
