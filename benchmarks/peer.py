"""Another program's search, to compare with: a process in its own environment, with JSON lines."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from timing import Side, Slice

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "peers-venv"
HOW = "make bench-peers"


class Peer:
    """OpenSpiel on chess: see peers/open_spiel_chess.py."""

    def __init__(self, folder: Path) -> None:
        """Starts the process in an environment that `make bench-peers` has made."""
        environment = dict(os.environ)
        constants = folder / "constant_evaluator.so"
        if constants.is_file():
            environment["LD_PRELOAD"] = str(constants)
        script = HERE / "peers" / "open_spiel_chess.py"
        self._process = subprocess.Popen(
            [folder / "bin" / "python", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        hello = self._read()
        self.about: dict[str, str] = hello["about"]
        self.sides: list[str] = hello["sides"]
        self.last: dict[str, dict[str, float]] = {}  # the last answer of each side

    def side(self, name: str) -> Side:
        """One of its sides, to be measured in turn with ours."""

        def work(seconds: float) -> Slice:
            assert self._process.stdin
            self._process.stdin.write(json.dumps({"side": name, "seconds": seconds}) + "\n")
            self._process.stdin.flush()
            self.last[name] = self._read()
            return Slice(self.last[name]["units"], self.last[name]["seconds"])

        return work

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def _read(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the peer ended with code {self._process.wait()}")
        return json.loads(line)
