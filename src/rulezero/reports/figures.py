"""A run's log as figures for plotly.js: plain JSON. Colours are names that the page resolves."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from rulezero.train.games.exchange import TARGETS
from rulezero.train.regimes.curriculum import LESSON
from rulezero.train.tasks import task_name

Entry = Mapping[str, Any]  # a line of the log
Json = dict[str, Any]

_BOUNDLESS = 400.0  # Elo that an interval without a bound is drawn beyond the estimate
_CAUSES = 6  # colours
_PERCENT = ".3~p"  # 12.5%, 100%
_USAGE = (  # figures of what a Usage tells, and of which fields
    (
        "abilities",
        "Abilities",
        "share of sides that used one at all, beside what is wanted",
        ("decree", "interpose", "consecration", "skirmish", "overextend"),
    ),
    (
        "pawns",
        "Pawns and Decrees",
        "sides whose pawns went so far; Decrees under which a strike hit",
        ("pawn_advances", "promotions", "decree_used"),
    ),
)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure: its words, and what plotly.js draws."""

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
    """All figures; those that the log has nothing to say for have no data."""
    made = {
        ("learning", "Learning"): learning(entries),
        ("strength", "Strength"): strength(entries),
        ("games", "Games"): games(entries),
        ("speed", "Speed"): speed(entries),
    }
    return tuple(
        Group(id=name, title=title, figures=tuple(figures))
        for (name, title), figures in made.items()
    )


def learning(entries: Sequence[Entry]) -> list[Figure]:
    """Figures on held-out positions beside the best constant's, and losses of training."""
    fits = [entry for entry in entries if entry["kind"] == "fit"]
    measured = [entry for entry in fits if entry.get("held_out")]
    found = []
    for name, title, about, form in (
        ("policy", "Policy loss", "cross-entropy with the search, nats", ".2f"),
        ("value", "Value loss", "against how games ended", ".2f"),
        ("top1", "Top-1", "the likeliest legal move is the search's", _PERCENT),
        ("winner", "Winner told rightly", "in decided games", _PERCENT),
        ("legal_mass", "Legal mass", "probability on legal moves", _PERCENT),
    ):
        data = [_line(measured, _held_out("net", name), "net", "--net")]
        if name != "legal_mass":  # the best constant knows the rules
            constant = _held_out("constant", name)
            data.append(_line(measured, constant, "best constant", "--plain", dash="dash"))
        if name in ("policy", "value"):
            trained = [entry for entry in fits if name in entry["train"]]
            data.append(_line(trained, _training(name), "training", "--faint", dash="dot"))
        found.append(_figure(name, title, about, data, form))
    found[-1].layout["yaxis"]["range"] = [0, 1.02]  # near 0 and near 1 are told apart at a glance
    return found


def strength(entries: Sequence[Entry]) -> list[Figure]:
    """Elo against the anchor with intervals, and scores of trials with their verdicts."""
    anchor = _games(entries, "rating")
    gates = _games(entries, "gate")
    promoted = {e["iteration"] for e in entries if e["kind"] == "verdict" and e["is_promoted"]}
    elo = _line(anchor, lambda e: e["elo"]["elo"], "Elo", "--net")
    if elo:
        elo["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": [_beyond(e["elo"], "upper") for e in anchor],
            "arrayminus": [_beyond(e["elo"], "lower") for e in anchor],
            "color": "--faint",
            "thickness": 1.5,
            "width": 3,
        }
        elo["text"] = [_interval(e["elo"]) for e in anchor]
        elo["hovertemplate"] = "%{y:+.0f} (%{text})<extra></extra>"
    score = _line(gates, lambda e: e["score"], "score", "--net")
    if score:
        score["marker"] = {
            "size": 9,
            "color": ["--good" if e["iteration"] in promoted else "--bad" for e in gates],
        }
        score["text"] = ["promoted" if e["iteration"] in promoted else "rejected" for e in gates]
        score["hovertemplate"] = "%{y:.1%}, %{text}<extra></extra>"
    against = anchor[-1]["b"] if anchor else ""
    return [
        _figure("elo", "Elo", f"against {against}, 95 % intervals", [elo], "+.0f", level=0.0),
        _figure(
            "gate",
            "Gate",
            "score against the best net; green is promoted",
            [score],
            _PERCENT,
            level=0.5,
        ),
    ]


def games(entries: Sequence[Entry]) -> list[Figure]:
    """How self-play ended, how long it took, and what the first seat made of it."""
    both = [*_games(entries, "bootstrap"), *_games(entries, "self-play")]
    both.sort(key=lambda entry: int(entry["iteration"]))
    played = _firsts(entry for entry in both if not _is_lesson(entry))
    lessons = [entry for entry in both if _is_lesson(entry)]
    length = _line(played, lambda e: e["plies"] / max(e["games"], 1), "plies", "--net")
    first = _line(played, lambda e: e["first_seat"], "first seat", "--net")
    return [
        _figure("draws", "Draws by cause", "share of self-play games", _draws(played), _PERCENT),
        _figure("ends", "Wins by cause", "share of self-play games", _wins(played), _PERCENT),
        _figure("length", "Length", "mean plies of a self-play game", [length], ".1f"),
        _figure("first", "First seat", "its score in self-play", [first], _PERCENT, level=0.5),
        *_particular(played, lessons),
    ]


def _is_lesson(entry: Entry) -> bool:
    return bool(entry["task"] == task_name(entry["iteration"], LESSON))


