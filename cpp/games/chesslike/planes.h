#pragma once
// The planes of chess and random_chess.

#include <span>

#include "games/chesslike/table.h"
#include "games/game.h"

namespace rulezero::chesslike {

constexpr int kTimeSteps = 8;
constexpr int kMetaPlanes = 7;
constexpr int kPlyScale = 300;    // plies for which the move-count plane is 1
constexpr int kClockScale = 100;  // plies without progress for which their plane is 1

constexpr int history_plane_count(int kinds) { return kTimeSteps * (2 * kinds + 2) + kMetaPlanes; }

// Eight time steps of men and repetitions, then seven uniform planes. Seen by the mover (own men
// first, ranks flipped for seat 1) or from White's side.
void encode_history(const Moment<Position>& moment, int kinds, bool absolute,
                    std::span<float> planes);

// What each of these planes shows, in a few words.
std::vector<std::string> history_plane_names(const PieceTable& table, bool absolute);

constexpr int kFeatures = 781;

// 12 x 64 men, four castling rights, White to move, eight en-passant files: seen by the mover,
// with colours swapped and ranks flipped for Black.
void encode_features(const Position& p, std::span<float> features);

std::vector<std::string> feature_names(const PieceTable& table);

}  // namespace rulezero::chesslike
