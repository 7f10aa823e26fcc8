"""Reads and writes records as PGN, for the games with SAN: chess, monster, random_chess.

Fields of a record without a standard tag have tags of their own, and a comment after a move gives
its value (White's) and simulations; policies are not written. White's two moves in Monster follow
each other, and Black's move is marked: 1. e4 e5 1... Nf6. A move whose SAN would be misread, such
as {NN}f3 with its braces, is written as the game's own move text.
"""

import functools
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import IO

import msgspec

from rulezero._core import Game, MoveError, RulezeroError, State, game_options
from rulezero.data.check import check
from rulezero.data.columns import RecordError
from rulezero.data.place import IMPORTED, Place, Report, printable, source_of
from rulezero.data.record import DATE, STOPPED, Record, record_from, upgraded
from rulezero.data.replay import game_of
from rulezero.data.thoughts import pack
from rulezero.games.load import load

_WIDTH = 80  # columns of movetext
_LONGEST_GAME = 1 << 22  # characters
_RESULTS = {1.0: "1-0", -1.0: "0-1", 0.0: "1/2-1/2"}
_OUTCOMES = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0, "*": 0.0}
_NUMBERS = {"RulesVersion": "version", "Encoding": "encoding", "Seed": "seed", "Index": "index"}
_NUMBERS |= {"OpeningPlies": "opening", "Iteration": "iteration"}
_NO_DATE = "????.??.??"
_EVENTS = {"human": "Casual game", "rating": "Match"}  # by purpose, if there is no task
_TEXTS = {"Task": "task", "Purpose": "purpose", "Source": "source"}

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_TOKEN = re.compile(
    r"(?P<comment>\{[^}]*\}|;[^\n]*)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<skip>\$\d+|\d+\.+|\d+(?=\s)|\.+|e\.?p\.?(?=\s))"  # annotations, numbers, en passant
    r"|(?P<result>1-0|0-1|1/2-1/2|\*)(?=[\s{};()]|$)"
    r"|(?P<move>[^\s{};()$]+)"
    r"|(?P<stray>[{}$])"
)
_WHOLE_COMMENT = re.compile(r"\{[^}]*\}|;.*")
_VALUE = re.compile(r"value\s+([+-]?\d\.\d+)")
_SIMS = re.compile(r"sims\s+(\d{1,9})")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A game as it is written in a file."""

    place: Place
    number: int
    tags: dict[str, str]
    moves: str


def write(records: Iterable[Record], file: IO[bytes], game_for: Callable[[str], Game]) -> int:
    """Writes the records as games; returns their number."""
    number = 0
    for record in records:
        file.write(text_of(record, game_for(record.game)).encode() + b"\n")
        number += 1
    return number


def text_of(record: Record, game: Game) -> str:
    """The PGN of one record; RecordError if its game has no SAN."""
    first = game.parse(record.start)
    if not game.facts.pgn_variants:
        raise RecordError(f"{game.facts.name} has no SAN, so it has no PGN; write .jsonl instead")
    result = "*" if record.end_reason == "interrupted" else _RESULTS.get(record.outcome, "*")
    tags = {
        "Event": record.task or _EVENTS.get(record.purpose, record.purpose),
        "Site": "?" if record.source.startswith(IMPORTED) else "rulezero",
        "Date": record.date or _NO_DATE,
        "Round": str(record.index + 1),
        "White": record.names[0] or record.players[0],
        "Black": record.names[1] or record.players[1],
        "Result": result,
        "Variant": game.facts.pgn_variants[0],
        "Termination": record.end_reason,
        "Game": record.game,
    }
    if game.facts.has_random_start or record.start != game.start().text:
        tags |= {"SetUp": "1", "FEN": record.start}
    if _OUTCOMES[result] != record.outcome:
        tags["Outcome"] = repr(record.outcome)
    known = {tag: getattr(record, name) for tag, name in {**_NUMBERS, **_TEXTS}.items()}
    known["ForcedResult"] = record.forced_result
    tags |= {tag: str(value) for tag, value in known.items() if value is not None}
    sides = zip(("White", "Black"), record.nets, record.names, record.players, strict=True)
    for side, net, name, player in sides:
        if net is not None:
            tags[f"{side}Net"] = net
        if name is not None:
            tags[f"{side}Player"] = player
    escaped = {tag: text.replace("\\", r"\\").replace('"', r"\"") for tag, text in tags.items()}
    head = "".join(f'[{tag} "{text}"]\n' for tag, text in escaped.items())
    movetext = " ".join([*_tokens_of(record, first), result])
    lines = textwrap.wrap(movetext, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return head + "\n" + "\n".join(lines) + "\n"


def _tokens_of(record: Record, state: State) -> Iterator[str]:
    columns = record.columns()
    needs_number, turn, before = True, 0, 1  # plies of this turn so far, and of the last one
    for ply, action in enumerate(columns.actions.tolist()):
        turn = turn + 1 if state.before is not None and state.before.mover == state.mover else 1
        if state.mover == 0 and turn == 1:
            yield f"{state.move_number}."
        elif state.mover == 1 and (needs_number or before > 1):
            yield f"{state.move_number}..."
        before = turn
        yield _word(state, action)
        comment = []
        if not math.isnan(columns.value[ply]):
            comment.append(f"value {columns.value[ply]:+.5f}")
        if columns.sims[ply]:
            comment.append(f"sims {columns.sims[ply]}")
        if comment:
            yield "{" + " ".join(comment) + "}"
        needs_number = bool(comment)
        state = state.apply(action)


def _word(state: State, action: int) -> str:
    """The move as a word that is read as the same move."""
    for word in (state.say(action, san=True), state.say(action)):
        token = _TOKEN.fullmatch(word)
        if token and token.lastgroup == "move" and _read_word(state, word) == action:
            return word
    raise RecordError(f"the move {state.say(action)!r} cannot be written in PGN; write .jsonl")


def _read_word(state: State, word: str) -> int | None:
    try:
        return state.read(word)
    except MoveError:
        if re.match(r"0-0(-0)?\b", word):
            return _read_word(state, word.replace("0", "O"))
        return None


def read(
    file: IO[bytes], name: str, game: str | None, trusted: bool, report: Report
) -> Iterator[Record]:
    """The games of a file, each checked. Games with mistakes are reported and skipped."""
    for found in _games(file, name, report):
        try:
            record = _record(found, game, trusted)
            check(record, game=game_of(record.game, trusted=trusted))
        except RulezeroError as error:
            report(found.place.error(f"game {found.number}: {error}"))
        else:
            yield record


def _games(file: IO[bytes], name: str, report: Report) -> Iterator[Found]:
    """Yields the tags and movetext of each game; a tag after moves begins the next game."""
    place, number, tags, moves = Place(name, 1), 1, dict[str, str](), list[str]()
    in_comment, size = False, 0
    for at, line in enumerate(_decoded(file), 1):
        if line.startswith("%") and not in_comment:
            continue
        tag = None if in_comment else _TAG.fullmatch(line)
        if tag and any(not part.isspace() for part in moves):
            yield Found(place=place, number=number, tags=tags, moves="".join(moves))
            number, tags, moves, size = number + 1, {}, [], 0
        if tag:
            if not tags:
                place = Place(name, at)
            tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
            continue
        size += len(line)
        if size > _LONGEST_GAME:
            report(place.error(f"game {number} has more than {_LONGEST_GAME} characters"))
            return
        moves.append(line)
        in_comment = _ends_in_comment(line, in_comment)
    if tags or any(not part.isspace() for part in moves):
        yield Found(place=place, number=number, tags=tags, moves="".join(moves))


def _decoded(file: IO[bytes]) -> Iterator[str]:
    """Lines as UTF-8, or as Latin-1, which older files use."""
    while raw := file.readline(_LONGEST_GAME):
        try:
            line = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            line = raw.decode("latin-1")
        yield line.replace("\r\n", "\n")


def _ends_in_comment(line: str, in_comment: bool) -> bool:
    """Whether a comment in braces is still open after this line."""
    return "{" in _WHOLE_COMMENT.sub("", "{" + line if in_comment else line)


def _record(found: Found, game_text: str | None, trusted: bool) -> Record:
    tags = found.tags
    game = _game_of(tags, game_text, trusted)
    if "FEN" in tags:
        first = game.parse(tags["FEN"])
    elif game.facts.has_random_start:
        raise RecordError(f"it needs a FEN tag: {game.facts.name} has no fixed start")
    else:
        first = game.start()
    actions, value, sims, result, last = _play(first, found.moves)
    outcome, reason = _end(tags, result or tags.get("Result", "*"), last)
    fields: dict[str, int | str] = {
        "index": found.number - 1,
        "purpose": "human",
        "source": source_of(found.place.file),
    }
    for tag, name in _NUMBERS.items():
        if tag in tags:
            if not re.fullmatch(r"\d{1,20}", tags[tag]):
                raise RecordError(f"the tag {tag} is {tags[tag][:40]!r}; it must be a whole number")
            fields[name] = int(tags[tag])
    fields |= {name: printable(tags[tag]) for tag, name in _TEXTS.items() if tag in tags}
    record = record_from(
        first,
        pack(actions, value=value, sims=sims),
        outcome=outcome,
        end_reason=reason,
        players=(_player(tags, "White"), _player(tags, "Black")),
        names=(_name(tags, "White"), _name(tags, "Black")),
        date=_date(tags),
        nets=(tags.get("WhiteNet"), tags.get("BlackNet")),
        forced_result=_number(tags, "ForcedResult"),
        **fields,
    )
    return record if tags.keys() & {"Iteration", "ForcedResult"} else upgraded(record)


def _game_of(tags: dict[str, str], game_text: str | None, trusted: bool) -> Game:
    variant = tags.get("Variant", "")
    plain = re.sub(r"[^a-z0-9]", "", variant.lower())
    text = tags.get("Game") or game_text or _variants().get(plain)
    if text is None:
        raise RecordError(f"the variant {variant[:40]!r} is unknown; name the game (game=, --game)")
    game = game_of(text, trusted=trusted)
    if not game.facts.pgn_variants:
        raise RecordError(f"{game.facts.name} has no SAN, so it has no PGN")
    return game


@functools.cache
def _variants() -> dict[str, str]:
    """Games by the variants' names in PGN, in lower case."""
    return {
        variant.lower(): name
        for name in game_options()
        for variant in load(name).facts.pgn_variants
    }


