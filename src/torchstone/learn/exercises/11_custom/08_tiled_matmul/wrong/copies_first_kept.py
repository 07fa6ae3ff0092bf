# rejected by: work_is_done_in_tiles: The strides tell the kernel where a transposed
# transposed matrices are copied first, not read where they lie
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
        inside_a = (rows[:, None] < m) & (inner[None, :] < k)
        inside_b = (inner[:, None] < k) & (columns[None, :] < n)
        tile_a = tl.load(a + rows[:, None] * a_row + inner[None, :] * a_column, mask=inside_a, other=0.0)
        tile_b = tl.load(b + inner[:, None] * b_row + columns[None, :] * b_column, mask=inside_b, other=0.0)
        total += tl.dot(tile_a, tile_b, input_precision="ieee")
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out + rows[:, None] * n + columns[None, :], total.to(out.dtype.element_ty), mask=inside)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if out.numel() > 0:
        grid = (triton.cdiv(m, BLOCK), triton.cdiv(n, BLOCK))
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), BLOCK)
    return out
