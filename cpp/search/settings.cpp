#include "search/settings.h"

#include <array>
#include <charconv>
#include <cmath>
#include <variant>

namespace rulezero {
namespace {

using Member = std::variant<int Settings::*, double Settings::*, bool Settings::*>;

// A number with its range, or a yes or no.
struct Entry {
  std::string_view name;
  Member member;
  double low;
  double high;
  std::string_view help;
};

constexpr double kMillion = 1e6;

// clang-format off: one line per key
const Entry kEntries[] = {
    {"sims", &Settings::sims, 1, 100 * kMillion, "simulations per choice: completed backups"},
    {"leaves", &Settings::leaves, 1, 1024, "leaves of one tree that wait for the net at a time"},
    {"virtual_loss", &Settings::virtual_loss, 0, 100, "losses that a waiting leaf counts as, for the mover who chose it"},
    {"c_puct", &Settings::c_puct, 0, 100, "weight of the prior against the value"},
    {"c_growth", &Settings::c_growth, 0, 100, "growth of c_puct: + c_growth * ln((1 + visits + c_base) / c_base)"},
    {"c_base", &Settings::c_base, 1, 1e9, "visits at which that growth sets in"},
    {"fpu_is_fixed", &Settings::fpu_is_fixed, 0, 1, "whether fpu is an unvisited move's value itself (true) or what is taken off its parent's (false)"},
    {"fpu", &Settings::fpu, -1, 2, "first-play urgency: parent's value - fpu * sqrt(prior already visited), or the value itself"},
    {"noise", &Settings::noise, 0, 1, "share of Dirichlet noise in the root's priors; 0: none"},
    {"alpha", &Settings::alpha, 0.001, 100, "concentration of that noise"},
    {"alpha_total", &Settings::alpha_total, 0, 1000, "if above 0: alpha is alpha_total / number of moves"},
    {"forced", &Settings::forced, 0, 100, "forced playouts: a visited root move gets sqrt(forced * prior * visits), pruned from the target; 0: off"},
    {"fast_sims", &Settings::fast_sims, 1, 100 * kMillion, "simulations of a fast choice, which is no policy target and has no noise"},
    {"full_share", &Settings::full_share, 0, 1, "share of the choices that get all their sims (playout cap randomisation)"},
    {"reuse", &Settings::reuse, 0, 1, "whether the part of the tree that was played on is kept"},
    {"temperature", &Settings::temperature, 0, 100, "shares are visits ** (1 / temperature); 0: the most visited"},
    {"temperature_turns", &Settings::temperature_turns, 0, kMillion, "turns, of both seats, with that temperature"},
    {"temperature_later", &Settings::temperature_later, 0, 100, "temperature of the turns after these"},
    {"early_stop", &Settings::early_stop, 0, 1, "whether a search whose choice is clear may stop after 30 % of its sims; never where it is recorded for learning"},
    {"draw_value", &Settings::draw_value, -0.99, 0.99, "what a draw is worth to the mover at the root: contempt is negative"},
    {"pass_quiescence", &Settings::pass_quiescence, 0, 1, "whether a leaf in the middle of a turn is judged by the best end of that turn"},
    {"pass_quiescence_max_depth", &Settings::pass_quiescence_max_depth, 1, 32, "plies to that end at most"},
    {"memory", &Settings::memory, 1, 65536, "MiB of one tree; a full one is visited but grows no more"},
    {"rollouts", &Settings::rollouts, 1, 10000, "random games per leaf with eval=rollout"},
    {"considered", &Settings::considered, 1, 1024, "root moves that the halving begins with"},
    {"gumbel_scale", &Settings::gumbel_scale, 0, 100, "weight of the Gumbel noise: 1 in self-play, 0 in matches"},
    {"c_visit", &Settings::c_visit, 0, 10000, "visits that the weight of values begins with"},
    {"c_scale", &Settings::c_scale, 0, 100, "weight of values against logits"},
    {"rescale", &Settings::rescale, 0, 1, "whether values are stretched to [0, 1] at each node"},
    {"c", &Settings::c, 0, 100, "exploration: value + c * sqrt(ln(visits of the parent) / visits)"},
    {"sharpness", &Settings::sharpness, 0, 1000, "the policy target is softmax(sharpness * value)"},
    {"depth", &Settings::depth, 1, 64, "plies that every line is searched to"},
    {"hunt", &Settings::hunt, 1, 16, "turns of a win against a lone king that is counted out"},
    {"table", &Settings::table, 1, 4096, "MiB of the transposition table"},
    {"captures", &Settings::captures, 0, 1, "share of the choices made among captures and strikes only, where there are any"},
    {"random_ties", &Settings::random_ties, 0, 1, "whether one of several equally good moves is drawn (true) or the first is taken (false)"},
};
// clang-format on

struct Default {
  std::string_view name;
  double value;
};

struct Kind {
  std::string_view name;
  Method method;
  bool judges;
  std::string_view help;
  std::vector<Default> defaults;
};

// Temperatures of those who choose by shares.
std::vector<Default> with_temperature(std::vector<Default> own) {
  own.insert(own.end(),
             {{"temperature", 0}, {"temperature_turns", kMillion}, {"temperature_later", 0}});
  return own;
}

// What a tree search has whatever its rule of choice is.
std::vector<Default> with_tree(std::vector<Default> own) {
  own.insert(own.end(), {{"leaves", 1},
                         {"virtual_loss", 3},
                         {"draw_value", 0},
                         {"pass_quiescence", 0},
                         {"pass_quiescence_max_depth", 10},
                         {"memory", 512},
                         {"rollouts", 1}});
  return own;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"random", Method::kRandom, false, "any legal move, all alike", {{"captures", 0}}},
      {"heuristic", Method::kOnePly, false,
       "the move whose outcome the hand-written judgement likes best",
       with_temperature({{"sharpness", 2}, {"draw_value", 0}})},
      {"policy", Method::kPolicy, true, "the net's policy, without a search", with_temperature({})},
      {"oneply", Method::kOnePly, true, "the move whose outcome the net likes best",
       with_temperature({{"sharpness", 2}, {"rollouts", 1}, {"draw_value", 0}})},
      {"puct", Method::kPuct, true, "AlphaZero's tree search",
       with_temperature(with_tree({{"sims", 200},
                                   {"c_puct", 1.5},
                                   {"c_growth", 0},
                                   {"c_base", 19652},
                                   {"fpu_is_fixed", 0},
                                   {"fpu", 0.2},
                                   {"noise", 0},
                                   {"alpha", 0.3},
                                   {"alpha_total", 0},
                                   {"forced", 0},
                                   {"fast_sims", 1},
                                   {"full_share", 1},
                                   {"reuse", 1},
                                   {"early_stop", 1}}))},
      {"gumbel", Method::kGumbel, true,
       "sequential halving over Gumbel-sampled root moves: strong with few sims",
       with_tree({{"sims", 16},
                  {"considered", 16},
                  {"gumbel_scale", 0},
                  {"c_visit", 50},
                  {"c_scale", 0.1},
                  {"rescale", 1},
                  {"fast_sims", 1},
                  {"full_share", 1}})},
      {"ucb1", Method::kUcb1, true, "classic tree search without priors",
       with_temperature(with_tree({{"sims", 800}, {"c", 1.41}, {"reuse", 0}, {"early_stop", 1}}))},
      {"alphabeta",
       Method::kAlphaBeta,
       true,
       "iterative deepening to a fixed depth",
       {{"depth", 3}, {"table", 16}, {"random_ties", 0}, {"draw_value", 0}, {"rollouts", 1}}},
      {"scripted",
       Method::kScripted,
       false,
       "Black's hunt by the book: fences, little room for the king, a short look ahead (monster)",
       {{"hunt", 7}, {"depth", 4}, {"table", 16}, {"random_ties", 0}, {"draw_value", 0}}},
      {"human",
       Method::kHuman,
       false,
       "a person or another program: the game waits for its move",
       {}},
  };
  return all;
}

