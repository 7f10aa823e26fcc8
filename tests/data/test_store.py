"""The store: what was kept can be read, whatever happened to the process or the file."""

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
    """A folder's one shard that holds the records, or what a writer that died left of it."""
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
    """Where the chunks of a shard end."""
    found = [len(MAGIC)]
    while found[-1] < len(data):
        length = int.from_bytes(data[found[-1] : found[-1] + 4], "little") & 0x7FFFFFFF
        found.append(found[-1] + 12 + length)
    return found[1:]


@pytest.mark.parametrize("seal", [False, True])
def test_what_was_added_can_be_read(tmp_path: Path, seal: bool) -> None:
    """In order, whole, while the shard is being written and after it was sealed."""
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
    """The next look finds what was added since; sealing changes nothing for it."""
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
    """One game, one set of versions and one purpose a shard; filters skip the others unread."""
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
    """The same task and index, or the same id where there is no task, in whatever shards."""
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
    """At every byte: reading ignores the torn tail, writing cuts it off and seals the rest."""
    monkeypatch.setattr("os.fsync", lambda _: None)  # the disk is not what is tested
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
    """A power cut may leave zeros or anything else there."""
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
    """Whoever seals a .part keeps the games behind it; what is no shard is not touched at all."""
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
    """In every byte of a sealed shard; being tolerant, all undamaged games are still there."""
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
        hit = sum(end <= at for end in chunks) - 1  # which game, -1 for the header
        assert left == [record for i, record in enumerate(SHORT) if i != hit], at


def test_damage_is_told_with_file_and_offset(tmp_path: Path) -> None:
    """In one line; the games before it have been given."""
    path = write(tmp_path)
    data = bytearray(path.read_bytes())
    offset = ends(data)[1]  # where the second game begins
    data[offset + 20] ^= 255
    path.write_bytes(data)
    walk = iter(Store(tmp_path))
    assert next(walk) == RECORDS[0]
    with pytest.raises(RecordError, match=f"^.*{path.name}: at byte {offset}: a damaged record$"):
        next(walk)


def test_a_sealed_shard_that_was_cut_is_noticed(tmp_path: Path) -> None:
    """Even between two games; what is left is given first."""
    path = write(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: ends(data)[2]])
    walk = iter(Store(tmp_path))
    assert [next(walk), next(walk)] == list(RECORDS[:2])
    with pytest.raises(RecordError, match="ends here without its trailer"):
        next(walk)


def test_a_shard_put_together_anew_is_noticed(tmp_path: Path) -> None:
    """Whole chunks left out or swapped: verify compares the SHA-256 of the whole file."""
    path = write(tmp_path)
    data = path.read_bytes()
    marks = ends(data)
    path.write_bytes(data[: marks[0]] + data[marks[1] :])
    assert list(Store(tmp_path)) == list(RECORDS[1:])
    with pytest.raises(RecordError, match="not the values and the SHA-256 that were sealed"):
        Store(tmp_path).verify()


@pytest.mark.parametrize(
    "content",
    [b"", b"RZ", b"hello", MAGIC, MAGIC + b"\xff" * 40, bytes(100), b"\x28\xb5\x2f\xfd" * 9],
)
def test_what_is_no_shard_is_told(tmp_path: Path, content: bytes) -> None:
    """A sealed name with other content is a RecordError that names it."""
    (tmp_path / "x.games").write_bytes(content)
    with pytest.raises(RecordError, match=r"x\.games"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == []


def test_a_newer_format_is_not_guessed_at(tmp_path: Path) -> None:
    """It says which rulezero wrote it."""
    header = msgspec.json.encode(shard.Header(format=2, rulezero="9.1"))
    record = shard.chunk(shard.compress(msgspec.msgpack.encode(RECORDS[0])))
    (tmp_path / "x.games").write_bytes(MAGIC + shard.chunk(header) + record)
    with pytest.raises(RecordError, match=r"format 2 of a newer rulezero \(9.1\)"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == []


def bombs() -> dict[str, bytes]:
    """Frames that unpack to far more than a record, or say they do."""
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
    """Its size is checked before anything is unpacked."""
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
    """Whole chunk, whole frame, wrong content: file and offset are named all the same."""
    path = write(tmp_path)
    data = path.read_bytes()
    first = ends(data)[0]
    path.write_bytes(data[:first] + shard.chunk(shard.compress(value)) + data[first:])
    with pytest.raises(RecordError, match=f"{path.name}: at byte {first}"):
        list(Store(tmp_path))
    assert list(Store(tmp_path, tolerant=True)) == list(RECORDS)


def test_a_record_too_large_is_refused_before_it_is_written(tmp_path: Path) -> None:
    """What could not be read back."""
    with pytest.raises(RecordError, match="the largest have"):
        shard.compress(bytes(shard.LARGEST + 1))


def test_iterating_needs_little_memory(tmp_path: Path) -> None:
    """One record at a time, however many there are."""
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
    """One that has grown is sealed, and another begun."""
    monkeypatch.setattr("rulezero.data.store._SHARD_BYTES", 700)
    with Store(tmp_path) as store:
        for record in RECORDS:
            store.add(record)
    assert len(list(tmp_path.iterdir())) > 1
    assert list(Store(tmp_path)) == list(RECORDS)


def test_nothing_written_leaves_nothing(tmp_path: Path) -> None:
    """Opening and closing makes no folder."""
    with Store(tmp_path / "new") as store:
        assert len(store) == 0
    assert not (tmp_path / "new").exists()


def test_a_full_disk_leaves_no_torn_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be written whole is taken back, and writing can go on."""
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
    """Not by number: where in the folder a record lies means nothing."""
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
    """Whatever else somebody puts there is left alone."""
    write(tmp_path)
    (tmp_path / "folder.games").mkdir()
    os.mkfifo(tmp_path / "pipe.games")
    assert list(Store(tmp_path)) == list(RECORDS)


def test_notes_lie_beside_records(tmp_path: Path) -> None:
    """Keyed by the record's id, one for each judge; the records themselves stay as they are."""
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
    """Another process that keeps games and prints the number of each once it is kept."""
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{WRITE}"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), task, str(games)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Each its own shard; a reader reads meanwhile, and writers that come later leave them be."""
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
    """kill -9 at any instant; the next writer seals what is left."""
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
    """A reader that has just listed a .part still opens it once it is sealed."""
    path = write(tmp_path)
    with Reader(path.with_name(path.name + PART)) as reader:
        assert reader.path == path
        assert reader.header() is not None
    with pytest.raises(FileNotFoundError):
        Reader(tmp_path / "other.games")
