"""The store: saved games can be read after kills, and damage to its files is noticed."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest
import zstandard

from rulezero.data import Record, RecordError, Store, export, records, shard
from rulezero.data.shard import MAGIC, PART, Reader
from rulezero.data.writer import adopt
from support import record_samples, samples

RECORDS = record_samples.several("connect4", 4)
SHORT = [record_samples.of(list(samples.played("tictactoe", s))[:4], index=s) for s in range(2)]


def write(folder: Path, given: Sequence[Record] = RECORDS, seal: bool = True) -> Path:
    """The path of a folder's only shard: sealed, or the .part that a killed writer leaves."""
    with Store(folder) as store:
        for record in given:
            store.add(record)
        (path,) = folder.iterdir()
        part = path.read_bytes()
    assert path.name.endswith(".games.part")
    sealed = path.with_suffix("")
    if seal:
        return sealed
    sealed.unlink()
    path.write_bytes(part)
    return path


def ends(data: bytes | bytearray) -> list[int]:
    """The offsets at which the chunks of a shard end, the header's first."""
    found = [len(MAGIC)]
    while found[-1] < len(data):
        length = int.from_bytes(data[found[-1] : found[-1] + 4], "little") & 0x7FFFFFFF
        found.append(found[-1] + 12 + length)
    return found[1:]


@pytest.mark.parametrize("seal", [False, True])
def test_what_was_added_can_be_read(tmp_path: Path, seal: bool) -> None:
    """Records come back whole and in order, both from a sealed shard and from a .part."""
    write(tmp_path, seal=seal)
    store = Store(tmp_path)
    assert list(store) == list(RECORDS)
    assert len(store) == len(RECORDS)
    for record in RECORDS:
        assert store[record.id] == record
        assert record.id in store
    with pytest.raises(RecordError, match="has no record 'nonsense'"):
        store["nonsense"]
    store.verify()


def test_a_reader_sees_what_comes_later(tmp_path: Path) -> None:
    """An open reader sees records added later, also while the shard is sealed."""
    reader, writer = Store(tmp_path), Store(tmp_path)
    assert list(reader) == []
    for number, record in enumerate(RECORDS, 1):
        writer.add(record)
        assert len(reader) == number
        assert reader[record.id] == record
    walk = iter(reader)
    assert next(walk) == RECORDS[0]
    writer.close()
    assert list(walk) == list(RECORDS[1:])
    assert reader[RECORDS[0].id] == RECORDS[0]


def test_a_shard_tells_what_it_holds(tmp_path: Path) -> None:
    """A shard holds records of one game and one purpose; `select` filters records."""
    chess = record_samples.made("chess", task="c", purpose="gate", source="human")
    with Store(tmp_path) as store:
        for record in [*RECORDS, chess]:
            store.add(record)
    headers = []
    for path in sorted(tmp_path.iterdir()):
        with Reader(path) as reader:
            headers.append(reader.header())
    assert [(h.game, h.purpose, h.version) for h in headers if h] == [
        ("connect4", "self-play", 1),
        ("chess", "gate", chess.version),
    ]
    assert len({header.rules for header in headers if header}) == 2
    assert list(store.select(game="chess")) == [chess]
    assert list(store.select(purpose="self-play")) == list(RECORDS)
    assert list(store.select(source="human")) == [chess]
    assert list(store.select(player="oneply", game="connect4")) == list(RECORDS)
    assert list(store.select(player="random")) == []


def test_a_record_is_given_once(tmp_path: Path) -> None:
    """Records with the same task and index, or without a task the same id, are yielded once."""
    again = msgspec.structs.replace(RECORDS[0], players=("random", "random"))
    by_hand = msgspec.structs.replace(RECORDS[0], task="", purpose="human")
    for _ in range(2):
        with Store(tmp_path) as store:
            for record in [*RECORDS, again, by_hand]:
                store.add(record)
    assert len(list(tmp_path.iterdir())) == 4
    assert sorted(r.id for r in Store(tmp_path)) == sorted(r.id for r in [*RECORDS, by_hand])


