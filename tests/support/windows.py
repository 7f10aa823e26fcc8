"""Windows of random games."""

from collections.abc import Sequence

from rulezero.data import Record
from rulezero.data.replay import replay_of
from rulezero.learn.targets import TargetSettings, of_play
from rulezero.learn.window import Window, WindowSettings
from support import record_samples, samples


def of(
    records: Sequence[Record],
    settings: WindowSettings | None = None,
    targets: TargetSettings | None = None,
    generations: Sequence[int] = (),
) -> Window:
    """A window with these records, each in its generation (default: 0)."""
    window = Window(settings or WindowSettings(held_out=0))
    for number, record in enumerate(records):
        take(window, record, targets, generations[number] if generations else 0)
    window.trim()
    return window


def take(
    window: Window,
    record: Record,
    targets: TargetSettings | None = None,
    generation: int = 0,
) -> None:
    """Adds a record to a window."""
    columns, played = record.columns(), replay_of(record, samples.game(record.game))
    wanted = of_play(record, columns, played, targets or TargetSettings())
    window.add(record, columns, played, wanted, generation=generation)


def of_games(text: str, games: int = 3) -> Window:
    """A window of random games; game n has seed n."""
    return of(record_samples.several(text, games))
