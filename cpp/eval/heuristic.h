#pragma once
// The shared parts of the hand-written heuristics. Each heuristic is declared in its game's header
// and defined in this folder. Its value is in [-kSurest, kSurest], or in [-kSurestLead,
// kSurestLead] if it counts material.

#include "games/chesslike/table.h"

namespace rulezero {

constexpr float kSurest = 0.95f;      // below 1: an estimate is never taken for a proof
constexpr float kSurestLead = 0.98f;  // for material: probability 0.99, the limit in distillation

// The total weight of this many of something.
constexpr float times(int number, float weight) { return static_cast<float>(number) * weight; }

// Seat 0's value for its lead in centipawns: 2 / (1 + exp(-lead / 600)) - 1, at most kSurestLead.
float value_of_lead(double centipawns);

// The worth of a man of this kind in centipawns: the usual price if it moves as usual, else 100
// times the value in its description; 0 for the king.
int worth(const chesslike::PieceTable& table, int kind);

// White's men minus Black's, in centipawns.
int material(const chesslike::PieceTable& table, const chesslike::Position& position);

}  // namespace rulezero
