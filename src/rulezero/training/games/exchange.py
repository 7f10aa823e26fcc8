"""EXCHANGE's shaped rewards: what each side did in a game, and what that adds to the result.

Ply numbers count the actions of players, not dice. The names RewardConfig, AbilityTracker and
calculate_total_reward are those of the original EXCHANGE program.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from rulezero._core import CHANCE, Game
from rulezero.data.columns import Floats
from rulezero.data.record import Record
from rulezero.data.replay import Replay, replay_of
from rulezero.learn.targets import TargetSettings
from rulezero.settings import Settings
from rulezero.training.flag import Flag, setting
from rulezero.training.games.figures import TARGET_BINS, GameFigures, Usage
from rulezero.training.games.training import GameTraining

_Counts = npt.NDArray[np.int64]


class RewardConfig(Settings):
    """The rewards for actions. A win is worth 1 before the sum is divided by `scale`."""

    rd_activation_reward: float = Field(0.05, ge=0)  # per Royal Decree
    rd_combo_bonus_per_attack: float = Field(0.15, ge=0)  # per damaging strike under Decree
    rd_combo_bonus_max: float = Field(0.6, ge=0)  # per game: all those strikes together
    rd_waste_penalty: float = Field(0.10, ge=0)  # per Decree without such a strike
    interpose_damage_blocked_reward: float = Field(0.02, ge=0)  # per HP an interposing rook lost
    consecration_efficiency_reward: float = Field(0.10, ge=0)  # times the mean of healed / missing
    skirmish_reward: float = Field(0.03, ge=0)  # per Skirmish
    overextend_net_damage_reward: float = Field(0.05, ge=0)  # per HP of damage above the 2 HP paid
    pawn_advance_reward: float = Field(0.02, ge=0)  # per forward move of a pawn, however far
    pawn_promotion_reward: float = Field(0.20, ge=0)  # per promotion
    king_proximity_reward: float = Field(0.02, ge=0)  # per king step nearer to the enemy king
    king_attack_opportunity_reward: float = Field(0.05, ge=0)  # per ply and man that can strike him
    damage_reward: float = Field(0.01, ge=0)  # per HP; grows with the ply number up to twice this
    attack_reward: float = Field(0.02, ge=0)  # per strike, combo, Overextend or Skirmish
    shuffle_penalty: float = Field(0.01, ge=0)  # times 2 ** longest own streak without damage
    shuffle_penalty_max: float = Field(1.0, ge=0)  # per game
    combo_bonus: bool = True  # whether strikes under Decree earn their bonus
    early_win_bonus: float = Field(0.5, ge=0)  # for a win at ply 0; falls linearly with the ply
    early_win_ply: int = Field(50, ge=1)  # the ply number at which that bonus is 0
    shaped_limit: float = Field(0.5, ge=0, lt=1)  # most that the difference of rewards can add
    # The difference adds shaped_limit * tanh(difference / shaped_scale); none: it is clipped.
    shaped_scale: float | None = Field(3.0, gt=0)
    shaped_over: Literal["game", "rest"] = "game"  # rewards of the whole game, or from each ply on
    scale: float = Field(1.5, gt=0)  # the sum is divided by it
    draw_target: float | None = Field(None, ge=-1, le=1)  # of drawn games, for the mover

    def idle(self) -> dict[str, str]:
        """The bonus for strikes under Decree if there is none."""
        keys = ("rd_combo_bonus_per_attack", "rd_combo_bonus_max")
        return {} if self.combo_bonus else dict.fromkeys(keys, "combo_bonus=true")

    @model_validator(mode="before")
    @classmethod
    def _keep_the_cut_of_older_runs(cls, given: Any) -> Any:
        """A run's config has every key; one without shaped_scale clipped the difference."""
        if not isinstance(given, dict) or {"shaped_limit", "draw_target"} - given.keys():
            return given
        return {"shaped_scale": None} | given

    def bounded(self, difference: float) -> float:
        """The amount that a difference of rewards adds to the result, at most the limit in size."""
        if self.shaped_scale is None:
            return min(max(difference, -self.shaped_limit), self.shaped_limit)
        return self.shaped_limit * math.tanh(difference / self.shaped_scale)


