"""Settings for all tests, and shared fixtures."""

import atexit
import functools
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

import rulezero as rz
from rulezero.endgame import Tables, solving
from rulezero.files import lock

# Background jobs of a shell ignore Ctrl-C, and processes that tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Keeps the Python rules that tests run out of the user's own folder of known rules.
os.environ["RULEZERO_RULES"] = tempfile.mkdtemp(prefix="rulezero_rules_")
atexit.register(shutil.rmtree, os.environ["RULEZERO_RULES"], ignore_errors=True)

# Modules and folders that take more than some seconds each: `make test-fast` leaves them out.
SLOW = (
    "benchmarks", "cli", "contest/test_match.py", "endgame/test_monster_tables.py",
    "fleet/server", "fleet/test_again.py", "fleet/test_canaries.py", "fleet/test_fleet_kills.py",
    "fleet/test_hanging_workers.py", "fleet/test_http.py", "fleet/test_ray.py",
    "fleet/test_threads.py", "fleet/test_workers_of_servers.py",
    "games/test_check.py", "games/test_fairy.py", "games/test_new_cpp_game.py",
    "games/test_sources.py", "learn/test_people.py", "learn/test_terms.py",
    "nets/test_checkpoint.py", "nets/test_exact_nets.py", "nets/test_module.py",
    "nets/test_options.py", "nets/test_quantize.py", "play/test_engine_strangers.py",
    "play/test_engines.py", "play/test_evaluators.py", "play/test_tasks.py",
    "search/test_alphabeta.py", "search/test_leaves.py", "search/test_proven_roots.py",
    "search/test_quality.py", "search/test_quiescence.py", "search/test_reductions.py",
    "search/test_scripted.py", "search/test_time.py",
    "test_docs.py", "test_keys.py", "test_notebooks.py", "training/test_changed_runs.py",
    "training/test_curriculum.py", "training/test_damaged_runs.py", "training/test_distill.py",
    "training/test_estimate.py", "training/test_gate.py", "training/test_killed_workers.py",
    "training/test_loop.py", "training/test_nnue.py", "training/test_old_runs.py",
    "training/test_presets.py",
    "training/test_regimes.py", "training/test_rewards.py", "training/test_withdrawn.py", "web",
)  # fmt: skip

SOLVED = ["KvKQ", "KvKN", "KPvK", "KvKQR", "KvKQQ", "KvKQQQ"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of SLOW."""
    slow = [Path(__file__).parent / place for place in SLOW]

    @functools.cache
    def is_slow(path: Path) -> bool:
        return any(path.is_relative_to(place) for place in slow)

    for item in items:
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what was not tested because a program is missing: each reason once, in any output."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = {str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped}
    for reason in sorted(each for each in reasons if each.startswith("NOT TESTED")):
        terminalreporter.write_line(reason, yellow=True, bold=True)


@pytest.fixture(scope="session")
def endgames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the endgame tables of SOLVED, and of the endgames that they lead to.

    All workers of pytest-xdist use the folder of the one that comes first.
    """
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    place /= "endgames"
    place.mkdir(exist_ok=True)
    held = lock(place.with_suffix(".lock"), wait=True)
    assert held is not None
    with held:
        for men in SOLVED:  # what is there is not solved again
            solving.solve(men, place, workers=2)
    return place


@pytest.fixture(scope="session")
def tables(endgames: Path) -> Tables:
    """The tables of `endgames`, opened."""
    return rz.endgame.open(endgames)
