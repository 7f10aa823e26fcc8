"""A player who only comments: what it thinks of every choice in games already played."""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from rulezero._core import GameError
from rulezero.data.check import check
from rulezero.data.record import Record, Thoughts
from rulezero.data.replay import game_of
from rulezero.play.players import Player, read_player
from rulezero.play.session import Session
from rulezero.play.table import notes_of


def judge(
    records: Iterable[Record],
    by: str | Player,
    *,
    seed: int = 0,
    width: int = 64,
    trusted: bool = False,
) -> Iterator[tuple[Record, Thoughts]]:
    """Each record with the judge's thoughts about its plies, in the records' order.

    `width` games are judged in step; every record is checked first. A store keeps the thoughts
    beside the record: store.add_note(record.id, player.text, thoughts).
    """
    if width < 1:
        raise GameError("at least one game is judged at a time: width=1 or more")
    player = read_player(by)
    first = 0  # number of the first game in the batch
    for text, games in groupby(records, key=lambda record: record.game):
        game = game_of(text, trusted=trusted)
        while batch := list(islice(games, width)):
            session = Session(game, [player], seed=seed, width=width)
            for index, record in enumerate(batch, first):
                check(record, trusted=trusted, game=game)
                script = record.action_numbers().tolist()
                start = game.parse(record.start)
                session.add(index, start, judge=0, script=script, most_plies=len(script))
            notes = {played.index: notes_of(played) for played in session.run()}
            for index, record in enumerate(batch, first):
                yield record, notes[index]
            first += len(batch)