class AbilityTracker(msgspec.Struct, frozen=True, kw_only=True):
    """What one side did in a game."""

    rd_activations: int = 0  # Royal Decrees
    rd_combo_attacks: int = 0  # strikes that did damage under Decree
    rd_wasted: int = 0  # Decrees under which the side acted, but did no damage
    rd_used: int = 0  # Decrees under which damage was done; the rest came too late for any action
    interpose_triggers: int = 0  # hits that an own rook shared
    interpose_damage_blocked: int = 0  # HP those rooks lost
    consecration_uses: int = 0
    consecration_hp_healed: int = 0  # HP
    consecration_efficiency: float = 0.0  # mean of healed / missing over the uses, in [0, 1]
    skirmish_uses: int = 0
    overextend_uses: int = 0
    overextend_net_damage: int = 0  # HP: damage minus 2, summed over uses with more than 2
    pawn_advances: int = 0  # forward moves; a double step or an Advance is one
    pawn_promotions: int = 0
    king_proximity_delta: int = 0  # king steps that own men came nearer to the enemy king; any sign
    king_attack_opportunities: int = 0  # men that can strike the enemy king, summed over actions
    actions: int = 0  # own plies
    attacks: int = 0  # strikes, combos, Overextends and Skirmishes
    scaled_damage: float = 0.0  # HP, each times min(2, 1 + ply / 100)
    quiet_streak: int = 0  # longest run of own actions without damage

    def calculate_total_reward(self, config: RewardConfig) -> float:
        """The sum of the side's rewards, of any size and sign."""
        total = self.rd_activations * config.rd_activation_reward
        if config.combo_bonus:
            combos = self.rd_combo_attacks * config.rd_combo_bonus_per_attack
            total += min(combos, config.rd_combo_bonus_max)
        total -= self.rd_wasted * config.rd_waste_penalty
        total += self.interpose_damage_blocked * config.interpose_damage_blocked_reward
        total += self.consecration_efficiency * config.consecration_efficiency_reward
        total += self.skirmish_uses * config.skirmish_reward
        total += self.overextend_net_damage * config.overextend_net_damage_reward
        total += self.pawn_advances * config.pawn_advance_reward
        total += self.pawn_promotions * config.pawn_promotion_reward
        total += self.king_proximity_delta * config.king_proximity_reward
        total += self.king_attack_opportunities * config.king_attack_opportunity_reward
        total += self.attacks * config.attack_reward
        total += self.scaled_damage * config.damage_reward
        return total - self._shuffle_penalty(config)

    def _shuffle_penalty(self, config: RewardConfig) -> float:
        if self.quiet_streak == 0:  # otherwise the penalty would be 2 ** 0 times the factor
            return 0.0
        return min(config.shuffle_penalty * 2.0**self.quiet_streak, config.shuffle_penalty_max)


Trackers = tuple[AbilityTracker, AbilityTracker]  # White's, Black's


