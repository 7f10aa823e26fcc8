"""Start positions of a run's games: one key for all games, or one for each kind of games."""

from pathlib import Path

import pytest

import rulezero as rz
from rulezero import config, runs
from rulezero.errors import RunError
from rulezero.reports.standings import rate

# Two unusual white armies: one without a queen, one with rooks in place of knights.
ARMIES = """
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1  # no queen
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RRBQKBRR w kq - 0 1
"""
OTHER = "rnbqkbnr/pppppppp/8/8/8/8/8/RNBQKBNR w KQkq - 0 1\n"
LITTLE = [
    "iterations=1",
    "selfplay={games: 2, a: 'policy:net=best', opening: 0}",
    "bootstrap=[{games: 2, a: random}]",
    "gate={kind: threshold, games: 2, player: 'policy:net=candidate', opening: 0}",
    "anchor={games: 2, player: 'policy:net=candidate', opponent: random, opening: 0}",
    "net={blocks: 1, channels: 4}",
]


def positions(text: str) -> set[str]:
    """The positions in the text of a file."""
    return {line.partition("#")[0].strip() for line in text.splitlines() if line.strip()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of positions, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "armies.txt").write_text(ARMIES, encoding="utf-8")
    (tmp_path / "other.txt").write_text(OTHER, encoding="utf-8")
    return tmp_path


def starts_by_purpose(run: rz.Run) -> dict[str, set[str]]:
    """The start positions of a run's games, by their purpose."""
    found: dict[str, set[str]] = {}
    with run.store() as store:
        for record in store.select():
            kind = record.task.rpartition("/")[2] if record.purpose == "rating" else record.purpose
            kind = "rate" if record.source == "rate" else kind
            found.setdefault(kind, set()).add(record.start)
    return found


def test_one_key_holds_for_all_games_of_a_run(folder: Path) -> None:
    """Games of bootstrap, self-play, gate, anchor and ratings begin at these positions."""
    run = runs.train(
        "chess", "tiny", folder / "run", changes=[*LITTLE, "starts=armies.txt"], workers=1
    )
    rate(run, games=2, nets=1, workers=1)
    found = starts_by_purpose(run)
    assert sorted(found) == ["anchor", "bootstrap", "gate", "rate", "self-play"]
    for kind, starts in found.items():
        assert starts <= positions(ARMIES), kind


def test_games_may_have_starts_of_their_own(folder: Path) -> None:
    """The starts of gate, anchor and self-play take precedence over the key for all games."""
    changes = [*LITTLE, "starts=armies.txt", "anchor.starts=other.txt", "gate.starts=other.txt"]
    made = config.load("chess", "tiny", changes)
    nets = dict.fromkeys(("best", "latest", "previous", "candidate"), "untrained")
    trials = {task.name: set(task.starts) for task in made.regime.trials(made, 1, nets)}
    assert trials == {"0001/gate": positions(OTHER), "0001/anchor": positions(OTHER)}
    for iteration in (0, 1):
        (task,) = made.games(iteration, nets)
        assert set(task.starts) == positions(ARMIES)
    made = config.load("chess", "tiny", [*LITTLE, "starts=armies.txt", "selfplay.starts=other.txt"])
    assert set(made.games(1, nets)[0].starts) == positions(OTHER)
    assert set(made.regime.trials(made, 1, nets)[0].starts) == positions(ARMIES)


def test_selfplay_starts_alone_mean_what_they_did(folder: Path) -> None:
    """With selfplay.starts alone, trials begin at the game's own start."""
    made = config.load("chess", "tiny", [*LITTLE, "selfplay.starts=armies.txt"])
    nets = dict.fromkeys(("best", "latest", "previous", "candidate"), "untrained")
    assert all(task.starts == () for task in made.regime.trials(made, 1, nets))
    assert set(made.games(1, nets)[0].starts) == positions(ARMIES)


@pytest.mark.parametrize("recipe", config.recipes())
def test_experiments_without_starts_are_written_as_before(recipe: str) -> None:
    """Unused `starts` keys are not written, so the text's digest is as in earlier versions."""
    made = config.load(recipe, "tiny")
    groups = [line.strip() for line in made.text.splitlines() if line.strip().startswith("starts:")]
    owners = 1 + len(made.bootstrap) + (made.curriculum is not None)
    assert len(groups) == owners, "those of selfplay, bootstrap and curriculum"
    assert config.read(made.text) == made


def test_starts_are_written_and_read(folder: Path) -> None:
    """The keys `starts` and `anchor.starts` survive writing and reading an experiment."""
    made = config.load("chess", "tiny", [*LITTLE, "starts=armies.txt", "anchor.starts=other.txt"])
    again = config.read(made.text)
    assert again == made
    assert again.starts == "armies.txt"
    assert again.anchor is not None
    assert again.anchor.starts == "other.txt"


@pytest.mark.parametrize("key", ["starts", "gate.starts", "anchor.starts", "selfplay.starts"])
def test_wrong_starts_are_one_clear_line(folder: Path, key: str) -> None:
    """A missing or empty file, a folder and a bad position are refused before any game."""
    (folder / "bad.txt").write_text(f"{OTHER}nonsense\n", encoding="utf-8")
    (folder / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    for file, words in (
        ("nowhere.txt", "there is no file of positions 'nowhere.txt' in "),
        (".", "is not a regular file"),
        ("bad.txt", "bad.txt:2: "),
        ("empty.txt", "'empty.txt' has no position"),
    ):
        with pytest.raises(rz.PositionError) as caught:
            runs.check(config.load("chess", "tiny", [*LITTLE, f"{key}={file}"]))
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_starts_of_a_gate_that_does_not_play_are_refused() -> None:
    """With gate.kind=always, gate.starts has no effect and is an error."""
    with pytest.raises(RunError, match=r"gate.starts=x has no effect: it is for gate.kind"):
        config.load("connect4", "tiny", ["gate.kind=always", "gate.starts=x"])
