"""The report on a run as one HTML file, which needs no network and no server."""

import html
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

import msgspec

from rulezero import config
from rulezero.contest.standings import Standings
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.games import board
from rulezero.games.view import title as game_title
from rulezero.reports.figures import Figure, Group, groups
from rulezero.reports.sample import SampleGame, newest_record, sample_of
from rulezero.reports.standings import read_standings
from rulezero.training.experiment import Experiment
from rulezero.training.log import Entry, GamesEntry, VerdictEntry, WarningEntry
from rulezero.training.run import Run


def write_report(run: Run, out: str | Path | None = None) -> Path:
    """Writes the report on a run to `out` (default: its reports/report.html); returns the path."""
    path = run.path / "reports" / "report.html" if out is None else Path(out)
    if path.is_dir():
        raise RunError(f"'{path}' is a folder: name a file, such as report.html")
    if path.exists() and path.suffix != ".html":
        raise RunError(f"'{path}' already exists and is not an .html file: choose another name")
    if out is not None and not path.parent.is_dir():
        raise RunError(f"there is no folder '{path.parent}' for the report: create it first")
    page = render(run)
    path.parent.mkdir(exist_ok=True)
    write_whole(path, page.encode())
    return path


def render(run: Run) -> str:
    """The HTML of the report on a run."""
    experiment = config.read(run.config())
    game = run.game(experiment.game)
    entries = list(run.entries())
    record = newest_record(run)
    sample = None if record is None else sample_of(record, game)
    standings = read_standings(run)
    figures = groups(entries)
    sections = [
        ("warnings", "Warnings", _warnings(entries)),
        *((group.id, group.title, _figures(group, experiment)) for group in figures),
        ("ratings", "Ratings", _ratings(standings)),
        ("game", "A game", _game(sample)),
        ("config", "Experiment", _config(run)),
    ]
    title = f"{experiment.recipe} {experiment.preset}: {run.path.resolve().name}"
    drawn = [figure for group in figures for figure in group.figures if figure.data]
    return _part("page.html").format(
        title=html.escape(title),
        style=_part("page.css"),
        heading=html.escape(f"{experiment.recipe} {experiment.preset}"),
        about=html.escape(f"{game_title(experiment.game)}, {run.path.resolve().name}"),
        cards=_cards(experiment, entries, standings),
        links="".join(f'<a href="#{name}">{words}</a>' for name, words, _ in sections[1:]),
        sections="\n".join(
            f'<section id="{name}"><h2>{words}</h2>{body}</section>'
            for name, words, body in sections
        ),
        figures=_json(drawn),
        game=_json(sample),
        plotly=_plotly() if drawn else "",
        board=board.source() if sample is not None else "",
        script=_part("page.js"),
    )


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise RunError(
            f"a report needs plotly: pip install -c constraints.txt '.[train]' ({error})"
        ) from error
    return str(get_plotlyjs())


def _part(name: str) -> str:
    return (resources.files("rulezero.reports") / name).read_text(encoding="utf-8")


def _json(value: object) -> str:
    """JSON that is safe in a script element, whatever texts it contains."""
    text = msgspec.json.encode(value).decode()
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _note(words: str) -> str:
    return f'<p class="note">{html.escape(words)}</p>'


def _cards(experiment: Experiment, entries: Sequence[Entry], standings: Standings | None) -> str:
    """The most important numbers of a run."""
    last = max((entry.iteration for entry in entries), default=0)
    played = [entry for entry in entries if isinstance(entry, GamesEntry)]
    promoted = [e.net for e in entries if isinstance(e, VerdictEntry) and e.is_promoted]
    facts = [
        ("iterations", f"{last} of {experiment.iterations}"),
        ("games", f"{sum(entry.games for entry in played):,}"),
        ("plies", f"{sum(entry.plies for entry in played):,}"),
        ("time", say_duration(entries[-1].seconds_so_far if entries else 0.0)),
        ("best net", promoted[-1] if promoted else "none yet"),
    ]
    if standings is not None:
        best = [each for each in standings.standings if "best" in each.player.about]
        facts += [("Elo of the best", f"{each.rating.elo:+.0f}") for each in best]
    rows = (
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd></div>"
        for name, words in facts
    )
    return "".join(rows)


def say_duration(seconds: float) -> str:
    """A duration in words: 0.4 s, 95 s, 40 min, 2.5 h."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _warnings(entries: Iterable[Entry]) -> str:
    items = []
    for entry in entries:
        if not isinstance(entry, WarningEntry):
            continue
        wrong, _, remedy = entry.words.partition(": ")
        items.append(
            f"<li><strong>{html.escape(_capital(wrong))}.</strong>"
            f" {html.escape(_capital(remedy))}{'.' if remedy else ''}"
            f' <span class="dim">iteration {entry.iteration}</span></li>'
        )
    if not items:
        return _note("No warnings.")
    return f'<ul class="warnings">{"".join(items)}</ul>'


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _figures(group: Group, experiment: Experiment) -> str:
    drawn = "".join(
        f"<figure><figcaption><h3>{html.escape(figure.title)}</h3>"
        f"<p>{html.escape(figure.about)}</p></figcaption>"
        f'<div class="plot" id="plot-{figure.id}"></div></figure>'
        for figure in group.figures
        if figure.data
    )
    empty = "".join(
        _note(f"{figure.title}: {_why_empty(figure, experiment)}.")
        for figure in group.figures
        if not figure.data
    )
    return f'<div class="grid">{drawn}</div>{empty}'


def _why_empty(figure: Figure, experiment: Experiment) -> str:
    if figure.id == "gate" and experiment.gate.kind == "always":
        return "every net is promoted"
    return "none so far"


def _ratings(standings: Standings | None) -> str:
    if standings is None:
        return _note("No ratings yet. `rulezero rate` plays the nets against each other.")
    rows = []
    for place, each in enumerate(standings.standings, 1):
        rating = each.rating
        rows.append(
            f"<tr><td>{place}</td><td>{html.escape(each.player.name)}"
            f"{_marks(each.player.about)}</td><td>{rating.elo:+.0f}</td><td>{rating.interval}</td>"
            f"<td>{rating.games}</td><td>{rating.score:.1%}</td></tr>"
        )
    head = "<th></th><th>player</th><th>Elo</th><th>95 %</th><th>games</th><th>score</th>"
    words = (
        f"{standings.games} games; Elo above {standings.anchor};"
        f" the first seat is worth {standings.advantage_text}."
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{_note(words)}"
    )


def _marks(about: str) -> str:
    words = [word for word in about.split(", ") if word]
    return "".join(f' <span class="mark">{html.escape(word)}</span>' for word in words)


def _game(sample: SampleGame | None) -> str:
    if sample is None:
        return _note("No game has been played yet.")
    players = "".join(
        f'<dt><span class="man seat{number}"></span>{html.escape(name)}</dt>'
        f"<dd>{html.escape(text)}</dd>"
        for number, (name, text) in enumerate(zip(sample.names, sample.players, strict=True))
    )
    return _part("game.html").format(
        players=players,
        about=html.escape(f"{sample.about}; {sample.result}; record {sample.id[:12]}"),
        last=len(sample.pages) - 1,
    )


def _config(run: Run) -> str:
    parts = [("config.yaml", run.config())]
    manifest = run.path / "manifest.json"
    if manifest.is_file():
        parts.append(("manifest.json", manifest.read_text(encoding="utf-8")))
    return "".join(
        f"<details><summary>{name}</summary><pre>{html.escape(text)}</pre></details>"
        for name, text in parts
    )
