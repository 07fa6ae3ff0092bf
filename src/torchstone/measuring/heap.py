"""What the process's heap holds free: part of its footprint, but not of what the program keeps.

A footprint alone misjudges a leak in both directions. Memory that was freed before takes up a leak for a while, so the
footprint stands still; and blocks that are kept between temporary ones of changing size leave holes that nothing fits
into, so it grows by up to 1.7 times of what is kept (4 KiB a call, batches of 1 to 4). The C library knows what it
holds free.
"""

import ctypes
import gc
import mmap
import sys
from functools import lru_cache
from typing import Any

_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
"""Of glibc's `struct mallinfo2`; `fordblks` are the free bytes of all arenas."""


class _HeapInfo(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in _FIELDS)


def free_heap_bytes() -> int | None:
    """What the heap holds free now, of what the process's footprint counts; None where the C library does not say
    (glibc does from 2.33 on)."""
    heap_info = _c_function("mallinfo2")
    if heap_info is None:
        return None
    heap_info.restype = _HeapInfo
    found = heap_info()
    return int(found.fordblks) - _untouched_bytes(int(found.keepcost))


def _untouched_bytes(top_bytes: int) -> int:
    """Of the free block at the heap's end, what was never written to: the system gave 132 KiB at once, but counts a
    page only once it is used."""
    find_end, tell_pages = _c_function("sbrk"), _c_function("mincore")
    find_end.restype = ctypes.c_void_p
    end = find_end(0)
    count = top_bytes // mmap.PAGESIZE
    pages = (ctypes.c_ubyte * count)()
    size = count * mmap.PAGESIZE
    is_told = tell_pages(ctypes.c_void_p(end - size), ctypes.c_size_t(size), pages) == 0
    return bytes(pages).count(0) * mmap.PAGESIZE if is_told else 0


def give_back_free_memory() -> None:
    """Where free memory is not counted, let it hide as little of a leak as can be.

    Where it is counted it is left alone: memory given back is still free in the heap's books but no longer in the
    process, and would be taken off twice.
    """
    trim = _c_function("malloc_trim")
    if trim is not None and free_heap_bytes() is None:
        gc.collect()
        trim(0)


@lru_cache
def _c_function(name: str) -> Any:
    """One of glibc's own; None elsewhere."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
