#pragma once
// What can be wrong with an input. Each message is one line: what is wrong, and what to do.

#include <stdexcept>
#include <string>

namespace rulezero {

// An unknown game, rule keyword or value.
struct GameError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A text that is no position of the game, or a question this position has no answer to.
struct PositionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An action or move text that is not legal here.
struct MoveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that is no net, or a net that does not fit what it is asked.
struct NetError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An unknown kind of player, key or value of its text.
struct PlayerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rulezero
