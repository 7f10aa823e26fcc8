#pragma once
// The only place where the core reads the clock. Searches without a time limit never do, so their
// results depend on nothing but their seeds.

#include <chrono>
#include <limits>

namespace rulezero {

// The time for one choice. It begins when it is constructed; a default one never ends.
class TimeLimit {
 public:
  TimeLimit() = default;
  explicit TimeLimit(double seconds) : seconds_(seconds) {  // 0: it never ends
    if (exists()) begin_ = Clock::now();
  }

  bool exists() const { return seconds_ > 0; }
  bool is_over() const { return exists() && spent() >= seconds_; }

  // In seconds: what is left is negative after the end, and infinite if there is no end.
  double spent() const {
    return exists() ? std::chrono::duration<double>(Clock::now() - begin_).count() : 0;
  }
  double left() const {
    return exists() ? seconds_ - spent() : std::numeric_limits<double>::infinity();
  }
  double share_spent() const { return exists() ? spent() / seconds_ : 0; }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_ = 0;
  Clock::time_point begin_;
};

}  // namespace rulezero
