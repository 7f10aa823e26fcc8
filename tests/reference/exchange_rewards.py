"""What a side did in a game of EXCHANGE, counted slowly from positions and move texts.

Only the parsing of texts is shared with the reference of the rules. The effect of a ply is derived
from the men before and after it.
"""

import functools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from reference import exchange

Square = tuple[int, int]  # file and rank, each 0 to 7; a1 is (0, 0)
Men = dict[Square, exchange.Man]
KNIGHT_JUMPS = [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x * y) == 2]


def square(name: str) -> Square:
    """The square of this name."""
    return "abcdefgh".index(name[0]), int(name[1]) - 1


def on_board(at: Square) -> bool:
    """Whether the square is on the board."""
    return 0 <= at[0] < 8 and 0 <= at[1] < 8


def distance(one: Square, other: Square) -> int:
    """The number of king steps between two squares."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def is_beside(one: Square, other: Square) -> bool:
    """Whether two squares share an edge."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def is_seen(men: Men, start: Square, end: Square) -> bool:
    """Whether two squares are on one queen line with no man between them."""
    files, ranks, steps = end[0] - start[0], end[1] - start[1], distance(start, end)
    if steps == 0 or files not in (0, steps, -steps) or ranks not in (0, steps, -steps):
        return False
    way = files // steps, ranks // steps
    return all((start[0] + n * way[0], start[1] + n * way[1]) not in men for n in range(1, steps))


