#pragma once
// Orthodox chess.

#include "games/chesslike/checked.h"

namespace rulezero {

class Chess : public chesslike::CheckedGame {
 public:
  static constexpr std::string_view kName = "chess";
  static constexpr std::array<RuleOption, 2> kOptions = {{
      {"planes", "history", "history (119 planes) or features781 (one flat vector)"},
      chesslike::kDrawsOption,
  }};

  explicit Chess(const Options& options);

  Position start(std::uint64_t seed, const Options& options) const;
  void encode(const Moment<Position>& moment, std::span<float> planes) const;

 private:
  bool flat_features_;
};

static_assert(Game<Chess>);

}  // namespace rulezero