const Entry& find_entry(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry;
  }
  throw std::logic_error("a kind of player names an unknown key");
}

// The shortest text that reads as this number, in a format of std::to_chars or in any.
template <class... Format>
std::string number_text(double value, Format... format) {
  std::array<char, 32> letters;
  char* const end = letters.data() + letters.size();
  return std::string(letters.data(), std::to_chars(letters.data(), end, value, format...).ptr);
}

std::string written(const Entry& entry, double value) {
  if (std::holds_alternative<bool Settings::*>(entry.member)) return value != 0 ? "true" : "false";
  return number_text(value);
}

double read_value(const Entry& entry, std::string_view text) {
  if (std::holds_alternative<bool Settings::*>(entry.member)) {
    if (text == "true" || text == "1" || text == "yes" || text == "on") return 1;
    if (text == "false" || text == "0" || text == "no" || text == "off") return 0;
    throw PlayerError(std::string(entry.name) + " is true or false, not " + quoted(text));
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = std::holds_alternative<int Settings::*>(entry.member);
  const bool fits = error == std::errc() && end == text.data() + text.size() &&
                    std::isfinite(value) && (!is_whole || value == std::floor(value));
  if (!fits || value < entry.low || value > entry.high) {
    constexpr auto kFixed = std::chars_format::fixed;
    throw PlayerError(std::string(entry.name) + " is a " + (is_whole ? "whole " : "") +
                      "number from " + number_text(entry.low, kFixed) + " to " +
                      number_text(entry.high, kFixed) + ", not " + quoted(text));
  }
  return value;
}

void set(Settings& settings, const Entry& entry, double value) {
  std::visit(
      [&](auto member) {
        using Type = std::remove_reference_t<decltype(settings.*member)>;
        settings.*member = static_cast<Type>(value);
      },
      entry.member);
}

Source read_source(const Kind& kind, std::string_view text) {
  constexpr std::pair<std::string_view, Source> kSources[] = {{"heuristic", Source::kHeuristic},
                                                              {"rollout", Source::kRollout},
                                                              {"uniform", Source::kUniform},
                                                              {"hash", Source::kHash}};
  for (const auto& [name, source] : kSources) {
    if (name == text) return source;
  }
  throw PlayerError(std::string(kind.name) + " has no eval=" + std::string(text) +
                    "; known: heuristic, rollout, uniform, hash");
}

}  // namespace

