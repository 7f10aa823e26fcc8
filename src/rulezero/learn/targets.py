"""The training targets of a game, ply by ply."""

from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from rulezero._core import CHANCE, PlayerError
from rulezero.data.columns import Floats
from rulezero.data.place import IMPORTED
from rulezero.data.record import Columns, Record
from rulezero.data.replay import Replay, is_chosen
from rulezero.play.players import read_player
from rulezero.settings import Settings


class TargetSettings(Settings):
    """How records become targets."""

    search_share: float = Field(0.0, ge=0, le=1)  # share of the search's value in the value target
    search_share_end: float | None = Field(None, ge=0, le=1)  # at the end of a fit; none: the same
    search_share_drawn: float | None = Field(None, ge=0, le=1)  # in drawn games; none: the same
    learn_from: Literal["all", "policy"] = "all"  # plies; policy: only plies with a policy target
    target_temperature: Literal[1, "play"] = 1  # 1: visits; play: visits ** (1 / temperature)
    capped_weight: float = Field(1.0, ge=0)  # weight of games that were stopped at a ply limit
    skip_plies: int = Field(0, ge=0)  # number of first plies to leave out, as they are too alike
    skip_checks: bool = False  # whether to leave out plies whose mover's king is attacked
    keep: float = Field(1.0, gt=0, le=1)  # share of the plies to learn from, chosen at random
    human_policy: bool = True  # whether the move that a person played is the policy target

    @model_validator(mode="before")
    @classmethod
    def _keep_the_policies_of_older_runs(cls, given: Any) -> Any:
        """A run's config has every key; one without human_policy did not learn human moves."""
        is_older = isinstance(given, dict) and cls.model_fields.keys() - given == {"human_policy"}
        return given | {"human_policy": False} if is_older else given


class Targets(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Targets over the n plies of a record. Values are seat 0's; plies of weight 0 are skipped."""

    result: Floats  # [n] result of the game, in [-1, 1]
    drawn: Floats  # [n] probability of a draw by the game's result; at most 1 - |result|
    search: Floats  # [n] the search's value; NaN if unknown
    draw: Floats  # [n] the search's probability of a draw; NaN if unknown
    weight: Floats  # [n] of the ply in the loss
    has_policy: npt.NDArray[np.bool_]  # [n] whether there is a policy target
    is_one_hot: npt.NDArray[np.bool_] | None = None  # [n] whether it is the move played; none: no
    temperature: Floats | None = None  # [n] the target is weights ** (1 / temperature); none: 1


def of_play(
    record: Record,
    columns: Columns,
    replay: Replay,
    settings: TargetSettings,
    note: Columns | None = None,
    shaped: Floats | None = None,
) -> Targets:
    """The default targets: visits, and the game's result, or its `shaped` result, [n].

    If the mover computed no value, the judge's value in `note` is used. If a person moved, that
    move is the policy target. Chance plies, random opening plies, and all plies of interrupted
    games get weight 0.
    """
    is_learned = is_chosen(record, replay) & _is_kept(record, replay, settings)
    is_one_hot = is_learned & is_human(record, columns, replay) if settings.human_policy else None
    has_policy = is_learned & columns.has_policy
    if is_one_hot is not None:
        has_policy |= is_one_hot
    weight = (has_policy if settings.learn_from == "policy" else is_learned).astype(np.float32)
    stopped = {"cap": settings.capped_weight, "interrupted": 0.0}  # its result is unknown
    weight *= stopped.get(record.end_reason, 1.0)
    learned = record.learned_result
    result = np.full(record.plies, learned, np.float32) if shaped is None else shaped
    search, draw = columns.value, columns.draw
    if note is not None:
        search = np.where(np.isnan(search), note.value, search)
        draw = np.where(np.isnan(draw), note.draw, draw)
    return Targets(
        result=result,
        drawn=np.minimum(1 - abs(learned), 1 - np.abs(result)).astype(np.float32),
        search=search,
        draw=draw,
        weight=weight,
        has_policy=has_policy,
        is_one_hot=is_one_hot,
        temperature=_played_at(record, replay) if settings.target_temperature == "play" else None,
    )


def is_human(record: Record, columns: Columns, replay: Replay) -> npt.NDArray[np.bool_]:
    """Whether a person chose the ply, [n]: the mover is `human`, and there is no thought.

    If neither player is named `human`, both count as people in games with the purpose `human`,
    and in imported games without any thoughts.
    """
    has_thought = columns.has_thought
    seats = [seat for seat, player in enumerate(record.players) if player == "human"]
    is_bare_import = record.source.startswith(IMPORTED) and not has_thought.any()
    if not seats and (record.purpose == "human" or is_bare_import):
        seats = [0, 1]
    return np.isin(replay.movers, seats) & ~has_thought


def learned_pairs(columns: Columns, targets: Targets) -> Columns:
    """The columns with the policy targets as their pairs."""
    if targets.is_one_hot is not None:
        columns = columns.with_choices(targets.is_one_hot)
    if targets.temperature is not None:
        sharpened = _sharpened(columns, targets.temperature)
        columns = msgspec.structs.replace(columns, pair_targets=sharpened)
    return columns


def _sharpened(columns: Columns, temperature: Floats) -> npt.NDArray[np.uint16]:
    """The pairs' weights ** (1 / temperature of their ply); at 0, only the highest ones stay."""
    counts = np.diff(columns.offsets)
    of_ply = np.repeat(np.arange(len(counts)), counts)
    highest = np.zeros(len(counts), np.uint16)
    np.maximum.at(highest, of_ply, columns.pair_targets)
    shares = columns.pair_targets / np.maximum(highest, 1)[of_ply]
    degree = temperature[of_ply]
    raised = np.where(degree > 0, shares ** (1 / np.maximum(degree, 1e-3)), shares == 1)
    return np.round(raised * np.iinfo(np.uint16).max).astype(np.uint16)


def _is_kept(record: Record, replay: Replay, settings: TargetSettings) -> npt.NDArray[np.bool_]:
    """Whether each ply is left after skip_plies, skip_checks and keep: [n]."""
    kept = np.ones(record.plies, np.bool_)
    kept[: settings.skip_plies] = False
    if settings.skip_checks:
        kept &= ~replay.checks
    if settings.keep < 1:  # seeded by the record, so that it keeps the same plies each time
        kept &= np.random.default_rng(int(record.id[:16], 16)).random(record.plies) < settings.keep
    return kept


def _played_at(record: Record, replay: Replay) -> Floats:
    """The player's temperature at each ply, [n]; 1 if it is unknown."""
    is_seats = replay.movers != CHANCE
    movers = replay.movers[is_seats]
    turns = np.cumsum(np.diff(movers, prepend=movers[:1]) != 0)  # turns of both seats
    found = np.ones(len(replay.movers), np.float32)
    for number, text in enumerate(record.players):
        try:
            player = read_player(text)
        except PlayerError:  # a player of another program
            continue
        if player.has("temperature"):
            now, later = player.number("temperature"), player.number("temperature_later")
            plies = np.flatnonzero(is_seats)[movers == number]
            is_early = turns[movers == number] < player.number("temperature_turns")
            found[plies] = np.where(is_early, now, later)
    return found
