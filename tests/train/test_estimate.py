"""Estimates: what a dry run measures is small, however large the experiment is."""

import subprocess
import sys

import pytest

from rulezero import config
from rulezero.games.load import load
from rulezero.nets.size import size_of
from rulezero.train.estimate import measured_net

DRY_RUN = """
import sys, time
from pathlib import Path
from rulezero.cli import main
sys.argv = ["rulezero", "train", "random_chess", "--preset", "tier3", "--dry-run"]
try:
    main()
finally:  # getrusage would count the memory of the process that this one was forked from
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    print("#", time.process_time(), int(peak) / 1e6)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_dry_run_of_the_largest_net_is_quick_and_small() -> None:
    """Less than 30 seconds of a core and 2 GB, for a batch of 4,096 and 19 blocks of 256."""
    done = subprocess.run(
        [sys.executable, "-c", DRY_RUN], capture_output=True, text=True, check=False
    )
    assert "# the net has 22,743,372 parameters" in done.stdout, done.stderr
    seconds, gigabytes = map(float, done.stdout.splitlines()[-1].split()[1:])
    assert seconds < 30
    assert gigabytes < 2


@pytest.mark.parametrize("recipe", ["connect4", "exchange", "monster", "random_chess", "razzle"])
def test_what_is_measured_stands_for_the_net(recipe: str) -> None:
    """The same net with at most four blocks, and known how much smaller it is."""
    for preset in ("tiny", "full"):
        experiment = config.load(recipe, preset)
        game, net = load(experiment.game), experiment.net
        shallow = measured_net(net)
        shallow.for_game(game.facts)
        assert shallow.blocks == min(net.blocks, 4)
        assert (shallow.features, shallow.head) == (net.features, net.head)
        whole, part = size_of(game.text, net), size_of(game.text, shallow)
        assert (part == whole) == (net.blocks <= 4)
        assert part.multiply_adds <= whole.multiply_adds
