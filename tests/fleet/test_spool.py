"""Uploads that wait on the disk: in order, bounded, and not lost when their process ends."""

from pathlib import Path

from rulezero.fleet.worker.spool import Spool


def contents(spool: Spool) -> list[bytes]:
    """All uploads in the order in which they would be delivered; the spool is empty then."""
    found = []
    while (upload := spool.first()) is not None:
        found.append(upload)
        spool.remove_first()
    return found


def test_uploads_keep_their_order_and_leave_nothing(tmp_path: Path) -> None:
    """They come out as they went in; an empty spool leaves no folder."""
    spool = Spool(tmp_path)
    uploads = [bytes([number]) * number for number in range(1, 20)]
    assert all(spool.add(upload) for upload in uploads)
    assert len(spool) == 19
    assert contents(spool) == uploads
    assert (len(spool), spool.first()) == (0, None)
    spool.close()
    assert list(tmp_path.iterdir()) == []


def test_a_new_process_takes_over_what_an_earlier_one_has_left(tmp_path: Path) -> None:
    """Older uploads come first. The spool of a process that runs is left alone, as are halves."""
    killed, running = Spool(tmp_path), Spool(tmp_path)
    for number in range(3):
        assert killed.add(b"killed %d" % number)
    assert running.add(b"running")
    killed.close()  # as the end of its process does
    (half,) = (path for path in tmp_path.glob("*/*.upload") if path.read_bytes() == b"killed 2")
    half.with_name("x.upload.7.half").write_bytes(b"kil")
    new = Spool(tmp_path)
    assert new.add(b"new")
    assert contents(new) == [b"killed 0", b"killed 1", b"killed 2", b"new"]
    assert contents(running) == [b"running"]
    for spool in (new, running):
        spool.close()
    assert list(tmp_path.iterdir()) == []


def test_a_spool_is_bounded(tmp_path: Path) -> None:
    """What does not fit is refused, until there is room again."""
    spool = Spool(tmp_path, most_bytes=100)
    assert [spool.add(b"x" * 40) for _ in range(3)] == [True, True, False]
    spool.remove_first()
    assert spool.add(b"y" * 60)
    assert not spool.add(b"z")
    assert contents(spool) == [b"x" * 40, b"y" * 60]
    spool.close()