def neighbours(at: Square) -> list[Square]:
    """The squares a king's step away."""
    around = [(at[0] + x, at[1] + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    return [other for other in around if on_board(other)]


def can_strike(men: Men, at: Square, victim: Square) -> bool:
    """Whether the man could strike this enemy with one action if it were to move."""
    man, steps = men[at], distance(at, victim)
    is_diagonal = abs(at[0] - victim[0]) == abs(at[1] - victim[1])
    if man.letter == "P":
        return steps == 1 and is_diagonal and (victim[1] > at[1]) == (man.side == 0)
    if man.letter == "K":
        return steps == 1
    if man.letter == "R":
        return steps == 1 or (steps == 2 and not is_diagonal and is_seen(men, at, victim))
    if man.letter == "B":
        return steps in (2, 3) and is_diagonal and is_seen(men, at, victim)
    if man.letter == "N":
        jumps = [(at[0] + x, at[1] + y) for x, y in KNIGHT_JUMPS]
        if any(on_board(to) and to not in men and is_beside(to, victim) for to in jumps):
            return True
        has_room = any(to not in men for to in neighbours(at))
        return man.is_ready and is_beside(at, victim) and has_room
    if steps <= 3 and is_seen(men, at, victim):
        return True
    moved = {where: other for where, other in men.items() if where != at}
    near = [(victim[0] + x, victim[1] + y) for x in range(-3, 4) for y in range(-3, 4)]
    return man.is_ready and any(
        on_board(to) and to not in men and is_seen(men, at, to) and is_seen(moved, to, victim)
        for to in near
    )


@dataclass
class Activation:
    """A Decree of this game."""

    actions: int = 0  # own actions while it was active
    hits: int = 0  # those of them that did damage


@dataclass
class Side:
    """What one side has done so far."""

    activations: list[Activation] = field(default_factory=list)
    current: Activation | None = None  # the active Decree
    combo_attacks: int = 0
    absorbed: list[int] = field(default_factory=list)
    healed: list[int] = field(default_factory=list)
    healed_shares: list[float] = field(default_factory=list)
    skirmishes: int = 0
    overextends: list[int] = field(default_factory=list)  # damage minus 2
    pawn_moves: int = 0
    promotions: int = 0
    steps_nearer: int = 0
    king_attackers: int = 0
    did_damage: list[bool] = field(default_factory=list)  # each own action
    attacks: int = 0
    scaled_damage: Fraction = Fraction(0)

    def longest_quiet(self) -> int:
        """The length of the longest series of own actions without damage."""
        best = now = 0
        for loud in self.did_damage:
            now = 0 if loud else now + 1
            best = max(best, now)
        return best

    def numbers(self) -> dict[str, float]:
        """All counts, by the tracker's names."""
        return {
            "rd_activations": len(self.activations),
            "rd_combo_attacks": self.combo_attacks,
            "rd_wasted": sum(one.actions > 0 and one.hits == 0 for one in self.activations),
            "rd_used": sum(one.hits > 0 for one in self.activations),
            "interpose_triggers": len(self.absorbed),
            "interpose_damage_blocked": sum(self.absorbed),
            "consecration_uses": len(self.healed),
            "consecration_hp_healed": sum(self.healed),
            "consecration_efficiency": statistics.fmean(self.healed_shares or [0]),
            "skirmish_uses": self.skirmishes,
            "overextend_uses": len(self.overextends),
            "overextend_net_damage": sum(net for net in self.overextends if net > 0),
            "pawn_advances": self.pawn_moves,
            "pawn_promotions": self.promotions,
            "king_proximity_delta": self.steps_nearer,
            "king_attack_opportunities": self.king_attackers,
            "actions": len(self.did_damage),
            "attacks": self.attacks,
            "scaled_damage": float(self.scaled_damage),
            "quiet_streak": self.longest_quiet(),
        }


@functools.lru_cache(maxsize=2)  # the end of a ply is the beginning of the next
def read(text: str) -> tuple[exchange.State, Men]:
    """The position of a text without its pending die, and the men by square."""
    state = exchange.State.parse(text.partition(" die:")[0])
    return state, {(at % 8, at // 8): man for at, man in state.men.items()}


def completed(texts: Sequence[str], moves: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The completed plies: position before, move text, position after."""
    for before, move, after in zip(texts, moves, texts[1:], strict=False):
        if " die:" not in after:  # with a pending die the ply is not complete
            position, _, pending = before.partition(" die:")
            yield position, pending or move, after


def note_decree(side: Side, move: str, damage: int, counter_after: int) -> None:
    """Counts an action for the active Decree, and begins or ends a Decree."""
    if side.current is not None:
        side.current.actions += 1
        side.current.hits += damage > 0
    if move == "decree":
        side.current = Activation()
        side.activations.append(side.current)
    elif counter_after == 0:
        side.current = None


def note_move(side: Side, move: str, men: Men, men_after: Men, damage: int) -> Square | None:
    """Counts what a man did, from its move text; returns its new square, None if it stayed."""
    man = men[square(move)]
    if "+" in move:
        target = square(move[3:])
        healed = men_after[target].hp - men[target].hp
        side.healed.append(healed)
        side.healed_shares.append(healed / (men[target].kind.max_hp - men[target].hp))
        return None
    if "x" not in move:
        landing = square(move[2:])
        if man.letter == "P":
            side.pawn_moves += 1
            side.promotions += men_after[landing].letter == "Q"
        return landing
    side.attacks += 1
    if move[2] != "x":  # b1c3xc4
        if man.letter == "Q":
            side.overextends.append(damage - 2)
        return square(move[2:])
    if len(move) == 7:  # b1xb2c3
        side.skirmishes += 1
        return square(move[5:])
    return None


def count(texts: Sequence[str], moves: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """White's and Black's counts, from the texts of all states and the moves between them."""
    sides = Side(), Side()
    for before, move, after in completed(texts, moves):
        state, men = read(before)
        later, men_after = read(after)
        me = state.side
        own, other = sides[me], sides[1 - me]
        losses = {
            at: man.hp - (men_after[at].hp if at in men_after else 0)
            for at, man in men.items()
            if man.side != me
        }
        damage = sum(losses.values())
        own.did_damage.append(damage > 0)
        own.scaled_damage += damage * min(Fraction(2), 1 + Fraction(state.ply, 100))
        own.combo_attacks += state.decree[me] > 0 and damage > 0
        note_decree(own, move, damage, later.decree[me])
        if "x" in move:
            losses.pop(square(move.partition("x")[2]))
            other.absorbed += [loss for loss in losses.values() if loss]

        king = next(at for at, man in men.items() if man.letter == "K" and man.side != me)
        if move != "decree":
            landing = note_move(own, move, men, men_after, damage)
            if landing is not None:
                own.steps_nearer += distance(square(move), king) - distance(landing, king)
        if king in men_after:
            own.king_attackers += sum(
                man.side == me and can_strike(men_after, at, king) for at, man in men_after.items()
            )
    return sides[0].numbers(), sides[1].numbers()
