"""List the functions of a Metal library (the MTLB container that Mach-O sections of torch hold)."""

import struct

_MAGIC = b"MTLB"
_END = b"ENDT"
_NAME = b"NAME"


def read_function_names(data: bytes) -> list[str]:
    """The names of the kernels. Raises `ValueError` for another form or for a library that is cut short."""
    if data[:4] != _MAGIC:
        raise ValueError("a section holds no Metal library")
    try:
        offset, _ = struct.unpack_from("<2Q", data, 24)
        (count,) = struct.unpack_from("<I", data, offset)
        return _names(data, offset + 4, count)
    except struct.error:
        raise ValueError("a Metal library is cut short") from None


def _names(data: bytes, position: int, count: int) -> list[str]:
    names = []
    for _ in range(count):
        (size,) = struct.unpack_from("<I", data, position)
        names.append(_tag(data, position + 4, position + size, _NAME).rstrip(b"\0").decode())
        position += size
    return names


def _tag(data: bytes, position: int, end: int, wanted: bytes) -> bytes:
    """The value of one tag in a function's list of tags; empty where it is not there."""
    while position < end and (tag := data[position : position + 4]) != _END:
        (length,) = struct.unpack_from("<H", data, position + 4)
        if tag == wanted:
            return data[position + 6 : position + 6 + length]
        position += 6 + length
    return b""
