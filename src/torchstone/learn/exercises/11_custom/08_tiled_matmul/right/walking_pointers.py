# earns: solved lean
# blocks of addresses that walk along k, and a dot that takes the accumulator
"""A matrix product in tiles, with Triton."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 16
"""The side of a tile; tl.dot wants 16 at least, and a power of two."""


@triton.jit
def matmul_kernel(a, b, out, m, n, k, a_row, a_column, b_row, b_column, block: tl.constexpr):
    """a, b and out are addresses; a_row is how far the next row of a is, a_column its next column."""
    lane = tl.arange(0, block)
    rows = (tl.program_id(0) * block + lane)[:, None]
    columns = (tl.program_id(1) * block + lane)[None, :]
    from_a = a + rows * a_row + lane[None, :] * a_column
    from_b = b + lane[:, None] * b_row + columns * b_column
    total = tl.full((block, block), 0.0, tl.float32)
    left = k
    for _ in range(0, k, block):
        tile_a = tl.load(from_a, mask=(rows < m) & (lane[None, :] < left), other=0.0)
        tile_b = tl.load(from_b, mask=(lane[:, None] < left) & (columns < n), other=0.0)
        total = tl.dot(tile_a, tile_b, total, input_precision="ieee")
        from_a += block * a_column
        from_b += block * b_row
        left -= block
    tl.store(out + rows * n + columns, total.to(out.dtype.element_ty), mask=(rows < m) & (columns < n))


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    m, k = a.shape
    n = b.shape[1]
    out = a.new_empty((m, n))
    tiles = [-(-side // BLOCK) for side in (m, n)]
    if all(tiles):
        matmul_kernel[tuple(tiles)](a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), block=BLOCK)
    return out
