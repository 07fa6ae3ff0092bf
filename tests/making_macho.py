"""Make small macOS libraries out of real bytes: arm64 instructions, sections, symbols, a Metal library.

Enough for the readers under test to find what they look for in torch's own library: blocks that register operators,
kernels that name Metal functions and messages, composites that call other operators.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_BASE = 0x100000000
_HEADER_SIZE = 0x1000
_RET = 0xD65F03C0
REGISTER = "__ZNR5torch7Library5_implEPKcONS_11CppFunctionE"
MAKES_KERNEL = "__ZN3c1014KernelFunction31make_boxed_from_unboxed_functorEv"
METAL = "__ZN2at6native3mps18MetalShaderLibrary4execEv"
GRAPH = "__ZN2at6native3mps11runMPSGraphEv"
FALLBACK = "__ZL12mps_fallbackRKN3c1014OperatorHandleE"
ERROR_STUB = "__ZL23slow_conv2d_forward_mpsRKN2at6TensorE"


def kernel(name: str) -> str:
    """The mangled name of a function of at::native::mps."""
    return f"__ZN2at6native3mps{len(name)}{name}ERKNS_6TensorE"


def aten_call(name: str) -> str:
    """The mangled name of at::_ops::NAME::call, for `add_Tensor`."""
    return f"__ZN2at4_ops{len(name)}{name}4callERKNS_6TensorE"


def block(key: str, number: int = 1) -> str:
    """The symbol of a TORCH_LIBRARY_IMPL(aten, KEY, …) block."""
    return f"__ZL36TORCH_LIBRARY_IMPL_init_aten_{key}_{number}ERN5torch7LibraryE"


@dataclass
class Step:
    """One thing that a function does: form an address (`text:…` or a symbol), or call a symbol."""

    kind: str
    target: str
    register: int = 0

    @property
    def size(self) -> int:
        return 8 if self.kind == "address" else 4


def text(value: str, register: int = 0) -> Step:
    return Step("address", f"text:{value}", register)


def address(symbol: str, register: int = 1) -> Step:
    return Step("address", symbol, register)


def call(symbol: str) -> Step:
    return Step("call", symbol)


def registering(operator: str, symbol: str) -> list[Step]:
    """What the compiler makes of `m.impl("operator", TORCH_FN(symbol))`."""
    return [text(operator), address(symbol), call(MAKES_KERNEL), call(REGISTER)]


@dataclass
class Library:
    """Functions by symbol, in order, and the names of the Metal kernels."""

    functions: dict[str, list[Step]] = field(default_factory=dict)
    metal: Sequence[str] = ()

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path

    def bytes(self) -> bytes:
        functions = self._with_callees()
        starts, size = _lay_out(functions)
        strings = _strings_of(functions)
        places, constants = _lay_out_strings(strings, _BASE + _HEADER_SIZE + size)
        code = b"".join(_assemble(steps, starts[name], {**starts, **places}) for name, steps in functions.items())
        metal = make_metal_library(self.metal) if self.metal else b""
        return _container(code, constants, metal, starts)

    def _with_callees(self) -> dict[str, list[Step]]:
        """Every symbol that is named has a body, if only a return."""
        named = {step.target for steps in self.functions.values() for step in steps if ":" not in step.target[:5]}
        return {**self.functions, **{name: [] for name in sorted(named) if name not in self.functions}}


def _lay_out(functions: dict[str, list[Step]]) -> tuple[dict[str, int], int]:
    starts, position = {}, 0
    for name, steps in functions.items():
        starts[name] = _BASE + _HEADER_SIZE + position
        position += sum(step.size for step in steps) + 4
    return starts, position


def _strings_of(functions: dict[str, list[Step]]) -> list[str]:
    targets = [step.target for steps in functions.values() for step in steps]
    return list(dict.fromkeys(target for target in targets if target.startswith("text:")))


def _lay_out_strings(strings: list[str], start: int) -> tuple[dict[str, int], bytes]:
    places, data = {}, b"\0"
    for label in strings:
        places[label] = start + len(data)
        data += label.removeprefix("text:").encode() + b"\0"
    return places, data


def _assemble(steps: list[Step], start: int, places: dict[str, int]) -> bytes:
    words, position = [], start
    for step in steps:
        words += _encode(step, position, places[step.target])
        position += step.size
    return struct.pack(f"<{len(words) + 1}I", *words, _RET)


def _encode(step: Step, position: int, target: int) -> list[int]:
    if step.kind == "call":
        return [0x94000000 | ((target - position) // 4) & 0x3FFFFFF]
    pages = (target >> 12) - (position >> 12)
    adrp = 0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5 | step.register
    add = 0x91000000 | (target & 0xFFF) << 10 | step.register << 5 | step.register
    return [adrp, add]


def _container(code: bytes, constants: bytes, metal: bytes, symbols: dict[str, int]) -> bytes:
    sections = [("__text", code), ("__cstring", constants), ("metal_basic", metal)]
    sections = [(name, data) for name, data in sections if data or name != "metal_basic"]
    headers, body = b"", b""
    for name, data in sections:
        offset = _HEADER_SIZE + len(body)
        headers += struct.pack("<16s16s2Q8I", name.encode(), b"__TEXT", _BASE + offset, len(data), offset, *[0] * 7)
        body += data
    table, names = b"", b"\0"
    for name, value in symbols.items():
        table += struct.pack("<IBBHQ", len(names), 0x0E, 1, 0, value)
        names += name.encode() + b"\0"
    table_offset = _HEADER_SIZE + len(body)
    size = table_offset + len(table) + len(names)
    segment = struct.pack(
        "<2I16s4Q4I", 0x19, 72 + len(headers), b"__TEXT", _BASE, size, 0, size, 7, 5, len(sections), 0
    )
    symtab = struct.pack("<6I", 2, 24, table_offset, len(symbols), table_offset + len(table), len(names))
    commands = segment + headers + symtab
    header = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 2, len(commands), 0, 0)
    return (header + commands).ljust(_HEADER_SIZE, b"\0") + body + table + names


def make_metal_library(names: Sequence[str]) -> bytes:
    """An MTLB container whose function list holds these names."""
    entries = b""
    for name in names:
        value = name.encode() + b"\0"
        tags = b"NAME" + struct.pack("<H", len(value)) + value + b"TYPE" + struct.pack("<HB", 1, 2) + b"ENDT"
        entries += struct.pack("<I", len(tags) + 4) + tags
    listing = struct.pack("<I", len(names)) + entries
    return b"MTLB".ljust(24, b"\0") + struct.pack("<2Q", 40, len(listing)) + listing
