#pragma once
// Every key of a player's text, such as puct:sims=200,c_puct=1.25. settings.cpp has the range, the
// defaults and the meaning of each; docs/players.md is generated from it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/game.h"

namespace rulezero {

// How a player chooses its moves.
enum class Method {
  kRandom,
  kPolicy,
  kOnePly,
  kPuct,
  kGumbel,
  kUcb1,
  kAlphaBeta,
  kScripted,
  kHuman,
  kOutside  // by a program that does not belong to the core
};

// What evaluates the positions that a search reaches.
enum class Source { kNet, kHeuristic, kScript, kRollout, kUniform, kHash, kMlp, kNnue };

constexpr int kMostSims = 100'000'000;
constexpr int kDeepest = 64;  // plies of an alpha-beta search

struct Settings {
  Method method;
  Source source;

  double time = 0;  // seconds per choice; 0: no limit
  int sims;
  int leaves;
  double virtual_loss;
  double c_puct, c_growth, c_base;
  double prior_temperature = 1;  // kinds without this key use priors as they are
  bool fpu_is_fixed;
  double fpu;
  double noise, alpha, alpha_total;
  double forced;
  int fast_sims;
  double full_share;
  bool reuse;
  double temperature, temperature_later;
  int temperature_turns;
  bool early_stop;
  double draw_value;
  bool pass_quiescence;
  int pass_quiescence_max_depth;
  int memory;
  int rollouts;

  int considered;
  double gumbel_scale, c_visit, c_scale;
  bool rescale;

  double c;

  double sharpness;

  int depth;
  int hunt;
  int table;
  double captures;
  bool random_ties;
  int quiescence;
  bool reductions;
  double explore;

  // Whether the time alone ends a search.
  bool is_endless() const { return time > 0 && sims == kMostSims; }
  bool uses_net() const { return source == Source::kNet; }
  double temperature_at(int turn) const {
    return turn < temperature_turns ? temperature : temperature_later;
  }
};

// A key of a player's text.
struct PlayerOption {
  std::string_view name;
  std::string fallback;
  std::string_view help;
};

// A kind of player, such as puct.
struct PlayerKind {
  std::string_view name;
  std::string_view help;
  bool judges;  // whether it takes net= and eval=
  std::vector<PlayerOption> options;
};

std::vector<PlayerKind> player_kinds();

// The settings of a kind of player: the given options, and defaults for all others. Throws
// PlayerError for an unknown key or a value out of range. `eval` is one of the options; the caller
// handles `net`.
Settings read_settings(std::string_view kind, const Options& given);

}  // namespace rulezero