def test_a_part_cut_anywhere_holds_every_whole_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a .part is cut, readers skip the torn end, and `adopt` removes it and seals."""
    monkeypatch.setattr("os.fsync", lambda _: None)  # for speed
    path = write(tmp_path / "whole", SHORT, seal=False)
    data = path.read_bytes()
    chunks = ends(data)
    assert chunks[-1] == len(data)
    for cut in range(len(data) + 1):
        folder = tmp_path / "cut"
        folder.mkdir(exist_ok=True)
        part = folder / path.name
        part.write_bytes(data[:cut])
        whole = sum(end <= cut for end in chunks[1:])
        assert list(Store(folder)) == SHORT[:whole], cut
        adopt(part)
        assert not part.exists()
        assert list(Store(folder)) == SHORT[:whole], cut
        Store(folder).verify()
        for left in folder.iterdir():
            left.unlink()


def test_garbage_behind_the_last_game_of_a_part_is_cut(tmp_path: Path) -> None:
    """A power cut may leave zeros or other bytes after the last game; they are ignored and cut."""
    path = write(tmp_path, seal=False)
    dice = np.random.default_rng(0)
    for tail in (bytes(5000), dice.bytes(3000), b"\x28\xb5\x2f\xfd" * 50):
        path.write_bytes(path.read_bytes() + tail)
        assert list(Store(tmp_path)) == list(RECORDS)
    with Store(tmp_path) as store:
        store.add(record_samples.made("razzle", task="r"))
    assert not path.exists()
    assert len(Store(tmp_path)) == len(RECORDS) + 1
    Store(tmp_path).verify()


def test_a_damaged_header_costs_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`adopt` keeps the games after a damaged header, and leaves files that are no shards alone."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    path = write(tmp_path, SHORT[:1], seal=False)
    data = path.read_bytes()
    for at in range(len(MAGIC), ends(data)[0], 7):
        damaged = bytearray(data)
        damaged[at] ^= 255
        path.write_bytes(damaged)
        adopt(path)
        assert list(Store(tmp_path, tolerant=True)) == SHORT[:1]
        path.with_suffix("").unlink()
    for foreign in (b"my own file", b"RZSHARK\n" + data[8:]):
        path.write_bytes(foreign)
        adopt(path)
        assert path.read_bytes() == foreign


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    """A flipped bit in any byte raises; a tolerant store still yields all undamaged games."""
    path = write(tmp_path, SHORT)
    data = path.read_bytes()
    chunks = ends(data)
    dice = np.random.default_rng(0)
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << int(dice.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(RecordError, match=path.name):
            list(Store(tmp_path))
        store = Store(tmp_path, tolerant=True)
        left = list(store)
        assert store.problems
        hit = sum(end <= at for end in chunks) - 1  # the damaged game, or -1 for the header
        assert left == [record for i, record in enumerate(SHORT) if i != hit], at


def test_damage_is_told_with_file_and_offset(tmp_path: Path) -> None:
    """The games before the damage are yielded; the error names file and offset in one line."""
    path = write(tmp_path)
    data = bytearray(path.read_bytes())
    offset = ends(data)[1]  # the start of the second game
    data[offset + 20] ^= 255
    path.write_bytes(data)
    walk = iter(Store(tmp_path))
    assert next(walk) == RECORDS[0]
    with pytest.raises(RecordError, match=f"^.*{path.name}: at byte {offset}: a damaged record$"):
        next(walk)


def test_a_sealed_shard_that_was_cut_is_noticed(tmp_path: Path) -> None:
    """A cut between two games is noticed as well; the remaining games are yielded first."""
    path = write(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: ends(data)[2]])
    walk = iter(Store(tmp_path))
    assert [next(walk), next(walk)] == list(RECORDS[:2])
    with pytest.raises(RecordError, match="ends here without a trailer"):
        next(walk)


def test_a_shard_put_together_anew_is_noticed(tmp_path: Path) -> None:
    """`verify` notices a chunk that was removed, by the SHA-256 of the whole file."""
    path = write(tmp_path)
    data = path.read_bytes()
    marks = ends(data)
    path.write_bytes(data[: marks[0]] + data[marks[1] :])
    assert list(Store(tmp_path)) == list(RECORDS[1:])
    with pytest.raises(RecordError, match="its values or its SHA-256 are not those of the trailer"):
        Store(tmp_path).verify()


@pytest.mark.parametrize(
    "content",
    [b"", b"RZ", b"hello", MAGIC, MAGIC + b"\xff" * 40, bytes(100), b"\x28\xb5\x2f\xfd" * 9],
)
def test_what_is_no_shard_is_told(tmp_path: Path, content: bytes) -> None:
    """A .games file that is no shard raises a RecordError that names it."""
    (tmp_path / "x.games").write_bytes(content)
    with pytest.raises(RecordError, match=r"x\.games"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == []


def test_a_newer_format_is_not_guessed_at(tmp_path: Path) -> None:
    """A shard of a newer format is not read; the error names the version that wrote it."""
    header = msgspec.json.encode(shard.Header(format=2, rulezero="9.1"))
    record = shard.chunk(shard.compress(msgspec.msgpack.encode(RECORDS[0])))
    (tmp_path / "x.games").write_bytes(MAGIC + shard.chunk(header) + record)
    with pytest.raises(RecordError, match=r"format 2 of a newer rulezero \(9.1\)"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == []


def bombs() -> dict[str, bytes]:
    """Compressed frames by name whose content is far too large, or whose stated size is wrong."""
    zeros = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 26))
    stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    silent = stream.compress(bytes(1 << 26)) + stream.flush()
    small = bytearray(zstandard.ZstdCompressor().compress(bytes(1000)))
    small[5:7] = (60000).to_bytes(2, "little")  # its content size
    huge = b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + zeros[13:]
    two = zstandard.ZstdCompressor().compress(b"x") * 2
    return {"zeros": zeros, "silent": silent, "lying": bytes(small), "huge": huge, "two": two}


@pytest.mark.parametrize("name", bombs())
def test_a_bomb_is_refused(tmp_path: Path, name: str) -> None:
    """A decompression bomb is refused without using much memory (less than 32 MiB)."""
    frame = bombs()[name]
    path = write(tmp_path)
    data = path.read_bytes()
    first = ends(data)[0]
    path.write_bytes(data[:first] + shard.chunk(frame) + data[first:])
    tracemalloc.start()
    with pytest.raises(RecordError, match=f"at byte {first}"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == list(RECORDS)
    assert tracemalloc.get_traced_memory()[1] < 1 << 25
    tracemalloc.stop()


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\xc1",
        b"\xdd\xff\xff\xff\xff",  # an array of 2**32 - 1 items
        b"\x91" * 100_000,  # arrays in arrays
        msgspec.msgpack.encode({"game": "connect4"}),
        msgspec.msgpack.encode([1, 2, 3]),
        b"\x80\x04K\x01.",  # a pickle
        msgspec.msgpack.encode(msgspec.to_builtins(RECORDS[0])[:-1]),
        msgspec.msgpack.encode([*msgspec.to_builtins(RECORDS[0])[:5], 7.0]),
    ],
)
def test_a_value_that_is_no_record_is_refused(tmp_path: Path, value: bytes) -> None:
    """An undamaged chunk whose content is no record raises an error with file and offset."""
    path = write(tmp_path)
    data = path.read_bytes()
    first = ends(data)[0]
    path.write_bytes(data[:first] + shard.chunk(shard.compress(value)) + data[first:])
    with pytest.raises(RecordError, match=f"{path.name}: at byte {first}"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == list(RECORDS)


def test_a_record_too_large_is_refused_before_it_is_written(tmp_path: Path) -> None:
    """A record too large to be read back raises RecordError."""
    with pytest.raises(RecordError, match="the limit is"):
        shard.compress(bytes(shard.LARGEST + 1))


def test_iterating_needs_little_memory(tmp_path: Path) -> None:
    """Iterating over 2000 records takes at most 256 KiB more memory than over 20."""
    with Store(tmp_path) as store:
        for index in range(2000):
            store.add(msgspec.structs.replace(RECORDS[0], index=index))

    def peak(count: int) -> int:
        walk = iter(Store(tmp_path))
        tracemalloc.start()
        for _ in range(count):
            next(walk)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(2000) - peak(20) < 1 << 18


def test_shards_stay_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard that reaches its maximum size is sealed, and a new one is started."""
    monkeypatch.setattr("rulezero.data.store._SHARD_BYTES", 700)
    with Store(tmp_path) as store:
        for record in RECORDS:
            store.add(record)
    assert len(list(tmp_path.iterdir())) > 1
    assert list(Store(tmp_path)) == list(RECORDS)


