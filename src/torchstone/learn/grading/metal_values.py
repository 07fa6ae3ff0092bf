"""Numbers and pointers as a Metal kernel sees them: float32 and whole numbers that wrap, and memory that has an end.

C's rules, not NumPy's: a whole number beside a float becomes a float of 32 bits, `7 / 2` is 3, `uint` minus one wraps.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TYPES: dict[str, Any] = {
    "float": np.float32,
    "half": np.float16,
    "bool": np.bool_,
    "char": np.int8,
    "int8_t": np.int8,
    "uchar": np.uint8,
    "uint8_t": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "int32_t": np.int32,
    "uint": np.uint32,
    "uint32_t": np.uint32,
    "long": np.int64,
    "int64_t": np.int64,
    "ulong": np.uint64,
    "uint64_t": np.uint64,
    "size_t": np.uint64,
}


@dataclass
class Buffer:
    """The memory of one tensor, with what was touched outside of it."""

    name: str
    numbers: Any
    """A one-dimensional NumPy array."""
    outside: list[str] = field(default_factory=list)

    def load(self, place: int) -> Any:
        if self._has(place, "reads"):
            return self.numbers[place]
        return self.numbers.dtype.type(0)

    def store(self, place: int, value: Any) -> None:
        if not self.numbers.flags.writeable:
            raise SyntaxError(f"{self.name} is const: nothing can be written there")
        if self._has(place, "writes"):
            self.numbers[place] = convert(value, self.numbers.dtype.type)

    def _has(self, place: int, what: str) -> bool:
        inside = 0 <= place < len(self.numbers)
        if not inside:
            self.outside.append(f"{what} element {place} of {self.name}, which has {len(self.numbers)}")
        return inside


@dataclass(frozen=True)
class Pointer:
    """A place in a buffer; adding moves it."""

    buffer: Buffer
    place: int = 0

    def moved(self, steps: Any) -> "Pointer":
        return Pointer(self.buffer, self.place + int(steps))


def convert(value: Any, kind: Any) -> Any:
    """As C converts: floats are cut off towards zero, whole numbers wrap."""
    if isinstance(value, Pointer) or type(value) is kind:
        return value
    if issubclass(kind, np.integer):
        whole = int(value) if np.isfinite(value) else 0
        bits = np.iinfo(kind).bits
        return np.array(whole % 2**bits, dtype=f"uint{bits}").astype(kind)[()]
    return kind(value)


def common_kind(left: Any, right: Any) -> Any:
    """The type in which C computes with both."""
    kinds = [type(left), type(right)]
    for floating in (np.float32, np.float16):
        if floating in kinds:
            return floating
    sizes = [np.dtype(kind).itemsize for kind in kinds]
    widest = max(4, *sizes)
    unsigned = any(np.dtype(kind).kind == "u" and size == widest for kind, size in zip(kinds, sizes, strict=True))
    return {4: (np.int32, np.uint32), 8: (np.int64, np.uint64)}[widest][unsigned]


def calculate(operator: str, left: Any, right: Any) -> Any:
    """One binary operator."""
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        return _move(operator, left, right)
    kind = common_kind(left, right)
    a, b = convert(left, kind), convert(right, kind)
    if operator in COMPARISONS:
        return np.bool_(COMPARISONS[operator](a, b))
    if issubclass(kind, np.integer):
        return convert(_whole(operator, int(a), int(b)), kind)
    if operator not in FLOATING:
        raise SyntaxError(f"{operator} is for whole numbers, and a {kind.__name__} is none")
    with np.errstate(all="ignore"):
        return kind(FLOATING[operator](a, b))


def _move(operator: str, left: Any, right: Any) -> Pointer:
    if operator == "+" and isinstance(right, Pointer):
        left, right = right, left
    if operator not in ("+", "-") or isinstance(right, Pointer) or not isinstance(left, Pointer):
        raise SyntaxError(f"a pointer has no {operator} here")
    return left.moved(right if operator == "+" else -int(right))


def _whole(operator: str, a: int, b: int) -> int:
    if operator in ("/", "%"):
        if b == 0:
            raise ZeroDivisionError("a kernel divides a whole number by zero: on a GPU anything may come out")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - b * quotient
    return WHOLE[operator](a, b)


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
FLOATING: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def _floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Metal's on floats: computed in float64 and rounded once."""

    def call(*values: Any) -> Any:
        kind = np.float16 if all(type(value) is np.float16 for value in values) else np.float32
        with np.errstate(all="ignore"):
            return kind(function(*(np.float64(value) for value in values)))

    return call


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that keeps the type of its arguments."""

    def call(*values: Any) -> Any:
        kind = type(values[0])
        for value in values[1:]:
            kind = common_kind(kind(0), value)
        return kind(function(*(convert(value, kind) for value in values)))

    return call


FLOATING_FUNCTIONS: dict[str, Callable[..., Any]] = {
        "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.power(10.0, x), "log": np.log, "log2": np.log2,
        "log10": np.log10, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos,
        "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "pow": np.power, "powr": np.power,
        "floor": np.floor, "ceil": np.ceil, "round": np.round, "rint": np.rint, "trunc": np.trunc, "fabs": np.abs,
        "fma": lambda a, b, c: a * b + c, "divide": lambda a, b: a / b, "recip": lambda a: 1 / a, "atan": np.arctan,
    "fmax": np.fmax, "fmin": np.fmin,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {name: _floating(one) for name, one in FLOATING_FUNCTIONS.items()} | {
    "max": _same(max), "min": _same(min), "abs": _same(abs),
    "clamp": _same(lambda value, low, high: min(max(value, low), high)),
    "isnan": lambda value: np.bool_(np.isnan(value)), "isinf": lambda value: np.bool_(np.isinf(value)),
    "select": lambda no, yes, condition: yes if condition else no,
}  # fmt: skip
"""What of metal_stdlib a kernel may call."""
