"""What TensorBoard shows of a run: every figure of the log that is worth a curve."""

from typing import Any

from rulezero.training.games.exchange import TARGETS
from rulezero.training.games.figures import GameFigures, TierResults, Usage
from rulezero.training.tensorboard import scalars
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
    """The teacher's against the student, where self-play has both; else there is none."""
    assert "self-play/score" not in scalars(logs.games(1))
    taught = scalars(logs.games(1, b="oneply:net=iter_0", score=0.75))
    assert taught["self-play/score"] == 0.75
    assert scalars(logs.games(1, "rating", score=0.9))["rating/score"] == 0.9


def test_figures_of_some_games() -> None:
    """How abilities are used, and how lessons end, tier by tier, apart from other games."""
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
    """1 where a net is promoted, else 0."""
    assert scalars(logs.verdict(1)) == {"verdict/promoted": 1}
    assert scalars(logs.verdict(1, is_promoted=False)) == {"verdict/promoted": 0}
