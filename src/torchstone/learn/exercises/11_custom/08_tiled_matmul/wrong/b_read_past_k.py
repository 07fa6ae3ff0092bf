# rejected by: products_are_right: The last block usually reaches past the end: give load and
# b is read past its last row (a's zeros hide it mostly); demanded: "masks for what is outside", "no access outside"
"""A matrix product in tiles, with Triton."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 16


@triton.jit
def matmul_kernel(a, b, out, m, n, k, a_row, a_column, b_row, b_column, block: tl.constexpr):
    """a, b and out are addresses; a_row is how far the next row of a is, a_column its next column."""
    rows = (tl.program_id(0) * block + tl.arange(0, block))[:, None]
    columns = (tl.program_id(1) * block + tl.arange(0, block))[None, :]
    inner = tl.arange(0, block)
    a_tile = a + rows * a_row + inner[None, :] * a_column
    b_tile = b + inner[:, None] * b_row + columns * b_column
    total = tl.zeros((block, block), dtype=tl.float32)
    for done in range(0, k, block):
        left = tl.load(a_tile, mask=(rows < m) & (inner[None, :] < k - done), other=0.0)
        right = tl.load(b_tile, mask=columns < n, other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
        a_tile += block * a_column
        b_tile += block * b_row
    tl.store(out + rows * n + columns, total.to(out.dtype.element_ty), mask=(rows < m) & (columns < n))


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if out.numel():
        grid = (triton.cdiv(m, BLOCK), triton.cdiv(n, BLOCK))
        matmul_kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), BLOCK)
    return out
