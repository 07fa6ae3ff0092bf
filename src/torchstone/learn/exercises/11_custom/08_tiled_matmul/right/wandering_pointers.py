# earns: solved lean
# a grid of one axis, pointers that wander, acc= of tl.dot
"""A matrix product in tiles, with Triton."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 16
"""The side of a tile; tl.dot wants 16 at least, and a power of two."""


@triton.jit
def matmul_kernel(a, b, out, m, n, k, a_row, a_column, b_row, b_column, across, block: tl.constexpr):
    """A grid of one axis; the pointers wander along k."""
    tile = tl.program_id(0)
    i = (tile // across) * block + tl.arange(0, block)[:, None]
    j = (tile % across) * block + tl.arange(0, block)[None, :]
    step = tl.arange(0, block)
    from_a = a + i * a_row + step[None, :] * a_column
    from_b = b + step[:, None] * b_row + j * b_column
    total = tl.zeros((block, block), dtype=tl.float32)
    left = k
    while left > 0:
        tile_a = tl.load(from_a, mask=(i < m) & (step[None, :] < left), other=0.0)
        tile_b = tl.load(from_b, mask=(step[:, None] < left) & (j < n), other=0.0)
        total = tl.dot(tile_a, tile_b, acc=total, input_precision="ieee")
        from_a += block * a_column
        from_b += block * b_row
        left -= block
    tl.store(out + i * n + j, total.to(out.dtype.element_ty), mask=(i < m) & (j < n))


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    m, k = a.shape
    n = b.size(1)
    out = a.new_empty((m, n))
    down, across = -(-m // BLOCK), -(-n // BLOCK)
    if down * across > 0:
        matmul_kernel[(down * across,)](
            a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), across, block=BLOCK
        )
    return out