def test_nothing_written_leaves_nothing(tmp_path: Path) -> None:
    """Opening and closing a store does not create its folder."""
    with Store(tmp_path / "new") as store:
        assert len(store) == 0
    assert not (tmp_path / "new").exists()


def test_a_full_disk_leaves_no_torn_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that was written only in part is removed, and later records can be added."""
    store = Store(tmp_path)
    store.add(RECORDS[0])
    (writer,) = store._writers.values()
    real = writer._file

    class Full:
        def write(self, data: memoryview) -> int:
            if len(data) < 20:
                raise OSError("no space left on device")
            return real.write(data[:20])

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

    monkeypatch.setattr(writer, "_file", Full())
    with pytest.raises(OSError, match="no space"):
        store.add(RECORDS[1])
    monkeypatch.setattr(writer, "_file", real)
    store.add(RECORDS[2])
    store.close()
    assert list(Store(tmp_path)) == [RECORDS[0], RECORDS[2]]
    Store(tmp_path).verify()


def test_records_are_looked_up_by_id(tmp_path: Path) -> None:
    """A store is indexed by record id; a number as index is refused."""
    with Store(tmp_path) as store:
        store.add(RECORDS[0])
        assert store[RECORDS[0].id] == RECORDS[0]
        with pytest.raises(RecordError, match="by id"):
            store[cast(Any, 0)]
    with pytest.raises(RecordError, match="there is no folder"):
        export(RECORDS, tmp_path / "nowhere" / "games.jsonl")
    with pytest.raises(RecordError, match="there is no"):
        records(tmp_path / "nowhere")


def test_only_files_are_shards(tmp_path: Path) -> None:
    """Folders and pipes with the name of a shard are ignored."""
    write(tmp_path)
    (tmp_path / "folder.games").mkdir()
    os.mkfifo(tmp_path / "pipe.games")
    assert list(Store(tmp_path)) == list(RECORDS)


def test_notes_lie_beside_records(tmp_path: Path) -> None:
    """A record has one note for each judge, the first; notes do not change records."""
    thoughts = [record.thoughts for record in RECORDS]
    with Store(tmp_path) as store:
        for record in RECORDS:
            store.add(record)
        store.add_note(RECORDS[0].id, "alphabeta:depth=4", thoughts[0])
        store.add_note(RECORDS[1].id, "alphabeta:depth=4", thoughts[1])
        store.add_note(RECORDS[0].id, "heuristic", thoughts[0])
        store.add_note(RECORDS[0].id, "heuristic", thoughts[2])
        assert len(list(store.notes(RECORDS[0].id))) == 2
    assert list(Store(tmp_path)) == list(RECORDS)
    notes = list(Store(tmp_path).notes(RECORDS[0].id))
    assert [note.judge for note in notes] == ["alphabeta:depth=4", "heuristic"]
    assert [note.thoughts for note in notes] == [thoughts[0], thoughts[0]]
    assert [note.record for note in Store(tmp_path).notes()][1] == RECORDS[1].id
    assert list(Store(tmp_path).notes("nobody")) == []
    Store(tmp_path).verify()


WRITE = """
import sys
import msgspec
from support import record_samples
from rulezero.data import Store

