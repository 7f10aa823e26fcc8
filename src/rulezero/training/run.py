"""A run's folder: its files and its progress.

config.yaml   the whole experiment          manifest.json  versions, rules hash, seed
history/      until_N.yaml: the experiment up to iteration N, if it was changed after that
log.jsonl     the events, line by line      records/       the store of every game played
nets/         iter_N and the pointers best and latest
state/        progress.json, and the learner that it names; withdrawn.json
rules/        the files of a Python game    hooks/         the files of custom loss terms
"""

import contextlib
import hashlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
from msgspec import Meta

from rulezero._core import Game, GameError
from rulezero.data.store import Store
from rulezero.errors import RunError
from rulezero.files import write_whole
from rulezero.games import sources
from rulezero.games.load import load, names_a_path
from rulezero.nets.card import ONE_FILE, beside, digest, inside
from rulezero.training.log import Entry, read_entry

try:
    import fcntl
except ImportError:  # Windows: two processes may train in one folder
    fcntl = None  # type: ignore[assignment]

Phase = Literal["generate", "fit", "evaluate"]


class Progress(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The progress of a run: the phases before this one are done; nothing of this one counts."""

    iteration: Annotated[int, Meta(ge=0)] = 0
    phase: Phase = "generate"
    best: str = ""  # names in nets/; "" before there is one
    latest: str = ""
    previous: str = ""  # the net before the last fit; "" in runs that began before it was kept
    learner: str = ""  # a folder in state/
    learner_digest: str = ""  # SHA-256 of its file
    log_bytes: Annotated[int, Meta(ge=0)] = 0  # length of log.jsonl
    warned: tuple[str, ...] = ()  # names of the warnings given so far; each is given once
    seconds: float = 0.0  # of work so far
    is_done: bool = False


class Run:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.nets = path / "nets"
        self.state = path / "state"
        self.records = path / "records"
        self.history = path / "history"
        self.rules = path / "rules"
        self.hooks = path / "hooks"
        self.log = path / "log.jsonl"

    def __repr__(self) -> str:
        if not self.exists:
            return f"<run {self.path}: not begun>"
        progress = self.progress()
        where = "finished" if progress.is_done else f"in phase {progress.phase}"
        nets = f", best net {progress.best}" if progress.best else ""
        return f"<run {self.path}: iteration {progress.iteration}, {where}{nets}>"

    @property
    def best(self) -> Path:
        """Its best net."""
        return self.nets / self.progress().best

    @property
    def latest(self) -> Path:
        """Its newest net."""
        return self.nets / self.progress().latest

    @property
    def exists(self) -> bool:
        """Whether the folder holds a run."""
        return (self.path / "config.yaml").is_file()

    def check_new(self) -> None:
        """Raises RunError if the path is a file, or a folder that is not empty."""
        if self.path.exists() and not self.path.is_dir():
            raise RunError(f"'{self.path}' is a file: name a new folder for the run")
        if self.path.exists() and any(self.path.iterdir()):
            raise RunError(f"'{self.path}' is not empty: name a new folder, or --resume the run")

    def create(
        self,
        config: str,
        manifest: dict[str, Any],
        rules: Mapping[str, bytes] | None = None,
        hooks: Mapping[str, bytes] | None = None,
    ) -> None:
        """Makes the folder, unless `check_new` refuses it.

        `rules` are the files of a Python game, and `hooks` those of custom loss terms: copies for
        readers on other machines.
        """
        self.check_new()
        for folder in (self.nets, self.state, self.records):
            folder.mkdir(parents=True, exist_ok=True)
        sources.write(rules or {}, self.rules)
        sources.write(hooks or {}, self.hooks)
        self._write_manifest(manifest)
        write_whole(self.path / "config.yaml", config.encode())  # last: only now it is a run

    def game(self, text: str) -> Game:
        """The game of the run's config or manifest. Runs only files known on this machine."""
        if names_a_path(text):
            raise RunError(
                f"'{self.path}' would run a file, '{text}': runs now name their rules by a hash, so"
                " start a new run"
            )
        try:
            return load(text)
        except GameError as error:
            if not self.rules.is_dir():
                raise
            raise RunError(f"{error}; the run has a copy of it in '{self.rules}'") from error

    def change(self, config: str, last: int) -> None:
        """Replaces the run's experiment for the iterations after `last`.

        The process may be killed at any time: the manifest names both configs until it is done.
        """
        before, manifest = self.config(), self.manifest()
        if last >= 0:
            self.history.mkdir(exist_ok=True)
            write_whole(self.history / f"until_{last}.yaml", before.encode())
        self._write_manifest({**manifest, "next_config": digest(config.encode())})
        write_whole(self.path / "config.yaml", config.encode())
        self._write_manifest({**manifest, "config": digest(config.encode())})

    def earlier_configs(self) -> dict[int, str]:
        """The run's former experiments, each by its last iteration."""
        files = self.history.glob("until_*.yaml")
        found = {int(file.stem.partition("_")[2]): file.read_text("utf-8") for file in files}
        return dict(sorted(found.items()))

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        text = msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"
        write_whole(self.path / "manifest.json", text)

    def config(self) -> str:
        """The text of config.yaml. Raises RunError if the file was changed by hand."""
        if not self.exists:
            raise RunError(f"'{self.path}' is not a run: it has no config.yaml")
        path = self.path / "config.yaml"
        written = path.read_bytes()
        manifest = self.manifest()
        if digest(written) not in (manifest.get("config"), manifest.get("next_config")):
            raise RunError(
                f"'{path}' was changed after the run began:"
                " undo the change, or start a new run with this file"
            )
        return written.decode()

    def manifest(self) -> dict[str, Any]:
        """The contents of manifest.json: versions, the rules hash, the seed and more."""
        path = self.path / "manifest.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except (OSError, msgspec.DecodeError) as error:
            raise RunError(f"'{path}' cannot be read: {error}") from error

    def progress(self) -> Progress:
        """The progress of the run."""
        path = self.state / "progress.json"
        if not path.is_file():
            return Progress()
        try:
            return msgspec.json.decode(path.read_bytes(), type=Progress)
        except msgspec.DecodeError as error:
            raise RunError(
                f"'{path}' cannot be read ({error}): delete it, and the run repeats its work"
            ) from error

    def withdrawn(self, iteration: int) -> frozenset[str]:
        """The ids of records that nets do not learn from in this iteration or later."""
        return frozenset(
            record for record, since in self._withdrawals().items() if since <= iteration
        )

    def withdraw(self, records: Collection[str], iteration: int) -> int:
        """Leaves records out from this iteration on; returns how many were not left out before."""
        known = self._withdrawals()
        new = set(records) - known.keys()
        if new:
            found = known | dict.fromkeys(sorted(new), iteration)
            write_whole(self._withdrawn_file, msgspec.json.encode(found) + b"\n")
        return len(new)

    def _withdrawals(self) -> dict[str, int]:
        """The first iteration without a record, by the ids of the records that were withdrawn."""
        path = self._withdrawn_file
        try:
            text = path.read_bytes() if path.is_file() else b"{}"
            return msgspec.json.decode(text, type=dict[str, int])
        except msgspec.DecodeError as error:
            raise RunError(f"'{path}' cannot be read: {error}") from error

    @property
    def _withdrawn_file(self) -> Path:
        return self.state / "withdrawn.json"

    def cut_log(self, progress: Progress) -> None:
        """Removes the lines of the log that the unfinished phase has written and will write again.

        An incomplete line is removed, too.
        """
        if self.log.is_file():
            whole = self.log.read_bytes()[: progress.log_bytes]
            with self.log.open("rb+") as file:
                file.truncate(whole.rfind(b"\n") + 1)

    def advance(self, progress: Progress) -> None:
        """Writes the progress, then updates the pointers to nets and deletes old learners."""
        write_whole(self.state / "progress.json", msgspec.json.encode(progress) + b"\n")
        for name in ("best", "latest"):
            if net := getattr(progress, name):
                write_whole(self.nets / name, f"{net}\n".encode())
        for folder in self.state.glob("learner_*"):
            if folder.name != progress.learner:
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()

    def check_nets(self, progress: Progress) -> None:
        """Raises RunError if files of the best or the latest net are missing."""
        for name in sorted({progress.best, progress.latest}):
            net = inside(self.nets, name)
            missing = beside(self.nets / name, ".json") if net is None else None
            if net is not None and net.suffix not in ONE_FILE:
                parts = (beside(net, ".safetensors"), beside(net, ".onnx"))
                missing = next((part for part in parts if not part.is_file()), None)
            if missing is not None:
                raise RunError(
                    f"the run's net {name} is incomplete: there is no file '{missing}'; restore it,"
                    " or start a new run"
                )

    def append(self, entry: Entry) -> None:
        """Appends a line to the log."""
        with self.log.open("ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")

    def entries(self) -> Iterator[Entry]:
        """The entries of the log, without a line that is still being written."""
        lines = self.log.read_bytes().split(b"\n") if self.log.is_file() else []
        for number, line in enumerate(lines[:-1], 1):  # the last one is empty or incomplete
            try:
                yield read_entry(line)
            except msgspec.DecodeError as error:
                raise RunError(
                    f"{self.log}:{number}: this is not a line of a log; delete it ({error})"
                ) from error

    def store(self) -> Store:
        """The games of the run."""
        return Store(self.records)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the run. Raises RunError if another process is working on it."""
        file: BinaryIO
        self.state.mkdir(exist_ok=True)
        with (self.state / "lock").open("wb") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise RunError(f"another process is working on '{self.path}'") from None
            yield

    def fingerprint(self) -> dict[str, str]:
        """SHA-256 of the latest net, the learner and all games, without times.

        Two runs of one experiment have the same fingerprint, however often they were killed.
        """
        progress = self.progress()
        found = {}
        net = inside(self.nets, progress.latest) or self.latest
        files = [("net", net if net.suffix in ONE_FILE else beside(net, ".safetensors"))]
        if progress.learner:
            files.append(("learner", self.state / progress.learner / "learner.safetensors"))
        for name, path in files:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        ids = sorted(f"{record.task}/{record.index}/{record.id}" for record in self.store())
        found["records"] = hashlib.sha256("\n".join(ids).encode()).hexdigest()
        return found
