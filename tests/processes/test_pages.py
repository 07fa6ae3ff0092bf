"""Memory in large pages: only what is this process's own is gathered, and it holds what it held."""

import mmap
from pathlib import Path

import pytest

from torchstone.processes import pages

MAPS = """\
00400000-00a00000 r-xp 00000000 08:01 11 /usr/bin/python3
01200000-01900000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0000500000 rw-p 00000000 00:00 0
7f0001000000-7f0001400000 rw-p 00000000 08:01 12 /usr/lib/a library.so
7f0002000000-7f0002400000 rw-s 00000000 00:01 13 /dev/zero (deleted)
7f0003000000-7f0003100000 rw-p 00000000 00:00 0
7ffd00000000-7ffd00400000 rw-p 00000000 00:00 0 [stack]
"""


def test_whole_large_pages_of_own_memory_are_found() -> None:
    assert list(pages.own_ranges(MAPS)) == [(0x1200000, 0x1800000), (0x7F0000000000, 0x7F0000400000)]


def test_what_is_gathered_holds_what_it_held() -> None:
    with mmap.mmap(-1, 4 * pages.LARGE, flags=mmap.MAP_PRIVATE) as held:
        for place in range(0, len(held), mmap.PAGESIZE):
            held[place : place + 8] = place.to_bytes(8, "big")
        pages.gather_pages()
        for place in range(0, len(held), mmap.PAGESIZE):
            assert int.from_bytes(held[place : place + 8], "big") == place


def test_without_proc_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAPS", tmp_path / "missing")
    pages.gather_pages()
