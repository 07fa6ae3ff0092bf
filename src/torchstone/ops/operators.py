"""An operator with its samples: the one noun that the atlas judges, wherever the samples come from."""

import fnmatch
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import torch

from torchstone.ops.names import refuse_unknown

Answer = Literal["unique", "uninitialised", "up to a sign", "ties", "seeded"]
"""What of an answer can be compared: all of it; its shape and dtype; its absolute values; where equal values stand in
any order, the values that its indices name; of one that seeds its own draws, nothing where it differs."""


@dataclass(frozen=True)
class Sample:
    """One call: its arguments, on the CPU."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    finish: Callable[[Any], Any] = lambda output: output
    """What of the output a gradient is taken of."""


Sampler = Callable[[torch.dtype, bool], Iterable[Sample]]
"""The samples of a dtype, with or without tensors that require a gradient."""


@dataclass(frozen=True)
class Operator:
    """What is called, and with what."""

    name: str
    """As a person calls it: `nn.functional.conv2d`."""
    variant: str
    aten: str
    """As the dispatcher names it: `aten::conv2d`."""
    call: Callable[..., Any]
    sampler: Sampler
    dtypes: frozenset[torch.dtype]
    gradient_dtypes: frozenset[torch.dtype] = frozenset()
    answer: Answer = "unique"
    source: str = "OpInfo"
    claims: tuple[str, ...] = ()
    """Kernels that a device must have registered for it to be asked at all: `aten::gelu@NestedTensor`."""

    def is_claimed_by(self, device_type: str) -> bool:
        """Whether the device says that it has what this needs."""
        key = torch._C._dispatch_key_for_device(device_type)
        pairs = (claim.split("@") for claim in self.claims)
        return all(torch._C._dispatch_has_kernel_for_dispatch_key(name, kind + key) for name, kind in pairs)

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.variant}" if self.variant else self.name

    @property
    def spellings(self) -> frozenset[str]:
        """What a person may call it by."""
        short = self.aten.removeprefix("aten::")
        plain = self.name.removeprefix("nn.functional.")
        named = {self.name, self.full_name, plain, self.aten}
        return frozenset(named if self.name.startswith(("sparse.", "masked.")) else {*named, short})


def pick_samples(operator: Operator, dtype: torch.dtype, wants_gradient: bool, most: int | None) -> "list[Numbered]":
    """At most so many, spread over all, each with its number; the same in every process."""
    seed_for(operator, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own samples use what torch calls experimental
        every = list(operator.sampler(dtype, wants_gradient))
    return [Numbered(number, every[number]) for number in spread(len(every), most)]


@dataclass(frozen=True)
class Numbered:
    """A sample and its place among all of the operator's samples in that dtype."""

    number: int
    sample: Sample


def spread(count: int, most: int | None) -> list[int]:
    """At most `most` numbers below `count`, evenly, with the first and the last."""
    if most is None or count <= most:
        return list(range(count))
    if most == 1:
        return [0]
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})


def seed_for(operator: Operator, dtype: torch.dtype) -> None:
    """The same samples in every process: they are drawn at random."""
    import random

    import numpy

    seed = zlib.crc32(f"{operator.full_name} {dtype}".encode())
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)  # OpInfo draws from the global generator


class Named(Protocol):
    """What a pattern can name."""

    @property
    def spellings(self) -> frozenset[str]: ...


AnyNamed = TypeVar("AnyNamed", bound=Named)


def matching(operators: Sequence[AnyNamed], patterns: Sequence[str]) -> list[AnyNamed]:
    """Those that some pattern names; an unknown name is refused with the nearest."""
    if not patterns:
        return list(operators)
    chosen: set[int] = set()
    for pattern in patterns:
        found = [place for place, one in enumerate(operators) if _is_named(one, pattern)]
        if not found:
            known = {spelling for one in operators for spelling in one.spellings}
            refuse_unknown("operator", pattern, known, "`torchstone ops 'linalg*'` takes patterns")
        chosen.update(found)
    return [operators[place] for place in sorted(chosen)]


def _is_named(operator: Named, pattern: str) -> bool:
    # `a*` must not mean everything because all names of the dispatcher begin with `aten::`.
    return any(fnmatch.fnmatchcase(one, pattern) for one in operator.spellings if "::" in pattern or "::" not in one)


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def dtypes_of(operator: Operator, wanted: Iterable[torch.dtype] | None) -> Iterator[torch.dtype]:
    """In alphabetical order: sets of dtypes have an order of their own in every process."""
    chosen = operator.dtypes if wanted is None else operator.dtypes & frozenset(wanted)
    yield from sorted(chosen, key=dtype_name)
