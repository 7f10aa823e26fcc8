"""The curves of a run in TensorBoard, made from the figures of its log."""

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import rulezero as rz
from rulezero.training.games.exchange import TARGETS
from rulezero.training.games.figures import GameFigures, TierResults, Usage
from rulezero.training.tensorboard import TensorBoardListener, scalars
from support import logs

ENDS = {"mate": {"wins": 5, "losses": 1}, "200 turns": {"draws": 3}, "repetition": {"draws": 1}}


def test_results_by_seat_and_by_cause() -> None:
    """Shares of all games: wins, draws and losses of seat 0, and draws by cause."""
    found = scalars(logs.games(3, games=10, ends=ENDS, first_seat=0.5))
    assert found["self-play/first_seat"] == 0.5
    shares = [found[f"self-play/first_seat/{name}"] for name in ("wins", "draws", "losses")]
    assert shares == [0.3, 0.4, 0.3]
    assert found["self-play/draws"] == 0.4
    assert found["self-play/draws/200_turns"] == 0.3
    assert found["self-play/draws/repetition"] == 0.1


def test_the_score_of_two_different_players() -> None:
    """A score is shown if the players differ, such as teacher and student; otherwise it is not."""
    assert "self-play/score" not in scalars(logs.games(1))
    taught = scalars(logs.games(1, b="oneply:net=iter_0", score=0.75))
    assert taught["self-play/score"] == 0.75
    assert scalars(logs.games(1, "rating", score=0.9))["rating/score"] == 0.9


def test_figures_of_some_games() -> None:
    """The use of abilities in EXCHANGE, and results of lessons by tier under `curriculum/`."""
    shares: dict[str, Any] = dict.fromkeys(TARGETS, 0.25)
    usage = Usage(games=4, draws_by_cause={}, rewards_added=0.5, **shares)
    found = scalars(logs.games(2, figures=GameFigures(usage=usage)))
    assert {name for name in found if "/usage/" in name} == {
        f"self-play/usage/{name}" for name in (*TARGETS, "rewards_added")
    }
    tiers = {"1": TierResults(drawn=1, black=3), "3": TierResults(white=2)}
    found = scalars(logs.games(2, figures=GameFigures(tiers=tiers), task="0002/curriculum"))
    assert found["curriculum/tier_1/black"] == 0.75
    assert found["curriculum/tier_3/white"] == 1
    assert not any(name.startswith("self-play/") for name in found)


def test_verdicts() -> None:
    """The curve is 1 if a net is promoted, else 0."""
    assert scalars(logs.verdict(1)) == {"verdict/promoted": 1}
    assert scalars(logs.verdict(1, is_promoted=False)) == {"verdict/promoted": 0}


def test_curves_can_be_read(tmp_path: Path) -> None:
    """TensorBoard's reader finds each step once: a resumed run replaces what it repeats."""
    for iteration, loss in ((0, 3.0), (2, 2.0)):
        listener = TensorBoardListener(tmp_path / "tensorboard", iteration)
        for at in range(iteration, 4):
            listener.logged(logs.fit(at, train={"men": loss + at}))
    reader = EventAccumulator(str(tmp_path / "tensorboard"), {"scalars": 0})
    reader.Reload()
    found = [(event.step, event.value) for event in reader.Scalars("train/men")]
    assert found == [(0, 3.0), (1, 4.0), (2, 4.0), (3, 5.0)]


@pytest.mark.parametrize("how", ["a file", "read-only"])
def test_a_folder_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """One error, no leftover thread and an unchanged run, which can be resumed afterwards."""
    changes = ["iterations=1", "selfplay.games=2", "anchor=null", "fit.batch=16"]
    run = rz.train("connect4", "tiny", tmp_path / "run", changes=changes, workers=1, progress=False)
    before, threads = run.fingerprint(), threading.active_count()
    curves = run.path / "tensorboard"
    if how == "a file":
        shutil.rmtree(curves)
        curves.touch()
    else:  # permissions do not stop root, so open() is replaced
        own = Path.open

        def refused(path: Path, *how: Any, **more: Any) -> Any:
            if path.parent == curves:
                raise PermissionError(13, "Permission denied", str(path))
            return own(path, *how, **more)

        monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(rz.RunError, match=r"cannot write its curves into '.*tensorboard': "):
        rz.resume(run.path, iterations=2, workers=1, progress=False)
    monkeypatch.undo()
    assert threading.active_count() == threads
    if how == "a file":
        curves.unlink()
    assert run.fingerprint() == before
    longer = rz.resume(run.path, iterations=2, workers=1, progress=False)
    assert longer.progress().iteration == 2
