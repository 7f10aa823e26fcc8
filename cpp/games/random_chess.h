#pragma once
// Ultimate Random Chess: any back rank, the same for both sides, with pieces from YAML.

#include "games/chesslike/checked.h"

namespace rulezero {

class RandomChess : public chesslike::CheckedGame {
 public:
  static constexpr std::string_view kName = "random_chess";
  static constexpr std::array<RuleOption, 5> kOptions = {{
      {"pieces", "standard", "standard, custom or YAML files with pieces, joined with +"},
      {"pool", "all", "pieces to draw for the back rank, joined with +; all: all except K and P"},
      {"view", "mover", "planes and slots as seen by the mover, or by White (absolute)"},
      chesslike::kDrawsOption,
      {"generator", "auto", "auto, or table to turn off the fast move generator for orthodox men"},
  }};

  RandomChess(const Options& options, std::span<const PieceSpec> pieces);

  // The seed determines the back rank, unless the option back_rank gives it, as one row of a board
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
