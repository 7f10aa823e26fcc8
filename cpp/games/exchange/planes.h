#pragma once
// The planes of EXCHANGE: 75 channels of 8x8, every value in [0, 1]. The formula of each channel is
// in docs/planes.md.

#include <span>
#include <string>
#include <vector>

#include "games/exchange/position.h"

namespace rulezero::exchange {

constexpr int kChannels = 75;

// What each channel shows, in a few words.
std::vector<std::string> channel_names();

// Fills planes (75 * 64 zeros) for the side to move; `times` is how often this position has
// occurred. Row 0 is rank 1 for both movers.
void encode_planes(const Position& p, int times, std::span<float> planes);

}  // namespace rulezero::exchange
