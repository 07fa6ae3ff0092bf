# rejected by: a_program_makes_a_tile: Programs run at the same time, each on its own tile
# one program makes a whole row of tiles; 'one program makes one tile of the result …: there are as many programs as
# tiles'
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
    rows = tl.program_id(0) * block + tl.arange(0, block)
    for left in range(0, n, block):
        columns = left + tl.arange(0, block)
        total = tl.zeros((block, block), dtype=tl.float32)
        for start in range(0, k, block):
            inner = start + tl.arange(0, block)
            tile_a = tl.load(
                a + rows[:, None] * a_row + inner[None, :] * a_column,
                mask=(rows[:, None] < m) & (inner[None, :] < k),
                other=0.0,
            )
            tile_b = tl.load(
                b + inner[:, None] * b_row + columns[None, :] * b_column,
                mask=(inner[:, None] < k) & (columns[None, :] < n),
                other=0.0,
            )
            total += tl.dot(tile_a, tile_b, input_precision="ieee")
        tl.store(
            out + rows[:, None] * n + columns[None, :],
            total.to(out.dtype.element_ty),
            mask=(rows[:, None] < m) & (columns[None, :] < n),
        )


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if m and n:
        grid = (triton.cdiv(m, BLOCK),)
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), block=BLOCK)
    return out
