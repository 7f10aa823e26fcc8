#include "play/verify.h"

#include <algorithm>
#include <cmath>

#include "play/replay.h"

namespace rulezero {
namespace {

// Calls deed(), and turns errors of the rules into a RecordFault that begins with `what`.
template <class Deed>
auto by_the_rules(const std::string& what, Deed deed) {
  try {
    return deed();
  } catch (const MoveError& error) {
    throw RecordFault(what + error.what());
  } catch (const PositionError& error) {
    throw RecordFault(what + error.what());
  } catch (const GameError& error) {  // of rules in Python
    throw RecordFault(what + error.what());
  }
}

// What is wrong with the actions that a thought is about, if anything.
std::optional<std::string> fault_of_pairs(const AnyState& state, std::size_t ply,
                                          std::span<const Action> pairs) {
  const std::vector<Action>& legal = state.legal();
  const auto wrong = std::ranges::find_if(
      pairs, [&](Action action) { return std::ranges::find(legal, action) == legal.end(); });
  if (wrong == pairs.end()) return std::nullopt;
  try {
    at_ply(ply, state, [&] { return state.slot(*wrong); });
  } catch (const MoveError& error) {
    return state.game().text() + ": a thought " + error.what();
  }
  return std::nullopt;
}

// Replays the actions, of which a game has at most `limit`, and returns the last state. A fault of
// the thoughts is returned in `fault`, because that of a choice is the more important one.
StatePtr follow(StatePtr state, std::span<const Action> actions, std::size_t limit,
                const ThoughtPlies& thoughts, std::optional<std::string>& fault) {
  const std::span<const Action> pairs = thoughts.pair_actions;
  std::size_t begin = 0;
  for (std::size_t ply = 0; ply < actions.size(); ++ply) {
    if (ply == limit && !state->ending()) {
      throw RecordFault("at ply " + std::to_string(ply) + ": the game goes on, but " +
                        state->game().text() + " is stopped here");
    }
    const StatePtr next = at_ply(ply, *state, [&] { return state->apply(actions[ply]); });
    const std::size_t end = thoughts.ends[ply];
    if (!fault && thoughts.has_thought[ply]) {
      if (state->mover() == kChance) {
        fault = "at ply " + std::to_string(ply) + ": a die cannot have thoughts";
      } else {
        fault = fault_of_pairs(*state, ply, pairs.subspan(begin, end - begin));
      }
    }
    begin = end;
    state = next;
  }
  return state;
}

void check_end(const PackedGame& packed, const AnyState& last) {
  const auto said = [](double outcome, std::string_view reason) {
    return short_number(outcome) + " (" + std::string(reason) + ")";
  };
  const std::string where = "at ply " + std::to_string(packed.plies) +
                            ", the end: the record says " + said(packed.outcome, packed.end_reason);
  if (const auto& ending = last.ending()) {
    if (packed.outcome == ending->outcome && packed.end_reason == ending->reason) return;
    throw RecordFault(where + ", the rules say " + said(ending->outcome, ending->reason));
  }
  if (packed.end_reason == "resigned") {
    if (std::abs(packed.outcome) != 1) {
      throw RecordFault(where + ", but the player who resigns loses");
    }
  } else if (packed.end_reason == "forfeit") {
    if (packed.outcome != to_seat0(-1, last.mover())) {
      throw RecordFault(where + ", but the player to move loses by forfeit");
    }
  } else if (packed.end_reason == "claimed") {
    if (!packed.is_imported) {
      throw RecordFault(where + ", but only an imported game can have this end");
    }
  } else if (packed.end_reason == "cap" || packed.end_reason == "interrupted") {
    if (packed.outcome != 0) {
      throw RecordFault(where + ", but a game that was stopped has no winner");
    }
  } else {
    throw RecordFault(where + ", but by the rules the game is not over in " + last.text());
  }
}

void check(const AnyGame& game, const PackedGame& packed, std::span<const PlyNumber> numbers) {
  if (packed.plies > kMostPlies) {
    throw RecordFault("the game has " + std::to_string(packed.plies) +
                      " plies; a record has at most " + std::to_string(kMostPlies));
  }
  const auto limit =
      packed.is_imported ? kMostPlies : static_cast<std::size_t>(game.facts().max_plies);
  const std::vector<Action> actions = unpack(packed.actions, packed.plies, "actions");
  const ThoughtPlies thoughts = read_thoughts(packed.thoughts, numbers, packed.plies);
  const std::string start(packed.start);
  std::optional<std::string> fault;
  by_the_rules(game.text() + ": ", [&] {
    const StatePtr first = game.parse(start);
    const StatePtr last = follow(first, actions, limit, thoughts, fault);
    if (const std::string text = first->text(); text != start) {
      throw RecordFault("the start is written as " + quoted(start) + ", but its text is " +
                        quoted(text));
    }
    check_end(packed, *last);
  });
  if (fault) throw RecordFault(*fault);
}

}  // namespace

std::optional<std::string> fault_in(const AnyGame& game, const PackedGame& packed,
                                    std::span<const PlyNumber> numbers) {
  try {
    check(game, packed, numbers);
    return std::nullopt;
  } catch (const RecordFault& fault) {
    return fault.what();
  }
}

}  // namespace rulezero
