# rejected by: kernel_is_tuned: it has no @triton.autotune
# "under `@triton.autotune`": one block for all
"""A kernel whose block size is found by trying."""

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def _leave_out_idlers(configs, arguments, **options):
    """The configs whose block is below 2n; the smallest one always."""
    n = arguments["n"]
    return [config for config in configs if config.kwargs["block"] < 2 * n] or configs[:1]


@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    """y += a * x for n numbers, `block` in each program."""
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < n
    total = tl.load(y + places, mask=inside) + a * tl.load(x + places, mask=inside)
    tl.store(y + places, total, mask=inside)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    n = y.numel()
    if n:  # a grid of no programs cannot be launched
        axpy_kernel[(triton.cdiv(n, 64),)](x, y, a, n, 64)
    return y
