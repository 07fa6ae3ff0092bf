# earns: solved lean
# a grid of one axis, addresses that move on along k, the sum inside tl.dot
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
    across = tl.cdiv(n, block)
    steps = tl.arange(0, block)
    rows = (tl.program_id(0) // across) * block + steps
    columns = (tl.program_id(0) % across) * block + steps
    a += rows[:, None] * a_row + steps[None, :] * a_column
    b += steps[:, None] * b_row + columns[None, :] * b_column
    total = tl.zeros((block, block), dtype=tl.float32)
    for start in range(0, k, block):
        left = k - start
        tile_a = tl.load(a, mask=(rows[:, None] < m) & (steps[None, :] < left), other=0.0)
        tile_b = tl.load(b, mask=(steps[:, None] < left) & (columns[None, :] < n), other=0.0)
        total = tl.dot(tile_a, tile_b, total, input_precision="ieee")
        a += block * a_column
        b += block * b_row
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out + rows[:, None] * n + columns[None, :], total.to(out.dtype.element_ty), mask=inside)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if m and n:
        grid = (triton.cdiv(m, BLOCK) * triton.cdiv(n, BLOCK),)
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), BLOCK)
    return out