def _firsts(played: Iterable[Entry]) -> list[Entry]:
    """The first entry of each iteration: a bootstrap may have several kinds of games."""
    found: dict[int, Entry] = {}
    for entry in played:
        found.setdefault(int(entry["iteration"]), entry)
    return list(found.values())


def _particular(played: Sequence[Entry], lessons: Sequence[Entry]) -> Iterator[Figure]:
    """What only some games are asked: how abilities are used, which lessons Black wins."""
    used = [entry for entry in played if "usage" in entry.get("figures", {})]
    for name, title, about, abilities in _USAGE if used else ():
        data = [
            _line(used, _used(each), _say_ability(each), _colour(at))
            for at, each in enumerate(abilities)
        ]
        yield _figure(name, title, about, data, _PERCENT)
    known = [entry.get("figures", {}).get("tiers", {}) for entry in lessons]
    tiers = sorted({tier for each in known for tier in each})
    if tiers:
        data = [
            _line(
                [entry for entry in lessons if tier in entry["figures"]["tiers"]],
                _black(tier),
                f"tier {tier}",
                _colour(number),
            )
            for number, tier in enumerate(tiers)
        ]
        about = "share that the scripted Black won against the net"
        yield _figure("lessons", "Lessons", about, data, _PERCENT)


def _say_ability(name: str) -> str:
    return f"{name.replace('_', ' ')} {TARGETS[name][0]:.0%}"


def _used(name: str) -> Callable[[Entry], float | None]:
    return lambda entry: entry["figures"]["usage"][name]


def _black(tier: str) -> Callable[[Entry], float | None]:
    def share(entry: Entry) -> float:
        counts = entry["figures"]["tiers"][tier]
        return float(counts["black"] / sum(counts.values()))

    return share


def _colour(number: int) -> str:
    return f"--cause-{number % _CAUSES}"


def speed(entries: Sequence[Entry]) -> list[Figure]:
    """How fast games are played and positions learned from."""
    played = [e for e in _games(entries, "self-play") if not _is_lesson(e)]
    fits = [entry for entry in entries if entry["kind"] == "fit"]
    sims = _line(played, lambda e: e["sims"] / max(e["seconds"], 1e-9), "sims/s", "--net")
    samples = _line(fits, lambda e: e["samples"] / max(e["seconds"], 1e-9), "samples/s", "--net")
    waiting = _line(fits, lambda e: e["waiting"], "waiting", "--net")
    about = "share of fitting spent on making batches"
    return [
        _figure("sims", "Simulations a second", "in self-play, all workers", [sims], ",.0f"),
        _figure("samples", "Samples a second", "while fitting", [samples], ",.0f"),
        _figure("waiting", "Waiting", about, [waiting], _PERCENT),
    ]


def _held_out(who: str, name: str) -> Callable[[Entry], float | None]:
    return lambda entry: entry["held_out"][who][name]  # None is a gap: JSON has no nan


def _training(name: str) -> Callable[[Entry], float | None]:
    return lambda entry: entry["train"][name]


def _draws(played: Sequence[Entry]) -> list[Json]:
    return _stack(played, lambda end: end["draws"])


def _wins(played: Sequence[Entry]) -> list[Json]:
    return _stack(played, lambda end: end["wins"] + end["losses"])


def _stack(played: Sequence[Entry], count: Callable[[Json], int]) -> list[Json]:
    """Bars on each other: which share of an iteration's games ended by each cause."""
    causes = sorted({c for e in played for c, end in e["ends"].items() if count(end)})
    return [
        {
            "type": "bar",
            "name": cause,
            "x": [e["iteration"] for e in played],
            "y": [
                count(e["ends"][cause]) / max(e["games"], 1) if cause in e["ends"] else 0.0
                for e in played
            ],
            "marker": {"color": _colour(number)},
        }
        for number, cause in enumerate(causes)
    ]


def _games(entries: Iterable[Entry], purpose: str) -> list[Entry]:
    return [e for e in entries if e["kind"] == "games" and e["purpose"] == purpose]


def _line(
    entries: Sequence[Entry],
    number: Callable[[Entry], float | None],
    name: str,
    colour: str,
    dash: str = "solid",
) -> Json:
    """A line over iterations; {} where there is nothing to draw."""
    if not entries:
        return {}
    return {
        "type": "scatter",
        "mode": "lines+markers" if dash == "solid" else "lines",
        "name": name,
        "x": [entry["iteration"] for entry in entries],
        "y": [number(entry) for entry in entries],
        "line": {"color": colour, "width": 2 if dash == "solid" else 1.5, "dash": dash},
        "marker": {"size": 5, "color": colour},
    }


def _figure(
    name: str,
    title: str,
    about: str,
    data: Sequence[Json],
    form: str,
    level: float | None = None,  # a value worth a line of its own
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
    """Iterations between two ticks: whole ones, and at most ten."""
    last: int = max((max(trace["x"], default=0) for trace in data), default=0)
    steps: Iterator[int] = (unit * 10**power for power in range(9) for unit in (1, 2, 5))
    return next(step for step in steps if last <= 10 * step)


def _beyond(estimate: Json, side: str) -> float:
    """How far an interval goes beyond its estimate; JSON has no infinity, and null is none."""
    if estimate[side] is None:
        return _BOUNDLESS
    return abs(float(estimate[side]) - float(estimate["elo"]))


def _interval(estimate: Json) -> str:
    lower, upper = estimate["lower"], estimate["upper"]
    if lower is None:
        return "no bounds" if upper is None else f"at most {upper:+.0f}"
    return f"at least {lower:+.0f}" if upper is None else f"{lower:+.0f} to {upper:+.0f}"
