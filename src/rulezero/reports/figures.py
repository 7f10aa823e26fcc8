"""A run's log as figures for plotly.js, in plain JSON. Colours are names of CSS variables."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from rulezero.stats.rating import Estimate, score_interval
from rulezero.stats.tally import Counts
from rulezero.training.games.exchange import TARGETS
from rulezero.training.log import Entry, FitEntry, GamesEntry, VerdictEntry
from rulezero.training.regimes.curriculum import LESSON
from rulezero.training.tasks import task_name

Json = dict[str, Any]

_BOUNDLESS = 400.0  # Elo; length of the error bar of an interval without a bound
_CAUSES = 6  # number of colours
_PERCENT = ".3~p"  # 12.5%, 100%
_LEARNING = (  # Figures on held-out positions: field, title, explanation, number format
    ("policy", "Policy loss", "cross-entropy with the search, nats", ".2f"),
    ("value", "Value loss", "against the results of the games", ".2f"),
    ("top1", "Top-1", "how often the likeliest legal move is the search's", _PERCENT),
    ("winner", "Winner predicted correctly", "in decided games", _PERCENT),
    ("legal_mass", "Legal mass", "probability on legal moves", _PERCENT),
)
_USAGE = (  # figures of a Usage: id, title, explanation, fields
    (
        "abilities",
        "Abilities",
        "share of sides that used each at least once; the legend has the targets",
        ("decree", "interpose", "consecration", "skirmish", "overextend"),
    ),
    (
        "pawns",
        "Pawns and Decrees",
        "share of sides that advanced or promoted pawns; share of Decrees with a hit",
        ("pawn_advances", "promotions", "decree_used"),
    ),
)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure: its texts, and the data and layout for plotly.js."""

    id: str
    title: str
    about: str
    data: list[Json]
    layout: Json


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the page."""

    id: str
    title: str
    figures: tuple[Figure, ...]


def groups(entries: Sequence[Entry]) -> tuple[Group, ...]:
    """All figures. Those for which the log has no numbers have no data."""
    made = {
        "Learning": learning(entries),
        "Strength": strength(entries),
        "Games": games(entries),
        "Speed": speed(entries),
    }
    return tuple(
        Group(id=title.lower(), title=title, figures=tuple(figures))
        for title, figures in made.items()
    )


def learning(entries: Sequence[Entry]) -> list[Figure]:
    """Figures on held-out positions, those of the best constant answer, and training losses."""
    fits = [entry for entry in entries if isinstance(entry, FitEntry)]
    measured = [(entry.iteration, entry.held_out) for entry in fits if entry.held_out]
    found = []
    for name, title, about, form in _LEARNING:
        data = [_line([(at, getattr(seen.net, name)) for at, seen in measured], "net", "--net")]
        if name != "legal_mass":  # it is 1 for the best constant answer
            constant = [(at, getattr(seen.constant, name)) for at, seen in measured]
            data.append(_line(constant, "best constant", "--plain", dash="dash"))
        if name in ("policy", "value"):
            trained = [(fit.iteration, fit.train[name]) for fit in fits if name in fit.train]
            data.append(_line(trained, "training", "--faint", dash="dot"))
        found.append(_figure(name, title, about, data, form))
    found[-1].layout["yaxis"]["range"] = [0, 1.02]  # of legal mass: shows how far it is from 1
    return found


def strength(entries: Sequence[Entry]) -> list[Figure]:
    """Elo against the anchor with intervals, and scores of gates with their verdicts."""
    anchor = _games(entries, "rating")
    gates = _games(entries, "gate")
    promoted = {e.iteration for e in entries if isinstance(e, VerdictEntry) and e.is_promoted}
    elo = _line([(e.iteration, e.elo.elo) for e in anchor], "Elo", "--net")
    if elo:
        above = [_beyond(e.elo, e.elo.upper) for e in anchor]
        elo["error_y"] = _error_bars(above, [_beyond(e.elo, e.elo.lower) for e in anchor])
        elo["text"] = [e.elo.interval(0) for e in anchor]
        elo["hovertemplate"] = "%{y:+.0f} (%{text})<extra></extra>"
    score = _line([(e.iteration, e.score) for e in gates], "score", "--net")
    if score:
        score["marker"] = {
            "size": 9,
            "color": ["--good" if e.iteration in promoted else "--bad" for e in gates],
        }
        score["text"] = ["promoted" if e.iteration in promoted else "rejected" for e in gates]
        score["hovertemplate"] = "%{y:.1%}, %{text}<extra></extra>"
    against = anchor[-1].b if anchor else ""
    about = "score against the best net; green: promoted"
    return [
        _figure("elo", "Elo", f"against {against}, 95 % intervals", [elo], "+.0f", level=0.0),
        _figure("gate", "Gate", about, [score], _PERCENT, level=0.5),
    ]


def games(entries: Sequence[Entry]) -> list[Figure]:
    """How self-play games ended, how long they were, and the score of the first seat."""
    both = [*_games(entries, "bootstrap"), *_games(entries, "self-play")]
    both.sort(key=lambda entry: entry.iteration)
    played = _firsts(entry for entry in both if not is_lesson(entry))
    lessons = [entry for entry in both if is_lesson(entry)]
    lengths = [(e.iteration, e.plies / max(e.games, 1)) for e in played]
    plies = [_line(lengths, "plies", "--net")]
    first = _line([(e.iteration, e.first_seat) for e in played], "first seat", "--net")
    if first:
        bounds = [(e.first.score, *score_interval(e.first)) for e in played]
        above = [upper - score for score, _, upper in bounds]
        first["error_y"] = _error_bars(above, [score - lower for score, lower, _ in bounds])
        first["text"] = [f"{lower:.1%} to {upper:.1%}" for _, lower, upper in bounds]
        first["hovertemplate"] = "%{y:.1%} (%{text})<extra></extra>"
    share, seat_0 = "share of self-play games", "score of seat 0 in self-play, 95 % intervals"
    draws, wins = _stack(played, lambda c: c.draws), _stack(played, lambda c: c.wins + c.losses)
    return [
        _figure("draws", "Draws by cause", share, draws, _PERCENT),
        _figure("ends", "Wins by cause", share, wins, _PERCENT),
        _figure("length", "Length", "mean plies of a self-play game", plies, ".1f"),
        _figure("first", "First seat", seat_0, [first], _PERCENT, level=0.5),
        *_particular(played, lessons),
    ]


def is_lesson(entry: GamesEntry) -> bool:
    """Whether these games began from the positions of the curriculum."""
    return entry.task == task_name(entry.iteration, LESSON)


def _firsts(played: Iterable[GamesEntry]) -> list[GamesEntry]:
    """The first entry of each iteration: a bootstrap may have several kinds of games."""
    found: dict[int, GamesEntry] = {}
    for entry in played:
        found.setdefault(entry.iteration, entry)
    return list(found.values())


def _particular(played: Sequence[GamesEntry], lessons: Sequence[GamesEntry]) -> Iterator[Figure]:
    """Figures that only some games have: use of abilities, lessons won by Black."""
    used = [(entry.iteration, entry.figures.usage) for entry in played if entry.figures.usage]
    for name, title, about, abilities in _USAGE if used else ():
        shares = {
            f"{each.replace('_', ' ')} {TARGETS[each][0]:.0%}": [
                (at, getattr(usage, each)) for at, usage in used
            ]
            for each in abilities
        }
        yield _figure(name, title, about, _coloured(shares), _PERCENT)
    if spread := [(at, usage.targets) for at, usage in used if sum(usage.targets)]:
        yield _histogram(dict([spread[0], spread[-1]]))
    tiers: dict[str, list[tuple[int, float]]] = {}
    for entry in lessons:
        for tier, games in entry.figures.tiers.items():
            tiers.setdefault(f"tier {tier}", []).append(
                (entry.iteration, games.black / games.games)
            )
    if tiers:
        about = "share of lessons that the scripted Black won against the net"
        yield _figure("lessons", "Lessons", about, _coloured(dict(sorted(tiers.items()))), _PERCENT)


def _coloured(curves: Mapping[str, Sequence[tuple[int, float]]]) -> list[Json]:
    """A line in its own colour for each named curve."""
    numbered = enumerate(curves.items())
    return [_line(points, name, _colour(number)) for number, (name, points) in numbered]


def _histogram(targets: dict[int, tuple[int, ...]]) -> Figure:
    """Shaped targets of some iterations, as shares of their plies."""
    data = []
    for number, (iteration, counts) in enumerate(targets.items()):
        width = 2 / len(counts)
        data.append(
            {
                "type": "bar",
                "name": f"iteration {iteration}",
                "x": [round((at + 0.5) * width - 1, 4) for at in range(len(counts))],
                "y": [count / sum(counts) for count in counts],
                "marker": {"color": _colour(number)},
            }
        )
    about = "share of plies by their value target: White's result and rewards"
    figure = _figure("targets", "Shaped targets", about, data, _PERCENT)
    figure.layout["barmode"] = "group"
    figure.layout["xaxis"] = {"title": {"text": "target"}, "range": [-1, 1]}
    return figure


def _colour(number: int) -> str:
    return f"--cause-{number % _CAUSES}"


def speed(entries: Sequence[Entry]) -> list[Figure]:
    """Speed of self-play and of fits."""
    played = [entry for entry in _games(entries, "self-play") if not is_lesson(entry)]
    fits = [entry for entry in entries if isinstance(entry, FitEntry)]
    sims = _line([(e.iteration, e.sims_per_second) for e in played], "sims/s", "--net")
    samples = _line([(e.iteration, e.samples_per_second) for e in fits], "samples/s", "--net")
    waiting = _line([(e.iteration, e.waiting) for e in fits], "waiting", "--net")
    about = "share of fitting time spent waiting for batches"
    return [
        _figure("sims", "Simulations per second", "in self-play, all workers", [sims], ",.0f"),
        _figure("samples", "Samples per second", "while fitting", [samples], ",.0f"),
        _figure("waiting", "Waiting", about, [waiting], _PERCENT),
    ]


def _stack(played: Sequence[GamesEntry], count: Callable[[Counts], int]) -> list[Json]:
    """Stacked bars: the share of an iteration's games that ended by each cause."""
    causes = sorted({c for e in played for c, counts in e.ends.items() if count(counts)})
    return [
        {
            "type": "bar",
            "name": cause,
            "x": [e.iteration for e in played],
            "y": [count(e.ends.get(cause, Counts())) / max(e.games, 1) for e in played],
            "marker": {"color": _colour(number)},
        }
        for number, cause in enumerate(causes)
    ]


