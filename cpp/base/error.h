#pragma once
// Errors about inputs. Each message is one line that says what is wrong and what to do.

#include <stdexcept>
#include <string>

namespace rulezero {

// An unknown game, rule keyword or value.
struct GameError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A text that is not a position of the game, or a call that this position does not support.
struct PositionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An action or move text that is not legal here.
struct MoveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that is not a net, or a net that does not fit its input.
struct NetError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A player's text with an unknown kind, key or value.
struct PlayerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rulezero
