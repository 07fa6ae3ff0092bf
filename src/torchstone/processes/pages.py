"""Large pages for what a server of forks holds, so that a fork and the end of a child have less to do.

A fork copies an entry for each page of the parent's own memory, and the child's end takes each back: with torch loaded
that is 50,000 pages of 4 KiB, some 20 ms of the processor for every child. In pages of 2 MiB it is a third of that. A
child that writes still copies 4 KiB at a time. Linux gathers pages on demand since 6.1; elsewhere nothing is changed.
"""

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

LARGE = 1 << 21
MADV_COLLAPSE = 25
MAPS = Path("/proc/self/maps")


def gather_pages() -> None:
    """Put what this process has allocated so far into large pages, as far as the kernel does."""
    if sys.platform != "linux":
        return
    try:
        ranges = tuple(own_ranges(MAPS.read_text()))
    except OSError:  # no /proc here
        return
    madvise = ctypes.CDLL(None).madvise
    for start, end in ranges:
        madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_COLLAPSE)  # a refusal changes nothing


def own_ranges(maps: str) -> Iterator[tuple[int, int]]:
    """The whole large pages within memory that is of this process alone, and of no file."""
    for line in maps.splitlines():
        addresses, permissions, _, _, _, *name = line.split(maxsplit=5)
        if permissions != "rw-p" or name not in ([], ["[heap]"]):
            continue
        start, end = (int(address, 16) for address in addresses.split("-"))
        start, end = -(-start // LARGE) * LARGE, end // LARGE * LARGE
        if start < end:
            yield start, end
