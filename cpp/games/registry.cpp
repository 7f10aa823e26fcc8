#include "games/registry.h"

#include "games/all.h"

namespace rulezero {
namespace {

// Constructs a game from options and pieces, from options, or from nothing, as its type allows.
template <Game G>
G build(const Options& options, std::span<const PieceSpec> pieces) {
  if constexpr (std::constructible_from<G, const Options&, std::span<const PieceSpec>>) {
    return G(options, pieces);
  } else if constexpr (std::constructible_from<G, const Options&>) {
    return G(options);
  } else {
    return G();
  }
}

// The name and the options that differ from their defaults, in the order in which the game lists
// them.
std::string canonical_text(std::string_view name, std::span<const RuleOption> known,
                           const Options& options) {
  std::string text(name);
  char separator = ':';
  for (const RuleOption& option : known) {
    const std::string& value = options.find(option.name)->second;
    if (value == option.fallback) continue;
    text += separator + std::string(option.name) + "=" + value;
    separator = ',';
  }
  return text;
}

template <Game G>
constexpr GameEntry entry() {
  return {G::kName, G::kOptions, [](const Options& given, std::span<const PieceSpec> pieces) {
            const Options options = complete_options(given, G::kOptions, G::kName);
            return std::shared_ptr<const AnyGame>(std::make_shared<GameOf<G>>(
                build<G>(options, pieces), canonical_text(G::kName, G::kOptions, options)));
          }};
}

template <class... Games>
constexpr std::array<GameEntry, sizeof...(Games)> entries(TypeList<Games...>) {
  return {entry<Games>()...};
}

constexpr auto kGames = entries(AllGames{});

}  // namespace

std::span<const GameEntry> registered_games() { return kGames; }

std::shared_ptr<const AnyGame> load_game(std::string_view name, const Options& options,
                                         std::span<const PieceSpec> pieces) {
  std::string known;
  for (const GameEntry& game : kGames) {
    if (game.name == name) return game.make(options, pieces);
    known += (known.empty() ? "" : ", ") + std::string(game.name);
  }
  throw GameError("there is no game " + quoted(name) + "; known: " + known);
}

}  // namespace rulezero
