"""What a call is put through: dtype, sizes, values, options, layouts and ways of calling, alone and in pairs.

45 of 169 silent faults on record needed two conditions at once, so every two are crossed; a pair is left out where one
of the two is wrong by itself. The sizes at which devices have failed are parameters: a pretend device fails earlier.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import torch

from torchstone.ops.operators import dtype_name
from torchstone.ops.probes.bases import Base
from torchstone.ops.probes.drawing import VALUES
from torchstone.ops.probes.layouts import LAYOUTS

LADDER = (0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 127, 129, 512, 1023, 1024, 1025, 2048)
FORWARD = "forward"
BACKWARD = ("backward dense", "backward expanded", "backward permuted")
INTO = ("in place into a view", "in place into a transposed view", "out= into a view", "out= into a transposed view")


@dataclass(frozen=True)
class Thresholds:
    """Where counters of 16 bits, and those of large buffers, have wrapped."""

    narrow: tuple[int, ...] = (32767, 32768, 32769, 65535, 65536, 65537)
    large: tuple[int, ...] = (2**22 + 1, 2**24 + 1)
    """Of one dimension, while all others are 1: else it would fit into no small device's memory."""
    most_elements: int = 2**26
    """Of one argument: what is larger is not run, which the verdict says."""
    crossed: tuple[int, ...] = (32769, 65537)
    """Those of the narrow ones that are put in pairs with other conditions, and that probes of state use."""
    crossed_large: tuple[int, ...] = (2**22 + 1,)
    """Those of the large ones that meet another dtype or option."""

    def sizes_of(self, base: Base, size: tuple[str, int] | None) -> dict[str, int]:
        """All dimensions of a base, with one set to a size."""
        if size is None:
            return dict(base.sizes)
        others = dict.fromkeys(base.sizes, 1) if size[1] in self.large else base.sizes
        return {**others, size[0]: size[1]}


LOWERED = Thresholds((127, 128, 129, 255, 256, 257), (4095, 4096, 4097, 5000), 2**16, (129, 257), ())
"""Where the sizes themselves are not the question."""
FOR_PRETEND = Thresholds(large=(2**22 + 1,), crossed=LOWERED.crossed, crossed_large=())
"""A pretend device is the CPU: to cross all conditions with large sizes there would take hours and show nothing."""


@dataclass(frozen=True)
class Point:
    """One call under conditions; each at its default unless it is set."""

    dtype: torch.dtype
    size: tuple[str, int] | None = None
    """One dimension, and how large."""
    values: str = "plain"
    option: int | None = None
    layout: tuple[str, int | None] | None = None
    """Of one argument, or of all (None)."""
    way: str = FORWARD

    def describe(self, base: Base) -> str:
        words = [dtype_name(self.dtype)]
        if self.size is not None:
            words.append(f"{self.size[0]}={self.size[1]}")
        if self.values != "plain":
            words.append(f"values: {self.values}")
        if self.option is not None:
            words.append(" ".join(f"{key}={value}" for key, value in base.options[self.option].items()))
        if self.layout is not None:
            which = "all arguments" if self.layout[1] is None else f"argument {self.layout[1]}"
            words.append(f"{which} {self.layout[0]}")
        if self.way != FORWARD:
            words.append(self.way)
        return ", ".join(words)


Change = tuple[str, Any]
"""The field of a point, and what it is set to."""


def singles(base: Base, tensors: int, thresholds: Thresholds) -> Iterator[Change]:
    """Every condition by itself."""
    yield from (("dtype", dtype) for dtype in base.dtypes[1:])
    yield from (("option", number) for number in range(len(base.options)))
    yield from (("layout", layout) for layout in _layouts(tensors))
    yield from (("way", way) for way in _ways(base, tensors))
    yield from (("values", values) for values in VALUES[1:])
    sizes = (*LADDER, *thresholds.narrow, *thresholds.large)
    yield from (("size", (role, size)) for role in base.sizes for size in sizes if not base.is_too_slow(role, size))


Judged = Iterator[tuple[Point, set[Change]]]
"""Points with the changes that made them."""


def points_alone(base: Base, tensors: int, thresholds: Thresholds) -> Judged:
    """Plain first, then each condition alone."""
    plain = Point(base.dtypes[0])
    yield plain, set()
    for name, value in singles(base, tensors, thresholds):
        yield replace(plain, **{name: value}), {(name, value)}


def points_in_pairs(base: Base, tensors: int, thresholds: Thresholds, bad: set[Change]) -> Judged:
    """Two conditions at once; `bad` is filled by whoever judges, as it goes."""
    plain = Point(base.dtypes[0])
    alone = list(singles(base, tensors, thresholds))
    for one, other in combinations(_for_pairs(alone, thresholds), 2):
        if one[0] != other[0] and one not in bad and other not in bad and _is_worth_it(one, other, thresholds):
            yield replace(plain, **{one[0]: one[1], other[0]: other[1]}), {one, other}


def _layouts(tensors: int) -> Iterator[tuple[str, int | None]]:
    for name in (*LAYOUTS, "expanded", "expanded inside"):
        yield name, None
        if tensors > 1:
            yield from ((name, argument) for argument in range(tensors))


def _ways(base: Base, tensors: int) -> Iterator[str]:
    if base.has_gradient:
        yield from BACKWARD
        if tensors > 1:
            yield from (f"backward of argument {argument}" for argument in range(tensors))
            yield from (f"backward without argument {argument}" for argument in range(tensors))
    if base.in_place is not None:
        yield from INTO[:2]
    if base.has_out:
        yield from INTO[2:]


PAIRED_LAYOUTS = (
    "transposed",
    "inner transposed",
    "every second element",
    "offset 1",
    "later rows",
    "channels last",
    "slice of channels last",
    "expanded",
    "conjugated",
)


def _for_pairs(alone: list[Change], thresholds: Thresholds) -> list[Change]:
    """Fewer sizes and layouts: those that stand for the others."""
    paired_sizes = (0, 1, 8, 9, 33, 129, 1025, *thresholds.crossed, *thresholds.crossed_large)

    def stands_for_others(change: Change) -> bool:
        name, value = change
        if name == "size":
            return value[1] in paired_sizes
        return name != "layout" or value[0] in PAIRED_LAYOUTS

    return [change for change in alone if stands_for_others(change)]


def _is_worth_it(one: Change, other: Change, thresholds: Thresholds) -> bool:
    """A large size takes seconds: it meets the conditions that choose another kernel, dtypes and options, alone."""
    both = {one[0]: one[1], other[0]: other[1]}
    is_large = "size" in both and both["size"][1] in thresholds.large
    return not is_large or "dtype" in both or "option" in both
