// Python bindings of pieces and their patterns.

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/parts.h"
#include "games/chesslike/piece.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {

void bind_pieces(nb::module_& m) {
  nb::class_<PatternSpec>(m, "Pattern", "One way a piece moves: a slide, a leap or a hop.")
      .def(
          "__init__",
          [](PatternSpec* self, std::string_view kind,
             const std::vector<std::array<int, 2>>& vectors, int range, int hurdles, int land,
             bool moves, bool captures, bool initial_only) {
            using Kind = PatternSpec::Kind;
            if (kind != "slide" && kind != "leap" && kind != "hop") {
              throw GameError("a pattern is a slide, a leap or a hop, not " + quoted(kind));
            }
            const Kind type = kind == "slide"  ? Kind::kSlide
                              : kind == "leap" ? Kind::kLeap
                                               : Kind::kHop;
            new (self) PatternSpec{type, {}, range, hurdles, land, moves, captures, initial_only};
            for (const auto& [right, forward] : vectors) self->vectors.push_back({right, forward});
          },
          nb::kw_only(), "kind"_a, "vectors"_a, "range"_a = 0, "hurdles"_a = 1, "land"_a = 0,
          "moves"_a = true, "captures"_a = true, "initial_only"_a = false,
          "vectors are [right, forward]; range 0 is unlimited, land 0 is any distance.");

  nb::class_<PieceSpec>(m, "Piece", "The description of a piece: its patterns and abilities.")
      .def(
          "__init__",
          [](PieceSpec* self, std::string name, std::string symbol, double value, bool royal,
             std::vector<PatternSpec> patterns, bool en_passant, int promotion_rank,
             std::vector<std::string> promotion_options, bool castles_kingside,
             bool castles_queenside) {
            new (self) PieceSpec{std::move(name), std::move(symbol),   value,
                                 royal,           std::move(patterns), en_passant,
                                 std::nullopt,    castles_kingside,    castles_queenside};
            if (promotion_rank != 0) {
              self->promotion = PromotionSpec{promotion_rank, std::move(promotion_options)};
            }
          },
          nb::kw_only(), "name"_a, "symbol"_a, "value"_a, "royal"_a = false, "patterns"_a,
          "en_passant"_a = false, "promotion_rank"_a = 0,
          "promotion_options"_a = std::vector<std::string>{}, "castles_kingside"_a = false,
          "castles_queenside"_a = false)
      .def_ro("name", &PieceSpec::name)
      .def_ro("symbol", &PieceSpec::symbol)
      .def_ro("value", &PieceSpec::value)
      .def_ro("royal", &PieceSpec::royal);
}

}  // namespace rulezero
