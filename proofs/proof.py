"""Code that proofs share: runs that are resumed if they were stopped, and docs/results.md."""

import datetime
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import rulezero as rz
from rulezero import config, runs
from rulezero.cli.training.train import watching
from rulezero.files import write_whole
from rulezero.games.load import files_of, load
from rulezero.machine import cores
from rulezero.nets.parity import cpu
from rulezero.seeds import keyed
from rulezero.training.log import Entry, FitEntry, GamesEntry, VerdictEntry
from rulezero.training.run import Run

RUNS = Path("runs")
RESULTS = Path("docs") / "results.md"
Kind = TypeVar("Kind", bound=Entry)
PROOF = "proof"  # subfolder of a run with the measurements of its proof


def trained(name: str, recipe: str, preset: str = "small", changes: Sequence[str] = ()) -> Run:
    """The finished run of this name; starts or resumes it if necessary."""
    path = RUNS / name
    experiment = config.load(recipe, preset, changes)
    if files_of(game := load(experiment.game)):  # as runs name games in files: by their content
        experiment = experiment.model_copy(update={"game": game.text})
    with watching(experiment) as watch:
        if not path.exists():
            return runs.train(experiment, out=path, listener=watch)
        run = runs.open_run(path)
        if config.read(run.config()) != experiment:
            raise SystemExit(f"{path} is another experiment; move it away and try again")
        return run if run.progress().is_done else runs.resume(path, listener=watch)


def kept(run: Path, name: str, make: Callable[[], Any]) -> Any:
    """The result of `make`, which is kept in a run's folder with its time, so it is made once."""
    path = run / PROOF / f"{name}.json"
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))["found"]
    begin = time.perf_counter()
    found = make()
    seconds = time.perf_counter() - begin
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"found": found, "seconds": seconds}).encode())
    return found


def met(
    run: Path,
    name: str,
    game: str,
    a: str,
    b: str,
    games: int,
    *,
    opening: int = 4,
    sprt: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """A match, kept by its name: score, Elo with interval, results by seat, and end reasons.

    With a sequential test, the match ends at its verdict.
    """

    def play() -> dict[str, Any]:
        print(f"{a} against {b}, {games} games at most")
        found = rz.match(game, a=a, b=b, games=games, opening=opening, workers=cores(), sprt=sprt)
        ends = {cause: msgspec.to_builtins(each) for cause, each in found.tally.by_cause.items()}
        return {
            "games": found.tally.games,
            "score": found.score,
            "elo": found.elo,
            "interval": list(found.interval),
            "by_seat": [msgspec.to_builtins(each) for each in found.by_seat],
            "ends": ends,
            "verdict": None if found.sprt is None else found.sprt.verdict,
        }

    how = keyed(game, a, b, games, opening, str(sprt)) % 2**32  # a new match if anything differs
    found: dict[str, Any] = kept(run, f"{name}_{how:08x}", play)
    return found


def rated(matches: Mapping[str, Mapping[str, Any]]) -> str:
    """Matches as a table, by opponent."""
    rows = [
        [
            name,
            str(found["games"]),
            f"{found['score']:.1%}",
            f"{found['elo']:+.0f}",
            f"{found['interval'][0]:+.0f} to {found['interval'][1]:+.0f}",
        ]
        for name, found in matches.items()
    ]
    return table(["opponent", "games", "score", "Elo", "95 %"], rows)


def causes(draws: Mapping[str, int]) -> str:
    """Draws by their causes, in words."""
    return ", ".join(f"{cause} {count}" for cause, count in draws.items()) or "none"


def logged(run: Run, kind: type[Kind]) -> list[Kind]:
    """The entries of a kind in the run's log."""
    return [entry for entry in run.entries() if isinstance(entry, kind)]


def minutes(run: Run) -> dict[str, float]:
    """The minutes of work after which each net of a run was done, by name."""
    known = {entry.net: entry.seconds_so_far / 60 for entry in logged(run, VerdictEntry)}
    return {"untrained": 0.0, **known}


def ratings(run: Run) -> list[GamesEntry]:
    """The games in which the nets of a run were rated."""
    return [entry for entry in logged(run, GamesEntry) if entry.purpose == "rating"]


def effort(run: Run) -> list[str]:
    """How well a run used its machine: one line for each figure."""
    fits, ends = logged(run, FitEntry), logged(run, VerdictEntry)
    waited = sum(fit.waiting * fit.seconds for fit in fits)
    learned = sum(fit.seconds for fit in fits)
    busy = sorted(end.cores for end in ends[1:])
    worked = ends[-1].seconds_so_far
    measured = sum(json.loads(file.read_text())["seconds"] for file in run.path.glob(f"{PROOF}/*"))
    return [
        f"{(worked + measured) / 60:.1f} minutes in all: {worked / 60:.1f} of training,"
        f" {learned / 60:.1f} of them fits, and {measured / 60:.1f} of measuring what came of it",
        f"waiting for batches: {waited / learned:.2%} of the time of the fits",
        f"busy cores per iteration (of {os.cpu_count()}): median"
        f" {busy[len(busy) // 2]:.2f}, minimum {busy[0]:.2f}",
        f"rating took {_rated(run):.1%} of all evaluations by nets",
    ]


def _rated(run: Run) -> float:
    """The rating's share of all evaluations by nets; the rating's opponent has no net."""
    rating = sum(rz.player(entry.a).number("sims") * entry.plies / 2 for entry in ratings(run))
    others = [entry for entry in logged(run, GamesEntry) if entry.purpose != "rating"]
    return rating / (rating + sum(entry.sims for entry in others if "net=" in entry.a))


def listed(lines: Iterable[str]) -> str:
    """A list in Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def judged(claims: Mapping[str, bool]) -> str:
    """The claims as a list, each with yes or no."""
    return listed(f"{said}: {'yes' if holds else '**no**'}" for said, holds in claims.items())


def chart(title: str, across: str, up: str, points: Mapping[float, float]) -> str:
    """A curve that some Markdown viewers draw; in others, its figures are readable as text."""
    places = ", ".join(f'"{x:g}"' for x in points)
    heights = ", ".join(f"{y:.1f}" for y in points.values())
    return (
        f'```mermaid\nxychart-beta\n  title "{title}"\n  x-axis "{across}" [{places}]\n'
        f'  y-axis "{up}" 0 --> {max(1.0, *points.values()):.0f}\n  line [{heights}]\n```'
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(section: str, command: str, text: str) -> None:
    """Writes a section of docs/results.md, in place of the old one."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    machine = f"{cores()} cores of {cpu()}"
    body = f"## {section}\n\n`{command}`, {today}, on {machine}.\n\n{text.strip()}\n"
    whole = RESULTS.read_text(encoding="utf-8")
    pattern = rf"^## {re.escape(section)}\n.*?(?=^## |\Z)"
    found = re.search(pattern, whole, re.MULTILINE | re.DOTALL)
    if found:
        whole = whole[: found.start()] + body + "\n" + whole[found.end() :]
    else:
        whole = f"{whole.rstrip()}\n\n{body}"
    RESULTS.write_text(whole.rstrip() + "\n", encoding="utf-8")
    print(f"\n{body}\nwritten to {RESULTS}")
