"""EXCHANGE, played slowly and plainly: a reference to check fast implementations against.

Chess men with hit points. Nothing is captured by moving: men strike, damage is a base plus one
die, and a man at 0 HP leaves the board. The die is a ply of its own, made by the mover CHANCE.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

CHANCE = -1
LAST_PLY = 300
DECREE = 2  # the Decree counter after activation
DECREE_BONUS = 2  # on strikes and heals while the counter is above 0
COOLDOWN = 3  # the cooldown after an ability that has one
ADVANCE_PAUSE = 2  # a pawn's Advance counter after an Advance
OVEREXTEND_COST = 2  # HP the queen pays
START_TEXT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0/0 0 0 -"
SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]  # a1 is square 0
EVENTS = ("damage", "healed", "absorbed", "decree_bonus", "self_damage", "killed", "promoted")

Ways = tuple[tuple[int, int], ...]  # directions as (files, ranks)
ORTHOGONALS: Ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONALS: Ways = ((1, 1), (1, -1), (-1, 1), (-1, -1))
ALL_EIGHT = ORTHOGONALS + DIAGONALS
JUMPS: Ways = tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))


class PositionError(ValueError):
    """The text is not a position; the message says what is wrong."""


@dataclass(frozen=True)
class Kind:
    """The properties of one kind of men; the directions of pawns depend on their side."""

    max_hp: int
    damage: int
    charges: int | None  # None: unlimited
    cools_down: bool
    moves: Ways = ()
    move_reach: int = 0
    strikes: tuple[tuple[Ways, int, int], ...] = ()  # each with nearest and farthest distance


KINDS = {
    "K": Kind(25, 1, 3, False, ALL_EIGHT, 1, ((ALL_EIGHT, 1, 1),)),
    "Q": Kind(10, 3, None, True, ALL_EIGHT, 7, ((ALL_EIGHT, 1, 3),)),
    "R": Kind(13, 2, 5, True, ORTHOGONALS, 7, ((ORTHOGONALS, 1, 2), (DIAGONALS, 1, 1))),
    "B": Kind(10, 2, 3, True, DIAGONALS, 7, ((DIAGONALS, 2, 3),)),
    "N": Kind(11, 2, 5, True, JUMPS, 1),
    "P": Kind(7, 1, None, False),
}


@dataclass(frozen=True)
class Man:
    """The state of one man on the board, without its square."""

    letter: str  # K, Q, R, B, N or P for both sides
    side: int
    hp: int
    charges: int | None
    cooldown: int = 0
    advance: int = 0  # a pawn may Advance at 0
    promoted: bool = False

    @property
    def kind(self) -> Kind:
        """The table row of this man."""
        return KINDS[self.letter]

    @property
    def is_ready(self) -> bool:
        """Whether charges and cooldown allow his ability."""
        return self.charges != 0 and self.cooldown == 0

    def after_ability(self) -> "Man":
        """The man just after his ability: one charge fewer, cooling down."""
        charges = None if self.charges is None else self.charges - 1
        return replace(self, charges=charges, cooldown=COOLDOWN if self.kind.cools_down else 0)


Men = dict[int, Man]  # by square


@dataclass(frozen=True)
class Action:
    """One action of a player; its text has the squares in the order of events."""

    name: str
    text: str
    origin: int
    landing: int | None = None  # where the man goes, if he moves
    target: int | None = None  # the enemy struck or the ally healed; such actions need a die


def fresh_man(letter: str, side: int) -> Man:
    """A man with full HP and all charges."""
    return Man(letter, side, KINDS[letter].max_hp, KINDS[letter].charges)


def rank_from_home(square: int, side: int) -> int:
    """The rank of a square counted from this side's first rank, which is 1."""
    return square // 8 + 1 if side == 0 else 8 - square // 8


