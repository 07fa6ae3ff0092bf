# rejected by: work_is_done_in_tiles: The strides tell the kernel where a transposed matrix
# a matrix whose rows do not lie one number after the other is copied first; 'a transposed matrix is read where it
# lies, and is not copied first'
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
    if a.stride(1) != 1:
        a = a.contiguous()
    if b.stride(1) != 1:
        b = b.contiguous()
    if m and n:
        grid = (triton.cdiv(m, BLOCK), triton.cdiv(n, BLOCK))
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), block=BLOCK)
    return out
