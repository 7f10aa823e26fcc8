#pragma once
#include <span>
namespace rulezero {
class Mlp {
 public:
  float evaluate(std::span<const float>) const { return 0; }
};
}  // namespace rulezero