std::vector<PlayerKind> player_kinds() {
  std::vector<PlayerKind> found;
  for (const Kind& kind : kinds()) {
    PlayerKind& player = found.emplace_back(kind.name, kind.help, kind.judges);
    for (const Default& preset : kind.defaults) {
      const Entry& entry = find_entry(preset.name);
      player.options.push_back({entry.name, written(entry, preset.value), entry.help});
    }
  }
  return found;
}

Settings read_settings(std::string_view name, const Options& given) {
  for (const Kind& kind : kinds()) {
    if (kind.name != name) continue;
    Settings settings{};
    settings.method = kind.method;
    settings.source = name == "scripted" ? Source::kScript : Source::kHeuristic;
    for (const Default& preset : kind.defaults) {
      set(settings, find_entry(preset.name), preset.value);
    }
    for (const auto& [key, text] : given) {
      if (key == "eval" && kind.judges) {
        settings.source = read_source(kind, text);
        continue;
      }
      const auto knows = [&](const Default& preset) { return preset.name == key; };
      if (std::none_of(kind.defaults.begin(), kind.defaults.end(), knows)) {
        throw PlayerError(std::string(name) + " has no key " + quoted(key));
      }
      const Entry& entry = find_entry(key);
      set(settings, entry, read_value(entry, text));
    }
    return settings;
  }
  throw PlayerError("there is no player " + quoted(name));
}

}  // namespace rulezero
