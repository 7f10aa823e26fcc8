#include "games/game.h"

namespace rulezero {

void check_options(const Options& given, std::span<const std::string_view> known,
                   std::string_view what) {
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string message = std::string(what) + " has no option " + quoted(name);
    if (known.empty()) throw GameError(message + ": it takes none");
    message += "; known: ";
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (i > 0) message += ", ";
      message += known[i];
    }
    throw GameError(message);
  }
}

Options complete_options(const Options& given, std::span<const RuleOption> known,
                         std::string_view game) {
  std::vector<std::string_view> names;
  Options complete;
  for (const RuleOption& option : known) {
    names.push_back(option.name);
    complete.emplace(option.name, option.fallback);
  }
  check_options(given, names, game);
  for (const auto& [name, value] : given) complete[name] = value;
  return complete;
}

}  // namespace rulezero
