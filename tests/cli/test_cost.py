"""`rulezero cost`: the plan as text and as JSON."""

import datetime
import json
import sys
from pathlib import Path

import pytest

from rulezero import runs
from rulezero.cli import main
from rulezero.cli.training.cost import rounded
from rulezero.training.estimate import Estimate
from rulezero.training.work import Count
from support.commands import fails

TODAY = datetime.date.today()


def called(
    capsys: pytest.CaptureFixture[str], *arguments: str, verb: str = "cost"
) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of `rulezero cost ...` in this process, to import torch once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rulezero", verb, *arguments])
        with pytest.raises(SystemExit) as end:
            main()
    output = capsys.readouterr()
    return end.value.code or 0, output.out, output.err


def told(
    capsys: pytest.CaptureFixture[str], *arguments: str, verb: str = "cost"
) -> tuple[str, str]:
    """stdout and stderr of a command that must succeed."""
    code, *output = called(capsys, *arguments, verb=verb)
    assert code == 0
    return output[0], output[1]


def prices(folder: Path, date: str) -> str:
    """The path of a new price file with this date and one offer."""
    path = folder / "prices.yaml"
    offer = "{gpu: A100 80GB, provider: '[red]me', price: 1}"
    path.write_text(f"date: {date}\noffers: [{offer}]\n", encoding="utf-8")
    return str(path)


def test_random_chess_is_planned_tier_by_tier(capsys: pytest.CaptureFixture[str]) -> None:
    """The plan has six offers for each of four presets, the cheapest one, and the prices' date."""
    output, _ = told(capsys, "random_chess")
    lines = output.splitlines()
    assert lines[0] == "random_chess, at the prices of December 2025"
    presets = [line.split()[0] for line in lines if "Compute" in line and "A100 80GB" in line]
    assert presets == ["tier1", "tier2", "tier3", "full"]
    assert sum("H100 80GB" in line for line in lines) == 12
    assert "tier1   A100 80GB  Thunder Compute       0.78       47                   37" in lines
    assert "expected: quick test, proof of concept, barely plays" in output
    assert "cheapest: A100 40GB of Thunder Compute; tier1 $31, tier2 $" in output


def test_assumptions_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """--spot and --fp16 print their assumptions; a preset that is given twice is listed once."""
    asked = ["--preset", "small", "--preset", "full", "--preset", "small"]
    output, _ = told(capsys, "razzle", *asked, "--spot", "--fp16")
    assert "spot: 50 % to 70 % cheaper (assumed)" in output
    assert "285 us of waiting" in output
    assert "50 % of the GPU's tflops times its fp16" in output
    assert "known only for chess and random_chess" in output
    assert output.count("Vast.ai") == 2


def test_programs_get_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints one object with unrounded figures; --set works as in train."""
    options = ["--preset", "tiny", "--set", "selfplay.games=100", "--speed", "500", "--json"]
    output, _ = told(capsys, "connect4", *options)
    found = json.loads(output)
    (plan,) = found["plans"]
    assert (found["recipe"], found["date"], found["speed"]) == ("connect4", "2025-12", 500)
    counts = {each["part"]: each for each in plan["work"]["counts"]}
    assert (counts["self-play"]["games"], counts["trials"]["games"]) == (200, 8)
    evaluations = sum(each["evaluations"] for each in counts.values())
    hours = (evaluations + 3 * counts["fits"]["samples"]) / 500 / 3600
    assert plan["quotes"][0]["hours"] == pytest.approx(hours)
    assert plan["quotes"][0]["dollars"] == pytest.approx([hours * 0.66] * 2)
    assert (plan["level"], plan["here"]) == (None, None)


def test_this_machine_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--measure adds the time on this machine, with the same figures as train --dry-run."""

    counts = (
        Count(part="self-play", games=20, choices=600.0, evaluations=1200.0),
        Count(part="fits", samples=5e6),
    )
    seconds = {"start": 6.0, "self-play": 7200.0, "fits": 1800.0}

    def measured(*_: object, workers: int, **__: object) -> Estimate:
        return Estimate(workers=workers, parameters=1, counts=counts, seconds=seconds)

    monkeypatch.setattr(runs, "estimate", measured)
    output, _ = told(capsys, "connect4", "--preset", "tiny", "--measure", "--workers", "2")
    for line in (
        "tiny on this machine: 2.5 hours in all, with 2 worker processes",
        "tiny on this machine: start: 6.0 seconds",
        "tiny on this machine: self-play: 2.0 hours for 20 games of 30 choices",
        "tiny on this machine: fits: 30 minutes for 5,000,000 samples",
    ):
        assert line in output
    dry, _ = told(capsys, "connect4", "--preset", "tiny", "--dry-run", verb="train")
    assert "# self-play: 2.0 hours for 20 games of 30 choices" in dry


def test_old_prices_are_warned_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Prices more than a year old print a warning on stderr."""
    arguments = ["connect4", "--preset", "tiny", "--prices"]
    output, errors = told(capsys, *arguments, prices(tmp_path, f"{TODAY:%Y-%m}"))
    assert errors == ""
    assert "A100 80GB of [red]me" in output
    _, errors = told(capsys, *arguments, prices(tmp_path, "2001-02"))
    assert errors.startswith(
        "rulezero: warning: the prices are from February 2001, over a year ago"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chess", "--preset", "ful"], "has no preset 'ful' (did you mean 'full'?)"),
        (["razzle", "--speed", "-1"], "--speed is evaluations a second, more than 0, not -1"),
        (["razzle", "--speed", "9", "--fp16"], "leave --fp16 out"),
        (["razzle", "--prices", "none.yaml"], "none.yaml:1: there is no such file; name a YAML"),
        (["distill"], "no player in the preset 'tiny' of distill has a net for a GPU"),
        (["none.yaml"], "none.yaml:1: there is no such file; name another .yaml file"),
    ],
)
def test_wrong_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """The error is one line that says what to do, with exit code 2."""
    code, output, error = called(capsys, *arguments)
    assert (code, output, error.count("\n")) == (2, "", 1)
    assert words in error


def test_the_process_fails_alike() -> None:
    """`rulezero cost`, run as a process, reports an unknown recipe in one line."""
    assert "did you mean 'random_chess'?" in fails("cost", "random_ches")


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (0.05, "<0.1"), (0.123, "0.12"), (9.96, "10"), (46.9, "47"), (4947, "4,900")],
)
def test_two_figures_are_told(number: float, words: str) -> None:
    """Numbers are rounded to two significant figures, because estimates are no more precise."""
    assert rounded(number) == words
