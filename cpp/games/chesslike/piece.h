#pragma once
// The description of a piece by patterns of vectors. The piece table is compiled from it.

#include <optional>
#include <string>
#include <vector>

namespace rulezero {

// [right, forward], as the piece's owner sees the board.
struct Vector {
  int right;
  int forward;
};

struct PatternSpec {
  enum class Kind { kSlide, kLeap, kHop };

  Kind kind;
  std::vector<Vector> vectors;
  int range = 0;    // slide: largest number of steps, 0 for unlimited
  int hurdles = 1;  // hop: number of men to hop over
  int land = 0;     // hop: landing distance beyond the last hurdle, 0 for any
  bool moves = true;
  bool captures = true;
  bool initial_only = false;  // only from the rank where its kind starts
};

struct PromotionSpec {
  int rank;                          // 1 to 8, counted from the owner's side
  std::vector<std::string> options;  // symbols
};

struct PieceSpec {
  std::string name;
  std::string symbol;
  double value = 0;  // in pawns
  bool royal = false;
  std::vector<PatternSpec> patterns = {};
  bool en_passant = false;
  std::optional<PromotionSpec> promotion = std::nullopt;
  bool castles_kingside = false;
  bool castles_queenside = false;
};

}  // namespace rulezero