def _games(entries: Iterable[Entry], purpose: str) -> list[GamesEntry]:
    return [e for e in entries if isinstance(e, GamesEntry) and e.purpose == purpose]


def _line(points: Sequence[tuple[int, float]], name: str, colour: str, dash: str = "solid") -> Json:
    """A line over iterations, with gaps where a number is nan; {} if it has no numbers."""
    if all(math.isnan(number) for _, number in points):
        return {}
    return {
        "type": "scatter",
        "mode": "lines+markers" if dash == "solid" else "lines",
        "name": name,
        "x": [iteration for iteration, _ in points],
        "y": [None if math.isnan(number) else number for _, number in points],
        "line": {"color": colour, "width": 2 if dash == "solid" else 1.5, "dash": dash},
        "marker": {"size": 5, "color": colour},
    }


def _figure(
    name: str,
    title: str,
    about: str,
    data: Sequence[Json],
    form: str,
    level: float | None = None,  # where a dashed line is drawn
) -> Figure:
    drawn = [trace for trace in data if trace]
    layout: Json = {
        "showlegend": len(drawn) > 1 or any(trace["type"] == "bar" for trace in drawn),
        "barmode": "stack",
        "xaxis": {"title": {"text": "iteration"}, "tickformat": "d", "dtick": _step(drawn)},
        "yaxis": {"tickformat": form},
    }
    if level is not None:
        layout["shapes"] = [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": level,
                "y1": level,
                "line": {"color": "--plain", "width": 1, "dash": "dash"},
            }
        ]
    return Figure(id=name, title=title, about=about, data=drawn, layout=layout)


def _step(data: Sequence[Json]) -> int:
    """Iterations between two ticks, for at most ten ticks."""
    last: int = max((max(trace["x"], default=0) for trace in data), default=0)
    steps: Iterator[int] = (unit * 10**power for power in range(9) for unit in (1, 2, 5))
    return next(step for step in steps if last <= 10 * step)


def _error_bars(above: Sequence[float], below: Sequence[float]) -> Json:
    look = {"color": "--faint", "thickness": 1.5, "width": 3}
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **look}


def _beyond(estimate: Estimate, bound: float) -> float:
    """Length of an error bar; JSON has no infinity."""
    return _BOUNDLESS if math.isinf(bound) else abs(bound - estimate.elo)
