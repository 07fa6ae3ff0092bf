"""Read a 64-bit Mach-O library: its sections, its symbols, and the text at an address. Standard library only.

Written for the one question that we have: what does torch's macOS library hold? It reads no fixups and no exports.
"""

import mmap
import struct
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

_MAGIC_64 = 0xFEEDFACF
_ARM64 = 0x0100000C
_SEGMENT_64 = 0x19
_SYMBOL_TABLE = 0x2
_DEBUG_ENTRY = 0xE0
"""The bits of a symbol's type that mark it as a debugger's note."""
_LONGEST_TEXT = 4000


class Section(NamedTuple):
    """Where a section lies in memory and in the file."""

    address: int
    size: int
    offset: int


class Symbol(NamedTuple):
    """A name and its address."""

    address: int
    name: str


class MachO:
    """A Mach-O file, mapped into memory. Raises `ValueError` for anything else, or for one that is cut short."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            try:
                self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise ValueError("the library is empty") from None
        self.sections: dict[str, Section] = {}
        self._segments: list[Section] = []
        self._symbol_table = (0, 0, 0, 0)
        try:
            self._read_commands()
        except struct.error:
            raise ValueError("the library is cut short") from None

    def _read_commands(self) -> None:
        magic, processor, _, _, commands, *_ = struct.unpack_from("<8I", self.data, 0)
        if magic != _MAGIC_64 or processor != _ARM64:
            raise ValueError("the library is no 64-bit Mach-O for arm64")
        offset = 32
        for _ in range(commands):
            command, size = struct.unpack_from("<2I", self.data, offset)
            if command == _SEGMENT_64:
                self._read_segment(offset)
            elif command == _SYMBOL_TABLE:
                self._symbol_table = struct.unpack_from("<4I", self.data, offset + 8)
            offset += size

    def _read_segment(self, offset: int) -> None:
        address, _, file_offset, file_size, _, _, sections, _ = struct.unpack_from("<4Q4I", self.data, offset + 24)
        if file_offset + file_size > len(self.data):
            raise ValueError("the library is cut short")
        self._segments.append(Section(address, file_size, file_offset))
        for number in range(sections):
            start = offset + 72 + 80 * number
            name = self.data[start : start + 16].rstrip(b"\0").decode()
            section = Section(*struct.unpack_from("<2QI", self.data, start + 32))
            self.sections.setdefault(name, section)

    @cached_property
    def text(self) -> Section:
        return self.sections["__text"]

    @cached_property
    def functions(self) -> list[Symbol]:
        """The symbols of the code, by address."""
        return sorted(Symbol(value, name) for name, value, section in self._symbols() if section == 1)

    @cached_property
    def function_names(self) -> dict[int, str]:
        """One name for each address of code."""
        names: dict[int, str] = {}
        for address, name in self.functions:
            names.setdefault(address, name)
        return names

    @cached_property
    def variable_names(self) -> dict[int, str]:
        """One name for each address of data."""
        names: dict[int, str] = {}
        for name, value, section in self._symbols():
            if section > 1:
                names.setdefault(value, name)
        return names

    @cached_property
    def _starts(self) -> list[int]:
        return [symbol.address for symbol in self.functions]

    def _symbols(self) -> list[tuple[str, int, int]]:
        table_offset, count, names_offset, names_size = self._symbol_table
        names = self.data[names_offset : names_offset + names_size]
        entries = struct.iter_unpack("<IBBHQ", self.data[table_offset : table_offset + 16 * count])
        return [
            (names[start : names.find(b"\0", start)].decode("latin1"), value, section)
            for start, kind, section, _, value in entries
            if not kind & _DEBUG_ENTRY
        ]

    def code_of(self, address: int) -> bytes:
        """The instructions from an address to the next symbol."""
        following = bisect_right(self._starts, address)
        end = self._starts[following] if following < len(self._starts) else self.text.address + self.text.size
        offset = self._offset(address)
        return b"" if offset is None else self.data[offset : offset + end - address]

    def is_code(self, address: int) -> bool:
        return self.text.address <= address < self.text.address + self.text.size

    def text_at(self, address: int) -> str | None:
        """The string constant at, or around, an address; None where there is none."""
        for name in ("__cstring", "__const"):
            section = self.sections.get(name)
            if section is not None and section.address <= address < section.address + section.size:
                return self._text(section, address, merged=name == "__cstring")
        return None

    def _text(self, section: Section, address: int, *, merged: bool) -> str:
        start = section.offset + address - section.address
        if merged and start > section.offset and self.data[start - 1]:
            start = self.data.rfind(b"\0", section.offset, start) + 1  # a load from within: take the whole string
        end = self.data.find(b"\0", start, start + _LONGEST_TEXT)
        return self.data[start:end].decode("latin1")

    def bytes_of(self, section: str) -> bytes:
        _, size, offset = self.sections[section]
        return self.data[offset : offset + size]

    def _offset(self, address: int) -> int | None:
        for start, size, offset in self._segments:
            if start <= address < start + size:
                return offset + address - start
        return None
