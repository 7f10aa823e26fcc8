"""Writes pictures of a finished run for the README: .venv/bin/python scripts/run_pictures.py RUN.

docs/pictures/report.png shows the top of its report, as chromium draws it, and
docs/pictures/curve.svg its Elo against the recipe's fixed opponent over the minutes of training.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import rulezero as rz

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
_WINDOW = (1200, 790)  # pixels of the report that are shown
_WIDTH, _HEIGHT = 560, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 44, 48  # margins of the curve
_LINE, _GREY = "#2563c9", "#8a8f98"  # readable on white and on black


def report(run: rz.Run) -> None:
    """Writes report.png."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        rz.report(run, page)
        flags = "--headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars"
        subprocess.run(
            [
                "chromium",
                *flags.split(),
                f"--user-data-dir={folder}/profile",
                f"--window-size={_WINDOW[0]},{_WINDOW[1]}",
                "--virtual-time-budget=8000",
                f"--screenshot={FOLDER / 'report.png'}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


def curve(run: rz.Run) -> str:
    """Elo by minutes, with 95 % intervals, as SVG."""
    played = [
        entry
        for entry in run.entries()
        if isinstance(entry, rz.log.GamesEntry) and entry.purpose == "rating"
    ]
    points = [(each.seconds_so_far / 60, each.elo) for each in played]
    floor = min(each.lower for _, each in points)
    lowest, highest = 50 * (floor // 50), max(each.upper for _, each in points)
    longest = points[-1][0]

    def x(minutes: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * minutes / longest

    def y(elo: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (elo - lowest) / (highest - lowest)

    game = rz.view.title(rz.config.read(run.config()).game)
    title = f"{game}: Elo against {played[-1].b}, 95 % intervals"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
            f' width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="13"'
            f' fill="{_GREY}">',
            f'<text x="{_LEFT}" y="24" font-size="15">{title}</text>',
            *_axes(lowest, highest, longest, x, y),
            *_curve([(x(minutes), y(e.elo), y(e.upper), y(e.lower)) for minutes, e in points]),
            "</svg>",
        ]
    )


def _axes(
    lowest: float,
    highest: float,
    longest: float,
    x: Callable[[float], float],
    y: Callable[[float], float],
) -> Iterator[str]:
    step = 50 if highest - lowest < 500 else 100
    for elo in range(int(lowest), int(highest) + 1, step):
        dash = "" if elo == 0 else ' stroke-dasharray="2 4"'
        yield (
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(elo):.1f}" y2="{y(elo):.1f}"'
            f' stroke="{_GREY}" stroke-opacity="0.6"{dash}/>'
        )
        yield f'<text x="{_LEFT - 8}" y="{y(elo) + 4:.1f}" text-anchor="end">{elo:+d}</text>'
    for minutes in range(0, int(longest) + 1, 2 if longest < 20 else 5):
        at = f'x="{x(minutes):.1f}" y="{_HEIGHT - _BOTTOM + 18}"'
        yield f'<text {at} text-anchor="middle">{minutes}</text>'
    words = "minutes of training on two CPU cores"
    yield f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 8}" text-anchor="middle">{words}</text>'


def _curve(points: Sequence[tuple[float, float, float, float]]) -> Iterator[str]:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in points)
    for x, _, upper, lower in points:
        yield (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{upper:.1f}" y2="{lower:.1f}" stroke="{_LINE}"'
            ' stroke-opacity="0.45" stroke-width="2"/>'
        )
    yield f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2.5"/>'
    for x, y, _, _ in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_LINE}"/>'


def main() -> int:
    """Writes both."""
    if len(sys.argv) != 2:
        print("name one finished run: scripts/run_pictures.py RUN", file=sys.stderr)
        return 2
    run = rz.open_run(sys.argv[1])
    report(run)
    (FOLDER / "curve.svg").write_text(curve(run) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