def _play(
    state: State, movetext: str
) -> tuple[list[int], list[float], list[int], str | None, State]:
    """Actions, values and simulations of the moves, the result after them, the last state."""
    actions: list[int] = []
    value: list[float] = []
    sims: list[int] = []
    depth = 0  # of variations
    for token in _TOKEN.finditer(movetext):
        kind, text = token.lastgroup, token[0]
        if kind == "stray":
            raise RecordError(f"after move {len(actions)}: a stray '{text}'")
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            raise RecordError(f"after move {len(actions)}: a ')' without its '('")
        if depth > 0:
            continue
        if kind == "result":
            rest = [t[0] for t in _TOKEN.finditer(movetext, token.end()) if t.lastgroup == "move"]
            if rest:
                raise RecordError(f"the move '{rest[0]}' is after the result {text}")
            return actions, value, sims, text, state
        if kind == "comment" and actions:
            value[-1] = float(found[1]) if (found := _VALUE.search(text)) else value[-1]
            sims[-1] = int(found[1]) if (found := _SIMS.search(text)) else sims[-1]
        if kind == "move":
            action = _read_word(state, text)
            if action is None:
                raise RecordError(f"move {len(actions) + 1}, {_refusal(state, text)}")
            actions.append(action)
            value.append(math.nan)
            sims.append(0)
            state = state.apply(action)
    if depth > 0:
        raise RecordError(f"after move {len(actions)}: a '(' without its ')'")
    return actions, value, sims, None, state


