"""Fresh inputs: random values in the dtypes, layouts and sizes that a check asks for, on the device that is graded.

Values come from the CPU's generator and then move, so that a seed means the same on every device.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeVar

import torch

from torchstone.learn.grading.hooks import unheard
from torchstone.learn.grading.session import session

Layout = Literal["contiguous", "strided", "transposed"]
Item = TypeVar("Item")
REPEATS = 2
"""Each size is drawn twice, with other values: an answer that caches by shape or by id is then wrong."""


class Draw:
    """A stream of random inputs; every tensor comes in the dtype and layout of the running case."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        self.dtype = torch.float32
        self.layout: Layout = "contiguous"
        self.random = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)

    def on(self, device: torch.device) -> "Draw":
        """A draw of its own for another device."""
        return Draw(self.random.randrange(2**31), device)

    def cases(
        self,
        make: Callable[..., Any],
        sizes: Iterable[Any] = ((),),
        *,
        dtypes: Sequence[torch.dtype] = (torch.float32,),
        layouts: Sequence[Layout] = ("contiguous",),
        repeats: int | None = None,
    ) -> Iterator[Any]:
        """What `make(draw, *size)` returns, for each size, smallest first, in each dtype and each layout.

        Give the sizes from small to large: the first failing case is then the smallest one. `repeats`: so often in
        every dtype and layout; unless told, twice in the first.
        """
        supported = [dtype for dtype in dtypes if device_holds(self.device, dtype)]
        widened = list(self._widened(sizes))
        if session.brief:
            supported, layouts, repeats = supported[:1], layouts[:1], 1
            widened = widened[:: max(1, len(widened) - 1)]  # the smallest and the largest
        for number, size in enumerate(widened):
            arguments = size if isinstance(size, tuple) else (size,)
            for place, (dtype, layout) in enumerate(pair_up(supported, layouts, number, len(widened))):
                for _ in range(repeats or (1 if place else REPEATS)):
                    yield self._draw(make, arguments, dtype, layout)

    def _widened(self, sizes: Iterable[Any]) -> Iterator[Any]:
        """The sizes; where calls are recorded, for the mutation benchmark, then the same ones made a little larger."""
        known = list(sizes)
        yield from known
        if session.calls is not None:
            yield from (self._enlarge(size) for size in known)

    def _enlarge(self, size: Any) -> Any:
        if isinstance(size, tuple):
            return tuple(self._enlarge(item) for item in size)
        return size + self.integer(0, 2) if type(size) is int else size

    def _draw(self, make: Callable[..., Any], size: tuple[Any, ...], dtype: torch.dtype, layout: Layout) -> Any:
        before = self.dtype, self.layout
        self.dtype, self.layout = dtype, layout
        try:
            return make(self, *size)
        finally:
            self.dtype, self.layout = before

    @unheard()
    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Normal values with standard deviation `scale`."""
        values = torch.randn(shape, generator=self.generator, dtype=torch.float64) * scale
        return self.place(values, dtype)

    @unheard()
    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype | None = None
    ) -> torch.Tensor:
        """Values between `low` and `high`."""
        values = torch.rand(shape, generator=self.generator, dtype=torch.float64) * (high - low) + low
        return self.place(values, dtype)

    @unheard()
    def integers(self, *shape: int, low: int = 0, high: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        """Whole numbers from `low` to `high` − 1."""
        return self.place(torch.randint(low, high, shape, generator=self.generator), dtype)

    @unheard()
    def mask(self, *shape: int, share: float = 0.5) -> torch.Tensor:
        """Booleans, true with probability `share`."""
        return self.place(torch.rand(shape, generator=self.generator) < share, torch.bool)

    @unheard()
    def permutation(self, length: int) -> torch.Tensor:
        return self.place(torch.randperm(length, generator=self.generator), torch.int64)

    def integer(self, low: int, high: int) -> int:
        """One whole number from `low` to `high`, both included."""
        return self.random.randint(low, high)

    def choice(self, items: Sequence[Item]) -> Item:
        return self.random.choice(items)

    @unheard()
    def place(self, values: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
        """These values on the graded device, in the layout of the case, and in its dtype unless one is given."""
        placed = values.to(dtype or self.dtype).to(self.device)
        return lay_out(placed, self.layout)


def pair_up(
    dtypes: Sequence[torch.dtype], layouts: Sequence[Layout], number: int, sizes: int
) -> list[tuple[torch.dtype, Layout]]:
    """Each dtype and each layout for one size; over as many sizes as there are layouts, each of the one with each of
    the other. Fewer sizes than that: all pairs for every size.
    """
    if not dtypes or sizes < min(len(dtypes), len(layouts)):
        return [(dtype, layout) for dtype in dtypes for layout in layouts]
    return [
        (dtypes[(place + number) % len(dtypes)], layouts[place])
        if len(layouts) > len(dtypes)
        else (dtypes[place], layouts[(place + number) % len(layouts)])
        for place in range(max(len(dtypes), len(layouts)))
    ]


def lay_out(values: torch.Tensor, layout: Layout) -> torch.Tensor:
    """The same values with other strides."""
    if layout == "strided" and values.dim() >= 1:
        roomy = values.new_zeros((*values.shape[:-1], 2 * values.shape[-1] + 1))
        view = roomy[..., 1::2]
        return view.copy_(values)
    if layout == "transposed" and values.dim() >= 2:
        return values.transpose(-1, -2).contiguous().transpose(-1, -2)
    return values


def device_holds(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether tensors of that dtype can exist there; Metal has no float64."""
    try:
        torch.zeros(1, dtype=dtype).to(device)
    except (TypeError, RuntimeError):
        return False
    return True


def fresh_draw() -> Draw:
    """The draw that a check is given."""
    return Draw(session.seed, session.device)
