#include "games/exchange/action.h"

namespace rulezero::exchange {

int slot_of(Action action, int king) {
  const Choice choice = choice_of(action);
  switch (choice.deed) {
    case Deed::kMove:
      return choice.from * 64 + choice.to;
    case Deed::kStrike:
    case Deed::kHeal:
    case Deed::kSkirmish:
      return choice.from * 64 + choice.target;
    case Deed::kDecree:
      return king * 64 + king;
    case Deed::kDash:
      return 64 * 64 + choice.from * 8 + file_of(choice.target);
    case Deed::kFace:
      break;
  }
  return -1;
}

std::string say_action(Action action) {
  const Choice choice = choice_of(action);
  switch (choice.deed) {
    case Deed::kMove:
      return square_name(choice.from) + square_name(choice.to);
    case Deed::kStrike:
      return square_name(choice.from) + "x" + square_name(choice.target);
    case Deed::kHeal:
      return square_name(choice.from) + "+" + square_name(choice.target);
    case Deed::kDash:
      return square_name(choice.from) + square_name(choice.to) + "x" + square_name(choice.target);
    case Deed::kSkirmish:
      return square_name(choice.from) + "x" + square_name(choice.target) + square_name(choice.to);
    case Deed::kDecree:
      return "decree";
    case Deed::kFace:
      break;
  }
  return std::to_string(roll_of(action));
}

}  // namespace rulezero::exchange
