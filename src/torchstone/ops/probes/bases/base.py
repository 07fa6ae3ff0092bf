"""What an operator that models use is to a probe: a call, its arguments by the sizes of its dimensions, its options.

A base has named dimensions with small defaults, so that each can be made large alone; options, each of which sets an
optional argument off its default; and says whether it has a gradient, an in-place form and an `out=`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from torchstone.ops.probes.drawing import Draw

Sizes = Mapping[str, int]
Arguments = Callable[[Draw, Sizes], tuple[Any, ...]]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16)
COMPLEX = (torch.complex64,)
ANY = (*FLOATS, *WHOLE, torch.bool)
NUMBERS = (*FLOATS, *WHOLE)


@dataclass(frozen=True)
class Base:
    """One operator that models use."""

    name: str
    call: Callable[..., Any]
    arguments: Arguments
    sizes: Sizes
    dtypes: tuple[torch.dtype, ...] = FLOATS
    options: tuple[Mapping[str, Any], ...] = ()
    """Beside the plain call, calls with these keywords."""
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    has_gradient: bool = True
    in_place: str | None = None
    """The name of its in-place method."""
    has_out: bool = False
    sequential: frozenset[str] = frozenset()
    """Dimensions each of whose steps waits for the one before."""

    def is_too_slow(self, role: str, size: int) -> bool:
        """Whether so many steps would take minutes, wherever they are made."""
        return role in self.sequential and size > MOST_STEPS


MOST_STEPS = 2048
ROWS = {"m": 4, "n": 6}
IMAGE = {"b": 2, "c": 4, "h": 6, "w": 5}


def grid(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return (draw(s["m"], s["n"]),)


def positive_grid(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return (draw.positive(s["m"], s["n"]),)


def two(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return draw(s["m"], s["n"]), draw(s["m"], s["n"])


def over(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return draw(s["m"], s["n"]), draw.positive(s["m"], s["n"])


def image(draw: Draw, s: Sizes) -> tuple[Any, ...]:
    return (draw(s["b"], s["c"], s["h"], s["w"]),)


def of_torch(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(torch, name, None) or getattr(F, name)
    return found