class Shaped(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The targets of a game over its n plies, dice included."""

    value: Floats  # [n] seat 0's, in [-1, 1]
    added: Floats  # [n] the part of it that comes from rewards, before the division by `scale`


def track(replay: Replay, since: int = 0) -> Trackers:
    """What White and Black did from a ply on. An action whose die was not rolled does not count."""
    facts = replay.last.game.facts
    is_completed = np.append(replay.movers, replay.last.mover)[1:] != CHANCE
    is_completed[:since] = False
    events = replay.events[is_completed].astype(np.int64)  # a row for each player action
    columns = dict(zip(facts.events, events.T, strict=True))
    actors, plies = replay.actors[is_completed], replay.plies[is_completed].astype(np.int64)
    white, black = (_track_side(columns, plies, actors == seat, facts.constants) for seat in (0, 1))
    return white, black


def shaped(
    replay: Replay,
    trackers: Trackers,  # of the whole game
    config: RewardConfig,
    result: float,  # seat 0's, as it is to be learned
) -> Shaped:
    """Targets: (result + early-win bonus + bounded difference of rewards) / scale.

    They are zero-sum: Black loses what White gains by its rewards. With `draw_target`, the targets
    of a drawn game are this value for the mover of each ply, so seat 0's value changes its sign
    from ply to ply: if it is negative, every drawish position looks good for the side that has
    just moved.
    """
    plies = len(replay.movers)
    if result == 0 and config.draw_target is not None:
        sign = (replay.movers == 0).astype(np.float32) - (replay.movers == 1)  # 0 for dice
        value = np.float32(config.draw_target) * sign
        return Shaped(value=value, added=np.zeros(plies, np.float32))
    early = max(0.0, 1 - replay.last.ply / config.early_win_ply)
    added = np.full(plies, config.bounded(_difference(trackers, config)))
    if config.shaped_over == "rest":
        for ply in range(1, plies):
            if replay.movers[ply] == CHANCE:  # a die belongs to the action that rolls it
                added[ply] = added[ply - 1]
            else:
                added[ply] = config.bounded(_difference(track(replay, ply), config))
    target = (result * (1 + config.early_win_bonus * early) + added) / config.scale
    return Shaped(value=np.clip(target, -1, 1).astype(np.float32), added=added.astype(np.float32))


def _difference(trackers: Trackers, config: RewardConfig) -> float:
    """White's rewards minus Black's."""
    white, black = (tracker.calculate_total_reward(config) for tracker in trackers)
    return white - black


def _track_side(
    columns: dict[str, _Counts],
    plies: _Counts,
    is_own: npt.NDArray[np.bool_],
    rules: Mapping[str, int],
) -> AbilityTracker:
    """The tracker of one side, from the rows of all players' actions."""
    own = {name: column[is_own] for name, column in columns.items()}
    others = {name: column[~is_own] for name, column in columns.items()}
    damage = own["damage"]
    healed = own["healed"][own["consecration"] > 0]
    missing = own["missing"][own["consecration"] > 0]
    net_damage = (damage - rules["overextend_cost"])[own["overextend"] > 0]
    percent = 100 + np.minimum(plies[is_own], 100)  # whole numbers: sums stay exact
    used, wasted = _decrees(own["decree"] > 0, damage > 0, rules["decree_length"])
    kinds = ("strike", "combo", "overextend", "skirmish")
    return AbilityTracker(
        rd_activations=_sum(own["decree"]),
        rd_combo_attacks=_sum((own["decree_bonus"] > 0) & (damage > 0)),
        rd_wasted=wasted,
        rd_used=used,
        interpose_triggers=_sum(others["interpose"]),
        interpose_damage_blocked=_sum(others["absorbed"]),
        consecration_uses=len(healed),
        consecration_hp_healed=_sum(healed),
        consecration_efficiency=statistics.fmean(healed / missing) if len(healed) else 0.0,
        skirmish_uses=_sum(own["skirmish"]),
        overextend_uses=len(net_damage),
        overextend_net_damage=_sum(np.maximum(net_damage, 0)),
        pawn_advances=_sum(own["pawn_advance"]),
        pawn_promotions=_sum(own["promoted"]),
        king_proximity_delta=_sum(own["king_distance"]),
        king_attack_opportunities=_sum(own["king_attackers"]),
        actions=len(damage),
        attacks=sum(_sum(own[kind]) for kind in kinds),
        scaled_damage=_sum(damage * percent) / 100,
        quiet_streak=_longest_streak(damage == 0),
    )


def _sum(column: npt.NDArray[np.generic]) -> int:
    return int(column.sum())


def _decrees(
    is_decree: npt.NDArray[np.bool_], is_hit: npt.NDArray[np.bool_], length: int
) -> tuple[int, int]:
    """The number of Decrees with damage, and the number of those with actions but no damage.

    A Decree covers the next `length` own actions, or fewer if another Decree replaces it.
    """
    at = np.flatnonzero(is_decree)
    ends = np.minimum(at + length, np.append(at, len(is_decree))[1:])
    is_used = np.array(
        [is_hit[i + 1 : end + 1].any() for i, end in zip(at, ends, strict=True)], np.bool_
    )
    is_wasted = ~is_used & (at + 1 < len(is_decree))
    return _sum(is_used), _sum(is_wasted)


def _longest_streak(is_quiet: npt.NDArray[np.bool_]) -> int:
    """The length of the longest run of quiet actions."""
    loud = np.flatnonzero(~is_quiet)
    return int(np.diff(loud, prepend=-1, append=len(is_quiet)).max()) - 1


# What a run should reach: minimum and maximum, by the fields of Usage.
TARGETS = {
    "decree": (0.50, 1.0),
    "decree_used": (0.50, 1.0),
    "interpose": (0.30, 1.0),
    "consecration": (0.20, 1.0),
    "skirmish": (0.60, 1.0),
    "overextend": (0.50, 1.0),
    "pawn_advances": (0.15, 1.0),
    "promotions": (0.15, 1.0),
    "draws": (0.0, 0.10),
    "length": (80.0, 100.0),
}

# The field of a tracker that is above 0 if an ability was used.
_USES = {
    "decree": "rd_activations",
    "interpose": "interpose_triggers",
    "consecration": "consecration_uses",
    "skirmish": "skirmish_uses",
    "overextend": "overextend_uses",
    "pawn_advances": "pawn_advances",
    "promotions": "pawn_promotions",
}


def usage(games: Iterable[tuple[Record, Trackers, Shaped]]) -> Usage:
    """How the abilities are used in all these games."""
    users, causes = Counter[str](), Counter[str]()
    count = plies = decrees = decrees_used = 0
    targets, added = [np.zeros(0, np.float32)], [np.zeros(0, np.float32)]
    for record, trackers, shaped in games:
        count += 1
        targets.append(shaped.value)
        added.append(np.abs(shaped.added))
        if record.outcome == 0:
            causes[record.end_reason] += 1
        for tracker in trackers:
            plies += tracker.actions
            decrees += tracker.rd_activations
            decrees_used += tracker.rd_used
            users.update(name for name, number in _USES.items() if getattr(tracker, number) > 0)
    sizes = np.concatenate(added)
    return Usage(
        games=count,
        decree_used=_share(decrees_used, decrees),
        length=_share(plies, count),
        draws=_share(causes.total(), count),
        draws_by_cause={cause: _share(n, count) for cause, n in causes.most_common()},
        rewards_added=float(sizes.mean()) if len(sizes) else 0.0,
        targets=tuple(np.histogram(np.concatenate(targets), TARGET_BINS, (-1, 1))[0].tolist()),
        **{name: _share(users[name], 2 * count) for name in _USES},
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


class ShapedTargetSettings(TargetSettings):
    """Settings of targets whose results may be shaped by rewards."""

    rewards: RewardConfig | None = None  # for EXCHANGE; none: the plain results


class ExchangeTraining(GameTraining):
    """Shapes results by rewards, and logs how the abilities are used."""

    game = "exchange"
    has_rewards = True
    flags = (
        Flag(
            "no-combo-bonus",
            bool,
            "Give no reward for strikes under a Royal Decree.",
            lambda *_: {"targets": {"rewards": {"combo_bonus": False}}},
            lambda experiment: experiment.targets.rewards is not None,
        ),
        Flag(
            "combo-bonus-per-attack",
            float,
            "Set the reward for each damaging strike under a Royal Decree.",
            setting("targets", "rewards", "rd_combo_bonus_per_attack"),
            lambda experiment: experiment.targets.rewards is not None,
        ),
        Flag(
            "combo-bonus-max",
            float,
            "Limit a side's total reward for these strikes in one game.",
            setting("targets", "rewards", "rd_combo_bonus_max"),
            lambda experiment: experiment.targets.rewards is not None,
        ),
    )

    def shape(self, record: Record, replay: Replay, settings: TargetSettings) -> Floats | None:
        """The result with both sides' rewards; None if the recipe has no rewards."""
        rewards = getattr(settings, "rewards", None)
        if rewards is None:
            return None
        return shaped(replay, track(replay), rewards, record.learned_result).value

    def figures(
        self, game: Game, records: Sequence[Record], settings: TargetSettings
    ) -> GameFigures:
        """How the abilities are used."""
        return GameFigures(usage=habits(game, records, settings))


def habits(game: Game, records: Sequence[Record], settings: TargetSettings) -> Usage:
    """How the abilities are used in some games, and the shaped targets of these games."""
    config = getattr(settings, "rewards", None) or RewardConfig()
    played = []
    for record in records:
        replay = replay_of(record, game)
        trackers = track(replay)
        played.append((record, trackers, shaped(replay, trackers, config, record.learned_result)))
    return usage(played)