def _refusal(state: State, word: str) -> str:
    """Why a word is not a legal move here."""
    name = state.game.facts.name
    has_draws = any(option[0] == "draws" for option in game_options()[name])
    if state.is_over and state.outcome == 0 and has_draws and state.game.text == name:
        return (
            f"'{word[:40]}': the game is over ({state.end_reason}); if it was played"
            f" on, read it as {name}:draws=none"
        )
    try:
        state.read(word)
    except MoveError as error:
        return f"in {state.text}: {error}"
    return f"'{word[:40]}'"


def _end(tags: dict[str, str], result: str, last: State) -> tuple[float, str]:
    """Outcome and end reason: those of the rules if they end the game, else the file's."""
    if result not in _OUTCOMES:
        raise RecordError(f"the result is {result[:40]!r}; give one of {', '.join(_OUTCOMES)}")
    outcome = _OUTCOMES[result]
    if last.outcome is not None and last.end_reason is not None:
        if result != "*" and outcome != last.outcome:
            ruled = f"{_RESULTS[last.outcome]} ({last.end_reason})"
            raise RecordError(f"the result is {result}, but by the rules it is {ruled}")
        return last.outcome, last.end_reason
    if (tagged := _number(tags, "Outcome")) is not None:
        outcome = tagged
    reason = tags.get("Termination")
    if reason in STOPPED:
        return outcome, reason
    if abs(outcome) == 1:
        return outcome, "resigned"
    return outcome, "interrupted" if result == "*" else "claimed"


def _player(tags: dict[str, str], side: str) -> str:
    """The player of a side: the player's own tag if there is one, else the name."""
    return printable(tags.get(f"{side}Player") or tags.get(side, "?"))


def _name(tags: dict[str, str], side: str) -> str | None:
    """The name of a side's person, if the player has a tag of its own; else None."""
    return printable(tags[side]) if side in tags and f"{side}Player" in tags else None


def _date(tags: dict[str, str]) -> str | None:
    """The date, as far as it is known; None if the text is not a date."""
    date = tags.get("Date", _NO_DATE)
    return date if DATE.fullmatch(date) and date != _NO_DATE else None


def _number(tags: dict[str, str], tag: str) -> float | None:
    try:
        return float(tags[tag]) if tag in tags else None
    except ValueError:
        raise RecordError(f"the tag {tag} is {tags[tag][:40]!r}; it must be a number") from None
