# rejected by: products_are_right: What a mask leaves out is undefined unless other says what it is
# the grid has the tiles across first, the kernel the tiles down: a (48, k) @ (k, 16) leaves two tiles unwritten;
# breaks 'there are as many programs as tiles' (the product for every size)
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
    columns = tl.program_id(1) * block + tl.arange(0, block)
    total = tl.zeros((block, block), dtype=tl.float32)
    for begin in range(0, k, block):
        inner = begin + tl.arange(0, block)
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
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out + rows[:, None] * n + columns[None, :], total.to(out.dtype.element_ty), mask=inside)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if out.numel():
        grid = (triton.cdiv(n, BLOCK), triton.cdiv(m, BLOCK))
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), BLOCK)
    return out
