#include "games/chess.h"

#include "games/chesslike/planes.h"

namespace rulezero {

Chess::Chess(const Options& options)
    : CheckedGame({.table = std::make_shared<chesslike::PieceTable>(chesslike::orthodox_pieces()),
                   .castling = chesslike::CastlingField::kHomeSquares,
                   .two_square_castling = true,
                   .has_draws = !chesslike::read_choice(options, "draws", "automatic", "none")},
                  false),
      flat_features_(chesslike::read_choice(options, "planes", "history", "features781")) {
  facts_.name = kName;
  facts_.uci = "chess";
  facts_.pgn_variants = {"Standard", "", "normal"};
  if (rules_.has_draws) facts_.typical_plies = 150, facts_.typical_moves = 15;
  if (flat_features_) {
    facts_.planes = {chesslike::kFeatures, 1, 1};
    facts_.plane_names = chesslike::feature_names(table());
  }
}

Chess::Position Chess::start(std::uint64_t, const Options& options) const {
  check_options(options, {}, "the start of chess");
  return parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
}

void Chess::encode(const Moment<Position>& moment, std::span<float> planes) const {
  if (flat_features_) {
    chesslike::encode_features(moment.position, planes);
  } else {
    CheckedGame::encode(moment, planes);
  }
}

}  // namespace rulezero