def look(men: Men, start: int, way: tuple[int, int], reach: int) -> tuple[list[int], int | None]:
    """The empty squares in one direction, nearest first, and the first man's square if reached."""
    empty: list[int] = []
    for distance in range(1, reach + 1):
        file, rank = start % 8 + distance * way[0], start // 8 + distance * way[1]
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        if rank * 8 + file in men:
            return empty, rank * 8 + file
        empty.append(rank * 8 + file)
    return empty, None


def first_men(men: Men, start: int, ways: Ways, near: int, far: int, side: int) -> list[int]:
    """The squares of a side's men that are the first man met on a line, at these distances."""
    found = []
    for way in ways:
        empty, square = look(men, start, way, far)
        if square is not None and men[square].side == side and len(empty) + 1 >= near:
            found.append(square)
    return found


def actions_of_man(men: Men, origin: int) -> Iterator[Action]:
    """All actions of one man whose side is to move."""
    man, enemy, here = men[origin], 1 - men[origin].side, SQUARES[origin]
    without_man = {square: other for square, other in men.items() if square != origin}
    reach, strikes = man.kind.move_reach, man.kind.strikes
    landings = [to for way in man.kind.moves for to in look(men, origin, way, reach)[0]]
    if man.letter == "P":
        forward = 1 if man.side == 0 else -1
        strikes = ((((-1, forward), (1, forward)), 1, 1),)
        ahead = look(men, origin, (0, forward), 2)[0]
        is_at_start = rank_from_home(origin, man.side) == 2
        landings = ahead if is_at_start else ahead[:1]
        if len(ahead) == 2 and not is_at_start and man.advance == 0:
            yield Action("advance", here + SQUARES[ahead[1]], origin, ahead[1])

    for to in landings:
        path = here + SQUARES[to]
        yield Action("move", path, origin, to)
        if man.letter == "N":
            for target in first_men(without_man, to, ORTHOGONALS, 1, 1, enemy):
                yield Action("combo", f"{path}x{SQUARES[target]}", origin, to, target)
        if man.letter == "Q" and man.is_ready:
            for target in first_men(without_man, to, ALL_EIGHT, 1, 3, enemy):
                yield Action("overextend", f"{path}x{SQUARES[target]}", origin, to, target)
    for ways, near, far in strikes:
        for target in first_men(men, origin, ways, near, far, enemy):
            yield Action("strike", f"{here}x{SQUARES[target]}", origin, target=target)

    if man.letter == "K" and man.is_ready:
        yield Action("decree", "decree", origin)
    if man.letter == "B" and man.is_ready:
        for ally in first_men(men, origin, DIAGONALS, 1, 3, man.side):
            if men[ally].hp < men[ally].kind.max_hp:
                yield Action("consecration", f"{here}+{SQUARES[ally]}", origin, target=ally)
    if man.letter == "N" and man.is_ready:
        for target in first_men(men, origin, ORTHOGONALS, 1, 1, enemy):
            for to in [to for way in ALL_EIGHT for to in look(men, origin, way, 1)[0]]:
                text = f"{here}x{SQUARES[target]}{SQUARES[to]}"
                yield Action("skirmish", text, origin, to, target)


def interposing_rook(men: Men, target: int) -> int | None:
    """The square of the rook that shares a hit on the target on this board."""
    side = men[target].side
    rooks = [
        square
        for square in first_men(men, target, ORTHOGONALS, 1, 3, side)
        if men[square].letter == "R" and men[square].is_ready
    ]
    return min(rooks, key=lambda at: (at % 8, rank_from_home(at, side)), default=None)


def hurt(men: Men, square: int, amount: int) -> int:
    """Takes HP from the man on a square, removes it at 0 HP, and returns the HP lost."""
    lost = min(amount, men[square].hp)
    men[square] = replace(men[square], hp=men[square].hp - lost)
    if men[square].hp == 0:
        del men[square]
    return lost


