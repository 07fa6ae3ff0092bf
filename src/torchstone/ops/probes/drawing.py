"""Arguments for base calls: drawn from a seed, in a dtype, with ordinary or difficult values."""

import math
from dataclasses import dataclass, field

import torch

VALUES = ("plain", "nan", "inf", "edges", "duplicates")
"""Ordinary; with a NaN; with infinities; at the ends of the dtype's range; of two values alone."""
SEED = 977


class TooLargeError(Exception):
    """More elements than may be drawn."""


@dataclass
class Draw:
    """Draws tensors; the same ones each time that it is made anew."""

    dtype: torch.dtype
    values: str = "plain"
    generator: torch.Generator = field(default_factory=lambda: torch.Generator().manual_seed(SEED))
    most_elements: float = math.inf
    """Of one tensor: asked before it is drawn."""

    def __call__(self, *shape: int) -> torch.Tensor:
        """Between -2 and 2; whole numbers between -9 and 9."""
        self._refuse_too_large(shape)
        if self.dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=self.generator).bool()
        if not (self.dtype.is_floating_point or self.dtype.is_complex):
            low = 0 if self.dtype == torch.uint8 else -9
            return self.make_difficult(torch.randint(low, 10, shape, generator=self.generator).to(self.dtype))
        if self.dtype.is_complex:
            parts = (torch.randn(shape, generator=self.generator) for _ in range(2))
            return torch.complex(*parts).to(self.dtype)
        return self.make_difficult((torch.rand(shape, generator=self.generator) * 4 - 2).to(self.dtype))

    def positive(self, *shape: int) -> torch.Tensor:
        """Above a tenth, for logarithms, roots and divisors."""
        drawn = self(*shape)
        return drawn if drawn.dtype == torch.bool else drawn.abs() + torch.ones((), dtype=self.dtype)

    def index(self, below: int, *shape: int) -> torch.Tensor:
        self._refuse_too_large(shape)
        if self.values == "duplicates":
            return torch.zeros(shape, dtype=torch.int64)
        return torch.randint(0, max(below, 1), shape, generator=self.generator)

    def mask(self, *shape: int) -> torch.Tensor:
        self._refuse_too_large(shape)
        return torch.randint(0, 2, shape, generator=self.generator).bool()

    def _refuse_too_large(self, shape: tuple[int, ...]) -> None:
        if math.prod(shape) > self.most_elements:
            raise TooLargeError

    def make_difficult(self, tensor: torch.Tensor) -> torch.Tensor:
        """With the values that are asked for in some of its places."""
        if self.values == "plain" or not tensor.numel():
            return tensor
        if self.values == "duplicates":
            return (tensor > 0).to(self.dtype)
        special = torch.tensor(_specials(self.dtype, self.values), dtype=torch.float64 if _floats(self.dtype) else None)
        flat = tensor.flatten().clone()
        places = torch.arange(0, flat.numel(), max(flat.numel() // max(len(special), 1), 1))[: len(special)]
        flat[places] = special[: len(places)].to(self.dtype)
        return flat.reshape(tensor.shape)


def _floats(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point


def _specials(dtype: torch.dtype, values: str) -> list[float] | list[int]:
    if not _floats(dtype):
        info = torch.iinfo(dtype)
        wanted = [info.max, info.min, info.max - 1, 2**24 + 1, 2**31 + 5, 2**32 + 3, 127, 255]
        return [value for value in wanted if info.min <= value <= info.max] if values == "edges" else []
    if values == "nan":
        return [torch.nan]
    if values == "inf":
        return [torch.inf, -torch.inf]
    info_f = torch.finfo(dtype)
    return [info_f.tiny / 4, -info_f.tiny, 16777217.0 if info_f.max > 2e7 else 2049.0, 0.0, -0.0, 1 - info_f.eps]
