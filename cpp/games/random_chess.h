#pragma once
// Ultimate Random Chess: any back rank, the same for both sides, with pieces from YAML.

#include "games/chesslike/checked.h"

namespace rulezero {

class RandomChess : public chesslike::CheckedGame {
 public:
  static constexpr std::string_view kName = "random_chess";
  static constexpr std::array<RuleOption, 5> kOptions = {{
      {"pieces", "standard", "standard, custom or files of your own, joined with +"},
      {"pool", "all", "the men drawn for the back rank, joined with +; all: every one but K and P"},
      {"view", "mover", "mover or absolute: from whose side planes and slots are seen"},
      chesslike::kDrawsOption,
      {"generator", "auto", "auto, or table to keep orthodox men off their fast path"},
  }};

  RandomChess(const Options& options, std::span<const PieceSpec> pieces);

  // The seed draws the back rank, unless the option back_rank names it: one row of the board
  // field with White's men.
  Position start(std::uint64_t seed, const Options& options) const;

 private:
  struct BackRank {
    std::array<int, 8> kinds;   // by file
    int left_rook, right_rook;  // files of the rooks that castle
  };

  BackRank read_back_rank(std::string_view row) const;
  Position set_up(const BackRank& rank) const;

  std::vector<int> pool_;
};

static_assert(Game<RandomChess>);

}  // namespace rulezero
