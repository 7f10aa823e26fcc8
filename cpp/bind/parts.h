#pragma once
// The parts of the module rulezero._core, each in its own file.

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

#include "games/any.h"

namespace rulezero {

void bind_pieces(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_states(nanobind::module_& m);
void bind_pool(nanobind::module_& m);
void bind_eval(nanobind::module_& m);
void bind_mlp(nanobind::module_& m);
void bind_nnue(nanobind::module_& m);
void bind_endgame(nanobind::module_& m);
void bind_monster_tables(nanobind::module_& m);
void bind_replay(nanobind::module_& m);
void bind_verify(nanobind::module_& m);

// Any whole number as an action. Throws MoveError, not TypeError, for numbers out of range.
Action to_action(nanobind::handle number, const AnyState& state);

// The text as UTF-8; nullopt if that is not possible because of lone surrogates.
std::optional<std::string_view> to_utf8(const nanobind::str& text);
std::string_view letters_of(const nanobind::str& text);  // throws PositionError instead of nullopt

// The signature of pickle's __reduce__, which returns a function and its arguments.
inline constexpr const char* kReduceSignature =
    "def __reduce__(self) -> tuple[object, tuple[object, ...]]";

}  // namespace rulezero
