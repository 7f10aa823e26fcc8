"""A Ray cluster of two nodes on this machine, in processes that tests can kill.

Ray is imported only by the process that this file is as a program: its threads and warnings do not
belong into a process of tests.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# A token of this process, so that no cluster of the tests is open to other users of the machine.
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": os.urandom(32).hex()}
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    # A dead node is noticed within seconds, not half a minute.
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "5",
}


class Cluster(NamedTuple):
    """A running cluster: a head and another node, with one CPU each."""

    address: str
    head: list[int]  # processes: the node's raylet, and the cluster's own services
    node: list[int]

    def actors(self) -> list[int]:
        """The processes of actors, on both nodes."""
        found = [pid for parent in self.head + self.node for pid in children(parent)]
        return [pid for pid in found if "GameActor" in command(pid)]

    def kill_head(self) -> None:
        """Kills the head with all its processes."""
        _kill(self.head)

    def kill_node(self) -> None:
        """Kills the other node with all its processes."""
        _kill(self.node)


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    """A new cluster, which ends with the block."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env={**os.environ, **TOKEN, **_SETTINGS},
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "the cluster has not started"
        yield Cluster(*json.loads(line))
    finally:
        process.kill()  # Ray's processes end with it
        process.communicate()


def _kill(pids: list[int]) -> None:
    below = [child for pid in pids for child in children(pid)]
    for pid in pids + below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The child processes of all threads of a process; [] if there is no such process."""
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has ended
            found += map(int, file.read_text().split())
    return found


def command(pid: int) -> str:
    """The command line of a process; "" if there is no such process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _main() -> None:
    """Starts the cluster, prints what it consists of as JSON, and waits."""
    from ray.cluster_utils import Cluster as RayCluster

    few = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    made = RayCluster(initialize_head=True, head_node_args={"num_cpus": 1, **few})
    made.add_node(num_cpus=1)
    nodes = [made.head_node, *made.worker_nodes]
    pids = [
        [each.process.pid for kind in node.all_processes.values() for each in kind]
        for node in nodes
    ]
    print(json.dumps([made.address, *pids]), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _main()
