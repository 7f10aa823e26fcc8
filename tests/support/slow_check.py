"""A slow check of records, written from docs/records.md, with which the core's is compared."""

from collections.abc import Iterator

import rulezero as rz
from rulezero.data import Record

RANGES = {"value": (32767, -1, "1"), "raw_value": (32767, -1, "1"), "draw": (32767, 0, "1")}
RANGES["surprise"] = (2048, 0, "inf")


class WrongError(Exception):
    """What is wrong with a record."""


def fault(record: Record, game: rz.Game) -> str | None:
    """What is wrong with a record of this game; None if nothing is."""
    try:
        _check(record, game)
    except WrongError as wrong:
        return str(wrong)
    return None


def _check(record: Record, game: rz.Game) -> None:
    plies = record.thoughts.plies
    if plies > 65536:
        raise WrongError(f"the game has {plies} plies; a record has at most 65536")
    is_imported = record.source.startswith("import:")
    limit = 65536 if is_imported else game.facts.max_plies
    actions = _numbers(record.actions, plies, "actions")
    has_thought, pairs = _thoughts(record, plies)
    try:
        state = game.parse(record.start)
    except rz.RulezeroError as error:
        raise WrongError(f"{game.text}: {error}") from error
    states = [state]
    for ply, action in enumerate(actions):
        if ply == limit and not state.is_over:
            raise WrongError(f"at ply {ply}: the game goes on, but {game.text} is stopped here")
        try:
            state = state.apply(action)
        except rz.RulezeroError as error:
            raise WrongError(f"{game.text}: at ply {ply}, in {state.text}: {error}") from error
        states.append(state)
    if record.start != states[0].text:
        short = f"{record.start[:60]}'" if len(record.start) <= 60 else f"{record.start[:60]}...'"
        raise WrongError(f"the start is written as '{short}, but its text is '{states[0].text}'")
    _check_end(record, state, is_imported)
    for ply in range(plies):
        if not has_thought[ply]:
            continue
        if states[ply].mover == rz.CHANCE:
            raise WrongError(f"at ply {ply}: a die cannot have thoughts")
        for action in pairs[ply]:
            try:
                states[ply].slot(action)
            except rz.RulezeroError as error:
                where = f"at ply {ply}, in {states[ply].text}"
                raise WrongError(f"{game.text}: a thought {where}: {error}") from error


def _check_end(record: Record, last: rz.State, is_imported: bool) -> None:
    said = f"the record says {record.outcome:g} ({record.end_reason})"
    where = f"at ply {record.thoughts.plies}, the end: {said}"
    if last.is_over:
        if record.outcome != last.outcome or record.end_reason != last.end_reason:
            raise WrongError(f"{where}, the rules say {last.outcome:g} ({last.end_reason})")
    elif record.end_reason in ("cap", "interrupted"):
        if record.outcome:
            raise WrongError(f"{where}, but a game that was stopped has no winner")
    elif record.end_reason == "resigned":
        if record.outcome not in (-1, 1):
            raise WrongError(f"{where}, but the player who resigns loses")
    elif record.end_reason == "claimed":
        if not is_imported:
            raise WrongError(f"{where}, but only an imported game can have this end")
    else:
        raise WrongError(f"{where}, but by the rules the game is not over in {last.text}")


def _numbers(packed: bytes, length: int, name: str, most: int = 4) -> list[int]:
    """The numbers of a packed column; `most` are the bytes that a number may have."""
    if packed == b"":
        return [0] * length
    width, planes = packed[0], packed[1:]
    if width not in (1, 2, 3, 4):
        raise WrongError(f"the column {name} has numbers of {width} bytes, not of 1 to 4")
    if len(planes) != width * length:
        wanted = f"{length} numbers of {width} bytes have {width * length}"
        raise WrongError(f"the column {name} has {len(planes)} bytes; {wanted}")
    found = [int.from_bytes(planes[at::length], "little") for at in range(length)]
    if max(found, default=0) < 256 ** (width - 1):
        raise WrongError(f"the column {name} is wider than its numbers")
    if max(found) >= 256**most:
        raise WrongError(f"the column {name} has numbers beyond {8 * most} bits")
    return found


def _thoughts(record: Record, plies: int) -> tuple[list[bool], list[list[int]]]:
    """Whether each ply has a thought, and the actions of its pairs."""
    packed = record.thoughts
    columns = [_numbers(packed.sims, plies, "sims")]
    for name, (scale, low, high) in RANGES.items():
        column = _numbers(getattr(packed, name), plies, name, most=2)
        for ply, word in enumerate(column):
            if word and (word - 32768) / scale < low:
                value = f"{name} at ply {ply} is {(word - 32768) / scale:g}"
                raise WrongError(f"{value}; it must be in [{low}, {high}]")
        columns.append(column)
    counts = _numbers(packed.counts, plies, "counts")
    total = sum(counts)
    held = 0
    if packed.weights and packed.weights[0]:
        held = (len(packed.weights) - 1) // packed.weights[0]
    if total != held or total > 1 << 20:
        raise WrongError(f"the column counts gives {total} pairs, unlike the column weights")
    weights = _numbers(packed.weights, total, "weights", most=2)
    less = _numbers(packed.target, total, "target", most=2)
    targets = [(weight - each) % 65536 for weight, each in zip(weights, less, strict=True)]
    _check_weights(counts, weights, targets)
    pairs = list(_pairs(record, counts))
    return [any(numbers) for numbers in zip(*columns, counts, strict=True)], pairs


def _check_weights(counts: list[int], weights: list[int], targets: list[int]) -> None:
    begin = 0
    for ply, count in enumerate(counts):
        ours = slice(begin, begin + count)
        begin += count
        if (0, 0) in zip(weights[ours], targets[ours], strict=True):
            raise WrongError(f"a pair at ply {ply} has neither a weight nor a target")
        for name, numbers in (("weights", weights), ("targets", targets)):
            if count and not any(numbers[ours]):
                raise WrongError(f"the {name} at ply {ply} are all 0")


def _pairs(record: Record, counts: list[int]) -> Iterator[list[int]]:
    """The actions of the pairs of each ply."""
    packed = record.thoughts
    both = "the columns action_ids and action_steps name an action"
    ids = packed.action_ids
    length = (len(ids) - 1) // ids[0] if ids and ids[0] else 0
    differences = _numbers(ids, length, "action_ids")
    steps = _numbers(packed.action_steps, sum(counts), "action_steps")
    actions: list[int] = []
    for difference in differences:
        actions.append((actions[-1] if actions else -1) + difference)
        if difference == 0:
            raise WrongError(f"{both} twice")
        if actions[-1] >= 1 << 31:
            raise WrongError(f"{both} that no game has")
    named: list[list[int]] = []
    for count in counts:
        places: list[int] = []
        for step in steps[:count]:
            places.append((places[-1] if places else -1) + step)
            if step == 0:
                raise WrongError(f"{both} twice")
            if places[-1] >= len(actions):
                raise WrongError(f"{both} that no game has")
        steps = steps[count:]
        named.append([actions[place] for place in places])
    used = {action for ply in named for action in ply}
    for action in actions:
        if action not in used:
            raise WrongError(f"the column action_ids names action {action}, which is in no pair")
    yield from named
