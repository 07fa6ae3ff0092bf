"""Follow the addresses that a piece of arm64 code forms, and the functions that it branches to.

Compiled code names a string or a function by an `adrp`/`add` pair (or `adr`, or `adrp`/`ldr`), and calls by `bl`. The
page of each `adrp` is remembered by register until something else is written to it. That is all: no values are
computed, no branches are followed.
"""

import struct
from typing import Literal, NamedTuple

_CALLER_SAVED = range(19)
"""x0 to x18: whatever they held is gone after a call."""


class Reference(NamedTuple):
    """An address that the code forms, loads from, or branches to."""

    kind: Literal["address", "load", "call", "jump"]
    address: int


def find_references(code: bytes, start: int) -> list[Reference]:
    """The references of a piece of code that begins at address `start`, in order."""
    pages: dict[int, int] = {}
    found: list[Reference] = []
    for number, (word,) in enumerate(struct.iter_unpack("<I", code[: len(code) & ~3])):
        reference = _step(word, start + 4 * number, pages)
        if reference is not None:
            found.append(reference)
    return found


def _step(word: int, address: int, pages: dict[int, int]) -> Reference | None:
    """One instruction: what it refers to, if anything; `pages` is brought up to date."""
    if word & 0x1F000000 == 0x10000000:
        return _form_page(word, address, pages)
    if word & 0xFFC00000 == 0x91000000:
        return _add(word, pages)
    if word & 0x7C000000 == 0x14000000:
        return _branch(word, address, pages)
    if word & 0x0A000000 == 0x08000000:
        return _load(word, pages)
    if word & 0xFFFFFC1F == 0xD63F0000:  # blr
        _forget_caller_saved(pages)
    elif word & 0x1C000000 != 0x14000000:  # anything but a conditional branch writes its target register
        pages.pop(word & 31, None)
    return None


def _form_page(word: int, address: int, pages: dict[int, int]) -> Reference | None:
    """adr, adrp."""
    offset = _signed(((word >> 5) & 0x7FFFF) << 2 | (word >> 29) & 3, bits=21)
    if word >> 31:
        pages[word & 31] = (address & ~0xFFF) + (offset << 12)
        return None
    pages.pop(word & 31, None)
    return Reference("address", address + offset)


def _add(word: int, pages: dict[int, int]) -> Reference | None:
    """Add a constant to a 64-bit register."""
    page = pages.get((word >> 5) & 31)
    pages.pop(word & 31, None)
    return None if page is None else Reference("address", page + ((word >> 10) & 0xFFF))


def _branch(word: int, address: int, pages: dict[int, int]) -> Reference:
    """b, bl."""
    target = address + 4 * _signed(word & 0x3FFFFFF, bits=26)
    if word >> 31:
        _forget_caller_saved(pages)
        return Reference("call", target)
    return Reference("jump", target)


def _load(word: int, pages: dict[int, int]) -> Reference | None:
    """Loads and stores; only a 64-bit load with an unsigned offset is followed."""
    page = pages.get((word >> 5) & 31)
    found = None
    if word & 0xFFC00000 == 0xF9400000 and page is not None:
        found = Reference("load", page + ((word >> 10) & 0xFFF) * 8)
    is_integer_load = word & 1 << 22 and not word & 1 << 26
    if is_integer_load:
        pages.pop(word & 31, None)
        if word & 0x3A000000 == 0x28000000:  # a pair
            pages.pop((word >> 10) & 31, None)
    return found


def _forget_caller_saved(pages: dict[int, int]) -> None:
    for register in _CALLER_SAVED:
        pages.pop(register, None)


def _signed(value: int, *, bits: int) -> int:
    return value - (1 << bits) if value & 1 << (bits - 1) else value
