#pragma once
#include "search/thinker.h"
namespace rulezero {
inline std::unique_ptr<Thinker> make_alphabeta(const Player&, std::unique_ptr<Walk>) {
  throw SeatError("soon");
}
}  // namespace rulezero
