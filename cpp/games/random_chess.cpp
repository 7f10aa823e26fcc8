#include "games/random_chess.h"

#include "base/random.h"

namespace rulezero {

using namespace chesslike;

namespace {

constexpr std::uint64_t kBackRankKey = 0x6261636b72616e6b;  // "backrank"

Rules make_rules(const Options& options, std::span<const PieceSpec> pieces) {
  const bool only_table = read_choice(options, "generator", "auto", "table");
  return {.table = std::make_shared<PieceTable>(pieces, only_table),
          .castling = CastlingField::kAnyRook,
          .two_square_castling = false,
          .has_draws = !read_choice(options, "draws", "automatic", "none")};
}

// The kinds to draw from; for "all" in the order Q R B N, then as loaded.
std::vector<int> read_pool(const PieceTable& table, const std::string& text) {
  std::vector<int> pool;
  if (text == "all") {
    for (int kind : {kQueen, kRook, kBishop, kKnight}) {
      if (table.is_loaded(kind)) pool.push_back(kind);
    }
    for (int kind = kFirstCustom; kind < table.kinds(); ++kind) pool.push_back(kind);
    return pool;
  }
  for (std::string_view symbol : split(text, '+')) {
    int kind = -1;
    for (int other = 0; other < table.kinds(); ++other) {
      const PieceSpec& piece = table.spec(other);
      if (!symbol.empty() && (piece.symbol == symbol || piece.name == symbol)) kind = other;
    }
    if (kind < 0) {
      throw GameError("the pool names " + quoted(symbol) +
                      ", which is not in the piece set: use symbols or names of its pieces");
    }
    if (kind == kKing || kind == kPawn) {
      throw GameError("the pool cannot contain " + quoted(symbol) +
                      ": kings and pawns are placed separately");
    }
    if (std::find(pool.begin(), pool.end(), kind) != pool.end()) {
      throw GameError("the pool names " + quoted(symbol) + " twice");
    }
    pool.push_back(kind);
  }
  return pool;
}

}  // namespace

RandomChess::RandomChess(const Options& options, std::span<const PieceSpec> pieces)
    : CheckedGame(make_rules(options, pieces), read_choice(options, "view", "mover", "absolute")) {
  facts_.name = kName;
  facts_.has_random_start = true;
  facts_.pgn_variants = {"Chess960", "fischerandom", "fischerrandom"};
  if (options.at("pieces") == "standard") facts_.uci = "chess960";
  const bool is_usual = options.at("pieces") == "standard" && options.at("pool") == "all";
  if (is_usual && rules_.has_draws) facts_.typical_plies = 138, facts_.typical_moves = 16;
  pool_ = read_pool(table(), options.at("pool"));
}

RandomChess::Position RandomChess::start(std::uint64_t seed, const Options& options) const {
  constexpr std::array<std::string_view, 1> kKnown = {"back_rank"};
  check_options(options, kKnown, "the start of random_chess");
  if (const auto row = options.find("back_rank"); row != options.end()) {
    return set_up(read_back_rank(row->second));
  }
  if (!table().is_loaded(kRook)) {
    throw GameError("a back rank needs rooks, and the piece set has no R: add one");
  }
  if (pool_.empty()) {
    throw GameError("the piece set cannot fill a back rank: add pieces other than K and P");
  }
  // Draws one of the 56 triples (left rook, king, right rook), then the other men from the left.
  KeyedRandom random{kBackRankKey, seed};
  std::vector<std::array<int, 3>> triples;
  for (int king = 1; king < 7; ++king) {
    for (int left = 0; left < king; ++left) {
      for (int right = king + 1; right < 8; ++right) triples.push_back({left, king, right});
    }
  }
  const auto [left, king, right] =
      triples[random.below(static_cast<std::uint32_t>(triples.size()))];
  BackRank rank{.kinds = {}, .left_rook = left, .right_rook = right};
  for (int file = 0; file < 8; ++file) {
    int& kind = rank.kinds[file];
    if (file == king) {
      kind = kKing;
    } else if (file == left || file == right) {
      kind = kRook;
    } else {
      kind = pool_[random.below(static_cast<std::uint32_t>(pool_.size()))];
    }
  }
  return set_up(rank);
}

RandomChess::BackRank RandomChess::read_back_rank(std::string_view row) const {
  // Reads the row as rank 1 of an otherwise empty board, so the notation is that of positions.
  if (row.find('/') != std::string_view::npos) {
    throw PositionError("a back rank is one row, without slashes, not " + quoted(row));
  }
  Position p = empty_position();
  read_men(table(), "8/8/8/8/8/8/8/" + std::string(row), p);
  if (p.side[0] != rank_bits(0)) {
    throw PositionError("a back rank is eight of White's men, not " + quoted(row));
  }
  if (p.men(0, kPawn)) {
    throw PositionError("a pawn cannot stand on the back rank " + quoted(row));
  }
  if (rulezero::count(p.men(0, kKing)) != 1) {
    throw PositionError("the back rank needs one king: " + quoted(row));
  }
  BackRank rank{.kinds = {},
                .left_rook = outermost_rook(p, 0, kQueenside),
                .right_rook = outermost_rook(p, 0, kKingside)};
  if (rank.left_rook == kNone || rank.right_rook == kNone) {
    throw PositionError("the king needs a rook on each side of it, so it stands on b to g: " +
                        quoted(row));
  }
  std::copy_n(p.kind.begin(), 8, rank.kinds.begin());
  return rank;
}

RandomChess::Position RandomChess::set_up(const BackRank& rank) const {
  Position p = empty_position();
  for (int seat = 0; seat < 2; ++seat) {
    const int back = seat == 0 ? 0 : 56;
    const int pawns = seat == 0 ? 8 : 48;
    for (int file = 0; file < 8; ++file) {
      p.put(back + file, seat, rank.kinds[file]);
      if (table().is_loaded(kPawn)) p.put(pawns + file, seat, kPawn);
    }
    auto& rights = p.castling[seat];
    if (table().castles(kKingside)) {
      rights[kKingside] = static_cast<std::uint8_t>(back + rank.right_rook);
    }
    if (table().castles(kQueenside)) {
      rights[kQueenside] = static_cast<std::uint8_t>(back + rank.left_rook);
    }
  }
  Position other = p;
  other.mover = 1;
  if (in_check(table(), other)) {
    throw GameError("with these pieces Black's king would be in check before the first move: " +
                    text(p));
  }
  return p;
}

}  // namespace rulezero