folder, task, games = sys.argv[1], sys.argv[2], int(sys.argv[3])
record = record_samples.made("connect4", 1)
store = Store(folder)
for index in range(games):
    store.add(msgspec.structs.replace(record, task=task, index=index))
    print(index, flush=True)
store.close()
"""


def start_writing(folder: Path, task: str, games: int) -> subprocess.Popen[str]:
    """A new process that saves games and prints the index of each game after saving it."""
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{WRITE}"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), task, str(games)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Two writers, other short writers and a reader can use a store at once; no game is lost."""
    writers = [start_writing(tmp_path, task, 300) for task in ("a", "b")]
    counts = []
    while any(writer.poll() is None for writer in writers):
        counts.append(len(Store(tmp_path)))
        with Store(tmp_path) as store:
            store.add(RECORDS[0])
        time.sleep(0.02)
    for writer in writers:
        assert writer.wait() == 0
        writer.communicate()
    assert counts == sorted(counts)
    found = {(record.task, record.index) for record in Store(tmp_path)}
    assert found - {("t", 0)} == {(task, index) for task in "ab" for index in range(300)}
    assert not list(tmp_path.glob("*.part"))
    Store(tmp_path).verify()


def test_a_killed_writer_leaves_every_finished_game(tmp_path: Path) -> None:
    """After kill -9, every finished game is in the store; the next writer seals the .part."""
    for number in range(3):
        writer = start_writing(tmp_path, f"k{number}", 1_000_000)
        assert writer.stdout is not None
        told = [writer.stdout.readline() for _ in range(40 * number + 5)]
        writer.send_signal(signal.SIGKILL)
        told += writer.stdout.readlines()
        writer.communicate()
        kept = [r.index for r in Store(tmp_path) if r.task == f"k{number}"]
        whole = len([line for line in told if line.endswith("\n")])
        assert kept == list(range(len(kept)))
        assert whole <= len(kept) <= whole + 1
    assert len(list(tmp_path.glob(f"*{PART}"))) == 1
    before = len(Store(tmp_path))
    with Store(tmp_path) as store:
        store.add(RECORDS[0])
    assert not list(tmp_path.glob(f"*{PART}"))
    assert len(Store(tmp_path)) == before + 1
    Store(tmp_path).verify()


def test_a_shard_is_found_under_its_new_name(tmp_path: Path) -> None:
    """A reader of a .part that has been sealed since opens the sealed shard."""
    path = write(tmp_path)
    with Reader(path.with_name(path.name + PART)) as reader:
        assert reader.path == path
        assert reader.header() is not None
    with pytest.raises(FileNotFoundError):
        Reader(tmp_path / "other.games")
