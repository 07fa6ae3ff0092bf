# earns: solved lean
# one number for each tile, addresses that move along, the accumulator inside tl.dot
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
    rows = (tl.program_id(0) // across * block + tl.arange(0, block))[:, None]
    columns = (tl.program_id(0) % across * block + tl.arange(0, block))[None, :]
    inner = tl.arange(0, block)
    from_a = a + rows * a_row + inner[None, :] * a_column
    from_b = b + inner[:, None] * b_row + columns * b_column
    total = tl.zeros((block, block), dtype=tl.float32)
    for start in range(0, k, block):
        tile_a = tl.load(from_a, mask=(rows < m) & (inner[None, :] < k - start), other=0.0)
        tile_b = tl.load(from_b, mask=(columns < n) & (inner[:, None] < k - start), other=0.0)
        total = tl.dot(tile_a, tile_b, acc=total, input_precision="ieee")
        from_a += block * a_column
        from_b += block * b_row
    tl.store(out + rows * n + columns, total.to(out.dtype.element_ty), mask=(rows < m) & (columns < n))


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if m and n:
        grid = (triton.cdiv(m, BLOCK) * triton.cdiv(n, BLOCK),)
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), block=BLOCK)
    return out