def strike(men: Men, target: int, damage: int, events: dict[str, int]) -> None:
    """Deal the damage, shared with an interposing rook if there is one, and note the events."""
    count_before = len(men)
    rook = interposing_rook(men, target)
    if rook is not None:
        men[rook] = men[rook].after_ability()
        events["absorbed"] = hurt(men, rook, damage - damage // 2)
        damage = damage // 2
    events["damage"] = events["absorbed"] + hurt(men, target, damage)
    events["killed"] = count_before - len(men)


def board_text(men: Men) -> str:
    """The board as in FEN."""
    signs = ["."] * 64
    for square, man in men.items():
        signs[square] = man.letter if man.side == 0 else man.letter.lower()
    rows = ["".join(signs[first : first + 8]) for first in range(56, -1, -8)]
    return re.sub(r"\.+", lambda gap: str(len(gap.group())), "/".join(rows))


def details_text(men: Men) -> str:
    """The details field: all men that are not fresh, by ascending square."""
    details = []
    for square, man in sorted(men.items()):
        if man != fresh_man(man.letter, man.side):
            charges = f":u{man.charges}" if man.charges != man.kind.charges else ""
            cooldown = f":c{man.cooldown}" if man.cooldown else ""
            advance = f":a{man.advance}" if man.advance else ""
            promoted = ":p" if man.promoted else ""
            details.append(f"{SQUARES[square]}={man.hp}{charges}{cooldown}{advance}{promoted}")
    return ",".join(details) or "-"


def parse_number(text: str, low: int, high: int, what: str) -> int:
    """The number written: plain digits, no sign, no leading zero, within the range."""
    if not re.fullmatch("0|[1-9][0-9]{0,2}", text) or not low <= int(text) <= high:
        raise PositionError(f"{what} must be a number from {low} to {high}, not {text!r}")
    return int(text)


def parse_board(text: str) -> Men:
    """Fresh men where the FEN board has them."""
    rows = text.split("/")
    if len(rows) != 8:
        raise PositionError(f"the board has {len(rows)} ranks, not 8")
    men: Men = {}
    for rank, row in zip(range(8, 0, -1), rows, strict=True):
        if re.search("[^1-8KQRBNPkqrbnp]", row):
            raise PositionError(f"rank {rank} has a sign that is neither man nor gap: {row!r}")
        signs = re.sub("[1-8]", lambda gap: "." * int(gap.group()), row)
        if len(signs) != 8:
            raise PositionError(f"rank {rank} has {len(signs)} squares, not 8")
        if rank in (1, 8) and "P" in signs.upper():
            raise PositionError(f"a pawn stands on rank {rank}")
        for file, sign in enumerate(signs):
            if sign != ".":
                men[(rank - 1) * 8 + file] = fresh_man(sign.upper(), 0 if sign.isupper() else 1)
    if text.count("K") > 1 or text.count("k") > 1:
        raise PositionError("a side has two kings")
    if "K" not in text.upper():
        raise PositionError("both kings are missing")
    return men


def parse_detail(text: str, men: Men) -> tuple[int, Man]:
    """The square of one detail, and the man there as the detail describes him."""
    name, equals, description = text.partition("=")
    if name not in SQUARES or not equals:
        raise PositionError(f"{text!r} is no detail of a square")
    if SQUARES.index(name) not in men:
        raise PositionError(f"{name} has details but is empty")
    man = men[SQUARES.index(name)]
    hp, *marks = description.split(":")
    man = replace(man, hp=parse_number(hp, 1, man.kind.max_hp, f"HP on {name}"))
    if len({mark[:1] for mark in marks}) < len(marks):
        raise PositionError(f"{name} has a mark twice")
    for mark in marks:
        sign, number, what = mark[:1], mark[1:], f"the number of {mark!r} on {name}"
        if sign == "u" and man.kind.charges is not None:
            man = replace(man, charges=parse_number(number, 0, man.kind.charges, what))
        elif sign == "c" and man.kind.cools_down:
            man = replace(man, cooldown=parse_number(number, 0, COOLDOWN, what))
        elif sign == "a" and man.letter == "P":
            man = replace(man, advance=parse_number(number, 0, ADVANCE_PAUSE, what))
        elif mark == "p" and man.letter == "Q":
            man = replace(man, promoted=True)
        else:
            raise PositionError(f"{mark!r} is no mark of the {man.letter} on {name}")
    return SQUARES.index(name), man


@dataclass(frozen=True, eq=False)
class State:
    """A position with the history that led to it; nothing in it is ever changed."""

    men: Men
    side: int  # to move; while a die is pending, still the side whose action it is
    decree: tuple[int, int]
    no_damage: int  # players' actions in a row without damage
    ply: int
    dice: int | None  # None: rolls are chance plies; else every roll is this number
    happened: tuple[int, ...] = (0,) * len(EVENTS)
    earlier: tuple[object, ...] = ()  # keys of the positions before this one
    pending: Action | None = None  # the action that waits for its die

    @classmethod
    def start(cls, dice: int | None = None) -> "State":
        """The orthodox array, White to move."""
        return cls.parse(START_TEXT, dice)

    @classmethod
    def parse(cls, text: str, dice: int | None = None) -> "State":
        """The position a text describes, as the first of its history."""
        if dice is not None and not 1 <= dice <= 6:
            raise ValueError(f"fixed dice show 1 to 6, not {dice}")
        fields = text.split(" ")
        if len(fields) not in (6, 7):
            raise PositionError(f"{len(fields)} fields with one space between, not 6 or 7")
        men = parse_board(fields[0])
        if fields[1] not in ("w", "b"):
            raise PositionError(f"the side to move is w or b, not {fields[1]!r}")
        decree = [parse_number(one, 0, DECREE, "a Decree counter") for one in fields[2].split("/")]
        if len(decree) != 2:
            raise PositionError(f"{fields[2]!r} is not two Decree counters")
        ply = parse_number(fields[4], 0, LAST_PLY, "the ply number")
        no_damage = parse_number(fields[3], 0, ply, "the no-damage count")
        described: Men = {}
        for detail in [] if fields[5] == "-" else fields[5].split(","):
            square, man = parse_detail(detail, men)
            if square in described:
                raise PositionError(f"{SQUARES[square]} has details twice")
            described[square] = man
        side = "wb".index(fields[1])
        state = cls(men | described, side, (decree[0], decree[1]), no_damage, ply, dice)
        if len(fields) == 6:
            return state
        if dice is not None:
            raise PositionError("no die is ever pending when the dice are fixed")
        word, _, move = fields[6].partition(":")
        if word != "die" or move not in state.legal or state._actions[move].target is None:
            raise PositionError(f"{fields[6]!r} is no legal action that waits for a die")
        return replace(state, pending=state._actions[move])

    @cached_property
    def _actions(self) -> dict[str, Action]:
        """The actions of the side to move by their texts, also if the game is over."""
        own = [square for square, man in self.men.items() if man.side == self.side]
        return {action.text: action for at in own for action in actions_of_man(self.men, at)}

    @cached_property
    def _key(self) -> object:
        """The key that repeated positions share; it ignores the promoted flag."""
        men = {square: replace(man, promoted=False) for square, man in self.men.items()}
        return men, self.decree, self.side

    @property
    def text(self) -> str:
        """The position as text, with the pending action if a die is due."""
        board, details = board_text(self.men), details_text(self.men)
        white, black = self.decree
        text = f"{board} {'wb'[self.side]} {white}/{black} {self.no_damage} {self.ply} {details}"
        return text if self.pending is None else f"{text} die:{self.pending.text}"

    @property
    def mover(self) -> int:
        """Who chooses next: 0, 1 or CHANCE; when over, the side whose turn it would be."""
        return self.side if self.pending is None else CHANCE

    @property
    def legal(self) -> list[str]:
        """The mover's choices, sorted; none when over."""
        if self.pending is not None:
            return ["1", "2", "3", "4", "5", "6"]
        return [] if self.is_over else sorted(self._actions)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.end_reason is not None

    @cached_property
    def end_reason(self) -> str | None:
        """The reason for the end; None if the game is not over."""
        if self.pending is not None:
            return None
        if sum(man.letter == "K" for man in self.men.values()) < 2:
            return "king"
        if len(self.men) == 2:
            return "only kings"
        if self.earlier.count(self._key) >= 2:
            return "repetition"
        if self.ply >= LAST_PLY:
            return "300 plies"
        return None if self._actions else "no action"

    @property
    def outcome(self) -> float | None:
        """The result for White, 1, 0 or -1; None if the game is not over."""
        if self.end_reason == "king":
            winner = next(man.side for man in self.men.values() if man.letter == "K")
            return 1.0 if winner == 0 else -1.0
        return 0.0 if self.is_over else None

    @property
    def events(self) -> dict[str, int]:
        """The events of the last ply; all zero at the beginning and before a die."""
        return dict(zip(EVENTS, self.happened, strict=True))

    def apply(self, move: str) -> "State":
        """The state after the mover's choice."""
        if move not in self.legal:
            raise ValueError(f"{move!r} is not legal in {self.text}")
        if self.pending is not None:
            return self._after(self.pending, int(move))
        action = self._actions[move]
        if action.target is not None and self.dice is None:
            return replace(self, pending=action, happened=(0,) * len(EVENTS))
        return self._after(action, self.dice or 0)

    def _after(self, action: Action, roll: int) -> "State":
        """The state after the whole ply; the roll counts only for strikes and heals."""
        men, events, decree = dict(self.men), dict.fromkeys(EVENTS, 0), list(self.decree)
        man = men.pop(action.origin)
        if action.name in ("decree", "overextend", "skirmish", "consecration"):
            man = man.after_ability()
        if action.name == "advance":
            man = replace(man, advance=ADVANCE_PAUSE)
        # A skirmishing knight strikes before he steps; a combo's knight and a queen go first.
        final_square = action.origin if action.landing is None else action.landing
        striking_square = action.origin if action.name == "skirmish" else final_square
        men[striking_square] = man
        if action.target is not None:
            bonus = DECREE_BONUS if decree[self.side] > 0 else 0
            events["decree_bonus"] = bonus
            if action.name == "consecration":
                ally = men[action.target]
                events["healed"] = min(roll + bonus, ally.kind.max_hp - ally.hp)
                men[action.target] = replace(ally, hp=ally.hp + events["healed"])
            else:
                strike(men, action.target, man.kind.damage + roll + bonus, events)
        men[final_square] = men.pop(striking_square)
        if action.name == "overextend":
            events["self_damage"] = hurt(men, final_square, OVEREXTEND_COST)
        if man.letter == "P" and rank_from_home(final_square, self.side) == 8:
            queen = fresh_man("Q", self.side)
            hp = max(1, queen.kind.max_hp * man.hp // man.kind.max_hp)
            men[final_square] = replace(queen, hp=hp, promoted=True)
            events["promoted"] = 1

        decree[self.side] = DECREE if action.name == "decree" else max(0, decree[self.side] - 1)
        for square, living in men.items():
            if living.side == self.side:
                men[square] = replace(living, cooldown=max(0, living.cooldown - 1))
            else:
                men[square] = replace(living, advance=max(0, living.advance - 1))
        return State(
            men=men,
            side=1 - self.side,
            decree=(decree[0], decree[1]),
            no_damage=0 if events["damage"] > 0 else self.no_damage + 1,
            ply=self.ply + 1,
            dice=self.dice,
            happened=tuple(events.values()),
            earlier=(*self.earlier, self._key),
        )
