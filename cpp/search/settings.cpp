#include "search/settings.h"

#include <array>
#include <charconv>
#include <cmath>
#include <variant>

namespace rulezero {
namespace {

using Member = std::variant<int Settings::*, double Settings::*, bool Settings::*>;

// A key of a player's text: a number from low to high, or true or false.
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
    {"time", &Settings::time, 0, 86400, "time limit per move in seconds; 0: no limit"},
    {"sims", &Settings::sims, 1, kMostSims, "MCTS simulations per move; a simulation counts when it is backed up; with time=, the default is no limit"},
    {"leaves", &Settings::leaves, 1, 1024, "number of leaves of one tree that may wait for the net at the same time"},
    {"virtual_loss", &Settings::virtual_loss, 0, 100, "number of losses that a waiting leaf adds to the moves on its path"},
    {"c_puct", &Settings::c_puct, 0, 100, "exploration constant: weight of the prior relative to the value"},
    {"c_growth", &Settings::c_growth, 0, 100, "growth of c_puct with visits: adds c_growth * ln((1 + visits + c_base) / c_base)"},
    {"c_base", &Settings::c_base, 1, 1e9, "number of visits at which c_growth becomes noticeable"},
    {"prior_temperature", &Settings::prior_temperature, 0.1, 100, "priors are proportional to P ** (1 / prior_temperature), where P is the net's policy; above 1, moves that the net considers unlikely are searched more"},
    {"fpu_is_fixed", &Settings::fpu_is_fixed, 0, 1, "whether fpu is the value of an unvisited move (true) or a reduction of its parent's value (false)"},
    {"fpu", &Settings::fpu, -1, 2, "first-play urgency: an unvisited move is worth (parent's value) - fpu * sqrt(sum of visited priors), or fpu if fpu_is_fixed"},
    {"noise", &Settings::noise, 0, 1, "share of Dirichlet noise in the root priors; 0 turns it off"},
    {"alpha", &Settings::alpha, 0.001, 100, "concentration (alpha) of the Dirichlet noise"},
    {"alpha_total", &Settings::alpha_total, 0, 1000, "if above 0, alpha is alpha_total / number of legal moves instead"},
    {"forced", &Settings::forced, 0, 100, "forced playouts (KataGo): a visited root move gets at least sqrt(forced * prior * visits) visits, which are then pruned from the policy target; 0 turns them off"},
    {"fast_sims", &Settings::fast_sims, 1, kMostSims, "simulations of a fast search (see full_share), which has no noise and gives no policy target"},
    {"full_share", &Settings::full_share, 0, 1, "share of the recorded moves searched with all sims; the others get fast_sims (playout cap randomization)"},
    {"reuse", &Settings::reuse, 0, 1, "whether the subtree of the played moves is reused for the next search"},
    {"temperature", &Settings::temperature, 0, 100, "moves are drawn with probability proportional to weight ** (1 / temperature), where weight is the visit count or the policy; 0 plays the best move"},
    {"temperature_turns", &Settings::temperature_turns, 0, kMillion, "number of turns, counting both seats, that use temperature"},
    {"temperature_later", &Settings::temperature_later, 0, 100, "temperature after temperature_turns turns"},
    {"early_stop", &Settings::early_stop, 0, 1, "whether a search may stop after 30 % of its sims once its move is clear; searches recorded for training never stop early"},
    {"draw_value", &Settings::draw_value, -0.99, 0.99, "value of a draw for the player to move at the root; a negative value is contempt"},
    {"pass_quiescence", &Settings::pass_quiescence, 0, 1, "whether a leaf in the middle of a turn gets the value of the best way to end that turn"},
    {"pass_quiescence_max_depth", &Settings::pass_quiescence_max_depth, 1, 32, "largest number of plies that pass_quiescence looks ahead"},
    {"memory", &Settings::memory, 1, 65536, "memory limit of one tree in MiB; a full tree is still searched but no longer grows"},
    {"rollouts", &Settings::rollouts, 1, 10000, "number of random games per leaf with eval=rollout"},
    {"considered", &Settings::considered, 1, 1024, "number of root moves at the start of sequential halving"},
    {"gumbel_scale", &Settings::gumbel_scale, 0, 100, "scale of the Gumbel noise: use 1 in self-play and 0 in matches"},
    {"c_visit", &Settings::c_visit, 0, 10000, "constant in the weight of values, (c_visit + highest visit count) * c_scale"},
    {"c_scale", &Settings::c_scale, 0, 100, "weight of values relative to logits; see c_visit"},
    {"rescale", &Settings::rescale, 0, 1, "whether values are rescaled to [0, 1] at each node"},
    {"c", &Settings::c, 0, 100, "exploration constant: the score of a move is value + c * sqrt(ln(visits of the parent) / visits)"},
    {"sharpness", &Settings::sharpness, 0, 1000, "the policy target is softmax(sharpness * value)"},
    {"depth", &Settings::depth, 1, kDeepest, "search depth in plies; with time=, the default is no limit"},
    {"hunt", &Settings::hunt, 1, 16, "largest number of turns in which it looks for a forced win against a lone king"},
    {"table", &Settings::table, 1, 4096, "size limit of the transposition table in MiB"},
    {"captures", &Settings::captures, 0, 1, "share of the moves that are drawn from captures and strikes only, if there are any"},
    {"quiescence", &Settings::quiescence, 0, 32, "largest number of plies of captures and strikes that are searched beyond the depth, before positions are evaluated"},
    {"reductions", &Settings::reductions, 0, 1, "whether to search moves that look bad less deeply, and again if they turn out better (late move reductions)"},
    {"explore", &Settings::explore, 0, 1, "share of the moves that are drawn uniformly at random, for varied training games"},
    {"random_ties", &Settings::random_ties, 0, 1, "whether to draw one of several equally good moves at random (true) or play the first one (false)"},
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

// Adds the temperature keys, for players that can draw their move from a policy.
std::vector<Default> with_temperature(std::vector<Default> own) {
  own.insert(own.end(),
             {{"temperature", 0}, {"temperature_turns", kMillion}, {"temperature_later", 0}});
  return own;
}

// Adds the keys that all tree searches share.
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
      {"random",
       Method::kRandom,
       false,
       "plays a legal move, chosen uniformly at random",
       {{"captures", 0}}},
      {"heuristic", Method::kOnePly, false,
       "plays the move that leads to the best position by the hand-written heuristic",
       with_temperature({{"sharpness", 2}, {"draw_value", 0}})},
      {"policy", Method::kPolicy, true, "plays by the net's policy, without a search",
       with_temperature({})},
      {"oneply", Method::kOnePly, true, "plays the move that leads to the best position by the net",
       with_temperature({{"sharpness", 2}, {"rollouts", 1}, {"draw_value", 0}})},
      {"puct", Method::kPuct, true, "searches with MCTS as AlphaZero does (PUCT)",
       with_temperature(with_tree({{"time", 0},
                                   {"sims", 200},
                                   {"c_puct", 1.5},
                                   {"c_growth", 0},
                                   {"c_base", 19652},
                                   {"prior_temperature", 1},
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
       "searches with Gumbel MCTS (sequential halving at the root): strong with few simulations",
       with_tree({{"time", 0},
                  {"sims", 16},
                  {"considered", 16},
                  {"gumbel_scale", 0},
                  {"c_visit", 50},
                  {"c_scale", 0.1},
                  {"rescale", 1},
                  {"fast_sims", 1},
                  {"full_share", 1}})},
      {"ucb1", Method::kUcb1, true, "searches with classic MCTS (UCB1), without priors",
       with_temperature(
           with_tree({{"time", 0}, {"sims", 800}, {"c", 1.41}, {"reuse", 0}, {"early_stop", 1}}))},
      {"alphabeta",
       Method::kAlphaBeta,
       true,
       "searches with alpha-beta and iterative deepening, to a fixed depth or for a fixed time",
       {{"time", 0},
        {"depth", 3},
        {"quiescence", 0},
        {"reductions", 0},
        {"table", 16},
        {"random_ties", 0},
        {"explore", 0},
        {"draw_value", 0},
        {"rollouts", 1}}},
      {"scripted",
       Method::kScripted,
       false,
       "plays Black in monster by hand-written rules that trap the white king, and a short search",
       {{"time", 0},
        {"hunt", 7},
        {"depth", 4},
        {"table", 16},
        {"random_ties", 0},
        {"draw_value", 0}}},
      {"uci",
       Method::kOutside,
       false,
       "asks an engine that speaks UCI, such as Stockfish (chess, and random_chess with standard "
       "pieces)",
       {{"time", 0}}},
      {"human", Method::kHuman, false, "waits for the moves of a person or another program", {}},
  };
  return all;
}

const Entry& find_entry(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry;
  }
  throw std::logic_error("a kind of player names an unknown key");
}

// The shortest text that reads back as this number; `format` is empty or a std::chars_format.
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
    throw PlayerError(std::string(entry.name) + " is " + quoted(text) + "; give true or false");
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = std::holds_alternative<int Settings::*>(entry.member);
  const bool fits = error == std::errc() && end == text.data() + text.size() &&
                    std::isfinite(value) && (!is_whole || value == std::floor(value));
  if (!fits || value < entry.low || value > entry.high) {
    constexpr auto kFixed = std::chars_format::fixed;
    throw PlayerError(std::string(entry.name) + " is " + quoted(text) + "; give a " +
                      (is_whole ? "whole " : "") + "number from " + number_text(entry.low, kFixed) +
                      " to " + number_text(entry.high, kFixed));
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
  throw PlayerError("eval of " + std::string(kind.name) + " is " + quoted(text) +
                    "; give heuristic, rollout, uniform or hash");
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
    bool has_limit = false;  // of simulations or plies
    for (const auto& [key, text] : given) {
      has_limit = has_limit || key == "sims" || key == "depth";
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
    if (settings.time > 0 && !has_limit) {
      settings.sims = kMostSims;
      settings.depth = kDeepest;
    }
    return settings;
  }
  throw PlayerError("there is no player " + quoted(name));
}

}  // namespace rulezero
